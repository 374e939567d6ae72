/**
 * Outcomes of a plan's due dates (docs/work.md, "Plans"): due, missed and passed by policy, or covered by another plan. Pure functions,
 * shared by the scheduler, completions, forecasts and `previewSchedule`.
 */
import type { MissedPolicy, OccurrenceOutcome, SchedulingBasis } from "../../../schema/maintenance/enums.js";
import type { GapWarning } from "../../../schema/maintenance/procedures/occurrence.js";
import type { SchedulingRules } from "../../../schema/maintenance/procedures/procedure.js";
import {
  type DateReason,
  type DueDate,
  dayMs,
  dueDate,
  dueDateAfter,
  dueDateBeyond,
  intervalDays,
  lastInTime,
  localDay,
  type ScheduleRule,
  toleranceMs,
} from "./schedule.js";

/** A plan that covers occurrences of a smaller plan. */
export interface Suppressor extends ScheduleRule {
  name: string;
  schedulingBasis: SchedulingBasis;
  nextDue: Date | null;
  anchorSteps: number;
  occurrence: number;
}

export interface Plan extends ScheduleRule {
  schedulingRules?: SchedulingRules | null;
  /** Intervals from the anchor to the next date, and the number of that occurrence. */
  anchorSteps: number;
  occurrence: number;
  schedulingBasis: SchedulingBasis;
  missedPolicy: MissedPolicy;
  suppressor?: Suppressor | null;
}

/** A due date with the number of its occurrence. */
export interface PlannedDate extends DueDate {
  occurrence: number;
  /** Outcome of a date without a work order. */
  outcome: OccurrenceOutcome | null;
}

export interface Settled {
  /** Dates that pass without a work order. */
  passed: PlannedDate[];
  /** The next due date. Undefined if there is none. */
  next: PlannedDate | undefined;
}

/** Maximum number of missed dates recorded; older ones pass without a record. */
const mostPassed = 1_000;
/** Missed dates that `settleBriefly` examines first. */
const fewPassed = 2;

const because = (date: PlannedDate, reason: DateReason, outcome: OccurrenceOutcome | null = date.outcome): PlannedDate => ({
  ...date,
  outcome,
  reasons: [...date.reasons, reason],
  reason: `${date.reason}, ${reason.text}`,
});

/**
 * Due date of the suppressor that covers `at`: on the same local day, or within the tolerance of `plan`. A suppressor that is due as often
 * as `plan` or more often covers nothing.
 */
export function coveringDate(plan: Plan, at: Date): Date | undefined {
  const { suppressor } = plan;
  if (!suppressor || plan.statutory || intervalDays(suppressor) <= intervalDays(plan)) return undefined;
  const tolerance = toleranceMs(plan);
  const day = localDay(at, plan.timeZone);
  // A tolerance of half the interval would cover two dates of the plan.
  const isWithin = (ms: number) => 2 * tolerance < intervalDays(plan) * dayMs && Math.abs(ms) <= tolerance;
  const covers = (due: Date) => isWithin(due.getTime() - at.getTime()) || localDay(due, plan.timeZone) === day;
  if (suppressor.schedulingBasis === "floating") {
    // After the first completion, the anchor is the last completion.
    const dates = [suppressor.occurrence > 1 ? suppressor.anchor : null, suppressor.nextDue];
    return dates.find((due) => due !== null && covers(due)) ?? undefined;
  }
  // Two moments on the same local day are less than two days apart.
  const reach = Math.max(tolerance, 2 * dayMs);
  // Without an anchor in the input, the anchor is the time of creation and not a due date.
  const first = suppressor.occurrence === 1 ? suppressor.anchorSteps : 0;
  let due = dueDateBeyond(suppressor, new Date(at.getTime() - reach - 1), first);
  for (; due && due.at.getTime() <= at.getTime() + reach; due = dueDateAfter(suppressor, due.steps, due.at))
    if (covers(due.at)) return due.at;
  return undefined;
}

/** Sets the outcome of a date that the suppressor covers. */
export function withSuppression(plan: Plan, date: PlannedDate): PlannedDate {
  const covering = coveringDate(plan, date.at);
  if (!covering) return date;
  const day = localDay(covering, plan.timeZone);
  const when =
    day === localDay(date.at, plan.timeZone) ? "on the same day" : `on ${day}, within the tolerance of ${toleranceMs(plan) / dayMs} days`;
  return because(date, { kind: "suppressed", text: `covered by ${plan.suppressor!.name}, which is due ${when}` }, "suppressed");
}

/** The plan's dates from `due` on, numbered from `occurrence`. */
function* datesFrom(plan: Plan, due: DueDate | undefined, occurrence: number): Generator<PlannedDate> {
  for (let number = occurrence, date = due; date; date = dueDateAfter(plan, date.steps, date.at))
    yield withSuppression(plan, { ...date, occurrence: number++, outcome: null });
}

const passes = (plan: Plan) => plan.missedPolicy !== "catch_up" && plan.schedulingBasis !== "floating";

/** The date to start from, so that at most `most` dates until `now` pass. */
function firstStep(plan: Plan, from: DueDate | undefined, now: Date, most = mostPassed): DueDate | undefined {
  if (!from || !passes(plan)) return from;
  const beyond = dueDateBeyond(plan, now, from.steps);
  const steps = beyond ? beyond.steps - most : from.steps;
  return steps > from.steps ? dueDate(plan, steps)! : from;
}

/**
 * Determines which dates from `first` until `now` pass and which one is due. `isDone`: the plan's work has just been completed, so that
 * every date until now passes. Otherwise the latest date is due, or the one determined by the policy.
 */
function settleFrom(plan: Plan, first: DueDate | undefined, occurrence: number, now: Date, isDone: boolean): Settled {
  const passed: PlannedDate[] = [];
  if (!first) return { passed, next: undefined };
  const isPassing = passes(plan);
  let latest: PlannedDate | undefined;
  const collapse = (date: PlannedDate, into: string) =>
    passed.push(because(date, { kind: "missed_policy", text: `missed: collapsed into ${into}` }, "collapsed"));
  for (const date of datesFrom(plan, first, occurrence)) {
    if (date.outcome) {
      // Future dates are settled when they are due.
      if (date.at > now && !isDue(plan, date.at, now)) return finished(date);
      passed.push(date);
    } else if (!isPassing) return { passed, next: date };
    else if (plan.missedPolicy === "skip") {
      if (isDone ? date.at > now : lastInTime(plan, date.at) >= now) return { passed, next: date };
      passed.push(because(date, { kind: "missed_policy", text: "missed: left out" }, "skipped"));
    } else if (date.at > now) return finished(date);
    else if (isDone) collapse(date, "the work completed since");
    else {
      if (latest) collapse(latest, localDay(date.at, plan.timeZone));
      latest = date;
    }
  }
  return finished(undefined);

  function finished(next: PlannedDate | undefined): Settled {
    if (!latest) return { passed, next: next && { ...next, outcome: null } };
    // A covered date after the latest missed one is settled later.
    const { occurrence: number } = latest;
    return { passed: passed.filter((date) => date.occurrence < number), next: latest };
  }
}

/** Whether the scheduler creates the work order of a date now. */
export const isDue = (plan: Plan, at: Date, now: Date): boolean => madeFrom(plan, at) <= now;

/** Time from which the scheduler creates the work order of a date. */
export const madeFrom = ({ schedulingRules }: Plan, at: Date): Date => new Date(at.getTime() - (schedulingRules?.leadTime ?? 0) * dayMs);

/** The first date that is not completed. `isDone`: the current occurrence is. */
const openDate = (plan: Plan, isDone: boolean) => (isDone ? dueDateAfter(plan, plan.anchorSteps) : dueDate(plan, plan.anchorSteps));

/** The state of the plan for the scheduler at `now`. */
export const settle = (plan: Plan, now: Date): Settled =>
  settleFrom(plan, firstStep(plan, openDate(plan, false), now), plan.occurrence, now, false);

/** The next date after the current occurrence was completed at `now`. */
export const settleDone = (plan: Plan, now: Date): Settled =>
  settleFrom(plan, firstStep(plan, openDate(plan, true), now), plan.occurrence + 1, now, true);

/** Whether every interval has a date of its own, so that occurrences are counted without their dates. */
export const hasPlainDates = ({ suppressor, workingDaysOnly, schedulingRules }: Plan): boolean =>
  !suppressor && !workingDaysOnly && !schedulingRules?.preferredDay && !schedulingRules?.avoidWeekends;

/**
 * Like `settle`, or `settleDone` if `isDone`, without the dates that pass. Numbers of occurrences are exact for plain dates only. Examines
 * the last dates, and earlier ones while one of them may be due, so its time does not grow with the delay.
 */
export function settleBriefly(plan: Plan, now: Date, isDone = false): Settled {
  const open = openDate(plan, isDone);
  const numbered = firstStep(plan, open, now);
  const occurrence = plan.occurrence + (isDone ? 1 : 0);
  for (let most = fewPassed; ; most *= 8) {
    const first = most < mostPassed ? firstStep(plan, open, now, most) : numbered;
    const { next } = settleFrom(plan, first, first ? occurrence + first.steps - numbered!.steps : occurrence, now, isDone);
    if (!first || first.steps === numbered!.steps || isSettledFrom(first, next)) return { passed: [], next };
  }

  /** Whether dates before `first` cannot be due. */
  function isSettledFrom(first: DueDate, next: PlannedDate | undefined): boolean {
    if (isDone) return first.at <= now;
    if (plan.missedPolicy === "skip") return lastInTime(plan, first.at) < now;
    return next !== undefined && next.steps > first.steps && next.at <= now;
  }
}

/** The state at `now`. `isDone`: the current occurrence is completed then. `isBrief`: see `settleBriefly`. */
export const stateOf = (plan: Plan, now: Date, isDone: boolean, isBrief: boolean): Settled =>
  isBrief ? settleBriefly(plan, now, isDone) : (isDone ? settleDone : settle)(plan, now);

/** Whether work completed at `at` is on time for `due`. */
export function outcomeAt(rule: Parameters<typeof lastInTime>[0], due: Date, at: Date): "done" | "early" | "late" {
  if (at > lastInTime(rule, due)) return "late";
  return at.getTime() < due.getTime() - toleranceMs(rule) ? "early" : "done";
}

/**
 * The gap that early work leaves before the next date of a fixed plan. Null if that date is still on time for an interval counted from the
 * completion (docs/decisions.md, "gapWarning").
 */
export function gapWarningOf(plan: Plan & { lastExecuted: Date | null; nextDue: Date | null }): GapWarning | null {
  const { lastExecuted, nextDue } = plan;
  if (plan.schedulingBasis !== "fixed" || !lastExecuted || !nextDue) return null;
  const counted = dueDate({ ...plan, schedulingRules: null, workingDaysOnly: false, anchor: lastExecuted }, 1);
  if (!counted || nextDue <= lastInTime(plan, counted.at)) return null;
  const gapDays = Math.round((nextDue.getTime() - lastExecuted.getTime()) / dayMs);
  const interval = intervalDays(plan);
  const text = `${gapDays} days from ${localDay(lastExecuted, plan.timeZone)} to ${localDay(nextDue, plan.timeZone)}, instead of ${interval}`;
  return { lastExecuted, nextDue, gapDays, intervalDays: interval, text };
}

/**
 * The dates from the current one to `until`, in order. Dates without a work order have an outcome. `hasOrder`: the current occurrence has a
 * work order, which is completed at `now` at the earliest. `isBrief`: see `settleBriefly`.
 */
export function* forecast(plan: Plan, now: Date, until: Date, hasOrder = false, isBrief = false): Generator<PlannedDate> {
  const current = dueDate(plan, plan.anchorSteps);
  if (hasOrder && current && current.at <= until) yield { ...current, occurrence: plan.occurrence, outcome: null };
  const { passed, next } = stateOf(plan, now, hasOrder, isBrief);
  for (const date of passed) if (date.at <= until) yield date;
  if (!next) return;
  for (const date of datesFrom(plan, dueDate(plan, next.steps), next.occurrence)) {
    if (date.at > until) return;
    yield plannedDate(plan, date, next.occurrence, now);
  }
}

/** A future date, with an explanation of the effects of policy and scheduling basis. */
export function plannedDate(plan: Plan, date: PlannedDate, first: number, now: Date): PlannedDate {
  if (date.outcome) return date;
  if (plan.schedulingBasis === "floating") {
    const text = date.occurrence === first ? "counted from the last completion" : "if the one before is done when it is due";
    return because(date, { kind: "floating", text });
  }
  if (plan.missedPolicy !== "catch_up" || lastInTime(plan, date.at) >= now) return date;
  return because(date, { kind: "missed_policy", text: "missed: caught up" });
}
