/**
 * Expected due dates of procedures. The earliest of date, meter and condition counts, and each due date follows from the previous one.
 * Single source for `upcoming`, `calendar`, `materialForecast` and `previewSchedule` (docs/work.md, "Plans by meter").
 */
import { forecastOf, usageOfMeter } from "../meters/meters.js";
import { type CounterRow, counterRows, counterText } from "./plan-counters.js";
import { forecast, type Plan, type PlannedDate, plannedDate, settle, settleBriefly, settleDone, withSuppression } from "./plan-dates.js";
import { type DueDate, dayMs, dueDate, dueDateAfter, localDay } from "./schedule.js";
import { type PlannedProcedure, plannedWith, planOf } from "./timed-procedures.js";

type ProjectedCounter = Omit<CounterRow, "since"> & {
  /** JSON has no dates. */
  since: string | null;
  readAt: string | null;
  perDay: number | null;
};

/** `counters` is null for a procedure without meters and conditions. */
export type ProjectedProcedure = PlannedProcedure & { counters: ProjectedCounter[] | null };

/** SQL predicate: procedure `p` has meters or conditions. Their keys are read once, so that the procedures are found by index. */
export const hasCounters = `p.id = any(array(select k."procedureId" from "ProcedureMeter" k where k."tenantId" = $1
  union select k."procedureId" from "ProcedureCondition" k where k."tenantId" = $1))`;

/** SQL of procedures with their counters. `now` is a placeholder. */
export const projectedProcedures = (now: string) =>
  plannedWith(`, case when ${hasCounters} then (select jsonb_agg(to_jsonb(u) || to_jsonb(c) order by c.by, c.name)
    from (${counterRows("p.id", `p."assetId"`, now)}) c left join lateral (${usageOfMeter(`c."meterId"`, now)}) u on true) end as counters`);

/** Next due date of a counter. `at` is null while it is unknown. */
interface Expected {
  counter: ProjectedCounter;
  at: Date | null;
  text: string;
}

/**
 * Expected date of a counter: the time of the reading if it is due, else a forecast from its daily usage. `doneAt` is a completion, which
 * resets the counter.
 */
function expectedOf(counter: ProjectedCounter, timeZone: string, doneAt?: Date): Expected {
  const { since, readAt, perDay, total, interval } = counter;
  if (since && !doneAt) return { counter, at: new Date(since), text: counterText(counter) };
  if (counter.by === "condition" || !perDay || !readAt) return { counter, at: null, text: "" };
  const read = new Date(readAt);
  const sinceRead = doneAt ? Math.max((doneAt.getTime() - read.getTime()) / dayMs, 0) : 0;
  const dueAt = doneAt ? total + sinceRead * perDay + interval : counter.dueAt;
  const at = forecastOf({ total, readAt: read, perDay }, dueAt);
  const text =
    at && `${counterText(counter, Math.round(dueAt * 10) / 10)}, forecast ${localDay(at, timeZone)} at ${perDay} ${counter.unit}/day`;
  return { counter, at, text: text ?? "" };
}

const firstOf = (expected: Expected[]): (Expected & { at: Date }) | undefined =>
  expected
    .filter((one): one is Expected & { at: Date } => one.at !== null)
    .reduce<(Expected & { at: Date }) | undefined>((first, one) => (first && first.at <= one.at ? first : one), undefined);

/**
 * Due dates from the current one to `until`, in order, as in `forecast`. Assumes that work is completed on its due date, and overdue work
 * now. Work due by a meter restarts the dates, as its completion does (occurrences.ts). `isBrief`: see `settleBriefly`.
 */
export function* projectedDates(procedure: ProjectedProcedure, now: Date, until: Date, isBrief = false): Generator<PlannedDate> {
  const begin = isBrief ? settleBriefly : settle;
  const { counters, hasOrder, timeZone } = procedure;
  let plan: Plan = planOf(procedure);
  if (!counters?.length) return yield* forecast(plan, now, until, hasOrder, begin);
  let expected = counters.map((one) => expectedOf(one, timeZone));
  const byCounter = ({ at, text, counter }: Expected & { at: Date }): PlannedDate => ({
    at,
    steps: plan.anchorSteps,
    occurrence: plan.occurrence,
    outcome: null,
    reason: text,
    reasons: [{ kind: counter.by, text }],
  });
  const dated = (due: DueDate | undefined, occurrence: number): PlannedDate | undefined =>
    due && withSuppression(plan, { ...due, occurrence, outcome: null });
  const restart = (at: Date) => {
    plan = { ...plan, anchor: at, anchorSteps: 1, occurrence: plan.occurrence + 1 };
    return dated(dueDate(plan, 1), plan.occurrence);
  };
  const done = (at: Date) => {
    expected = counters.map((one) => expectedOf(one, timeZone, at));
  };
  const goOn = (settled: PlannedDate | undefined, occurrence: number) => {
    plan = { ...plan, occurrence: settled?.occurrence ?? occurrence };
    return settled && dated(dueDate(plan, settled.steps), plan.occurrence);
  };

  const current = dueDate(plan, plan.anchorSteps);
  let next: PlannedDate | undefined;
  if (hasOrder) {
    const counter = firstOf(expected.filter(({ counter: { since } }) => since));
    const isByCounter = counter && !(current && current.at <= counter.at);
    const ordered = isByCounter ? byCounter(counter) : current && { ...current, occurrence: plan.occurrence, outcome: null };
    if (ordered && ordered.at <= until) yield ordered;
    next = isByCounter || !current ? restart(now) : goOn(settleDone(plan, now).next, plan.occurrence + 1);
    done(now);
  } else {
    const settled = begin(plan, now);
    for (const date of settled.passed) if (date.at <= until) yield date;
    next = goOn(settled.next, plan.occurrence);
  }
  const first = plan.occurrence;
  for (;;) {
    const counter = firstOf(expected);
    const at: Date | undefined = counter && !(next && next.at <= counter.at) ? counter.at : next?.at;
    if (!at || at > until) return;
    const doneAt = at > now ? at : now;
    if (at === counter?.at) {
      yield byCounter(counter);
      next = restart(doneAt);
      done(doneAt);
      continue;
    }
    const date: PlannedDate = plannedDate(plan, next!, first, now);
    yield date;
    plan = { ...plan, occurrence: date.occurrence + 1 };
    next = dated(dueDateAfter(plan, date.steps, date.at), plan.occurrence);
    if (!date.outcome) done(doneAt);
  }
}
