import { Field, Float, ID, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Timestamp, Weekday } from "./scalars.js";
import { Priority, ProcedureFrequency, ProcedureStatus, SafetyRequirement, SchedulingBasis } from "./work-vocabulary.js";

@ObjectType({ simpleResolvers: true })
export class SchedulingRules {
  @Field(() => Weekday, { nullable: true, description: "Due dates move forward to this day of the week." })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Due dates on a weekend move to Monday." })
  avoidWeekends?: boolean | null;

  @Field(() => Float, { nullable: true, description: "Days before the due date at which the scheduler makes the work order." })
  leadTime?: number | null;
}

@ObjectType({ description: "A part that is needed." })
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

  @Field(() => Float, { nullable: true, description: "Minutes." })
  estimatedTime?: number | null;

  @Field(() => [String])
  tools!: string[];

  @Field(() => String, { nullable: true })
  safetyNote?: string | null;

  @Field(() => [ProcedurePart], {
    nullable: true,
    description: "Reserved where the procedure's own parts do not name them; null where none.",
  })
  parts?: ProcedurePart[] | null;

  @Field(() => [String])
  checkpoints!: string[];
}

@ObjectType({ simpleResolvers: true, description: "A preventive-maintenance procedure (interface.md 2.7)." })
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

  @Field(() => Int, { nullable: true, description: "Of the frequency CUSTOM; without it there is no nextDue." })
  customIntervalDays?: number | null;

  @Field(() => Float, { nullable: true, description: "Minutes." })
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

  @Field(() => Timestamp, { description: "What due dates are counted from, by the wall clock of the asset's site." })
  anchor!: Date;

  @Field(() => Int, { description: "Number of the occurrence that is due next, from 1." })
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

  @Field(() => Float, { nullable: true, description: "Minutes." })
  duration?: number | null;

  @Field(() => String, { nullable: true })
  technician?: string | null;

  @Field(() => String, { description: "Status of the work order: completed or closed." })
  status!: string;
}

@ObjectType({ simpleResolvers: true, description: "What the work orders of a procedure say of it; null where there were none." })
export class ProcedurePerformance {
  @Field(() => Float, { nullable: true, description: "Minutes." })
  averageDuration!: number | null;

  @Field(() => Float, { nullable: true, description: "Percent of the ended work orders that were completed, not cancelled." })
  completionRate!: number | null;

  @Field(() => Float, { nullable: true, description: "Parts and labor." })
  averageCost!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "A due date to come." })
export class UpcomingOccurrence {
  @Field(() => Procedure)
  procedure!: Procedure;

  @Field(() => Timestamp)
  dueDate!: Date;

  @Field(() => String, { description: "How the date comes about, e.g. `monthly from 2026-01-31: 2026-02-28, the month's last day`." })
  reason!: string;
}
