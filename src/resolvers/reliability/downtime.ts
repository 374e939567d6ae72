import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { rejectNull } from "../../database/records/records.js";
import * as downtimes from "../../domain/reliability/downtimes.js";
import { Deletion } from "../../schema/deletion.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import { CorrectDowntimeInput, Downtime, RecordDowntimeInput } from "../../schema/reliability/downtime.js";
import { ShortText } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

export const downtimeRoots = declareRoots({
  downtime: one<IdArgs>("Downtime", {
    args: IdArgs,
    unknown: ({ id }) => downtimes.unknownDowntime(id),
    description: "Returns a downtime by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  downtimes: pages("Downtime", { description: "Lists downtimes, by start time unless ordered otherwise." }),
});

@Resolver(() => Downtime)
export class DowntimeResolver {
  @Authorized("technician")
  @Mutation(() => Downtime, {
    description:
      "Records a downtime that no status change recorded. Overlapping downtimes count once. Fails with CONFLICT naming `downtimeId` if the asset already has an open downtime and this one has no end.",
  })
  recordDowntime(
    @Arg("input", () => RecordDowntimeInput, { description: "Values of the downtime." }) input: RecordDowntimeInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Downtime> {
    return downtimes.recordDowntime(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Downtime, {
    description:
      "Corrects a downtime, including downtimes derived from the status. All figures use the corrected values; `changes` keeps the previous ones.",
  })
  correctDowntime(
    @Arg("id", () => ID, { description: "Id of the downtime." }) id: string,
    @Arg("input", () => CorrectDowntimeInput, { description: "Values to change." }) input: CorrectDowntimeInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Reason, stored in the change log." }) _reason?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Downtime> {
    rejectNull("Downtime", input);
    return downtimes.correctDowntime(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Excludes a downtime from all figures. `restoreDowntime` reverts this." })
  async deleteDowntime(
    @Arg("id", () => ID, { description: "Id of the downtime." }) id: string,
    @Arg("reason", () => ShortText, { description: "Reason, stored in the change log." }) _reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    return { id, message: "Downtime deleted", deletedAt: await downtimes.deleteDowntime(db, actor, id, expectedVersion) };
  }

  @Authorized("manager")
  @Mutation(() => Downtime, { description: "Restores a deleted downtime." })
  restoreDowntime(
    @Arg("id", () => ID, { description: "Id of a deleted downtime." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Downtime> {
    return downtimes.restoreDowntime(db, actor, id);
  }
}
