/**
 * Expected due dates of procedures. The earliest of date, meter and condition counts, and each due date follows from the previous one.
 * Single source for `upcoming`, `calendar`, `materialForecast` and `previewSchedule` (docs/work.md, "Plans by meter").
 */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { forecastOf, usageOfMeter } from "../meters/meters.js";
import { type CounterRow, counterRows, counterText, coveredText } from "./plan-counters.js";
import { forecast, type Plan, type PlannedDate, plannedDate, stateOf, withSuppression } from "./plan-dates.js";
import { type DueDate, dayMs, dueDate, dueDateAfter, localDay } from "./schedule.js";
import { type PlannedProcedure, plannedWith, planOf } from "./timed-procedures.js";

type ProjectedCounter = Omit<CounterRow, "since"> & {
  /** JSON has no dates. */
  since: string | null;
  readAt: string | null;
  perDay: number | null;
};

/** `counters` is null for a procedure without meters and conditions. `larger` is set by `readProjected`. */
export type ProjectedProcedure = PlannedProcedure & { counters: ProjectedCounter[] | null; larger?: ProjectedProcedure };

/** SQL predicate: procedure `p` has meters or conditions. Their keys are read once, so that the procedures are found by index. */
export const hasCounters = `p.id = any(array(select k."procedureId" from "ProcedureMeter" k where k."tenantId" = $1
  union select k."procedureId" from "ProcedureCondition" k where k."tenantId" = $1))`;

/** SQL of procedures with their counters. `now` is a placeholder. */
export const projectedProcedures = (now: string) =>
  plannedWith(`, case when ${hasCounters} then (select jsonb_agg(to_jsonb(u) || to_jsonb(c) order by c.by, c.name)
    from (${counterRows("p.id", `p."assetId"`, now)}) c left join lateral (${usageOfMeter(`c."meterId"`, now)}) u on true) end as counters`);

/** SQL of the suppressing procedures of procedures $3 on assets $4, directly or through others. $2 is the current time. */
const largerProcedures = `with recursive up as (
    select s."suppressedById" as id, k."assetId" from unnest($3::text[], $4::text[]) k(id, "assetId") join "Procedure" s on s."tenantId" = $1 and s.id = k.id
    union select s."suppressedById", up."assetId" from up join "Procedure" s on s."tenantId" = $1 and s.id = up.id
  ) ${projectedProcedures("$2")} and (p.id, p."assetId") in (select id, "assetId" from up) and p.status = 'active' and p."deletedAt" is null`;

/** Reads `projectedProcedures` with the meters of the procedures that can cover them. At most two statements. */
export async function readProjected(db: TenantQueryable, now: Date, sql: string, values: unknown[]): Promise<ProjectedProcedure[]> {
  const procedures = await db.query<ProjectedProcedure>(sql, ...values);
  const nested = procedures.filter(({ counters, suppressedById }) => counters?.length && suppressedById != null);
  if (!nested.length) return procedures;
  const found = await db.query<ProjectedProcedure>(
    plannedEachTime + largerProcedures,
    now,
    nested.map(({ id }) => id),
    nested.map(({ assetId }) => assetId),
  );
  const byKey = new Map(found.map((one) => [`${one.id} ${one.assetId}`, one]));
  for (const one of [...nested, ...found]) {
    const larger = byKey.get(`${one.suppressedById} ${one.assetId}`);
    if (!one.statutory && larger?.counters?.length) one.larger = larger;
  }
  return procedures;
}

/** Next due date of a counter. `at` is null while it is unknown. `dueAt` is a total or a threshold. */
interface Expected {
  counter: ProjectedCounter;
  at: Date | null;
  dueAt: number;
  text: string;
}

/** Due total and interval of each meter. If the procedure is covered, the total of the procedure that covers it. */
type Dues = ReadonlyMap<string, { dueAt: number; interval: number }>;

/** A date of a procedure, or its last state. `doneAt`: completion of its work, which restarts the meters. Null without work. */
interface Step {
  date: PlannedDate | null;
  doneAt: Date | null;
  /** Before the completion. */
  dues: Dues;
}

/** Maximum number of completions of a larger procedure in the projection of a smaller one. Later ones cover nothing. */
const mostLarger = 2_000;

/**
 * Expected date of a counter: the time of the reading if it is due, else a forecast from its daily usage. `doneAt` is a completion, which
 * resets the counter.
 */
function expectedOf(counter: ProjectedCounter, timeZone: string, doneAt?: Date): Expected {
  const { since, readAt, perDay, total, interval } = counter;
  if (since && !doneAt) return { counter, at: new Date(since), dueAt: counter.dueAt, text: counterText(counter) };
  if (counter.by === "condition" || !perDay || !readAt)
    return { counter, at: null, dueAt: doneAt ? total + interval : counter.dueAt, text: "" };
  const read = new Date(readAt);
  const sinceRead = doneAt ? Math.max((doneAt.getTime() - read.getTime()) / dayMs, 0) : 0;
  const dueAt = doneAt ? total + sinceRead * perDay + interval : counter.dueAt;
  const at = forecastOf({ total, readAt: read, perDay }, dueAt);
  const text =
    at && `${counterText(counter, Math.round(dueAt * 10) / 10)}, forecast ${localDay(at, timeZone)} at ${perDay} ${counter.unit}/day`;
  return { counter, at, dueAt, text: text ?? "" };
}

const firstOf = (expected: Expected[]): (Expected & { at: Date }) | undefined =>
  expected
    .filter((one): one is Expected & { at: Date } => one.at !== null)
    .reduce<(Expected & { at: Date }) | undefined>((first, one) => (first && first.at <= one.at ? first : one), undefined);

/** Whether a meter of a larger procedure covers that of a smaller one: due within a tenth of the smaller interval. */
const isWithinTenth = (smaller: { dueAt: number; interval: number }, larger: { dueAt: number; interval: number }) =>
  larger.interval > smaller.interval && Math.round(Math.abs(larger.dueAt - smaller.dueAt) * 10_000) <= Math.round(smaller.interval * 1_000);

/**
 * Due dates from the current one to `until`, in order, as in `forecast`. Assumes that work is completed on its due date, and overdue work
 * now. Work due by a meter restarts the dates, as its completion does (occurrences.ts). `isBrief`: see `settleBriefly`.
 */
export function* projectedDates(procedure: ProjectedProcedure, now: Date, until: Date, isBrief = false): Generator<PlannedDate> {
  if (!procedure.counters?.length) return yield* forecast(planOf(procedure), now, until, procedure.hasOrder, isBrief);
  for (const { date } of steps(procedure, now, until, isBrief)) if (date && date.at <= until) yield date;
}

/** The dates of a procedure with counters, and its state at `until`. `isBrief`: see `settleBriefly`. */
function* steps(procedure: ProjectedProcedure, now: Date, until: Date, isBrief = false): Generator<Step> {
  const { hasOrder, timeZone } = procedure;
  const counters = procedure.counters!;
  let plan: Plan = planOf(procedure);
  let expected = counters.map((one) => expectedOf(one, timeZone));
  const works = procedure.larger && completions(procedure.larger, now, until);
  let larger: Step | undefined = works?.next().value ?? undefined;

  /** The total of the larger procedure that covers a meter. Covered work waits for that of the larger procedure. */
  const coveredAt = ({ counter: { meterId, interval }, dueAt }: Expected): number | undefined => {
    const due = meterId != null ? larger?.dues.get(meterId) : undefined;
    return due && isWithinTenth({ dueAt, interval }, due) ? due.dueAt : undefined;
  };
  const step = (date: PlannedDate | null, doneAt: Date | null): Step => ({
    date,
    doneAt,
    dues: new Map(
      expected.flatMap((one) => {
        const { meterId, interval } = one.counter;
        return meterId == null ? [] : [[meterId, { dueAt: coveredAt(one) ?? one.dueAt, interval }]];
      }),
    ),
  });
  const byCounter = ({ at, text, counter }: Expected & { at: Date }): PlannedDate => ({
    at,
    steps: plan.anchorSteps,
    occurrence: plan.occurrence,
    outcome: null,
    reason: text,
    reasons: [{ kind: counter.by, text }],
  });
  /** Work covered by that of the larger procedure at `doneAt`. */
  const covered = (one: Expected, doneAt: Date): PlannedDate => {
    const { counter } = one;
    const at = one.at && one.at < doneAt ? one.at : doneAt;
    const total = (dueAt: number) => Math.round(dueAt * 10) / 10;
    const own = counterText(counter, total(one.dueAt));
    const text = coveredText(procedure.larger!.name, total(coveredAt(one)!), counter.unit);
    const reasons = [{ kind: counter.by, text: own } as const, { kind: "suppressed", text } as const];
    return { ...byCounter({ ...one, at }), outcome: "suppressed", reason: `${own}, ${text}`, reasons: [...reasons] };
  };
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
    yield step(ordered ?? null, now);
    next = isByCounter || !current ? restart(now) : goOn(stateOf(plan, now, true, isBrief).next, plan.occurrence + 1);
    done(now);
  } else {
    const settled = stateOf(plan, now, false, isBrief);
    for (const date of settled.passed) yield step(date, null);
    next = goOn(settled.next, plan.occurrence);
  }
  const first = plan.occurrence;
  for (let count = 0; ; ) {
    const counter = firstOf(expected.filter((one) => coveredAt(one) === undefined));
    const at: Date | undefined = counter && !(next && next.at <= counter.at) ? counter.at : next?.at;
    const largerAt = larger?.doneAt;
    if (largerAt && !(at && at < largerAt)) {
      const one = expected.find((each) => coveredAt(each) !== undefined);
      if (one) yield step(covered(one, largerAt), largerAt);
      larger = ++count < mostLarger ? (works!.next().value ?? undefined) : undefined;
      if (!one) continue;
      next = restart(largerAt);
      done(largerAt);
      continue;
    }
    if (!at || at > until) return yield step(null, null);
    const doneAt = at > now ? at : now;
    if (at === counter?.at) {
      yield step(byCounter(counter), doneAt);
      next = restart(doneAt);
      done(doneAt);
      continue;
    }
    const date: PlannedDate = plannedDate(plan, next!, first, now);
    yield step(date, date.outcome ? null : doneAt);
    plan = { ...plan, occurrence: date.occurrence + 1 };
    next = dated(dueDateAfter(plan, date.steps, date.at), plan.occurrence);
    // The work of a larger procedure includes that of a covered date.
    if (!date.outcome || date.outcome === "suppressed") done(doneAt);
  }
}

/** The completions of a procedure until `until`, and its state then. */
function* completions(procedure: ProjectedProcedure, now: Date, until: Date): Generator<Step> {
  for (const step of steps(procedure, now, until)) if (step.doneAt || !step.date) yield step;
}
