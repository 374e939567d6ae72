import { Field, Float, ID, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Node, RecordNode } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime, Weekday } from "../scalars.js";
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
} from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "How due dates are moved, and how early work orders are made." })
export class SchedulingRules {
  @Field(() => Weekday, { nullable: true, description: "Due dates are moved forward to this day of the week. Null: any day." })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Due dates on a weekend are moved to Monday. Null: they are not." })
  avoidWeekends?: boolean | null;

  @Field(() => Float, {
    nullable: true,
    description: "Number of days before the due date when the scheduler creates the work order. Null: on the due date.",
  })
  leadTime?: number | null;
}

@ObjectType({ description: "A part that a procedure or one of its steps needs." })
@Relations({
  part: one("Part", { required: true, description: "The part, also if it is deactivated." }),
  partName: one("Part", { relation: "part", column: "name", required: true, description: "Name of the part." }),
})
export class ProcedurePart {
  @Field(() => ID, { simple: true, description: "Id of the part." })
  partId!: string;

  @Field(() => Float, { simple: true, description: "Quantity for one execution, in the part's unit." })
  quantity!: number;

  @Field(() => Boolean, { simple: true, description: "Optional parts are not reserved." })
  isOptional!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "One step of a procedure." })
export class ProcedureStep {
  @Field(() => Int, { description: "Number of the step, unique within the procedure." })
  order!: number;

  @Field(() => String, { description: "What is to be done." })
  description!: string;

  @Field(() => Float, { nullable: true, description: "In minutes. Null if none was entered." })
  estimatedTime?: number | null;

  @Field(() => [String], { description: "Tools it takes." })
  tools!: string[];

  @Field(() => String, { nullable: true, description: "What to beware of. Null if nothing was entered." })
  safetyNote?: string | null;

  @Field(() => [ProcedurePart], {
    nullable: true,
    complexity: ({ childComplexity }) => 1 + 3 * (1 + childComplexity),
    description:
      "Parts that this step needs. They are reserved unless the procedure's own parts list the same part. Null if there are none.",
  })
  parts?: ProcedurePart[] | null;

  @Field(() => [String], { description: "What to check before the step is ticked off." })
  checkpoints!: string[];

  @Field(() => StepKind, { description: "Whether it is a task, a measurement, or one that isolates, verifies that, or releases." })
  kind!: StepKind;

  @Field(() => Boolean, { description: "Whether a work order cannot be completed while it is unfinished." })
  required!: boolean;

  @Field(() => String, { nullable: true, description: "What a measurement measures, e.g. vibration. Null for other kinds." })
  parameter?: string | null;

  @Field(() => String, { nullable: true, description: "Unit of a measurement. Null if none was entered." })
  unit?: string | null;

  @Field(() => Float, { nullable: true, description: "The lowest value that passes. Null if there is none." })
  minimum?: number | null;

  @Field(() => Float, { nullable: true, description: "The highest value that passes. Null if there is none." })
  maximum?: number | null;
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A preventive-maintenance (PM) procedure." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Who made the last change."),
  asset: one("Asset", { description: "Null while the asset is deleted." }),
  assetName: one("Asset", { relation: "asset", column: "name", description: "Name of the asset. Null while the asset is deleted." }),
  workOrders: pages("WorkOrder", { order: ["createdAt", "id"], description: "Work orders, oldest first." }),
  meters: many("ProcedureMeter", { order: ["meterId"], usual: 1, description: "Meters by which it is due, beside its dates." }),
  conditions: many("ProcedureCondition", { order: ["position"], usual: 1, description: "Conditions of readings by which it is due." }),
  suppressedBy: one("Procedure", {
    description: "The procedure that covers it where it is due within its tolerance of that one. Null if none does.",
  }),
})
export class Procedure {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Name shown in lists, and title of its work orders." })
  name!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => ID, { description: "Id of its own asset, also while the asset is deleted. `assets` has the further ones." })
  assetId!: string;

  @Field(() => ProcedureFrequency, { description: "How often it is due." })
  frequency!: ProcedureFrequency;

  @Field(() => Int, { nullable: true, description: "Interval in days for the frequency CUSTOM. Without it, `nextDue` is null." })
  customIntervalDays?: number | null;

  @Field(() => Float, { nullable: true, description: "In minutes. Null if none was entered." })
  estimatedDuration?: number | null;

  @Field(() => Priority, { description: "Priority of its work orders, unless they are given another." })
  priority!: Priority;

  @Field(() => ProcedureStatus, { description: "Only active procedures are forecast and scheduled." })
  status!: ProcedureStatus;

  @Field(() => [String], { description: "Skills that the technician needs." })
  requiredSkills!: string[];

  @Field(() => [SafetyRequirement], { description: "What must be met before the work starts." })
  safetyRequirements!: SafetyRequirement[];

  @Field(() => SchedulingRules, { nullable: true, description: "How due dates are moved. Null: they are not." })
  schedulingRules?: SchedulingRules | null;

  @Field(() => SchedulingBasis, { description: "What the next due date is computed from." })
  schedulingBasis!: SchedulingBasis;

  @Field(() => MissedPolicy, {
    description: "What becomes of occurrences that were missed. Those of a floating schedule are never missed.",
  })
  missedPolicy!: MissedPolicy;

  @Field(() => Boolean, {
    description:
      "Required by law: its dates are only moved to earlier days, none is skipped, and a manager must give a reason to cancel its work.",
  })
  statutory!: boolean;

  @Field(() => Boolean, { description: "Due dates on days off and holidays of the asset's site are moved to working days." })
  workingDaysOnly!: boolean;

  @Field(() => DateShift, {
    description: "In which direction `workingDaysOnly` moves them. Those of a statutory procedure are moved earlier.",
  })
  shift!: DateShift;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the procedure that covers it where it is due within its tolerance of that one. Null if none does.",
  })
  suppressedById?: string | null;

  @Field(() => DateTime, { description: "Date from which due dates are computed, in the time zone of the asset's site." })
  anchor!: Date;

  @Field(() => Int, { description: "Number of the next due occurrence, from 1." })
  occurrence!: number;

  @Field(() => DateTime, { nullable: true, description: "When the last work order was completed. Null if none was." })
  lastExecuted?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "When it is next due. Null for CUSTOM without `customIntervalDays`." })
  nextDue?: Date | null;

  @Field(() => String, { nullable: true, description: "Its id in another system, by which imports find it. Null if it has none." })
  externalId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, { description: "Number of this version, from 1: each change makes a new one. Updates take it as `expectedVersion`." })
  version!: number;
}

@ObjectType({ description: "One page of a list of procedures." })
export class ProcedureConnection extends connectionOf(Procedure, "Procedure") {}

@ObjectType({ simpleResolvers: true, description: "One execution of a procedure." })
export class ProcedureExecution {
  @Field(() => ID, { description: "Id of the completed work order." })
  workOrderId!: string;

  @Field(() => DateTime, { description: "When the work order was completed." })
  executedDate!: Date;

  @Field(() => Float, { nullable: true, description: "In minutes. Null if unknown." })
  duration?: number | null;

  @Field(() => String, { nullable: true, description: "Who did the work. Null if unknown." })
  technician?: string | null;

  @Field(() => WorkOrderStatus, { description: "Status of the work order: completed or closed." })
  status!: WorkOrderStatus;
}

@ObjectType({
  simpleResolvers: true,
  description: "Key figures of a procedure, computed from its work orders. A figure is null if there is no data for it.",
})
export class ProcedurePerformance {
  @Field(() => Float, { nullable: true, description: "Of completed work orders, in minutes." })
  averageDuration!: number | null;

  @Field(() => Float, { nullable: true, description: "Percentage, 0 to 100, of ended work orders that were completed and not cancelled." })
  completionRate!: number | null;

  @Field(() => Float, { nullable: true, description: "Mean total cost of a completed work order: parts, labor and other costs." })
  averageCost!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "A forecast due date of a procedure." })
@Relations({
  procedure: one("Procedure", { on: { id: "procedureId" }, required: true, description: "The procedure that is due." }),
  asset: one("Asset", { on: { id: "assetId" }, description: "Which of its assets. Null if it was deleted since." }),
})
export class UpcomingOccurrence {
  procedureId!: string;
  assetId!: string;

  @Field(() => DateTime, { description: "When it is due. In the past if it is overdue." })
  dueDate!: Date;

  @Field(() => String, { description: "How the date was computed, e.g. `monthly from 2026-01-31: 2026-02-28, the month's last day`." })
  reason!: string;
}
