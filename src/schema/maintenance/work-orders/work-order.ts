import { Field, Float, ID, Int, ObjectType } from "type-graphql";
import { AlertOutcome } from "../../alerts/enums.js";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { attachments } from "../../files/attachment.js";
import { Node, RecordNode } from "../../node.js";
import { author, many, one, pages, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { DueBy, Priority, WorkOrderOrigin, WorkOrderStatus, WorkOrderType } from "../enums.js";
import "./mail.js";
import "./work-order-part.js";
import "./work-order-status.js";
import "./work-order-step.js";

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Work to be done on an asset." })
@Relations({
  changes: changesOfRecord,
  createdByPrincipal: author("createdBy", "Person or system that created the work order."),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  asset: one("Asset", { description: "Asset of the work order. Null while the asset is deleted." }),
  component: one("Component", { description: "Component that the work concerns. Null if there is none or the component is deleted." }),
  procedure: one("Procedure", { description: "Procedure of the work order. Null if there is none or it is deleted." }),
  isolatedByPrincipal: author("isolatedBy", "Person or system that isolated the asset for the work."),
  followUps: many("WorkOrder", {
    on: { followUpOfId: "id" },
    order: ["createdAt", "id"],
    usual: 1,
    description: "Work orders that follow this one up, also for failed measurements of its steps, oldest first.",
  }),
  followUpOf: one("WorkOrder", {
    on: { id: "followUpOfId" },
    description: "Work order that is followed up. Null if there is none.",
  }),
  notification: one("Notification", { description: "Notification from which the work order was created. Null if there is none." }),
  steps: many("WorkOrderStep", {
    order: ["order"],
    usual: 5,
    description: "Steps in order: those of the procedure, then those only of this work order.",
  }),
  requiredParts: many("WorkOrderPart", { order: ["partId"], usual: 5, description: "Parts that the work order needs or has used." }),
  request: one("WorkRequest", {
    on: { workOrderId: "id" },
    description: "Work request from which the work order was created. Null if there is none.",
  }),
  assignee: one("Principal", { on: { id: "assigneeId" }, description: "Person or system that is assigned. Null if unassigned." }),
  mails: many("Mail", {
    order: ["createdAt", "id"],
    usual: 1,
    role: "manager",
    description: "E-mails about the assignment, oldest first.",
  }),
  recallUnit: one("RecallUnit", {
    on: { workOrderId: "id" },
    description: "Unit of a recall that the work order replaces. Null if there is none.",
  }),
  attachments: attachments(),
  comments: many("WorkOrderComment", { order: ["createdAt", "id"], usual: 5, description: "Comments, oldest first." }),
  labor: many("LaborEntry", { order: ["createdAt", "id"], usual: 5, description: "Labor entries: working time and rates." }),
  costs: many("WorkOrderCost", { order: ["createdAt", "id"], usual: 5, description: "Costs other than parts and labor, as entered." }),
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
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the procedure. Null if there is none." })
  procedureId?: string | null;

  @Field(() => ID, { description: "Id of the asset, also while the asset is deleted." })
  assetId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the component that the work concerns. Null if there is none." })
  componentId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the notification from which the work order was created. Null if there is none." })
  notificationId?: string | null;

  @Field(() => AlertOutcome, {
    nullable: true,
    description:
      "Outcome of the notification when the work order was completed. Null before completion, without a notification, and if the notification had already ended.",
  })
  alertOutcome?: AlertOutcome | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order that is followed up. Null if there is none." })
  followUpOfId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of the step with the failed measurement that is followed up. Null if there is none.",
  })
  followUpOfStep?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Id of the person or system that isolated the asset for the work. Until the release, the work order cannot end and the asset cannot become OPERATIONAL. Null if not isolated.",
  })
  isolatedBy?: string | null;

  @Field(() => WorkOrderOrigin, { description: "Origin of the work order." })
  origin!: WorkOrderOrigin;

  @Field(() => DueBy, { nullable: true, description: "Trigger that made the work due. Null unless the scheduler created the work order." })
  dueBy?: DueBy | null;

  @Field(() => String, { nullable: true, description: "Explanation of the trigger. Null if `dueBy` is null." })
  dueReason?: string | null;

  @Field(() => WorkOrderType, { description: "Type of the work order." })
  type!: WorkOrderType;

  @Field(() => Int, {
    nullable: true,
    description: "Number of the procedure's occurrence that the work order covers. Null if there is none.",
  })
  occurrence?: number | null;

  @Field(() => String, {
    description: "One-line title for lists: as entered, otherwise the name of the procedure or the title of the notification.",
  })
  title!: string;

  @Field(() => String, {
    nullable: true,
    description: "Description of the work: as entered, otherwise from the procedure or the notification. Null if there is none.",
  })
  description?: string | null;

  @Field(() => WorkOrderStatus, { description: "Current status. Changes are recorded in `statusChanges`." })
  status!: WorkOrderStatus;

  @Field(() => Priority, { description: "Priority of the work order." })
  priority!: Priority;

  @Field(() => DateTime, { description: "Scheduled date of the work." })
  scheduledDate!: Date;

  @Field(() => String, { nullable: true, description: "Technician, as free text. Null if unassigned." })
  assignedTechnician?: string | null;

  @Field(() => String, { nullable: true, description: "`Principal.authorId` of the assigned person or system. Null if unassigned." })
  assigneeId?: string | null;

  @Field(() => Boolean, { description: "Whether the fault stops production." })
  productionStopped!: boolean;

  @Field(() => String, { nullable: true, description: "Reason for the hold. Null if not on hold, or none was given." })
  holdReason?: string | null;

  @Field(() => String, { nullable: true, description: "Code of the failure mode. Null if none was recorded." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true, description: "Code of the failure cause. Null if none was recorded." })
  failureCause?: string | null;

  @Field(() => String, { nullable: true, description: "Code of the remedy. Null if none was recorded." })
  remedy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Start of the recorded downtime. Null if none was recorded." })
  downtimeFrom?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "End of the recorded downtime. Null if none was recorded or the asset is still down.",
  })
  downtimeTo?: Date | null;

  @Field(() => String, { nullable: true, description: "Condition of the asset before the work. Null if none was recorded." })
  asFound?: string | null;

  @Field(() => String, { nullable: true, description: "Condition of the asset after the work. Null if none was recorded." })
  asLeft?: string | null;

  @Field(() => Float, { nullable: true, description: "Estimated duration in minutes. Null if the procedure has none." })
  estimatedDuration?: number | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time at which the work first started. Null if not started." })
  startedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time of completion. Null if not completed." })
  completedAt?: Date | null;

  @Field(() => Float, { nullable: true, description: "Duration of the work in minutes. Null until completed." })
  duration?: number | null;

  @Field(() => String, { nullable: true, description: "Name of the technician who did the work. Null until first completed." })
  technician?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Labor cost: the sum of `labor`, otherwise as entered on completion. Null if there is neither.",
  })
  laborCost?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Value of the issued parts minus returns, as of the last completion. Null until completed. `materialCost` is always current.",
  })
  partsCost?: number | null;

  @Field(() => String, { description: "Id of the person or system that created the work order." })
  createdBy!: string;

  @Field(() => String, { nullable: true, description: "Id in another system, used by imports to find the record. Null if not set." })
  externalId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of work orders." })
export class WorkOrderConnection extends connectionOf(WorkOrder, "WorkOrder") {}
