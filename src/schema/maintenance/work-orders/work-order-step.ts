import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { RemovalReason } from "../../components/enums.js";
import { UnitInput } from "../../components/unit-inputs.js";
import { Node } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime, Measure, Name, Text } from "../../scalars.js";
import { MeasurementResult, StepKind, WorkOrderStepStatus } from "../enums.js";
import { FollowUpInput } from "./work-order-input.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Step of a work order." })
@Relations({
  changedByPrincipal: author("changedBy", "Person or system that last changed the status."),
  skipAllowedByPrincipal: author("skipAllowedBy", "Person or system that permitted skipping the step."),
  component: one("Component", {
    description: "Component whose unit the step exchanges. Null for other kinds, until it is named, and if it is deleted.",
  }),
  removedUnit: one("Unit", { description: "Unit that came out. Null until the exchange, and if none did." }),
  installedUnit: one("Unit", { description: "Unit that went in. Null until the exchange, and if none did." }),
})
export class WorkOrderStep {
  @Field(() => Int, { description: "Number of the step, unique within the work order." })
  order!: number;

  @Field(() => String, { description: "Instructions of the step." })
  description!: string;

  @Field(() => Float, { nullable: true, description: "Estimated time in minutes. Null if none was entered." })
  estimatedTime?: number | null;

  @Field(() => [String], { description: "Required tools." })
  tools!: string[];

  @Field(() => String, { nullable: true, description: "Safety note. Null if none was entered." })
  safetyNote?: string | null;

  @Field(() => [String], { description: "Checks before the step is marked as done." })
  checkpoints!: string[];

  @Field(() => WorkOrderStepStatus, {
    description: "Status of the step. Completing the work order skips unfinished steps that are not required.",
  })
  status!: WorkOrderStepStatus;

  @Field(() => String, { nullable: true, description: "Notes of the technician. Null if none were entered." })
  notes?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that last changed the status. Null if it never changed.",
  })
  changedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the last status change. Null if it never changed." })
  changedAt?: Date | null;

  @Field(() => StepKind, { description: "Kind of the step." })
  kind!: StepKind;

  @Field(() => Boolean, { description: "Whether the work order cannot be completed before this step." })
  required!: boolean;

  @Field(() => String, { nullable: true, description: "Measured quantity, e.g. vibration. Null for other kinds." })
  parameter?: string | null;

  @Field(() => String, { nullable: true, description: "Unit of `value` and the limits. Null if none was entered." })
  unit?: string | null;

  @Field(() => Float, { nullable: true, description: "Lowest value that passes. Null if there is no limit." })
  minimum?: number | null;

  @Field(() => Float, { nullable: true, description: "Highest value that passes. Null if there is no limit." })
  maximum?: number | null;

  @Field(() => Float, { nullable: true, description: "Last measured value. Null until measured." })
  value?: number | null;

  @Field(() => MeasurementResult, {
    nullable: true,
    description: "Result of comparing `value` with the limits. Null until measured, and without limits.",
  })
  result?: MeasurementResult | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Reason for skipping the step, for permitting to skip it, or for a release by a person other than the one who isolated the asset. Null if none was given.",
  })
  reason?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that permitted skipping the step. Null if not permitted.",
  })
  skipAllowedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time at which skipping was permitted. Null if not permitted." })
  skipAllowedAt?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the component whose unit the step exchanges. Null for other kinds, and until it is named.",
  })
  componentId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the unit that came out. Null until the exchange, and if none did." })
  removedUnitId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the unit that went in. Null until the exchange, and if none did." })
  installedUnitId?: string | null;
}

@InputType({ description: "The unit that comes out, by its id or its serial number." })
export class RemovedUnitInput {
  @Field(() => ID, { nullable: true, description: "Id of the unit." })
  unitId?: string | null;

  @Field(() => Name, { nullable: true, description: "Serial number of the unit." })
  serialNumber?: string | null;
}

@InputType({ description: "Exchange that completes a step. The step's `notes` are also those of the exchange." })
export class StepExchangeInput {
  @Field(() => ID, {
    nullable: true,
    description: "Id of the component, which belongs to the asset of the work order. Required if the step names none.",
  })
  componentId?: string | null;

  @Field(() => RemovedUnitInput, {
    nullable: true,
    description: "Unit that comes out. Fails with CONFLICT unless it is the one that is installed. Null if the component is empty.",
  })
  removed?: RemovedUnitInput | null;

  @Field(() => UnitInput, { nullable: true, description: "Unit that goes in. Null leaves the component empty." })
  installed?: UnitInput | null;

  @Field(() => RemovalReason, { nullable: true, description: "Why the unit comes out. Required if there is one." })
  reason?: RemovalReason | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the exchange, which may be recorded afterwards. Default: now." })
  at?: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the components below the position leave with the unit. Default: only if a unit is installed in one of them. Components that left with the unit that goes in always come along.",
  })
  withContents?: boolean | null;
}

@InputType({ description: "Progress of a step." })
export class UpdateWorkOrderStepInput {
  @Field(() => WorkOrderStepStatus, {
    description: "New status of the step. Steps can be completed or skipped without being started. Completed measurements can be repeated.",
  })
  status!: WorkOrderStepStatus;

  @Field(() => Text, { nullable: true, description: "Notes of the technician. If omitted or null, stay unchanged." })
  notes?: string | null;

  @Field(() => Measure, {
    nullable: true,
    description: "Measured value in the step's unit. Required to complete a measurement. Becomes a reading of the asset.",
  })
  value?: number | null;

  @Field(() => StepExchangeInput, {
    nullable: true,
    description: "Units that come out and go in. Required to complete an EXCHANGE step. Recorded as by `exchangeUnit`, for the work order.",
  })
  exchange?: StepExchangeInput | null;

  @Field(() => Name, {
    nullable: true,
    description:
      "Reason for skipping the step, or for a manager's release of another person's isolation. Required to skip a required step.",
  })
  reason?: string | null;

  @Field(() => FollowUpInput, {
    nullable: true,
    description: "Corrective work order to create if the value is out of limits. Default: none; see `createFollowUpWorkOrder`.",
  })
  followUp?: FollowUpInput | null;
}
