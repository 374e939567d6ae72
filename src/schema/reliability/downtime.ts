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
    "Time in which an asset was not available. Status changes open and end downtimes: OFFLINE after OPERATIONAL is a failure, and MAINTENANCE is planned. A change from one to the other continues the same downtime.",
})
@Relations({
  changes: changesOfRecord,
  asset: one("Asset", { description: "Asset that was down. Null if it was deleted." }),
  workOrder: one("WorkOrder", { description: "Work order that ended the downtime. Null if there is none." }),
  createdByPrincipal: author("createdBy", "Person or system that recorded the downtime, or changed the status that opened it."),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class Downtime {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DateTime, { description: "Start of the downtime." })
  startedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "End of the downtime. Null while it lasts." })
  endedAt?: Date | null;

  @Field(() => DowntimeCause, { description: "Cause of the downtime. Causes derived from the status can be corrected." })
  cause!: DowntimeCause;

  @Field(() => Boolean, { description: "Whether the downtime was planned. Always true for the cause PLANNED, and false for FAILURE." })
  planned!: boolean;

  @Field(() => String, { nullable: true, description: "Description of the downtime. Null if none was entered." })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order that ended the downtime. Null if there is none." })
  workOrderId?: string | null;

  @Field(() => DowntimeSource, { description: "Source of the downtime." })
  source!: DowntimeSource;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Corrections accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of downtimes." })
export class DowntimeConnection extends connectionOf(Downtime, "Downtime") {}

@InputType()
class DowntimeFields {
  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the downtime was planned. Default: determined by the cause. If the cause does not determine it: false, or unchanged on a correction.",
  })
  planned?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: "End of the downtime. Null while it lasts." })
  endedAt?: Date | null;

  @Field(() => Text, { nullable: true, description: "Description of the downtime." })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of a work order of the asset, whose time counts as repair time." })
  workOrderId?: string | null;
}

@InputType({ description: "Downtime that no status change recorded. Must not extend into the future." })
export class RecordDowntimeInput extends DowntimeFields {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DowntimeCause, { description: "Cause of the downtime." })
  cause!: DowntimeCause;

  @Field(() => DateTime, { description: "Start of the downtime." })
  startedAt!: Date;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class CorrectDowntimeInput extends DowntimeFields {
  @Field(() => DowntimeCause, { nullable: true, description: "Cause of the downtime. Must not be null." })
  cause?: DowntimeCause | null;

  @Field(() => DateTime, { nullable: true, description: "Start of the downtime. Must not be null." })
  startedAt?: Date | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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

  @Field(() => Boolean, { nullable: true, description: "Only planned downtimes, or only unplanned ones." })
  planned?: boolean | null;

  @Field(() => DowntimeSource, { nullable: true, description: "Only downtimes from this source." })
  source?: DowntimeSource | null;

  @Field(() => ID, { nullable: true, description: "Only downtimes ended by this work order." })
  workOrderId?: string | null;
}

declareList("Downtime", { Filter: DowntimeFilter, orders: ["startedAt", "endedAt", "createdAt", "updatedAt", "cause"] });
