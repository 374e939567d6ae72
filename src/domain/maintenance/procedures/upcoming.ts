/** The next due dates of all procedures, in order. */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { Bindings } from "../../../database/rows/rows.js";
import type { UpcomingOccurrence } from "../../../schema/maintenance/procedures/procedure.js";
import type { PlannedDate } from "./plan-dates.js";
import { hasCounters, type ProjectedProcedure, projectedDates, projectedProcedures, readProjected } from "./projection.js";
import { inTurns } from "./turns.js";

/** Maximum number of due dates in a forecast. */
const maxUpcoming = 1_000;

/** The dates that get a work order. */
function* ordered(dates: Generator<PlannedDate>): Generator<PlannedDate> {
  for (const date of dates) if (!date.outcome) yield date;
}

/** Returns the first 1,000 due dates of active procedures in the next `days` days, including overdue ones, in order. */
export async function upcoming(db: TenantQueryable, days: number, { assetId, site }: { assetId?: string | null; site?: string | null }) {
  const now = nowDate();
  const until = new Date(now.getTime() + days * 86_400_000);
  const due = (condition: (bind: Bindings["bind"]) => string) => {
    const { values, bind } = new Bindings();
    const conditions = [
      `${projectedProcedures(bind(now))} and p."deletedAt" is null and p.status = 'active' and a."deletedAt" is null and a.status <> 'decommissioned'`,
      ...(assetId != null ? [`p."assetId" = ${bind(assetId)}`] : []),
      ...(site != null ? [`a.site = ${bind(site)}`] : []),
      condition(bind),
    ];
    return readProjected(db, now, plannedEachTime + conditions.join(" and "), values);
  };
  // No index orders procedures with meters by their first date, so all of them are read.
  const procedures = (
    await Promise.all([
      due((bind) => `not ${hasCounters} and p."nextDue" <= ${bind(until)} order by p."nextDue", p.id limit ${maxUpcoming}`),
      due(() => hasCounters),
    ])
  ).flat();
  // A lazy k-way merge: a daily procedure that is long overdue has many more due dates than are returned.
  const sequences: { procedure: ProjectedProcedure; dates: Generator<PlannedDate>; due: PlannedDate }[] = [];
  const turn = inTurns();
  for (const procedure of procedures) {
    const dates = ordered(projectedDates(procedure, now, until, true));
    const { value: due } = dates.next();
    if (due) sequences.push({ procedure, dates, due });
    await turn();
  }
  const found: UpcomingOccurrence[] = [];
  while (sequences.length && found.length < maxUpcoming) {
    await turn();
    const earliest = sequences.reduce((first, other) => (other.due.at < first.due.at ? other : first));
    const { at, reason } = earliest.due;
    const { id, assetId: asset } = earliest.procedure;
    found.push({ procedureId: id, assetId: asset, dueDate: at, reason: at < now ? `${reason}, overdue` : reason });
    const { value: next } = earliest.dates.next();
    if (next) earliest.due = next;
    else sequences.splice(sequences.indexOf(earliest), 1);
  }
  return found;
}
