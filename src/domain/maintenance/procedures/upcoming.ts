/** The next due dates of all procedures, in order. */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { Bindings } from "../../../database/rows/rows.js";
import type { UpcomingOccurrence } from "../../../schema/maintenance/procedures/procedure.js";
import { Heap } from "./heap.js";
import type { PlannedDate } from "./plan-dates.js";
import { hasCounters, type ProjectedProcedure, projectedDates, projectedProcedures, readProjected } from "./projection.js";
import { inTurns } from "./turns.js";

/** Maximum number of due dates in a forecast. */
const maxUpcoming = 1_000;

/** The remaining due dates of a procedure. `order`: its position among the procedures, which orders equal dates. */
interface Sequence {
  procedure: ProjectedProcedure;
  dates: Generator<PlannedDate>;
  due: PlannedDate;
  order: number;
}

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
  // A lazy merge: a daily procedure that is long overdue has many more due dates than are returned.
  const sequences = new Heap<Sequence>((a, b) => a.due.at.getTime() - b.due.at.getTime() || a.order - b.order);
  const turn = inTurns();
  for (const [order, procedure] of procedures.entries()) {
    const dates = ordered(projectedDates(procedure, now, until, true));
    const { value: due } = dates.next();
    if (due) sequences.push({ procedure, dates, due, order });
    await turn();
  }
  const found: UpcomingOccurrence[] = [];
  for (let earliest = sequences.pop(); earliest && found.length < maxUpcoming; earliest = sequences.pop()) {
    await turn();
    const { at, reason } = earliest.due;
    const { id, assetId: asset } = earliest.procedure;
    found.push({ procedureId: id, assetId: asset, dueDate: at, reason: at < now ? `${reason}, overdue` : reason });
    const { value: next } = earliest.dates.next();
    if (next) sequences.push({ ...earliest, due: next });
  }
  return found;
}
