import { Field, ID, InputType } from "type-graphql";
import { NotificationFeedbackInput } from "../alerts/notification.js";
import { DateTime, Name, NonNegative, ShortText, Text } from "../scalars.js";
import { Priority, WorkOrderType } from "./enums.js";
import { CustomStepInput, StepPartInput } from "./procedure-input.js";
import { FailureFields } from "./work-order-closing.js";

@InputType()
class WorkOrderFields {
  @Field(() => Name, {
    nullable: true,
    description: "Its id in another system, by which imports find it. Unique among the tenant's work orders, else CONFLICT.",
  })
  externalId?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Default: the procedure's `nextDue`, otherwise now." })
  scheduledDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Who is to do the work, as text." })
  assignedTechnician?: string | null;

  @Field(() => Priority, { nullable: true, description: "Default: the procedure's priority, without one MEDIUM." })
  priority?: Priority | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => WorkOrderType, {
    nullable: true,
    description: "Default: PREVENTIVE with a procedure, PREDICTIVE from a notification alone, otherwise CORRECTIVE.",
  })
  type?: WorkOrderType | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the fault stops production. Default: false." })
  productionStopped?: boolean | null;
}

@InputType({ description: "What a work order has beside what its procedure gives. Without a procedure, asset and title are required." })
export class CreateWorkOrderInput extends WorkOrderFields {
  @Field(() => ID, { nullable: true, description: "The asset. Required without a procedure, whose asset it otherwise is." })
  assetId?: string | null;

  @Field(() => Name, {
    nullable: true,
    description: "One line for lists. Required without a procedure. Default: its name or the notification's title.",
  })
  title?: string | null;

  @Field(() => Text, {
    nullable: true,
    description: "What is to be done. Default: the procedure's description or the notification's message.",
  })
  description?: string | null;

  @Field(() => [StepPartInput], {
    nullable: true,
    description: "Parts to reserve in addition to the procedure's. A key limited to sites takes them from its sites.",
  })
  parts?: StepPartInput[] | null;

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
export class CompleteWorkOrderInput extends FailureFields {
  @Field(() => DateTime, {
    nullable: true,
    description:
      "When the work began, not in the future. A SCHEDULED work order with it was done without being started here. Default: when it was started.",
  })
  startedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "When the work was done, after its start and not in the future. Default: now." })
  completedAt?: Date | null;

  @Field(() => NotificationFeedbackInput, {
    nullable: true,
    description: "What was found about the notification that it was made from. Refused where there is none.",
  })
  feedback?: NotificationFeedbackInput | null;

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

  @Field(() => NonNegative, { nullable: true, description: "Cost of labor. Default: the sum of `labor`, beside which it is refused." })
  laborCost?: number | null;

  @Field(() => Text, { nullable: true, description: "Free text. Omitted or null: the notes stay." })
  notes?: string | null;
}
