import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode, StatusChange } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime, Measure, Name, NonNegative, ShortText, Text } from "../scalars.js";
import { Where } from "../where.js";
import {
  MeasurementResult,
  Priority,
  StepKind,
  WorkOrderOrigin,
  WorkOrderPartStatus,
  WorkOrderStatus,
  WorkOrderStepStatus,
} from "./enums.js";
import { CustomStepInput, StepPartInput } from "./procedure-input.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "One step of a work order." })
@Relations({
  changedByPrincipal: author("changedBy", "Who last changed the status."),
  skipAllowedByPrincipal: author("skipAllowedBy", "Who allowed to skip it."),
})
export class WorkOrderStep {
  @Field(() => Int, { description: "Number of the step, unique within the work order." })
  order!: number;

  @Field(() => String, { description: "What is to be done." })
  description!: string;

  @Field(() => Float, { nullable: true, description: "In minutes. Null if none was entered." })
  estimatedTime?: number | null;

  @Field(() => [String], { description: "Tools it takes." })
  tools!: string[];

  @Field(() => String, { nullable: true, description: "What to beware of. Null if nothing was entered." })
  safetyNote?: string | null;

  @Field(() => [String], { description: "What to check before the step is ticked off." })
  checkpoints!: string[];

  @Field(() => WorkOrderStepStatus, { description: "How far it is. Completing the work order skips what is unfinished and not required." })
  status!: WorkOrderStepStatus;

  @Field(() => String, { nullable: true, description: "What the technician noted. Null if nothing was." })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that last changed the status. Null if none did." })
  changedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the status last changed. Null if it never did." })
  changedAt?: Date | null;

  @Field(() => StepKind, { description: "Whether it is a task, a measurement, or one that isolates, verifies that, or releases." })
  kind!: StepKind;

  @Field(() => Boolean, { description: "Whether the work order cannot be completed while it is unfinished." })
  required!: boolean;

  @Field(() => String, { nullable: true, description: "What a measurement measures, e.g. vibration. Null for other kinds." })
  parameter?: string | null;

  @Field(() => String, { nullable: true, description: "Unit of `value` and the limits. Null if none was entered." })
  unit?: string | null;

  @Field(() => Float, { nullable: true, description: "The lowest value that passes. Null if there is none." })
  minimum?: number | null;

  @Field(() => Float, { nullable: true, description: "The highest value that passes. Null if there is none." })
  maximum?: number | null;

  @Field(() => Float, { nullable: true, description: "What was measured last. Null until then." })
  value?: number | null;

  @Field(() => MeasurementResult, {
    nullable: true,
    description: "Whether `value` is within the limits. Null until it is measured, and where there are no limits.",
  })
  result?: MeasurementResult | null;

  @Field(() => String, {
    nullable: true,
    description: "Why it was skipped or may be, or why somebody else than who isolated released. Null if nothing was said.",
  })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "Id of who allowed to skip it. Null if nobody did." })
  skipAllowedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When skipping it was allowed. Null if it was not." })
  skipAllowedAt?: Date | null;
}

@ObjectType({ implements: Node, description: "A part that a work order needs or has used." })
@Relations({
  part: one("Part", { required: true, description: "The part, also if it is deactivated." }),
  substituted: one("Part", {
    on: { id: "substituteFor" },
    description: "The planned part that it was used instead of. Null if it was planned.",
  }),
  reservation: one("StockReservation", {
    on: { ownerId: "workOrderId", partId: "partId" },
    description: "What is reserved for it yet. Null if nothing is.",
  }),
})
export class WorkOrderPart {
  @Field(() => ID, { simple: true, description: "Id of the part." })
  partId!: string;

  @Field(() => String, { simple: true, description: "Site from which the part is taken." })
  site!: string;

  @Field(() => Float, { simple: true, description: "Requested quantity. 0 for a part that was used without being requested." })
  quantity!: number;

  @Field(() => WorkOrderPartStatus, { simple: true, description: "Whether it is still reserved, issued, or no longer needed." })
  status!: WorkOrderPartStatus;

  @Field(() => Float, { simple: true, nullable: true, description: "Quantity issued from stock. Null until the work order is completed." })
  usedQuantity?: number | null;

  @Field(() => Float, { simple: true, description: "What it still reserves at its site." })
  reserved!: number;

  @Field(() => DateTime, { simple: true, nullable: true, description: "When it was reserved. Null for a part that was not planned." })
  reservedAt?: Date | null;

  @Field(() => Float, { simple: true, description: "What was issued until now. 0 in a work order that ended before version 0.3.0." })
  issuedQuantity!: number;

  @Field(() => Float, { simple: true, description: "What of it was returned." })
  returnedQuantity!: number;

  @Field(() => Float, { simple: true, description: "Value of what was issued, less what was returned." })
  issuedValue!: number;

  @Field(() => ID, {
    simple: true,
    nullable: true,
    description: "Id of the planned part that it was used instead of. Null if it was planned.",
  })
  substituteFor?: string | null;
}

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "One status change of a work order." })
@Relations({
  changedByPrincipal: author("changedBy", "Who made the change."),
})
export class WorkOrderStatusChange {
  @Field(() => WorkOrderStatus, { nullable: true, description: "Null for the first entry, created with the work order." })
  fromStatus?: WorkOrderStatus | null;

  @Field(() => WorkOrderStatus, { description: "Status from this change on." })
  toStatus!: WorkOrderStatus;

  @Field(() => String, { nullable: true, description: "Reason given with the change. Null if none was." })
  reason?: string | null;

  @Field(() => String, { description: "Id of the person or system that made the change." })
  changedBy!: string;

  @Field(() => String, { description: "Name of that API key at the time." })
  changedByName!: string;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}

@ObjectType({ description: "One page of a list of status changes." })
export class WorkOrderStatusChangeConnection extends connectionOf(WorkOrderStatusChange, "WorkOrderStatusChange") {}

@InputType({ description: "All conditions that are set must match." })
@Filter<WorkOrderStatusChangeFilter>({ oneOf: ["fromStatus", "toStatus", "changedBy"], times: ["changedAt"], empty: ["fromStatus"] })
export class WorkOrderStatusChangeFilter {
  @Field(() => WorkOrderStatus, { nullable: true, description: "Only changes from this status." })
  fromStatus?: WorkOrderStatus | null;

  @Field(() => WorkOrderStatus, { nullable: true, description: "Only changes to this status." })
  toStatus?: WorkOrderStatus | null;

  @Field(() => String, { nullable: true, description: "Id of the API key that made the change." })
  changedBy?: string | null;
}

declareList("WorkOrderStatusChange", { Filter: WorkOrderStatusChangeFilter, orders: ["changedAt", "fromStatus", "toStatus"] });

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Work to be done on an asset." })
@Relations({
  changes: changesOfRecord,
  createdByPrincipal: author("createdBy", "Who created it."),
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
  asset: one("Asset", { description: "Null while the asset is deleted." }),
  component: one("Component", { description: "The component it is about. Null if it is about none, or the component is deleted." }),
  procedure: one("Procedure", { description: "Null if there is no procedure or it is deleted." }),
  isolatedByPrincipal: author("isolatedBy", "Who isolated the asset for it."),
  followUps: many("WorkOrder", {
    on: { followUpOfId: "id" },
    order: ["createdAt", "id"],
    usual: 1,
    description: "Work orders that failed measurements of its steps raised, oldest first.",
  }),
  followUpOf: one("WorkOrder", {
    on: { id: "followUpOfId" },
    description: "The work order whose failed measurement it follows up. Null if there is none.",
  }),
  notification: one("Notification", { description: "The notification the work order was created from. Null if there was none." }),
  steps: many("WorkOrderStep", {
    order: ["order"],
    usual: 5,
    description: "Steps in order: the procedure's, then those of this work order alone.",
  }),
  requiredParts: many("WorkOrderPart", { order: ["partId"], usual: 5, description: "Parts it needs or has used." }),
  costs: many("WorkOrderCost", { order: ["createdAt", "id"], usual: 5, description: "What it cost beside parts and labor, as entered." }),
  statusChanges: pages("WorkOrderStatusChange", {
    order: ["id"],
    description: "Status changes since the work order was created, oldest first.",
  }),
  statusHistory: many("WorkOrderStatusChange", {
    relation: "statusChanges",
    order: ["id"],
    deprecationReason: "Use `statusChanges`. Removed after 2027-06-30",
    usual: 5,
    description: "All status changes, oldest first.",
  }),
})
export class WorkOrder {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the procedure. Null if it was made without one." })
  procedureId?: string | null;

  @Field(() => ID, { description: "Id of the asset, also while the asset is deleted." })
  assetId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the component it is about. Null if it is about none." })
  componentId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the notification it was made from. Null if there was none." })
  notificationId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order whose failed measurement it follows up. Null if there is none." })
  followUpOfId?: string | null;

  @Field(() => Int, { nullable: true, description: "Number of the step with that measurement. Null if there is none." })
  followUpOfStep?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Id of who isolated the asset for it. Until that is released the work order does not end and the asset does not become OPERATIONAL. Null: not isolated.",
  })
  isolatedBy?: string | null;

  @Field(() => WorkOrderOrigin, { description: "How it was created." })
  origin!: WorkOrderOrigin;

  @Field(() => Int, {
    nullable: true,
    description: "Number of the procedure's occurrence that the work order covers. Null if it covers none.",
  })
  occurrence?: number | null;

  @Field(() => String, { description: "One line for lists: the procedure's name or the notification's title, unless changed." })
  title!: string;

  @Field(() => String, { nullable: true, description: "The procedure's description or the notification's message. Null if there is none." })
  description?: string | null;

  @Field(() => WorkOrderStatus, { description: "Present status. Each change is kept in `statusChanges`." })
  status!: WorkOrderStatus;

  @Field(() => Priority, { description: "How urgent it is." })
  priority!: Priority;

  @Field(() => DateTime, { description: "When the work is planned." })
  scheduledDate!: Date;

  @Field(() => String, { nullable: true, description: "Who is to do the work, as text. Null if nobody is assigned." })
  assignedTechnician?: string | null;

  @Field(() => Float, { nullable: true, description: "In minutes. Null if the procedure has none." })
  estimatedDuration?: number | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the work first started. Null if it has not." })
  startedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "When it was completed. Null if it was not." })
  completedAt?: Date | null;

  @Field(() => Float, { nullable: true, description: "Duration of the work in minutes. Null until it is completed." })
  duration?: number | null;

  @Field(() => String, { nullable: true, description: "Who did the work, as text. Null until it is completed." })
  technician?: string | null;

  @Field(() => Float, { nullable: true, description: "Cost of labor, as entered on completion. Null if none was." })
  laborCost?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Value of the issued parts, less what was returned. Null until it is completed; `materialCost` tells it at any time.",
  })
  partsCost?: number | null;

  @Field(() => String, { description: "Id of the person or system that created it." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;
}

@ObjectType({ description: "One page of a list of work orders." })
export class WorkOrderConnection extends connectionOf(WorkOrder, "WorkOrder") {}

@InputType()
class WorkOrderFields {
  @Field(() => DateTime, { nullable: true, description: "Default: the procedure's `nextDue`, otherwise now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Who is to do the work, as text." })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Default: the procedure's priority." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}

@InputType({ description: "What a work order has beside what its procedure gives. All fields are optional." })
export class CreateWorkOrderInput extends WorkOrderFields {
  @Field(() => [CustomStepInput], {
    nullable: true,
    description: "Steps that are appended to the procedure's steps and numbered after them.",
  })
  customSteps?: CustomStepInput[] | null;

  @Field(() => ID, { nullable: true, description: "Component of the asset that the work is about." })
  componentId?: string | null;
}

@InputType({ description: "What a work order has beside what the notification gives. All fields are optional." })
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
  @Field(() => Name, { nullable: true, description: "One line for lists. Never null." })
  title?: string | null;
}

@InputType({ description: "A corrective work order that follows up a failed measurement. All fields are optional." })
export class FollowUpInput {
  @Field(() => Name, { nullable: true, description: "One line for lists. Default: what was measured." })
  title?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the work is planned. Default: now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Who is to do the work, as text." })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Default: HIGH." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}

@InputType({ description: "Progress of a step." })
export class UpdateWorkOrderStepInput {
  @Field(() => WorkOrderStepStatus, {
    description: "New status of the step. It may be completed or skipped without being started. A completed measurement may be made again.",
  })
  status!: WorkOrderStepStatus;

  @Field(() => Text, { nullable: true, description: "What the technician noted. Omitted or null: the notes stay." })
  notes?: string | null;

  @Field(() => Measure, {
    nullable: true,
    description: "What was measured, in the step's unit. Required to complete a measurement; it becomes a reading of the asset.",
  })
  value?: number | null;

  @Field(() => Name, {
    nullable: true,
    description: "Why the step is skipped, or why a manager releases what somebody else isolated. Required to skip a required step.",
  })
  reason?: string | null;

  @Field(() => FollowUpInput, {
    nullable: true,
    description: "Raises a corrective work order if the value is out of limits. Default: none is raised; see `createFollowUpWorkOrder`.",
  })
  followUp?: FollowUpInput | null;
}

@InputType({ description: "What was used of a part." })
export class UsedPartInput {
  @Field(() => ID, { description: "Id of the part. One that was not planned is allowed." })
  partId!: string;

  @Field(() => NonNegative, {
    description:
      "Quantity used in total: what was issued before counts, and what of that was not used is returned. 0 for a part that was not needed.",
  })
  quantity!: number;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: what the work order may not take from the books was found there. It is posted as a count's gain that waits for approval, and a recount is asked for. Default: false, CONFLICT.",
  })
  bookDiscrepancy?: boolean | null;
}

@InputType({ description: "What was done and used. All fields are optional." })
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

  @Field(() => NonNegative, { nullable: true, description: "Cost of labor. Default: none." })
  laborCost?: number | null;

  @Field(() => Text, { nullable: true, description: "Free text. Omitted or null: the notes stay." })
  notes?: string | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<WorkOrderFilter>({
  oneOf: ["procedureId", "assetId", "componentId", "notificationId", "assignedTechnician", "priority"],
  contains: ["title"],
  times: ["createdAt", "updatedAt", "startedAt", "completedAt"],
  numbers: ["laborCost", "partsCost", "duration"],
  empty: ["assignedTechnician", "procedureId", "componentId", "notificationId", "startedAt", "completedAt"],
  related: {
    asset: { type: "Asset", column: "assetId" },
    component: { type: "Component", column: "componentId" },
    procedure: { type: "Procedure", column: "procedureId" },
    notification: { type: "Notification", column: "notificationId", isKept: true },
  },
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
  @Field(() => [WorkOrderStatus], { nullable: true, description: "Only work orders in one of these statuses." })
  status?: WorkOrderStatus[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True: only work orders that are not completed, closed or cancelled. False: only the others.",
  })
  pending?: boolean | null;

  @Field(() => ID, { nullable: true, description: "Only work orders of this procedure." })
  procedureId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only work orders of this asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only work orders about this component." })
  componentId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only work orders made from this notification." })
  notificationId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Only work orders of exactly this priority." })
  priority?: Priority | null;

  @Field(() => DateTime, { nullable: true, description: "Only work orders scheduled at or after this time." })
  scheduledFrom?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Only work orders scheduled at or before this time." })
  scheduledUntil?: Date | null;
}

export const workOrderList = declareList("WorkOrder", {
  Filter: WorkOrderFilter,
  orders: [
    ...["createdAt", "updatedAt", "scheduledDate", "startedAt", "completedAt", "title", "status", "assignedTechnician"],
    ...["duration", "laborCost", "partsCost"],
    { column: "priority", ranked: Object.values(Priority) },
  ],
  groups: {
    root: "workOrders",
    by: {
      ...{ status: { column: "status" }, priority: { column: "priority" }, origin: { column: "origin" } },
      ...{
        assignedTechnician: { column: "assignedTechnician" },
        site: { column: "site", ofAsset: true },
        area: { column: "area", ofAsset: true },
      },
      ...{ scheduledWeek: { column: "scheduledDate", unit: "week" }, scheduledMonth: { column: "scheduledDate", unit: "month" } },
      ...{ completedWeek: { column: "completedAt", unit: "week" }, completedMonth: { column: "completedAt", unit: "month" } },
    },
    sums: ["laborCost", "partsCost", "duration"],
  },
});
