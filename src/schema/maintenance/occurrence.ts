/** Due dates of procedures: what became of them, what will, and how many were kept. */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { DateReasonKind, OccurrenceOutcome } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "One reason why something is due on a date, or is not." })
export class DateReason {
  @Field(() => DateReasonKind, { description: "What kind of reason it is." })
  kind!: DateReasonKind;

  @Field(() => String, { description: "The reason in words." })
  text!: string;
}

@ObjectType({ simpleResolvers: true, description: "A date of a procedure's schedule, with what was or will be made of it." })
@Relations({ workOrder: one("WorkOrder", { on: { id: "workOrderId" }, description: "Its work order. Null if there is none." }) })
export class ScheduledDate {
  @Field(() => DateTime, { description: "When it is or was due." })
  dueAt!: Date;

  @Field(() => Int, { description: "Number of the procedure's occurrence." })
  number!: number;

  @Field(() => OccurrenceOutcome, {
    nullable: true,
    description: "What became of it, or will when the scheduler runs next. Null where work is or will be due.",
  })
  outcome?: OccurrenceOutcome | null;

  @Field(() => Boolean, { description: "Whether the outcome is recorded." })
  isRecorded!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: "From when on the scheduler makes its work order. Null if it makes none, or there is one.",
  })
  makesWorkOrderAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of its work order. Null if there is none." })
  workOrderId?: string | null;

  @Field(() => String, { description: "How the date comes about, in words." })
  explanation!: string;

  @Field(() => [DateReason], {
    complexity: ({ childComplexity }) => 1 + 3 * (1 + childComplexity),
    description: "The same in steps. Of a recorded outcome, what was told then, as one.",
  })
  reasons!: DateReason[];
}

@ObjectType({
  simpleResolvers: true,
  description:
    "A fixed plan was done so early that its next date is further away than an interval and the tolerance. Dates stay where they are: a planner decides whether the next one is done earlier.",
})
export class GapWarning {
  @Field(() => DateTime, { description: "When the work was done last." })
  lastExecuted!: Date;

  @Field(() => DateTime, { description: "When it is due next." })
  nextDue!: Date;

  @Field(() => Int, { description: "Days between them." })
  gapDays!: number;

  @Field(() => Int, { description: "Days of the interval." })
  intervalDays!: number;

  @Field(() => String, { description: "The same in words." })
  text!: string;
}

@ArgsType()
export class PreviewArgs {
  @Field(() => ID, { description: "Id of the procedure." })
  procedureId!: string;

  @Field(() => ID, { nullable: true, description: "Which of the procedure's assets. Default: its own." })
  assetId?: string | null;

  @Field(() => DateTime, { description: "From this time on." })
  from!: Date;

  @Field(() => DateTime, { description: "Up to this time, at most 3,660 days later." })
  to!: Date;
}

@ArgsType()
export class ComplianceArgs {
  @Field(() => DateTime, { description: "What was due from this time on." })
  from!: Date;

  @Field(() => DateTime, { description: "What was due before this time." })
  to!: Date;

  @Field(() => ID, { nullable: true, description: "Only of this procedure." })
  procedureId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only of this asset." })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Only of assets at this site." })
  site?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "How much of what was due in a period was done in time. What is due and may still be in time is not counted.",
})
export class Compliance {
  @Field(() => Int, { description: "What was due: the sum of the numbers below, without `suppressed`." })
  due!: number;

  @Field(() => Int, {
    description: "Done in time: within a tenth of the interval, at least a day, at most 28 days and half of it; statutory work on its day.",
  })
  done!: number;

  @Field(() => Int, { description: "Done earlier than that." })
  early!: number;

  @Field(() => Int, { description: "Done later than that." })
  late!: number;

  @Field(() => Int, { description: "Cancelled." })
  cancelled!: number;

  @Field(() => Int, { description: "Missed: they became one with a later occurrence." })
  collapsed!: number;

  @Field(() => Int, { description: "Missed and left out." })
  skipped!: number;

  @Field(() => Int, { description: "Occurrences that are overdue now, by more than what counts as in time." })
  overdue!: number;

  @Field(() => Int, { description: "Covered by an occurrence of another procedure. They do not count." })
  suppressed!: number;

  @Field(() => Float, { nullable: true, description: "Percentage, 0 to 100, of `due` that is `done`. Null if nothing was due." })
  percentage!: number | null;
}
