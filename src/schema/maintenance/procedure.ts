import { Field, Float, ID, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Node, RecordNode } from "../node.js";
import { one, pages, Relations } from "../relation.js";
import { Timestamp, Weekday } from "../scalars.js";
import { Priority, ProcedureFrequency, ProcedureStatus, SafetyRequirement, SchedulingBasis } from "./enums.js";

@ObjectType({ simpleResolvers: true })
export class SchedulingRules {
  @Field(() => Weekday, { nullable: true, description: "Due dates are moved forward to this day of the week." })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Due dates on a weekend are moved to Monday." })
  avoidWeekends?: boolean | null;

  @Field(() => Float, { nullable: true, description: "Number of days before the due date when the scheduler creates the work order." })
  leadTime?: number | null;
}

@ObjectType({ description: "A part that a procedure or one of its steps needs." })
@Relations({
  part: one("Part", { required: true }),
  partName: one("Part", { relation: "part", column: "name", required: true }),
})
export class ProcedurePart {
  @Field(() => ID, { simple: true })
  partId!: string;

  @Field(() => Float, { simple: true })
  quantity!: number;

  @Field(() => Boolean, { simple: true, description: "Optional parts are not reserved." })
  isOptional!: boolean;
}

@ObjectType({ simpleResolvers: true })
export class ProcedureStep {
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

  @Field(() => [ProcedurePart], {
    nullable: true,
    description:
      "Parts that this step needs. They are reserved unless the procedure's own parts list the same part. Null if there are none.",
  })
  parts?: ProcedurePart[] | null;

  @Field(() => [String])
  checkpoints!: string[];
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A preventive-maintenance (PM) procedure." })
@Relations({
  asset: one("Asset", { description: "Null while the asset is deleted." }),
  assetName: one("Asset", { relation: "asset", column: "name" }),
  workOrders: pages("WorkOrder", { order: ["createdAt", "id"], description: "Work orders, oldest first." }),
})
export class Procedure {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => ID)
  assetId!: string;

  @Field(() => ProcedureFrequency)
  frequency!: ProcedureFrequency;

  @Field(() => Int, { nullable: true, description: "Interval in days for the frequency CUSTOM. Without it, `nextDue` is null." })
  customIntervalDays?: number | null;

  @Field(() => Float, { nullable: true, description: "In minutes." })
  estimatedDuration?: number | null;

  @Field(() => Priority)
  priority!: Priority;

  @Field(() => ProcedureStatus)
  status!: ProcedureStatus;

  @Field(() => [String])
  requiredSkills!: string[];

  @Field(() => [SafetyRequirement])
  safetyRequirements!: SafetyRequirement[];

  @Field(() => SchedulingRules, { nullable: true })
  schedulingRules?: SchedulingRules | null;

  @Field(() => SchedulingBasis)
  schedulingBasis!: SchedulingBasis;

  @Field(() => Timestamp, { description: "Date from which due dates are computed, in the time zone of the asset's site." })
  anchor!: Date;

  @Field(() => Int, { description: "Number of the next due occurrence, from 1." })
  occurrence!: number;

  @Field(() => Timestamp, { nullable: true, description: "When the last work order was completed." })
  lastExecuted?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  nextDue?: Date | null;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class ProcedureConnection extends connectionOf(Procedure, "Procedure") {}

@ObjectType({ simpleResolvers: true, description: "One execution of a procedure." })
export class ProcedureExecution {
  @Field(() => ID)
  workOrderId!: string;

  @Field(() => Timestamp)
  executedDate!: Date;

  @Field(() => Float, { nullable: true, description: "In minutes." })
  duration?: number | null;

  @Field(() => String, { nullable: true })
  technician?: string | null;

  @Field(() => String, { description: "Status of the work order: `completed` or `closed`." })
  status!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "Key figures of a procedure, computed from its work orders. A figure is null if there is no data for it.",
})
export class ProcedurePerformance {
  @Field(() => Float, { nullable: true, description: "In minutes." })
  averageDuration!: number | null;

  @Field(() => Float, { nullable: true, description: "Percentage of ended work orders that were completed and not cancelled." })
  completionRate!: number | null;

  @Field(() => Float, { nullable: true, description: "Cost of parts and labor." })
  averageCost!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "A forecast due date of a procedure." })
export class UpcomingOccurrence {
  @Field(() => Procedure)
  procedure!: Procedure;

  @Field(() => Timestamp)
  dueDate!: Date;

  @Field(() => String, { description: "How the date was computed, e.g. `monthly from 2026-01-31: 2026-02-28, the month's last day`." })
  reason!: string;
}
