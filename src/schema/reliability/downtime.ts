import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, one, Relations } from "../relation.js";
import { DateTime, Text } from "../scalars.js";
import { Where } from "../where.js";
import { DowntimeCause, DowntimeSource } from "./enums.js";

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description:
    "A time in which an asset was not available. The asset's status opens and ends downtimes: OFFLINE after OPERATIONAL is a failure, MAINTENANCE is planned, and a move from one to the other goes on with the same downtime.",
})
@Relations({
  changes: changesOfRecord,
  asset: one("Asset", { description: "The asset. Null if it was deleted." }),
  workOrder: one("WorkOrder", { description: "The work order by which it was ended. Null if none was named." }),
  createdByPrincipal: author("createdBy", "Who recorded it, or changed the status that opened it."),
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
})
export class Downtime {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DateTime, { description: "When it began." })
  startedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "When the asset was available again. Null while it lasts." })
  endedAt?: Date | null;

  @Field(() => DowntimeCause, { description: "Why. Those by status can be corrected." })
  cause!: DowntimeCause;

  @Field(() => Boolean, { description: "Whether it was planned. Always where the cause is PLANNED, never for a FAILURE." })
  planned!: boolean;

  @Field(() => String, { nullable: true, description: "What happened, in words. Null if nothing was entered." })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order by which it was ended. Null if none was named." })
  workOrderId?: string | null;

  @Field(() => DowntimeSource, { description: "Where it comes from." })
  source!: DowntimeSource;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Number of this version, from 1: each change makes a new one. Corrections take it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "One page of a list of downtimes." })
export class DowntimeConnection extends connectionOf(Downtime, "Downtime") {}

@InputType()
class DowntimeFields {
  @Field(() => Boolean, {
    nullable: true,
    description: "Whether it was planned. Default: as the cause says; where that says nothing, false, and on a correction as it was.",
  })
  planned?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: "When the asset was available again. Null while it lasts." })
  endedAt?: Date | null;

  @Field(() => Text, { nullable: true, description: "What happened, in words." })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of a work order of the asset, whose time counts as that of the repair." })
  workOrderId?: string | null;
}

@InputType({ description: "A downtime that the status did not tell of. Nothing of it lies in the future." })
export class RecordDowntimeInput extends DowntimeFields {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DowntimeCause, { description: "Why the asset was not available." })
  cause!: DowntimeCause;

  @Field(() => DateTime, { description: "When it began." })
  startedAt!: Date;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class CorrectDowntimeInput extends DowntimeFields {
  @Field(() => DowntimeCause, { nullable: true, description: "Why the asset was not available. Never null." })
  cause?: DowntimeCause | null;

  @Field(() => DateTime, { nullable: true, description: "When it began. Never null." })
  startedAt?: Date | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<DowntimeFilter>({
  oneOf: ["assetId", "cause", "source", "workOrderId"],
  times: ["startedAt", "endedAt", "createdAt", "updatedAt"],
  empty: ["endedAt", "workOrderId"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where: (equal) => new Where().equal({ ...equal }),
})
export class DowntimeFilter {
  @Field(() => ID, { nullable: true, description: "Only downtimes of this asset." })
  assetId?: string | null;

  @Field(() => DowntimeCause, { nullable: true, description: "Only downtimes with this cause." })
  cause?: DowntimeCause | null;

  @Field(() => Boolean, { nullable: true, description: "True: only planned ones. False: only the others." })
  planned?: boolean | null;

  @Field(() => DowntimeSource, { nullable: true, description: "Only downtimes that come from there." })
  source?: DowntimeSource | null;

  @Field(() => ID, { nullable: true, description: "Only downtimes that this work order ended." })
  workOrderId?: string | null;
}

declareList("Downtime", { Filter: DowntimeFilter, orders: ["startedAt", "endedAt", "createdAt", "updatedAt", "cause"] });
