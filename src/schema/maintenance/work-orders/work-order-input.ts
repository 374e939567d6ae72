import { Field, ID, InputType } from "type-graphql";
import { NotificationFeedbackInput } from "../../alerts/notification-input.js";
import { DateTime, Name, NonNegative, ShortText, Text } from "../../scalars.js";
import { Priority, WorkOrderType } from "../enums.js";
import { CustomStepInput, StepPartInput } from "../procedures/procedure-input.js";
import { FailureFields } from "./work-order-closing.js";

@InputType()
class WorkOrderFields {
  @Field(() => Name, {
    nullable: true,
    description:
      "Id in another system, used by imports to find the record. Fails with CONFLICT unless it is unique among the tenant's work orders.",
  })
  externalId?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Scheduled date. Default: the procedure's `nextDue`, otherwise now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Technician, as free text." })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Priority. Default: the procedure's priority, otherwise MEDIUM." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => WorkOrderType, {
    nullable: true,
    description:
      "Type of the work order. Default: PREVENTIVE with a procedure, PREDICTIVE from a notification without a procedure, otherwise CORRECTIVE.",
  })
  type?: WorkOrderType | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the fault stops production. Default: false." })
  productionStopped?: boolean | null;
}

@InputType()
class NewWorkOrderFields extends WorkOrderFields {
  @Field(() => ID, { nullable: true, description: "Id of the asset. Required without a procedure. Default: the procedure's asset." })
  assetId?: string | null;

  @Field(() => Name, {
    nullable: true,
    description:
      "One-line title for lists. Required without a procedure. Default: the name of the procedure or the title of the notification.",
  })
  title?: string | null;

  @Field(() => Text, {
    nullable: true,
    description: "Description of the work. Default: the procedure's description or the notification's message.",
  })
  description?: string | null;

  @Field(() => [StepPartInput], {
    nullable: true,
    description: "Parts to reserve in addition to the procedure's. For keys limited to sites, parts are taken from their sites.",
  })
  parts?: StepPartInput[] | null;

  @Field(() => [CustomStepInput], {
    nullable: true,
    description: "Steps to append to the procedure's steps, numbered after them.",
  })
  customSteps?: CustomStepInput[] | null;

  @Field(() => ID, { nullable: true, description: "Id of the component of the asset that the work concerns." })
  componentId?: string | null;
}

@InputType({
  description: "Values of a work order in addition to those of its procedure. Without a procedure, asset and title are required.",
})
export class CreateWorkOrderInput extends NewWorkOrderFields {
  @Field(() => ID, {
    nullable: true,
    description: "Id of the work order that the new one follows up, of any asset and status. Default: none.",
  })
  followUpOf?: string | null;
}

@InputType({ description: "Values of a work order in addition to those of the notification. All fields are optional." })
export class CreateWorkOrderFromNotificationInput extends NewWorkOrderFields {
  @Field(() => ID, {
    nullable: true,
    description: "Id of the procedure that provides steps and parts. Must belong to the notification's asset.",
  })
  procedureId?: string | null;
}

@InputType({ description: "Values to change. Allowed only while the work order is pending." })
export class UpdateWorkOrderInput extends WorkOrderFields {
  @Field(() => Name, { nullable: true, description: "One-line title for lists. Must not be null." })
  title?: string | null;
}

@InputType({ description: "Corrective work order that follows up a failed measurement. All fields are optional." })
export class FollowUpInput {
  @Field(() => Name, { nullable: true, description: "One-line title for lists. Default: derived from the measurement." })
  title?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Scheduled date. Default: now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Technician, as free text." })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Priority. Default: HIGH." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}

@InputType({ description: "Used quantity of a part." })
export class UsedPartInput {
  @Field(() => ID, { description: "Id of the part. Unplanned parts are allowed." })
  partId!: string;

  @Field(() => NonNegative, {
    description:
      "Total quantity used. Quantities that were already issued are included; issued quantities beyond it are returned. 0 for a part that was not needed.",
  })
  quantity!: number;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether quantities beyond the book quantity were found in the stock. They are posted as a count gain that awaits approval, and a recount is requested. Default: false, which fails with CONFLICT.",
  })
  bookDiscrepancy?: boolean | null;
}

@InputType({ description: "Completed work and used parts. All fields are optional." })
export class CompleteWorkOrderInput extends FailureFields {
  @Field(() => DateTime, {
    nullable: true,
    description:
      "Start of the work, not in the future. Allows completing a SCHEDULED work order that was never started. Default: the recorded start.",
  })
  startedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "End of the work, after its start and not in the future. Default: now." })
  completedAt?: Date | null;

  @Field(() => NotificationFeedbackInput, {
    nullable: true,
    description: "Feedback on the notification from which the work order was created. Refused if there is none.",
  })
  feedback?: NotificationFeedbackInput | null;

  @Field(() => [UsedPartInput], {
    nullable: true,
    description:
      "Used parts. Reserved parts that are not listed count as fully used. For keys limited to sites, quantities beyond the reservations are taken from their sites.",
  })
  usedParts?: UsedPartInput[] | null;

  @Field(() => NonNegative, { nullable: true, description: "Duration in minutes. Default: the time since the start." })
  duration?: number | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Name of the technician who did the work. Default: the assigned technician, otherwise the caller.",
  })
  technician?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Labor cost. Refused if the work order has `labor` entries. Default: their sum.",
  })
  laborCost?: number | null;

  @Field(() => Text, { nullable: true, description: "Free text. If omitted or null, stays unchanged." })
  notes?: string | null;
}
