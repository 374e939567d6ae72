/** Recalls: units of a part that must be located and replaced (docs/units.md, "Recalls"). */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { UnitState } from "../../components/enums.js";
import { UnitPeriod } from "../../components/unit.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, pages, Relations } from "../../relation.js";
import { DateTime, Name, ShortText, Text } from "../../scalars.js";
import { Where } from "../../where.js";
import { Priority, WorkOrderType } from "../enums.js";

@ObjectType({
  implements: [Node],
  simpleResolvers: true,
  description: "A recall of units of a part, chosen by their batch, their serial numbers or a range of these.",
})
@Relations({
  part: one("Part", { required: true, description: "Part of the units." }),
  units: pages("RecallUnit", {
    order: ["serialNumber", "id"],
    description: "Units of the recall by serial number, including those received after it was opened.",
  }),
  openedByPrincipal: author("openedBy", "Person or system that opened the recall."),
  closedByPrincipal: author("closedBy", "Person or system that closed the recall."),
})
export class Recall {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Reason of the recall." })
  reason!: string;

  @Field(() => String, { nullable: true, description: "Batch whose units are recalled. Null if they are chosen by serial numbers." })
  batchNumber?: string | null;

  @Field(() => [String], { description: "Recalled serial numbers. Empty if the units are chosen by their batch or a range." })
  serialNumbers!: string[];

  @Field(() => String, { nullable: true, description: "First serial number of a range, inclusive. Null without a range." })
  serialFrom?: string | null;

  @Field(() => String, { nullable: true, description: "Last serial number of a range, inclusive. Null without a range." })
  serialTo?: string | null;

  @Field(() => DateTime, { description: "Time at which the recall was opened." })
  openedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that opened the recall." })
  openedBy!: string;

  @Field(() => DateTime, { nullable: true, description: "Time at which the recall was closed. Null while it is open." })
  closedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that closed the recall. Null while it is open." })
  closedBy?: string | null;
}

@ObjectType({ description: "A page of recalls." })
export class RecallConnection extends connectionOf(Recall, "Recall") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<RecallFilter>({
  oneOf: ["partId", "batchNumber"],
  times: ["openedAt", "closedAt"],
  empty: ["batchNumber", "closedAt"],
})
export class RecallFilter {
  @Field(() => ID, { nullable: true, description: "Only recalls of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact batch number." })
  batchNumber?: string | null;
}

declareList("Recall", { Filter: RecallFilter, orders: ["openedAt", "closedAt"] });

@ObjectType({ implements: [Node], simpleResolvers: true, description: "A unit of a recall, with the evidence of its replacement." })
@Relations({
  recall: one("Recall", { required: true, description: "The recall." }),
  unit: one("Unit", { required: true, description: "The unit. Its periods are all places where it is and was." }),
  workOrder: one("WorkOrder", { description: "Last work order to replace the unit. Null if none was created." }),
})
export class RecallUnit {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the recall." })
  recallId!: string;

  @Field(() => ID, { description: "Id of the unit." })
  unitId!: string;

  @Field(() => String, { description: "Serial number of the unit." })
  serialNumber!: string;

  @Field(() => DateTime, {
    description: "Time at which the unit was located: the opening of the recall, or the receipt of a unit that was received later.",
  })
  locatedAt!: Date;

  @Field(() => ID, { nullable: true, description: "Id of the last work order to replace the unit. Null if none was created." })
  workOrderId?: string | null;
}

@ObjectType({ description: "A page of units of a recall." })
export class RecallUnitConnection extends connectionOf(RecallUnit, "RecallUnit") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<RecallUnitFilter>({
  oneOf: ["serialNumber"],
  contains: ["serialNumber"],
  times: ["locatedAt"],
  empty: ["workOrderId"],
  where: ({ state, ...exact }) => {
    const where = new Where().equal(exact);
    if (state)
      where.add(
        `"unitId" in (select p."unitId" from "UnitPeriod" p where p."tenantId" = $1 and p."endedAt" is null and p.state = ?)`,
        state,
      );
    return where;
  },
})
export class RecallUnitFilter {
  @Field(() => UnitState, { nullable: true, description: "Only units in this state now." })
  state?: UnitState | null;

  @Field(() => String, { nullable: true, description: "Exact serial number." })
  serialNumber?: string | null;
}

declareList("RecallUnit", { Filter: RecallUnitFilter, orders: ["serialNumber", "locatedAt"] });

@ObjectType({ simpleResolvers: true, description: "Numbers of units of a recall, by their present states." })
export class RecallCounts {
  @Field(() => Int, { description: "All units that the caller may read." })
  total!: number;

  @Field(() => Int, { description: "Units in a position of an asset." })
  installed!: number;

  @Field(() => Int, { description: "Units in the stock of a site." })
  inStock!: number;

  @Field(() => Int, { description: "Units on the way between two sites." })
  inTransit!: number;

  @Field(() => Int, { description: "Units that were issued to work orders." })
  withWorkOrder!: number;

  @Field(() => Int, { description: "Units that were taken out of their positions." })
  removed!: number;

  @Field(() => Int, { description: "Units in repair." })
  inRepair!: number;

  @Field(() => Int, { description: "Discarded units." })
  scrapped!: number;

  @Field(() => Int, { description: "Units that cannot be found." })
  lost!: number;

  @Field(() => Int, { description: "Units that are now at sites which the caller's key cannot read." })
  elsewhere!: number;

  @Field(() => Int, { description: "Units that were installed when they were located, or have been installed since." })
  toReplace!: number;

  @Field(() => Int, { description: "Units of `toReplace` that are no longer installed." })
  replaced!: number;

  @Field(() => Int, { description: "Units whose work order is pending." })
  ordered!: number;
}

@ObjectType({ simpleResolvers: true, description: "Stock of a recalled batch at a site." })
export class RecallStock {
  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => Float, { description: "Quantity of the batch on hand." })
  quantity!: number;

  @Field(() => Float, { description: "Quantity of it without serial numbers, which is in no list of units." })
  withoutSerialNumbers!: number;
}

@ObjectType({ simpleResolvers: true, description: "Replacement of a recalled unit." })
export class RecallReplacement {
  @Field(() => UnitPeriod, { description: "The installation that ended: position, end and reason." })
  installation!: UnitPeriod;

  @Field(() => UnitPeriod, {
    nullable: true,
    description:
      "Where the unit came from there, with the person that recorded it and the work order. Null at a site that the key cannot read.",
  })
  removal!: UnitPeriod | null;

  @Field(() => UnitPeriod, { nullable: true, description: "Installation of the next unit in the position. Null while there is none." })
  successor!: UnitPeriod | null;
}

@InputType({ description: "A recall. Set either `batchNumber`, `serialNumbers`, or both `serialFrom` and `serialTo`." })
export class OpenRecallInput {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => Text, { description: "Reason of the recall." })
  reason!: string;

  @Field(() => Name, { nullable: true, description: "Batch whose units are recalled." })
  batchNumber?: string | null;

  @Field(() => [Name], { nullable: true, description: "Serial numbers, at most 1,000." })
  serialNumbers?: string[] | null;

  @Field(() => Name, {
    nullable: true,
    description:
      "First serial number of a range, inclusive. A range covers serial numbers with the same text before their last digits, by these digits as numbers.",
  })
  serialFrom?: string | null;

  @Field(() => Name, { nullable: true, description: "Last serial number of the range, inclusive." })
  serialTo?: string | null;
}

@InputType({ description: "Values of the work orders of a recall." })
export class CreateRecallOrdersInput {
  @Field(() => ID, { description: "Id of the recall." })
  recallId!: string;

  @Field(() => Name, {
    nullable: true,
    description: "Title, to which the serial number of the unit is appended. Default: the name of the part.",
  })
  title?: string | null;

  @Field(() => Text, { nullable: true, description: "Description of the work. Default: the reason of the recall." })
  description?: string | null;

  @Field(() => Priority, { nullable: true, description: "Priority. Default: HIGH." })
  priority?: Priority | null;

  @Field(() => DateTime, { nullable: true, description: "Scheduled date. Default: now." })
  scheduledDate?: Date | null;

  @Field(() => WorkOrderType, { nullable: true, description: "Type. Default: PREVENTIVE, because no unit of a recall has failed yet." })
  type?: WorkOrderType | null;

  @Field(() => ShortText, { nullable: true, description: "Technician, as free text." })
  assignedTechnician?: string | null;
}
