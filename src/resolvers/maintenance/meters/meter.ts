import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import * as readings from "../../../domain/maintenance/meters/meter-readings.js";
import * as meters from "../../../domain/maintenance/meters/meters.js";
import { Deletion } from "../../../schema/deletion.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import {
  CreateMeterInput,
  Meter,
  MeterReading,
  MeterReadingInput,
  MeterUsage,
  RecordedMeterReadings,
  UpdateMeterInput,
} from "../../../schema/maintenance/meters/meter.js";
import { ProcedureMeter } from "../../../schema/maintenance/procedures/plan-counter.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import { DateTime, ShortText } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const meterRoots = declareRoots({
  meter: one<IdArgs>("Meter", {
    args: IdArgs,
    unknown: ({ id }) => meters.unknownMeter(id),
    description: "Returns a meter by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  meters: pages("Meter", { description: "Lists meters, oldest first unless ordered otherwise." }),
});

@Resolver(() => Meter)
export class MeterResolver {
  @FieldResolver(() => MeterUsage, { description: "Total count and daily usage." })
  usage(@Root() { id }: Meter, @Ctx() { data: { loaders } }: Context): Promise<MeterUsage> {
    return loaders.load(meters.usageOf, id);
  }

  @Authorized("manager")
  @Mutation(() => Meter, { description: "Creates a meter of an asset." })
  createMeter(
    @Arg("input", () => CreateMeterInput, { description: "Values of the meter." }) input: CreateMeterInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Meter> {
    return meters.createMeter(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Meter, { description: "Updates a meter." })
  updateMeter(
    @Arg("id", () => ID, { description: "Id of the meter." }) id: string,
    @Arg("input", () => UpdateMeterInput, { description: "Values to change." }) input: UpdateMeterInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Meter> {
    rejectNull("Meter", input);
    return meters.updateMeter(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a meter. Its readings are kept; procedures are no longer due by it." })
  async deleteMeter(
    @Arg("id", () => ID, { description: "Id of the meter." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    const { deletedAt, assetId } = await meters.deleteMeter(db, actor, id, expectedVersion);
    return { id, message: "Meter deleted", deletedAt: deletedAt!, owner: async () => assetId };
  }

  @Authorized("manager")
  @Mutation(() => Meter, { description: "Restores a deleted meter." })
  restoreMeter(
    @Arg("id", () => ID, { description: "Id of a deleted meter." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Meter> {
    return meters.restoreMeter(db, actor, id);
  }

  @Authorized("technician", "ingest")
  @Mutation(() => RecordedMeterReadings, {
    description:
      "Records meter readings in one transaction, all or none. Refuses a value below the last one unless a rollover or replacement is declared.",
  })
  recordMeterReadings(
    @Arg("readings", () => [MeterReadingInput], { description: "At most 1,000 readings, unless the operator has set another limit." })
    input: MeterReadingInput[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<RecordedMeterReadings> {
    return readings.recordMeterReadings(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => MeterReading, {
    description:
      "Deletes the last reading of a meter, with a reason, and the due dates that it caused without a work order. Returns the reading.",
  })
  deleteMeterReading(
    @Arg("meterId", () => ID, { description: "Id of the meter." }) meterId: string,
    @Arg("takenAt", () => DateTime, { description: "Time of the meter's last reading." }) takenAt: Date,
    @Arg("reason", () => ShortText, { description: "Reason for the correction, stored in the change log." }) _reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<MeterReading> {
    return readings.deleteMeterReading(db, actor, meterId, takenAt);
  }
}

@Resolver(() => ProcedureMeter)
export class ProcedureMeterResolver {
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: "Estimated time at which the total will be reached, based on the usage of the last 90 days (`perDay`). Null if unknown.",
  })
  async forecastAt(@Root() { meterId, dueAtTotal }: ProcedureMeter, @Ctx() { data: { loaders } }: Context): Promise<Date | null> {
    return meters.forecastOf(await loaders.load(meters.usageOf, meterId), dueAtTotal);
  }
}
