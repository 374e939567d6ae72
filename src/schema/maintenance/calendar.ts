import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { AssetFilter } from "../assets/asset.js";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { GapWarning } from "./occurrence.js";
import { WorkOrder, WorkOrderFilter } from "./work-order.js";

@ArgsType()
export class CalendarArgs {
  @Field(() => DateTime, { description: "From this time on." })
  from!: Date;

  @Field(() => DateTime, { description: "Up to this time, at most 400 days later." })
  until!: Date;

  @Field(() => AssetFilter, { nullable: true, description: "Only work on assets that meet these conditions, e.g. of a site." })
  asset?: AssetFilter | null;

  @Field(() => String, { nullable: true, description: "Only work orders assigned to this technician; leaves out what has no order yet." })
  assignedTechnician?: string | null;

  @Field(() => WorkOrderFilter, {
    nullable: true,
    description: "Only work orders that meet these conditions; leaves out what has no order yet.",
  })
  workOrder?: WorkOrderFilter | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Work on a calendar: a work order, or an occurrence of a procedure that has none yet. No occurrence stands there twice.",
})
@Relations({
  asset: one("Asset", { on: { id: "assetId" }, description: "The asset. Null if it was deleted." }),
  procedure: one("Procedure", { on: { id: "procedureId" }, description: "The procedure. Null without one, and if it was deleted." }),
})
export class CalendarEntry {
  @Field(() => DateTime, { description: "Scheduled date of the work order, otherwise the due date." })
  date!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the procedure is due. Null for orders of occurrences that are done, and without a procedure.",
  })
  dueDate?: Date | null;

  @Field(() => Int, { nullable: true, description: "Number of the procedure's occurrence. Null without one." })
  occurrence?: number | null;

  @Field(() => GapWarning, {
    nullable: true,
    description: "Of the plan's next date, where the work before was done so early that the gap is too long. Otherwise null.",
  })
  gapWarning?: GapWarning | null;

  @Field(() => WorkOrder, { nullable: true, description: "The work order. Null as long as there is none." })
  workOrder?: WorkOrder | null;
}
