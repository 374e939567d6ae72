import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node, RecordNode, StatusChange } from "../node.js";
import { many, one, Relations } from "../relation.js";
import { Name, NonNegative, ShortText, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { Priority, WorkOrderOrigin, WorkOrderPartStatus, WorkOrderStatus, WorkOrderStepStatus } from "./enums.js";
import { CustomStepInput, StepPartInput } from "./procedure-input.js";

@ObjectType({ implements: Node, simpleResolvers: true })
export class WorkOrderStep {
  @Field(() => Int)
  order!: number;

  @Field(() => String)
  description!: string;

  @Field(() => Float, { nullable: true, description: "In minutes." })
  estimatedTime?: number | null;

  @Field(() => [String])
  tools!: string[];

  @Field(() => String, { nullable: true })
  safetyNote?: string | null;

  @Field(() => [String])
  checkpoints!: string[];

  @Field(() => WorkOrderStepStatus)
  status!: WorkOrderStepStatus;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the API key that last changed the status." })
  changedBy?: string | null;

  @Field(() => Timestamp, { nullable: true })
  changedAt?: Date | null;
}

@ObjectType({ implements: Node, description: "A part that a work order needs or has used." })
@Relations({ part: one("Part", { required: true }) })
export class WorkOrderPart {
  @Field(() => ID, { simple: true })
  partId!: string;

  @Field(() => String, { simple: true, description: "Site from which the part is taken." })
  site!: string;

  @Field(() => Float, { simple: true, description: "Requested quantity. 0 for a part that was used without being requested." })
  quantity!: number;

  @Field(() => WorkOrderPartStatus, { simple: true })
  status!: WorkOrderPartStatus;

  @Field(() => Float, { simple: true, nullable: true, description: "Quantity issued from stock. Null until the work order is completed." })
  usedQuantity?: number | null;
}

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "One status change of a work order." })
export class WorkOrderStatusChange {
  @Field(() => WorkOrderStatus, { nullable: true, description: "Null for the first entry, created with the work order." })
  fromStatus?: WorkOrderStatus | null;

  @Field(() => WorkOrderStatus)
  toStatus!: WorkOrderStatus;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { description: "Id of the API key that made the change." })
  changedBy!: string;

  @Field(() => String)
  changedByName!: string;

  @Field(() => Timestamp)
  changedAt!: Date;
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Work to be done on an asset." })
@Relations({
  asset: one("Asset", { description: "Null while the asset is deleted." }),
  component: one("Component"),
  procedure: one("Procedure", { description: "Null if there is no procedure or it is deleted." }),
  notification: one("Notification", { description: "The notification the work order was created from." }),
  steps: many("WorkOrderStep", { order: ["order"], usual: 5 }),
  requiredParts: many("WorkOrderPart", { order: ["partId"], usual: 5 }),
  statusHistory: many("WorkOrderStatusChange", {
    relation: "statusChanges",
    order: ["id"],
    usual: 5,
    description: "All status changes, oldest first.",
  }),
})
export class WorkOrder {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => ID, { nullable: true })
  procedureId?: string | null;

  @Field(() => ID)
  assetId!: string;

  @Field(() => ID, { nullable: true })
  componentId?: string | null;

  @Field(() => ID, { nullable: true })
  notificationId?: string | null;

  @Field(() => WorkOrderOrigin)
  origin!: WorkOrderOrigin;

  @Field(() => Int, { nullable: true, description: "Number of the procedure's occurrence that the work order covers." })
  occurrence?: number | null;

  @Field(() => String)
  title!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => WorkOrderStatus)
  status!: WorkOrderStatus;

  @Field(() => Priority)
  priority!: Priority;

  @Field(() => Timestamp)
  scheduledDate!: Date;

  @Field(() => String, { nullable: true })
  assignedTechnician?: string | null;

  @Field(() => Float, { nullable: true, description: "In minutes." })
  estimatedDuration?: number | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => Timestamp, { nullable: true })
  startedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  completedAt?: Date | null;

  @Field(() => Float, { nullable: true, description: "Duration of the work in minutes." })
  duration?: number | null;

  @Field(() => String, { nullable: true, description: "Who did the work." })
  technician?: string | null;

  @Field(() => Float, { nullable: true })
  laborCost?: number | null;

  @Field(() => Float, { nullable: true, description: "Value of the issued parts." })
  partsCost?: number | null;

  @Field(() => String, { description: "Id of the API key that created it." })
  createdBy!: string;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class WorkOrderConnection extends connectionOf(WorkOrder, "WorkOrder") {}

@InputType()
class WorkOrderFields {
  @Field(() => Timestamp, { nullable: true, description: "Default: the procedure's `nextDue`, otherwise now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Default: the procedure's priority." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType()
export class CreateWorkOrderInput extends WorkOrderFields {
  @Field(() => [CustomStepInput], {
    nullable: true,
    description: "Steps that are appended to the procedure's steps and numbered after them.",
  })
  customSteps?: CustomStepInput[] | null;

  @Field(() => ID, { nullable: true, description: "Component of the asset that the work is about." })
  componentId?: string | null;
}

@InputType()
export class CreateWorkOrderFromNotificationInput extends CreateWorkOrderInput {
  @Field(() => ID, { nullable: true, description: "Procedure whose steps and parts are used. It must belong to the notification's asset." })
  procedureId?: string | null;

  @Field(() => Name, { nullable: true, description: "Default: the notification's title." })
  title?: string | null;

  @Field(() => [StepPartInput], {
    nullable: true,
    description: "Parts to reserve in addition to the procedure's. A key limited to sites takes them from its sites.",
  })
  parts?: StepPartInput[] | null;
}

@InputType({ description: "Allowed only while the work order is pending." })
export class UpdateWorkOrderInput extends WorkOrderFields {
  @Field(() => Name, { nullable: true })
  title?: string | null;
}

@InputType()
export class UpdateWorkOrderStepInput {
  @Field(() => WorkOrderStepStatus)
  status!: WorkOrderStepStatus;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType()
export class UsedPartInput {
  @Field(() => ID)
  partId!: string;

  @Field(() => NonNegative, { description: "Quantity used. 0 for a part that was not needed." })
  quantity!: number;
}

@InputType()
export class CompleteWorkOrderInput {
  @Field(() => [UsedPartInput], {
    nullable: true,
    description:
      "Parts used. Reserved parts that are not listed count as fully used. A key limited to sites takes what is beyond the reservations from its sites.",
  })
  usedParts?: UsedPartInput[] | null;

  @Field(() => NonNegative, { nullable: true, description: "Duration in minutes. Default: the time since the start." })
  duration?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Who did the work. Default: the assigned technician, otherwise the caller." })
  technician?: string | null;

  @Field(() => NonNegative, { nullable: true })
  laborCost?: number | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<WorkOrderFilter>({
  oneOf: ["procedureId", "assetId", "componentId", "notificationId", "assignedTechnician", "priority"],
  contains: ["title"],
  times: ["createdAt", "updatedAt", "startedAt", "completedAt"],
  numbers: ["laborCost", "partsCost", "duration"],
  empty: ["assignedTechnician", "procedureId", "componentId", "notificationId", "startedAt", "completedAt"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where({ status, pending, scheduledFrom, scheduledUntil, ...equal }) {
    const where = new Where().equal(equal);
    if (status) where.oneOf("status", status);
    if (pending != null) where.add(`"endedAt" is ${pending ? "" : "not "}null`);
    if (scheduledFrom) where.add(`"scheduledDate" >= ?`, scheduledFrom);
    if (scheduledUntil) where.add(`"scheduledDate" <= ?`, scheduledUntil);
    return where;
  },
})
export class WorkOrderFilter {
  @Field(() => [WorkOrderStatus], { nullable: true })
  status?: WorkOrderStatus[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True: only work orders that are not completed, closed or cancelled. False: only the others.",
  })
  pending?: boolean | null;

  @Field(() => ID, { nullable: true })
  procedureId?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => ID, { nullable: true })
  componentId?: string | null;

  @Field(() => ID, { nullable: true })
  notificationId?: string | null;

  @Field(() => String, { nullable: true })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true })
  priority?: Priority | null;

  @Field(() => Timestamp, { nullable: true, description: "Only work orders scheduled at or after this time." })
  scheduledFrom?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Only work orders scheduled at or before this time." })
  scheduledUntil?: Date | null;
}

export const workOrderList = declareList("WorkOrder", {
  Filter: WorkOrderFilter,
  orders: [
    ...["createdAt", "updatedAt", "scheduledDate", "startedAt", "completedAt", "title", "status", "assignedTechnician"],
    ...["duration", "laborCost", "partsCost"],
    { column: "priority", ranked: Object.values(Priority) },
  ],
});
