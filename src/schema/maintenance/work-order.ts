import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { AlertOutcome } from "../alerts/enums.js";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { attachments } from "../files/attachment.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { Where } from "../where.js";
import { materialCost, otherCost, totalCost } from "./cost-sql.js";
import { DueBy, Priority, WorkOrderOrigin, WorkOrderStatus, WorkOrderType } from "./enums.js";
import "./mail.js";
import "./work-order-part.js";
import "./work-order-status.js";
import "./work-order-step.js";

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
  request: one("WorkRequest", { on: { workOrderId: "id" }, description: "The request that it was made from. Null if there was none." }),
  assignee: one("Principal", { on: { id: "assigneeId" }, description: "Who is to do the work. Null if it is assigned to nobody." }),
  mails: many("Mail", {
    order: ["createdAt", "id"],
    usual: 1,
    role: "manager",
    description: "E-mails about its assignment, oldest first.",
  }),
  attachments: attachments(),
  comments: many("WorkOrderComment", { order: ["createdAt", "id"], usual: 5, description: "Remarks, oldest first." }),
  labor: many("LaborEntry", { order: ["createdAt", "id"], usual: 5, description: "Who worked how long, as entered." }),
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

  @Field(() => AlertOutcome, {
    nullable: true,
    description:
      "What became of its notification when it was completed. Null before, without a notification, and where that had ended already.",
  })
  alertOutcome?: AlertOutcome | null;

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

  @Field(() => DueBy, { nullable: true, description: "What made it due. Null if the scheduler did not create it." })
  dueBy?: DueBy | null;

  @Field(() => String, { nullable: true, description: "How it became due, in words. Null where `dueBy` is." })
  dueReason?: string | null;

  @Field(() => WorkOrderType, { description: "What kind of work it is." })
  type!: WorkOrderType;

  @Field(() => Int, {
    nullable: true,
    description: "Number of the procedure's occurrence that the work order covers. Null if it covers none.",
  })
  occurrence?: number | null;

  @Field(() => String, { description: "One line for lists: as given, the procedure's name or the notification's title." })
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

  @Field(() => String, { nullable: true, description: "Who is to do the work, as `Principal.authorId`. Null if it is assigned to nobody." })
  assigneeId?: string | null;

  @Field(() => Boolean, { description: "Whether the fault stops production." })
  productionStopped!: boolean;

  @Field(() => String, { nullable: true, description: "Why it is on hold. Null if it is not, or nothing was said." })
  holdReason?: string | null;

  @Field(() => String, { nullable: true, description: "Code of the failure's mode. Null if none was recorded." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true, description: "Code of the failure's cause. Null if none was recorded." })
  failureCause?: string | null;

  @Field(() => String, { nullable: true, description: "Code of what was done about the failure. Null if none was recorded." })
  remedy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the asset went down, as recorded with the work. Null if nothing was." })
  downtimeFrom?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the asset was up again, as recorded with the work. Null if nothing was, or it still is down.",
  })
  downtimeTo?: Date | null;

  @Field(() => String, { nullable: true, description: "In what condition the asset was found. Null if nothing was recorded." })
  asFound?: string | null;

  @Field(() => String, { nullable: true, description: "In what condition the asset was left. Null if nothing was recorded." })
  asLeft?: string | null;

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

  @Field(() => String, { nullable: true, description: "Who did the work, as text. Null until it is first completed." })
  technician?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Cost of labor: the sum of `labor`, or as entered on completion. Null if there is neither.",
  })
  laborCost?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Value of the issued parts, less what was returned, when it was last completed. Null before; `materialCost` tells it at any time.",
  })
  partsCost?: number | null;

  @Field(() => String, { description: "Id of the person or system that created it." })
  createdBy!: string;

  @Field(() => String, { nullable: true, description: "Its id in another system, by which imports find it. Null if it has none." })
  externalId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;
}

@ObjectType({ description: "One page of a list of work orders." })
export class WorkOrderConnection extends connectionOf(WorkOrder, "WorkOrder") {}

@InputType({ description: "All conditions that are set must match." })
@Filter<WorkOrderFilter>({
  oneOf: [
    "externalId",
    "procedureId",
    "assetId",
    "componentId",
    "notificationId",
    "assignedTechnician",
    "priority",
    "type",
    "failureMode",
    "failureCause",
    "remedy",
  ],
  contains: ["title"],
  times: ["createdAt", "updatedAt", "startedAt", "completedAt"],
  numbers: ["laborCost", "partsCost", "duration"],
  empty: [
    "externalId",
    "assignedTechnician",
    "assigneeId",
    "failureMode",
    "procedureId",
    "componentId",
    "notificationId",
    "startedAt",
    "completedAt",
  ],
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
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

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

  @Field(() => String, { nullable: true, description: "Only work orders assigned to this person or system, as `Principal.authorId`." })
  assigneeId?: string | null;

  @Field(() => Priority, { nullable: true, description: "Only work orders of exactly this priority." })
  priority?: Priority | null;

  @Field(() => WorkOrderType, { nullable: true, description: "Only work orders of exactly this type." })
  type?: WorkOrderType | null;

  @Field(() => String, { nullable: true, description: "Only work orders with this code." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true, description: "Only work orders with this code." })
  failureCause?: string | null;

  @Field(() => String, { nullable: true, description: "Only work orders with this code." })
  remedy?: string | null;

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
      ...{ status: { column: "status" }, priority: { column: "priority" }, origin: { column: "origin" }, type: { column: "type" } },
      ...{
        assignedTechnician: { column: "assignedTechnician" },
        assigneeId: { column: "assigneeId" },
        site: { column: "site", ofAsset: true },
        area: { column: "area", ofAsset: true },
      },
      ...{ scheduledWeek: { column: "scheduledDate", unit: "week" }, scheduledMonth: { column: "scheduledDate", unit: "month" } },
      ...{ completedWeek: { column: "completedAt", unit: "week" }, completedMonth: { column: "completedAt", unit: "month" } },
    },
    sums: ["laborCost", "partsCost", "duration"],
    computedSums: { materialCost, otherCost, totalCost },
  },
});
