import { Field, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, StatusChange } from "../../node.js";
import { author, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { WorkOrderStatus } from "../enums.js";

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "Status change of a work order." })
@Relations({
  changedByPrincipal: author("changedBy", "Person or system that made the change."),
})
export class WorkOrderStatusChange {
  @Field(() => WorkOrderStatus, {
    nullable: true,
    description: "Status before the change. Null for the first entry, created with the work order.",
  })
  fromStatus?: WorkOrderStatus | null;

  @Field(() => WorkOrderStatus, { description: "Status after the change." })
  toStatus!: WorkOrderStatus;

  @Field(() => String, { nullable: true, description: "Reason for the change. Null if none was given." })
  reason?: string | null;

  @Field(() => String, { description: "Id of the person or system that made the change." })
  changedBy!: string;

  @Field(() => String, { description: "Name of that person or system at the time." })
  changedByName!: string;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}

@ObjectType({ description: "A page of status changes." })
export class WorkOrderStatusChangeConnection extends connectionOf(WorkOrderStatusChange, "WorkOrderStatusChange") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<WorkOrderStatusChangeFilter>({ oneOf: ["fromStatus", "toStatus", "changedBy"], times: ["changedAt"], empty: ["fromStatus"] })
export class WorkOrderStatusChangeFilter {
  @Field(() => WorkOrderStatus, { nullable: true, description: "Only changes from this status." })
  fromStatus?: WorkOrderStatus | null;

  @Field(() => WorkOrderStatus, { nullable: true, description: "Only changes to this status." })
  toStatus?: WorkOrderStatus | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that made the change." })
  changedBy?: string | null;
}

declareList("WorkOrderStatusChange", { Filter: WorkOrderStatusChangeFilter, orders: ["changedAt", "fromStatus", "toStatus"] });
