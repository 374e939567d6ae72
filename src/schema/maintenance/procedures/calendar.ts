import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { AssetFilter } from "../../assets/asset.js";
import { one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { WorkOrder } from "../work-orders/work-order.js";
import { WorkOrderFilter } from "../work-orders/work-order-list.js";
import { GapWarning } from "./occurrence.js";

@ArgsType()
export class CalendarArgs {
  @Field(() => DateTime, { description: "Start of the period." })
  from!: Date;

  @Field(() => DateTime, { description: "End of the period, at most 400 days later." })
  until!: Date;

  @Field(() => AssetFilter, { nullable: true, description: "Only work on assets that match this filter, e.g. of a site." })
  asset?: AssetFilter | null;

  @Field(() => String, {
    nullable: true,
    description: "Only work orders assigned to this technician. Excludes occurrences without an order.",
  })
  assignedTechnician?: string | null;

  @Field(() => WorkOrderFilter, {
    nullable: true,
    description: "Only work orders that match this filter. Excludes occurrences without an order.",
  })
  workOrder?: WorkOrderFilter | null;

  @Field(() => Boolean, { nullable: true, description: "Only occurrences without an order. Default: false." })
  withoutOrder?: boolean | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Calendar entry: a work order, or an occurrence of a procedure without an order. Each occurrence is listed once.",
})
@Relations({
  asset: one("Asset", { on: { id: "assetId" }, description: "Asset of the work. Null if it was deleted." }),
  procedure: one("Procedure", {
    on: { id: "procedureId" },
    description: "Procedure of the work. Null if there is none or it was deleted.",
  }),
})
export class CalendarEntry {
  @Field(() => DateTime, { description: "Scheduled date of the work order, otherwise the due date." })
  date!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "Due date of the procedure. Null for orders of completed occurrences, and without a procedure.",
  })
  dueDate?: Date | null;

  @Field(() => Int, { nullable: true, description: "Number of the procedure's occurrence. Null if there is none." })
  occurrence?: number | null;

  @Field(() => GapWarning, {
    nullable: true,
    description: "Warning for the plan's next date, if the previous work was done so early that the gap is too long. Otherwise null.",
  })
  gapWarning?: GapWarning | null;

  @Field(() => WorkOrder, { nullable: true, description: "Work order. Null if there is none yet." })
  workOrder?: WorkOrder | null;
}
