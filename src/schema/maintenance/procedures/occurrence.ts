/** Due dates of procedures: past and future outcomes, and schedule compliance. */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { DateReasonKind, OccurrenceOutcome } from "../enums.js";

@ObjectType({ simpleResolvers: true, description: "Reason why work is due or not due on a date." })
export class DateReason {
  @Field(() => DateReasonKind, { description: "Kind of reason." })
  kind!: DateReasonKind;

  @Field(() => String, { description: "Reason as text." })
  text!: string;
}

@ObjectType({ simpleResolvers: true, description: "Date of a procedure's schedule, with its past or future outcome." })
@Relations({ workOrder: one("WorkOrder", { on: { id: "workOrderId" }, description: "Work order for the date. Null if there is none." }) })
export class ScheduledDate {
  @Field(() => DateTime, { description: "Due date." })
  dueAt!: Date;

  @Field(() => Int, { description: "Number of the procedure's occurrence." })
  number!: number;

  @Field(() => OccurrenceOutcome, {
    nullable: true,
    description: "Outcome of the date, or its outcome at the next run of the scheduler. Null if work is or will be due.",
  })
  outcome?: OccurrenceOutcome | null;

  @Field(() => Boolean, { description: "Whether the outcome is recorded." })
  isRecorded!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time from which the scheduler creates the work order. Null if it creates none or the order exists.",
  })
  makesWorkOrderAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the work order. Null if there is none." })
  workOrderId?: string | null;

  @Field(() => String, { description: "Explanation of the date, as text." })
  explanation!: string;

  @Field(() => [DateReason], {
    complexity: ({ childComplexity }) => 1 + 3 * (1 + childComplexity),
    description: "Explanation of the date, step by step. A recorded outcome has a single step, as recorded.",
  })
  reasons!: DateReason[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Warning that a fixed plan was done so early that its next date is further away than the interval plus the tolerance. Dates are not changed; a planner can decide to do the next work earlier.",
})
export class GapWarning {
  @Field(() => DateTime, { description: "Time of the last execution." })
  lastExecuted!: Date;

  @Field(() => DateTime, { description: "Next due date." })
  nextDue!: Date;

  @Field(() => Int, { description: "Number of days between `lastExecuted` and `nextDue`." })
  gapDays!: number;

  @Field(() => Int, { description: "Interval in days." })
  intervalDays!: number;

  @Field(() => String, { description: "Warning as text." })
  text!: string;
}

@ArgsType()
export class PreviewArgs {
  @Field(() => ID, { description: "Id of the procedure." })
  procedureId!: string;

  @Field(() => ID, { nullable: true, description: "Id of one of the procedure's assets. Default: its own asset." })
  assetId?: string | null;

  @Field(() => DateTime, { description: "Start of the period." })
  from!: Date;

  @Field(() => DateTime, { description: "End of the period, at most 3,660 days later." })
  to!: Date;
}

@ArgsType()
export class ComplianceArgs {
  @Field(() => DateTime, { description: "Start of the period of due dates." })
  from!: Date;

  @Field(() => DateTime, { description: "End of the period of due dates (exclusive)." })
  to!: Date;

  @Field(() => ID, { nullable: true, description: "Only due dates of this procedure." })
  procedureId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only due dates of this asset." })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Only due dates of assets at this site." })
  site?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Schedule compliance in a period. Work that is due but can still be done in time is not counted.",
})
export class Compliance {
  @Field(() => Int, { description: "Number of due occurrences: the sum of the numbers below, without `suppressed`." })
  due!: number;

  @Field(() => Int, {
    description:
      "Number done in time: within a tenth of the interval, at least one day, at most 28 days and half the interval. Statutory work must be done on its day.",
  })
  done!: number;

  @Field(() => Int, { description: "Number done before that range." })
  early!: number;

  @Field(() => Int, { description: "Number done after that range." })
  late!: number;

  @Field(() => Int, { description: "Number of occurrences whose work order was cancelled." })
  cancelled!: number;

  @Field(() => Int, { description: "Number missed and collapsed into a later occurrence." })
  collapsed!: number;

  @Field(() => Int, { description: "Number missed and skipped." })
  skipped!: number;

  @Field(() => Int, { description: "Number of occurrences that are overdue and can no longer be done in time." })
  overdue!: number;

  @Field(() => Int, { description: "Number of occurrences covered by another procedure. Not counted in `due`." })
  suppressed!: number;

  @Field(() => Float, { nullable: true, description: "Percentage, 0 to 100, of `due` that is `done`. Null if nothing was due." })
  percentage!: number | null;
}
