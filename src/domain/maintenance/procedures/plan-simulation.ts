/** `simulatePlan`: the work of a period without and with changed procedures. It writes nothing (docs/work.md, "Simulating changes"). */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { Bindings } from "../../../database/rows/rows.js";
import { badInput } from "../../../schema/errors.js";
import type { ProcedureFrequency } from "../../../schema/maintenance/enums.js";
import type {
  PlanChangeInput,
  PlanFigures,
  PlanSimulation,
  SimulatedDate,
  SimulatedPart,
  SimulatedProcedure,
  SimulatePlanArgs,
} from "../../../schema/maintenance/procedures/plan-simulation.js";
import { partCost } from "../../inventory/stock/stock-settings.js";
import { siteRules } from "./due-dates.js";
import { eachDueDate } from "./forecast-dates.js";
import { byPlan, needsOf, orderedOf, type PlanNeed, planKey } from "./material-forecast.js";
import { scheduleChanges } from "./procedures.js";
import { type ProjectedProcedure, projectedProcedures, readProjected } from "./projection.js";
import { daysOf, intervalDays } from "./schedule.js";
import { occurrenceKey, procedureAssets } from "./timed-procedures.js";

const maxDays = 3_660;
const maxChanges = 100;
const maxProcedures = 1_000;

const rounded = (value: number) => Math.round(value * 10_000) / 10_000;

interface Interval {
  frequency: ProcedureFrequency;
  customIntervalDays: number | null;
}

/** Intervals of whole days or months, so that a factor finds the frequency that a planner would choose. */
const units: [frequency: ProcedureFrequency, days: number, months: number][] = [
  ["daily", 1, 0],
  ["weekly", 7, 0],
  ["bi-weekly", 14, 0],
  ["monthly", 0, 1],
  ["quarterly", 0, 3],
  ["semi-annual", 0, 6],
  ["annual", 0, 12],
];

/** The interval times a factor: a named frequency if one has exactly this length, else days. */
export function multiplied({ frequency, customIntervalDays }: Interval, factor: number): Interval {
  const [, days, months] = units.find(([name]) => name === frequency) ?? ["custom", customIntervalDays ?? 0, 0];
  const isSame = (a: number, b: number) => Math.abs(a - b) < 1e-9;
  const named = units.find(([, d, m]) => isSame(d, days * factor) && isSame(m, months * factor));
  if (named) return { frequency: named[0], customIntervalDays: null };
  const length = frequency === "custom" ? days : daysOf[frequency];
  return { frequency: "custom", customIntervalDays: Math.max(1, Math.round(length * factor)) };
}

/** Throws BAD_USER_INPUT naming the fields of changes that set nothing or several things. */
function checkChanges(changes: PlanChangeInput[]): void {
  if (!changes.length || changes.length > maxChanges) throw badInput({ changes: `must have from 1 to ${maxChanges} items` });
  const details: Record<string, string> = {};
  for (const [i, change] of changes.entries()) {
    const { procedureIds, intervalFactor, frequency, customIntervalDays, isPaused } = change;
    const at = `changes.${i}`;
    const set = [intervalFactor != null, frequency != null, isPaused === true].filter(Boolean).length;
    if (set !== 1) details[at] = "must set one of intervalFactor, frequency and isPaused";
    if (intervalFactor != null && (intervalFactor < 0.1 || intervalFactor > 10)) details[`${at}.intervalFactor`] = "must be from 0.1 to 10";
    if ((frequency === "custom") !== (customIntervalDays != null))
      details[`${at}.customIntervalDays`] = frequency === "custom" ? "is required for CUSTOM" : "is for the frequency CUSTOM; leave it out";
    if ((procedureIds?.length ?? 0) > maxProcedures) details[`${at}.procedureIds`] = `must have at most ${maxProcedures} items`;
  }
  if (Object.keys(details).length) throw badInput(details);
}

/** The indexes of the changes that select each procedure. Throws BAD_USER_INPUT naming a procedure that its change does not select. */
async function selected(db: TenantQueryable, changes: PlanChangeInput[]): Promise<Map<string, number[]>> {
  const { values, bind } = new Bindings();
  const selections = changes.map(({ procedureIds, assetType, site }, i) =>
    [
      `select p.id, ${i} as place from ${procedureAssets("p")} join "Asset" a on a."tenantId" = $1 and a.id = p."assetId"
       where p."tenantId" = $1 and p.status = 'active' and p."deletedAt" is null and a."deletedAt" is null and a.status <> 'decommissioned'`,
      ...(procedureIds ? [`p.id = any(${bind(procedureIds)})`] : []),
      ...(assetType != null ? [`a.type = ${bind(assetType)}`] : []),
      ...(site != null ? [`a.site = ${bind(site)}`] : []),
    ].join(" and "),
  );
  const found = await db.query<{ id: string; at: number[] }>(
    `${plannedEachTime}select s.id, array_agg(distinct s.place order by s.place) as at from (${selections.join(" union all ")}) s
     group by s.id order by s.id limit ${maxProcedures + 1}`,
    ...values,
  );
  if (found.length > maxProcedures)
    throw badInput({ changes: `select more than ${maxProcedures} procedures; select by site or asset type` });
  const byId = new Map(found.map(({ id, at }) => [id, at]));
  const details: Record<string, string> = {};
  for (const [i, { procedureIds }] of changes.entries()) {
    const unknown = procedureIds?.find((id) => !byId.get(id)?.includes(i));
    if (unknown !== undefined) details[`changes.${i}.procedureIds`] = `names no active procedure of this selection: ${unknown}`;
  }
  if (Object.keys(details).length) throw badInput(details);
  return byId;
}

/** The live plans of procedures and of those that they cover, directly or through others, one for each asset. */
const affected = (db: TenantQueryable, now: Date, ids: string[]): Promise<ProjectedProcedure[]> =>
  readProjected(
    db,
    now,
    `${plannedEachTime}${projectedProcedures("$2")} and p."deletedAt" is null and p.status = 'active' and a."deletedAt" is null and a.status <> 'decommissioned'
     and p.id in (with recursive below as (select unnest($3::text[]) as id
       union select s.id from below b join "Procedure" s on s."tenantId" = $1 and s."suppressedById" = b.id) select id from below)
     order by p.id, p."planAssetId"`,
    [now, ids],
  );

/** The interval that a change gives to a procedure. Null if it is paused. A text: the reason why the procedure stays as planned. */
function changedInterval(procedure: ProjectedProcedure, change: PlanChangeInput): Interval | string | null {
  const { frequency, customIntervalDays, statutory, counters } = procedure;
  if (change.isPaused) return statutory ? "it is statutory, so its work is not left out" : null;
  const before = { frequency, customIntervalDays };
  const { intervalFactor: factor } = change;
  const after =
    factor == null
      ? { frequency: change.frequency!, customIntervalDays: change.customIntervalDays ?? null }
      : intervalDays(before)
        ? multiplied(before, factor)
        : before;
  if (statutory && ((intervalDays(before) && intervalDays(after) > intervalDays(before)) || (factor ?? 1) > 1))
    return "it is statutory, so its interval is not extended";
  const isSame = after.frequency === frequency && (after.customIntervalDays ?? null) === (customIntervalDays ?? null);
  if (isSame && ((factor ?? 1) === 1 || !counters?.some(({ by }) => by === "meter"))) return "it has this interval already";
  return after;
}

/** A procedure as `updateProcedure` would leave it with another interval. A kept meter goes on from its last completion. */
function withInterval(procedure: ProjectedProcedure, interval: Interval, factor: number, now: Date): ProjectedProcedure {
  const counters = procedure.counters?.map((counter) => {
    if (counter.by !== "meter" || factor === 1) return counter;
    const next = rounded(counter.interval * factor);
    const dueAt = Math.max(0, counter.dueAt - counter.interval) + next;
    return { ...counter, interval: next, dueAt, since: counter.total >= dueAt ? (counter.since ?? now.toISOString()) : null };
  });
  const timing = scheduleChanges(procedure, interval, siteRules(procedure)) as Partial<Pick<ProjectedProcedure, "anchorSteps" | "nextDue">>;
  return { ...procedure, ...interval, ...timing, counters: counters ?? null };
}

/** The plans with the changes, in the same order. Undefined for a paused one. What covers a plan changes with it. */
function simulated(
  procedures: readonly ProjectedProcedure[],
  intervals: ReadonlyMap<string, { interval: Interval | null; factor: number }>,
  now: Date,
): (ProjectedProcedure | undefined)[] {
  const byKey = new Map<string, ProjectedProcedure | undefined>();
  const keyOf = ({ id, assetId }: { id: string; assetId: string }) => `${id} ${assetId}`;
  for (const one of procedures) {
    const change = intervals.get(one.id);
    byKey.set(keyOf(one), change ? (change.interval ? withInterval(one, change.interval, change.factor, now) : undefined) : { ...one });
  }
  for (const one of byKey.values()) {
    if (!one?.suppressedById) continue;
    const key = keyOf({ id: one.suppressedById, assetId: one.assetId });
    if (!byKey.has(key)) continue;
    const larger = byKey.get(key);
    one.suppressor = one.suppressor && larger ? { ...one.suppressor, ...larger } : null;
    one.larger = one.larger && larger;
  }
  return procedures.map((one) => byKey.get(keyOf(one)));
}

interface PricedNeed extends PlanNeed {
  cost: number | null;
}

/** Parts for an occurrence of each plan, at the present cost of the site's stock, else of the part. */
async function pricedNeeds(db: TenantQueryable, ids: string[]): Promise<Map<string, PricedNeed[]>> {
  const needs = await needsOf(db, ids, null);
  const costs = await db.query<{ cost: number | null }>(
    `select coalesce(s."unitCost", ${partCost("p")})::float8 as cost from unnest($2::text[], $3::text[]) with ordinality k(id, site, place)
     join "Part" p on p."tenantId" = $1 and p.id = k.id
     left join "StockLevel" s on s."tenantId" = $1 and s."partId" = k.id and s.site = k.site and s."deletedAt" is null order by k.place`,
    needs.map(({ partId }) => partId),
    needs.map(({ site }) => site),
  );
  return byPlan(needs.map((need, i) => ({ ...need, cost: costs[i]!.cost })));
}

const nothing = (): PlanFigures => ({ occurrences: 0, hours: 0, withoutDuration: 0, partsCost: 0, withoutCost: 0 });

/** The work of a plan: its figures and dates. */
interface Work {
  figures: PlanFigures;
  dates: SimulatedDate[];
}

/** Adds `count` occurrences of a plan. */
function add(figures: PlanFigures, { estimatedDuration }: ProjectedProcedure, needs: PricedNeed[], count: number): void {
  figures.occurrences += count;
  if (estimatedDuration == null) figures.withoutDuration += count;
  else figures.hours += (count * estimatedDuration) / 60;
  figures.partsCost += count * needs.reduce((sum, { quantity, cost }) => sum + quantity * (cost ?? 0), 0);
  if (needs.some(({ cost }) => cost === null)) figures.withoutCost += count;
}

/** Rounded only once, so that no error adds up. */
const shown = (figures: PlanFigures): PlanFigures => ({
  ...figures,
  hours: rounded(figures.hours),
  partsCost: rounded(figures.partsCost),
});

const without = (dates: SimulatedDate[], others: SimulatedDate[]): SimulatedDate[] => {
  const known = new Set(others.map(({ dueAt }) => dueAt.getTime()));
  return dates.filter(({ dueAt }) => !known.has(dueAt.getTime()));
};

/**
 * The work due in a period without and with changes, in a constant number of statements. Throws BAD_USER_INPUT naming changes, their fields
 * or to.
 */
export async function simulatePlan(db: TenantQueryable, { changes, from, to }: SimulatePlanArgs, now = nowDate()): Promise<PlanSimulation> {
  checkChanges(changes);
  if (to < from) throw badInput({ to: "must not be before from" });
  if (to.getTime() - from.getTime() > maxDays * 86_400_000) throw badInput({ to: `must be at most ${maxDays} days after from` });
  const changesOf = await selected(db, changes);
  const procedures = await affected(db, now, [...changesOf.keys()]);
  const intervals = new Map<string, { interval: Interval | null; factor: number }>();
  const reasons = new Map<string, string>();
  for (const procedure of procedures) {
    const change = changes[changesOf.get(procedure.id)?.[0] ?? -1];
    const interval = change && changedInterval(procedure, change);
    if (typeof interval === "string") reasons.set(procedure.id, interval);
    else if (interval !== undefined) intervals.set(procedure.id, { interval, factor: change!.intervalFactor ?? 1 });
  }
  for (const { id, suppressedById, suppressor } of procedures) {
    const days = intervalDays(intervals.get(id)?.interval ?? { frequency: "custom" });
    const larger = suppressor && intervalDays(intervals.get(suppressedById!)?.interval ?? suppressor);
    if (!days || !larger || larger > days) continue;
    intervals.delete(id);
    reasons.set(id, `it must be due more often than ${suppressor.name}, which covers it`);
  }
  const unchanged = [...reasons].filter(([id]) => !intervals.has(id)).map(([procedureId, reason]) => ({ procedureId, reason }));
  const ids = [...new Set(procedures.map(({ id }) => id))];
  const [needsByPlan, ordered] = ids.length
    ? await Promise.all([pricedNeeds(db, ids), orderedOf(db, ids)])
    : [new Map<string, PricedNeed[]>(), new Set<string>()];
  const needsOfPlan = ({ id, planAssetId }: ProjectedProcedure) => needsByPlan.get(planKey(id, planAssetId)) ?? [];

  const tooMany = () => badInput({ to: "makes too many dates; simulate a shorter time or fewer procedures" });
  const workOf = async (plans: readonly (ProjectedProcedure | undefined)[]): Promise<Map<string, Work>> => {
    const found = new Map<string, Work>();
    const living = plans.filter((plan) => plan !== undefined);
    await eachDueDate(living, { now, until: to }, tooMany, (plan, { at, occurrence, reason }) => {
      const when = at < now ? now : at;
      if (when < from || when > to || ordered.has(occurrenceKey(plan.id, plan.planAssetId, occurrence))) return;
      const key = planKey(plan.id, plan.planAssetId);
      const work = found.get(key) ?? { figures: nothing(), dates: [] };
      found.set(key, work);
      work.dates.push({ dueAt: at, reason });
    });
    for (const plan of living) {
      const work = found.get(planKey(plan.id, plan.planAssetId));
      if (work) add(work.figures, plan, needsOfPlan(plan), work.dates.length);
    }
    return found;
  };
  const after = simulated(procedures, intervals, now);
  const [before, then] = [await workOf(procedures), await workOf(after)];

  const result: PlanSimulation = { planned: nothing(), simulated: nothing(), procedures: [], parts: [], unchanged };
  const parts = new Map<string, SimulatedPart & { partNumber: string }>();
  for (const [i, plan] of procedures.entries()) {
    const key = planKey(plan.id, plan.planAssetId);
    const none: Work = { figures: nothing(), dates: [] };
    const [old, next] = [before.get(key) ?? none, then.get(key) ?? none];
    const needs = needsOfPlan(plan);
    add(result.planned, plan, needs, old.dates.length);
    add(result.simulated, plan, needs, next.dates.length);
    for (const { partId, partNumber, site, quantity } of needs) {
      const part = parts.get(`${partId} ${site}`) ?? { partId, partNumber, site, planned: 0, simulated: 0 };
      parts.set(`${partId} ${site}`, part);
      part.planned = rounded(part.planned + quantity * old.dates.length);
      part.simulated = rounded(part.simulated + quantity * next.dates.length);
    }
    const [dropped, added] = [without(old.dates, next.dates), without(next.dates, old.dates)];
    if (!dropped.length && !added.length) continue;
    const { frequency, customIntervalDays } = after[i] ?? plan;
    const { id: procedureId, assetId } = plan;
    const figures = { planned: shown(old.figures), simulated: shown(next.figures) };
    const row = { procedureId, assetId, isChanged: intervals.has(procedureId), frequency, customIntervalDays, ...figures, dropped, added };
    result.procedures.push(row);
  }
  result.planned = shown(result.planned);
  result.simulated = shown(result.simulated);
  const difference = ({ planned, simulated }: SimulatedProcedure) => Math.abs(planned.occurrences - simulated.occurrences);
  result.procedures.sort((a, b) => difference(b) - difference(a));
  result.parts = [...parts.values()]
    .filter(({ planned, simulated }) => planned !== simulated)
    .sort((a, b) => (a.partNumber < b.partNumber ? -1 : a.partNumber > b.partNumber ? 1 : a.site < b.site ? -1 : 1));
  return result;
}
