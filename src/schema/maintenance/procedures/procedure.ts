import { Field, Float, ID, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Node, RecordNode } from "../../node.js";
import { author, many, one, pages, Relations } from "../../relation.js";
import { DateTime, Weekday } from "../../scalars.js";
import {
  DateShift,
  MissedPolicy,
  Priority,
  ProcedureFrequency,
  ProcedureStatus,
  SafetyRequirement,
  SchedulingBasis,
  StepKind,
  WorkOrderStatus,
} from "../enums.js";

@ObjectType({ simpleResolvers: true, description: "Rules for moving due dates and creating work orders early." })
export class SchedulingRules {
  @Field(() => Weekday, {
    nullable: true,
    description: "Day of the week to which due dates are moved forward. Null if any day is allowed.",
  })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether due dates on a weekend are moved to Monday. Null if they are not." })
  avoidWeekends?: boolean | null;

  @Field(() => Float, {
    nullable: true,
    description: "Number of days before the due date when the scheduler creates the work order. Null to create it on the due date.",
  })
  leadTime?: number | null;
}

@ObjectType({ description: "Part of a procedure or of one of its steps." })
@Relations({
  part: one("Part", { required: true, description: "Required part, also if it is deactivated." }),
  partName: one("Part", { relation: "part", column: "name", required: true, description: "Name of the part." }),
})
export class ProcedurePart {
  @Field(() => ID, { simple: true, description: "Id of the part." })
  partId!: string;

  @Field(() => Float, { simple: true, description: "Quantity for one execution, in the part's unit." })
  quantity!: number;

  @Field(() => Boolean, { simple: true, description: "Whether the part is optional. Optional parts are not reserved." })
  isOptional!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "Step of a procedure." })
export class ProcedureStep {
  @Field(() => Int, { description: "Number of the step, unique within the procedure." })
  order!: number;

  @Field(() => String, { description: "Instructions of the step." })
  description!: string;

  @Field(() => Float, { nullable: true, description: "Estimated time in minutes. Null if none was entered." })
  estimatedTime?: number | null;

  @Field(() => [String], { description: "Required tools." })
  tools!: string[];

  @Field(() => String, { nullable: true, description: "Safety note. Null if none was entered." })
  safetyNote?: string | null;

  @Field(() => [ProcedurePart], {
    nullable: true,
    complexity: ({ childComplexity }) => 1 + 3 * (1 + childComplexity),
    description: "Parts of the step. Reserved unless the procedure's own parts include the same part. Null if there are none.",
  })
  parts?: ProcedurePart[] | null;

  @Field(() => [String], { description: "Checks before the step is marked as done." })
  checkpoints!: string[];

  @Field(() => StepKind, { description: "Kind of the step." })
  kind!: StepKind;

  @Field(() => Boolean, { description: "Whether a work order cannot be completed before this step." })
  required!: boolean;

  @Field(() => String, { nullable: true, description: "Measured quantity, e.g. vibration. Null for other kinds." })
  parameter?: string | null;

  @Field(() => String, { nullable: true, description: "Unit of a measurement. Null if none was entered." })
  unit?: string | null;

  @Field(() => Float, { nullable: true, description: "Lowest value that passes. Null if there is no limit." })
  minimum?: number | null;

  @Field(() => Float, { nullable: true, description: "Highest value that passes. Null if there is no limit." })
  maximum?: number | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the component whose unit the step exchanges. Null for other kinds, and if it is named on completion.",
  })
  componentId?: string | null;
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Preventive-maintenance (PM) procedure." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  asset: one("Asset", { description: "Own asset of the procedure. Null while the asset is deleted." }),
  assetName: one("Asset", { relation: "asset", column: "name", description: "Name of the asset. Null while the asset is deleted." }),
  workOrders: pages("WorkOrder", { order: ["createdAt", "id"], description: "Work orders, oldest first." }),
  meters: many("ProcedureMeter", {
    order: ["meterId"],
    usual: 1,
    description: "Meters by which the procedure is due, in addition to its dates.",
  }),
  conditions: many("ProcedureCondition", {
    order: ["position"],
    usual: 1,
    description: "Conditions of readings by which the procedure is due.",
  }),
  suppressedBy: one("Procedure", {
    description: "Procedure that covers this one where both are due within the tolerance. Null if there is none.",
  }),
})
export class Procedure {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Name shown in lists, used as the title of work orders." })
  name!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => ID, { description: "Id of the own asset, also while the asset is deleted. `assets` includes the others." })
  assetId!: string;

  @Field(() => ProcedureFrequency, { description: "Frequency of the procedure." })
  frequency!: ProcedureFrequency;

  @Field(() => Int, { nullable: true, description: "Interval in days for the frequency CUSTOM. If null, `nextDue` is null." })
  customIntervalDays?: number | null;

  @Field(() => Float, { nullable: true, description: "Estimated duration in minutes. Null if none was entered." })
  estimatedDuration?: number | null;

  @Field(() => Priority, { description: "Default priority of the work orders." })
  priority!: Priority;

  @Field(() => ProcedureStatus, { description: "Status of the procedure. Only active procedures are forecast and scheduled." })
  status!: ProcedureStatus;

  @Field(() => [String], { description: "Required skills of the technician." })
  requiredSkills!: string[];

  @Field(() => [SafetyRequirement], { description: "Safety requirements to meet before the work starts." })
  safetyRequirements!: SafetyRequirement[];

  @Field(() => SchedulingRules, { nullable: true, description: "Rules for moving due dates. Null if they are not moved." })
  schedulingRules?: SchedulingRules | null;

  @Field(() => SchedulingBasis, { description: "Basis of the next due date." })
  schedulingBasis!: SchedulingBasis;

  @Field(() => MissedPolicy, {
    description: "Policy for missed occurrences. Occurrences of a floating schedule are never missed.",
  })
  missedPolicy!: MissedPolicy;

  @Field(() => Boolean, {
    description:
      "Whether the work is required by law. Dates are only moved earlier, and none is skipped. Only managers can cancel the work, with a reason.",
  })
  statutory!: boolean;

  @Field(() => Boolean, { description: "Whether due dates on days off and holidays of the asset's site are moved to working days." })
  workingDaysOnly!: boolean;

  @Field(() => DateShift, {
    description: "Direction in which `workingDaysOnly` moves due dates. Due dates of statutory procedures are moved earlier.",
  })
  shift!: DateShift;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the procedure that covers this one where both are due within the tolerance. Null if there is none.",
  })
  suppressedById?: string | null;

  @Field(() => DateTime, { description: "Date from which due dates are computed, in the time zone of the asset's site." })
  anchor!: Date;

  @Field(() => Int, { description: "Number of the next due occurrence, from 1." })
  occurrence!: number;

  @Field(() => DateTime, { nullable: true, description: "Time at which the last work order was completed. Null if there is none." })
  lastExecuted?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Next due date. Null for CUSTOM without `customIntervalDays`." })
  nextDue?: Date | null;

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

@ObjectType({ description: "A page of procedures." })
export class ProcedureConnection extends connectionOf(Procedure, "Procedure") {}

@ObjectType({ simpleResolvers: true, description: "Execution of a procedure." })
export class ProcedureExecution {
  @Field(() => ID, { description: "Id of the completed work order." })
  workOrderId!: string;

  @Field(() => DateTime, { description: "Time at which the work order was completed." })
  executedDate!: Date;

  @Field(() => Float, { nullable: true, description: "Duration in minutes. Null if unknown." })
  duration?: number | null;

  @Field(() => String, { nullable: true, description: "Name of the technician who did the work. Null if unknown." })
  technician?: string | null;

  @Field(() => WorkOrderStatus, { description: "Status of the work order: completed or closed." })
  status!: WorkOrderStatus;
}

@ObjectType({
  simpleResolvers: true,
  description: "Key figures of a procedure, computed from its work orders. A figure without data is null.",
})
export class ProcedurePerformance {
  @Field(() => Float, { nullable: true, description: "Average duration of completed work orders, in minutes." })
  averageDuration!: number | null;

  @Field(() => Float, { nullable: true, description: "Percentage, 0 to 100, of finished work orders that were completed, not cancelled." })
  completionRate!: number | null;

  @Field(() => Float, { nullable: true, description: "Average total cost of completed work orders: parts, labor and other costs." })
  averageCost!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Forecast due date of a procedure." })
@Relations({
  procedure: one("Procedure", { on: { id: "procedureId" }, required: true, description: "Procedure that is due." }),
  asset: one("Asset", { on: { id: "assetId" }, description: "Asset for which the procedure is due. Null if it has been deleted." }),
})
export class UpcomingOccurrence {
  procedureId!: string;
  assetId!: string;

  @Field(() => DateTime, { description: "Due date. In the past if overdue." })
  dueDate!: Date;

  @Field(() => String, { description: "Explanation of the date, e.g. `monthly from 2026-01-31: 2026-02-28, the month's last day`." })
  reason!: string;
}
