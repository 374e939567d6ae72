/** The next due dates of all procedures, in order. */
import { nowDate } from "../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import { Bindings } from "../../database/rows.js";
import type { UpcomingOccurrence } from "../../schema/maintenance/procedure.js";
import { dueDatesOf } from "./plan-dates.js";
import { type PlannedProcedure, plannedProcedures, planOf } from "./timed-procedures.js";

/** Maximum number of due dates in a forecast. */
const maxUpcoming = 1_000;

/** Returns the first 1,000 due dates of active procedures in the next `days` days, including overdue ones, in order. */
export async function upcoming(db: TenantQueryable, days: number, { assetId, site }: { assetId?: string | null; site?: string | null }) {
  const now = nowDate();
  const until = new Date(now.getTime() + days * 86_400_000);
  const { values, bind } = new Bindings();
  const only = [assetId != null && ` and p."assetId" = ${bind(assetId)}`, site != null && ` and a.site = ${bind(site)}`].filter(Boolean);
  const procedures = await db.query<PlannedProcedure>(
    `${plannedEachTime}${plannedProcedures} and p."deletedAt" is null and p.status = 'active' and p."nextDue" <= ${bind(until)} and a."deletedAt" is null and a.status <> 'decommissioned'${only.join("")}
     order by p."nextDue", p.id limit ${maxUpcoming}`,
    ...values,
  );
  // A lazy k-way merge, because a daily procedure that is long overdue has many more due dates than are returned.
  const sequences = procedures.flatMap((procedure) => {
    const dates = dueDatesOf(planOf(procedure), now, until, procedure.hasOrder);
    const { value: due } = dates.next();
    return due ? [{ procedure, dates, due }] : [];
  });
  const found: UpcomingOccurrence[] = [];
  while (sequences.length && found.length < maxUpcoming) {
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
