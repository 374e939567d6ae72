import { Field, Float, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { author, Relations } from "../relation.js";
import { DateTime, Measure, Name, Text } from "../scalars.js";
import { MeasurementResult, StepKind, WorkOrderStepStatus } from "./enums.js";
import { FollowUpInput } from "./work-order-input.js";

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
