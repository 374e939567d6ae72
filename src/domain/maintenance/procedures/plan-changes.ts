/** Changes of plans that `simulatePlan` compares: the procedures that they select, and the plans as `updateProcedure` would leave them. */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { Bindings } from "../../../database/rows/rows.js";
import { badInput } from "../../../schema/errors.js";
import type { ProcedureFrequency } from "../../../schema/maintenance/enums.js";
import type { PlanChangeInput, UnchangedProcedure } from "../../../schema/maintenance/procedures/plan-simulation.js";
import { siteRules } from "./due-dates.js";
import { scheduleChanges } from "./procedures.js";
import { type ProjectedProcedure, projectedProcedures, readProjected } from "./projection.js";
import { daysOf, intervalDays } from "./schedule.js";
import { procedureAssets } from "./timed-procedures.js";

const maxChanges = 100;
const maxProcedures = 1_000;

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
function multiplied({ frequency, customIntervalDays }: Interval, factor: number): Interval {
  const [, days, months] = units.find(([name]) => name === frequency) ?? ["custom", customIntervalDays ?? 0, 0];
  const isSame = (a: number, b: number) => Math.abs(a - b) < 1e-9;
  const named = units.find(([, d, m]) => isSame(d, days * factor) && isSame(m, months * factor));
  if (named) return { frequency: named[0], customIntervalDays: null };
  const length = frequency === "custom" ? days : daysOf[frequency];
  return { frequency: "custom", customIntervalDays: Math.max(1, Math.round(length * factor)) };
}

/** Throws BAD_USER_INPUT naming the fields of changes that set nothing or several things. */
export function checkChanges(changes: PlanChangeInput[]): void {
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

/**
 * The indexes of the changes that select each procedure. Throws BAD_USER_INPUT naming a change that selects none, a procedure that its
 * change does not select, or changes for too many.
 */
export async function selected(db: TenantQueryable, changes: PlanChangeInput[]): Promise<Map<string, number[]>> {
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
    else if (!found.some(({ at }) => at.includes(i))) details[`changes.${i}`] = "selects no active procedure; check assetType and site";
  }
  if (Object.keys(details).length) throw badInput(details);
  return byId;
}

/** The live plans of procedures and of those that they cover, directly or through others, one for each asset. */
export const affected = (db: TenantQueryable, now: Date, ids: string[]): Promise<ProjectedProcedure[]> =>
  readProjected(
    db,
    now,
    `${plannedEachTime}${projectedProcedures("$2")} and p."deletedAt" is null and p.status = 'active' and a."deletedAt" is null and a.status <> 'decommissioned'
     and p.id in (with recursive below as (select unnest($3::text[]) as id
       union select s.id from below b join "Procedure" s on s."tenantId" = $1 and s."suppressedById" = b.id) select id from below)
     order by p.id, p."planAssetId"`,
    [now, ids],
  );

/** The new interval of a procedure, and the factor of its meters. */
interface Change {
  /** Null if it is paused. */
  interval: Interval | null;
  factor: number;
}

export type PlanChanges = ReadonlyMap<string, Change>;

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

/** The changes by procedure, and the selected procedures that stay as planned, with the reasons. */
export function planChanges(
  procedures: readonly ProjectedProcedure[],
  changes: readonly PlanChangeInput[],
  selectedBy: ReadonlyMap<string, number[]>,
): { changed: PlanChanges; unchanged: UnchangedProcedure[] } {
  const changed = new Map<string, Change>();
  const reasons = new Map<string, string>();
  for (const procedure of procedures) {
    const change = changes[selectedBy.get(procedure.id)?.[0] ?? -1];
    const interval = change && changedInterval(procedure, change);
    if (typeof interval === "string") reasons.set(procedure.id, interval);
    else if (interval !== undefined) changed.set(procedure.id, { interval, factor: change!.intervalFactor ?? 1 });
  }
  for (const { id, suppressedById, suppressor } of procedures) {
    const interval = changed.get(id)?.interval;
    if (!interval || !suppressor) continue;
    const [days, largerDays] = [intervalDays(interval), intervalDays(changed.get(suppressedById!)?.interval ?? suppressor)];
    if (!days || !largerDays || largerDays > days) continue;
    changed.delete(id);
    reasons.set(id, `it must be due more often than ${suppressor.name}, which covers it`);
  }
  // A procedure may change on one of its assets only, for example by a meter.
  const unchanged = [...reasons].filter(([id]) => !changed.has(id)).map(([procedureId, reason]) => ({ procedureId, reason }));
  return { changed, unchanged };
}

/** A procedure as `updateProcedure` would leave it with another interval. A kept meter goes on from its last completion. */
function withInterval(procedure: ProjectedProcedure, interval: Interval, factor: number, now: Date): ProjectedProcedure {
  const counters = procedure.counters?.map((counter) => {
    if (counter.by !== "meter" || factor === 1) return counter;
    const next = Math.round(counter.interval * factor * 10_000) / 10_000;
    const dueAt = Math.max(0, counter.dueAt - counter.interval) + next;
    return { ...counter, interval: next, dueAt, since: counter.total >= dueAt ? (counter.since ?? now.toISOString()) : null };
  });
  const timing = scheduleChanges(procedure, interval, siteRules(procedure)) as Partial<Pick<ProjectedProcedure, "anchorSteps" | "nextDue">>;
  return { ...procedure, ...interval, ...timing, counters: counters ?? null };
}

/** The plans with the changes, in the same order. Undefined for a paused one. What covers a plan changes with it. */
export function withChanges(
  procedures: readonly ProjectedProcedure[],
  changed: PlanChanges,
  now: Date,
): (ProjectedProcedure | undefined)[] {
  const byKey = new Map<string, ProjectedProcedure | undefined>();
  const keyOf = ({ id, assetId }: { id: string; assetId: string }) => `${id} ${assetId}`;
  for (const one of procedures) {
    const change = changed.get(one.id);
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
