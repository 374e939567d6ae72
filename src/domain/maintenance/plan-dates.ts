/**
 * What becomes of a plan's due dates (docs/work.md, "Plans"): which are due, which were missed and pass by its policy, which another plan covers. Pure
 * functions; the scheduler, completions, forecasts and `previewSchedule` all ask here.
 */
import type { MissedPolicy, OccurrenceOutcome, SchedulingBasis } from "../../schema/maintenance/enums.js";
import type { SchedulingRules } from "../../schema/maintenance/procedure.js";
import {
  type DateReason,
  type DueDate,
  dayMs,
  dueDate,
  dueDateAfter,
  dueDateBeyond,
  intervalDays,
  localDay,
  type ScheduleRule,
  toleranceMs,
} from "./schedule.js";

/** The plan whose occurrences cover those of another one on the same day. */
export interface Suppressor extends ScheduleRule {
  name: string;
  schedulingBasis: SchedulingBasis;
  nextDue: Date | null;
}

export interface Plan extends ScheduleRule {
  schedulingRules?: SchedulingRules | null;
  /** Intervals from the anchor to the next date, and the number of its occurrence. */
  anchorSteps: number;
  occurrence: number;
  schedulingBasis: SchedulingBasis;
  missedPolicy: MissedPolicy;
  suppressor?: Suppressor | null;
}

/** A due date with the number of its occurrence. */
export interface PlannedDate extends DueDate {
  occurrence: number;
  /** What becomes of it, if it gets no work order. */
  outcome: OccurrenceOutcome | null;
}

export interface Settled {
  /** Dates that pass without a work order. */
  passed: PlannedDate[];
  /** The date that is due next; undefined if there is none. */
  next: PlannedDate | undefined;
}

/** Of more missed dates, older ones pass without a record. */
const mostPassed = 1_000;

const because = (date: PlannedDate, reason: DateReason, outcome: OccurrenceOutcome | null = date.outcome): PlannedDate => ({
  ...date,
  outcome,
  reasons: [...date.reasons, reason],
  reason: `${date.reason}, ${reason.text}`,
});

/** Whether the plan that covers this one is due on the day of `at`. One that is due as often or more often covers nothing. */
function isSuppressed(plan: Plan, at: Date): boolean {
  const { suppressor } = plan;
  if (!suppressor || plan.statutory || intervalDays(suppressor) <= intervalDays(plan)) return false;
  const day = localDay(at, plan.timeZone);
  const isThen = (due: Date | null | undefined) => due != null && localDay(due, plan.timeZone) === day;
  if (suppressor.schedulingBasis === "floating") return isThen(suppressor.nextDue);
  // The clock time of its dates may be another one.
  let due = dueDateBeyond(suppressor, new Date(at.getTime() - 2 * dayMs), 0);
  for (; due && due.at.getTime() < at.getTime() + 2 * dayMs; due = dueDateAfter(suppressor, due.steps)) if (isThen(due.at)) return true;
  return false;
}

function withSuppression(plan: Plan, date: PlannedDate): PlannedDate {
  if (!isSuppressed(plan, date.at)) return date;
  const text = `covered by ${plan.suppressor!.name}, which is due on the same day`;
  return because(date, { kind: "suppressed", text }, "suppressed");
}

/** The plan's dates from `due` on, numbered from `occurrence` on. */
function* datesFrom(plan: Plan, due: DueDate | undefined, occurrence: number): Generator<PlannedDate> {
  for (let number = occurrence, date = due; date; date = dueDateAfter(plan, date.steps))
    yield withSuppression(plan, { ...date, occurrence: number++, outcome: null });
}

/** Where to begin so that at most `mostPassed` dates until `now` pass. */
function firstStep(plan: Plan, from: DueDate, now: Date): DueDate {
  const beyond = dueDateBeyond(plan, now, from.steps);
  const steps = beyond ? beyond.steps - mostPassed : from.steps;
  return steps > from.steps ? dueDate(plan, steps)! : from;
}

const passes = (plan: Plan) => plan.missedPolicy !== "catch_up" && plan.schedulingBasis !== "floating";

/**
 * Which of the dates until `now` pass, and which one is due. `isDone`: the plan's work has just been completed, so that every date until now passes;
 * otherwise the latest is due, or what the policy says.
 */
function settleFrom(plan: Plan, begin: DueDate | undefined, occurrence: number, now: Date, isDone: boolean): Settled {
  const passed: PlannedDate[] = [];
  if (!begin) return { passed, next: undefined };
  const isPassing = passes(plan);
  const first = isPassing ? firstStep(plan, begin, now) : begin;
  let latest: PlannedDate | undefined;
  const collapse = (date: PlannedDate, into: string) =>
    passed.push(because(date, { kind: "missed_policy", text: `missed: collapsed into ${into}` }, "collapsed"));
  for (const date of datesFrom(plan, first, occurrence)) {
    if (date.outcome) {
      // What lies ahead is judged when it is due.
      if (date.at > now && !isDue(plan, date.at, now)) return finished(date);
      passed.push(date);
    } else if (!isPassing) return { passed, next: date };
    else if (plan.missedPolicy === "skip") {
      if (isDone ? date.at > now : date.at.getTime() + toleranceMs(plan) >= now.getTime()) return { passed, next: date };
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
    // A date behind the latest one that another plan covers stays ahead of it.
    const { occurrence: number } = latest;
    return { passed: passed.filter((date) => date.occurrence < number), next: latest };
  }
}

/** Whether the scheduler makes the work order of a date now. */
export const isDue = (plan: Plan, at: Date, now: Date): boolean => madeFrom(plan, at) <= now;

/** From when on the scheduler makes the work order of a date. */
export const madeFrom = ({ schedulingRules }: Plan, at: Date): Date => new Date(at.getTime() - (schedulingRules?.leadTime ?? 0) * dayMs);

/** What the scheduler makes of the plan at `now`. */
export const settle = (plan: Plan, now: Date): Settled => settleFrom(plan, dueDate(plan, plan.anchorSteps), plan.occurrence, now, false);

/** What is next after the current occurrence was done at `now`. */
export const settleDone = (plan: Plan, now: Date): Settled =>
  settleFrom(plan, dueDateAfter(plan, plan.anchorSteps), plan.occurrence + 1, now, true);

/** Whether work that is done at `at` is in time for `due`. */
export function outcomeAt(rule: Pick<ScheduleRule, "frequency" | "customIntervalDays">, due: Date, at: Date): "done" | "early" | "late" {
  const off = at.getTime() - due.getTime();
  return Math.abs(off) <= toleranceMs(rule) ? "done" : off < 0 ? "early" : "late";
}

/**
 * The dates from the current one until `until`, in order: what passes has an outcome, the others get a work order. `hasOrder`: the current occurrence
 * has its order already, which is done at `now` at the earliest.
 */
export function* forecast(plan: Plan, now: Date, until: Date, hasOrder = false): Generator<PlannedDate> {
  const current = dueDate(plan, plan.anchorSteps);
  if (hasOrder && current && current.at <= until) yield { ...current, occurrence: plan.occurrence, outcome: null };
  const { passed, next } = hasOrder ? settleDone(plan, now) : settle(plan, now);
  for (const date of passed) if (date.at <= until) yield date;
  if (!next) return;
  for (const date of datesFrom(plan, dueDate(plan, next.steps), next.occurrence)) {
    if (date.at > until) return;
    yield told(plan, date, next.occurrence, now);
  }
}

/** A date that is ahead, with what the policy and the basis have to do with it. */
function told(plan: Plan, date: PlannedDate, first: number, now: Date): PlannedDate {
  if (date.outcome) return date;
  if (plan.schedulingBasis === "floating") {
    const text = date.occurrence === first ? "counted from the last completion" : "if the one before is done when it is due";
    return because(date, { kind: "floating", text });
  }
  if (plan.missedPolicy !== "catch_up" || date.at.getTime() + toleranceMs(plan) >= now.getTime()) return date;
  return because(date, { kind: "missed_policy", text: "missed: caught up" });
}

/** The dates that get a work order, as `forecast`. */
export function* dueDatesOf(plan: Plan, now: Date, until: Date, hasOrder = false): Generator<PlannedDate> {
  for (const date of forecast(plan, now, until, hasOrder)) if (!date.outcome) yield date;
}
