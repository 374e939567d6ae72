/** Maintenance calendar of a period: work orders by scheduled date, and occurrences of procedures without a work order. */

import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { Bindings } from "../../../database/rows/rows.js";
import { AssetFilter } from "../../../schema/assets/asset.js";
import { badInput } from "../../../schema/errors.js";
import { whereOf } from "../../../schema/filter.js";
import type { CalendarArgs } from "../../../schema/maintenance/procedures/calendar.js";
import type { GapWarning } from "../../../schema/maintenance/procedures/occurrence.js";
import { WorkOrderFilter } from "../../../schema/maintenance/work-orders/work-order-list.js";
import { Where } from "../../../schema/where.js";
import { eachDueDate } from "./forecast-dates.js";
import { gapWarningOf } from "./plan-dates.js";
import { hasCounters, type ProjectedProcedure, projectedProcedures, readProjected } from "./projection.js";
import { occurrenceKey, planOf } from "./timed-procedures.js";

export interface CalendarEntry {
  date: Date;
  assetId: string;
  procedureId: string | null;
  occurrence: number | null;
  dueDate: Date | null;
  gapWarning: GapWarning | null;
  workOrder: Rows["WorkOrder"] | null;
}

const maxDays = 400;
const maxEntries = 2_000;

const tooMany = () => badInput({ until: `makes more than ${maxEntries} entries; ask for a shorter time or filter` });

/** The entries in date order. Throws BAD_USER_INPUT naming until if the period is too long or has too many entries. */
export async function calendar(
  db: TenantQueryable,
  { from, until, asset, assignedTechnician, workOrder, withoutOrder }: CalendarArgs,
): Promise<CalendarEntry[]> {
  if (until < from) throw badInput({ until: "must not be before from" });
  if (until.getTime() - from.getTime() > maxDays * 86_400_000) throw badInput({ until: `must be at most ${maxDays} days after from` });
  const now = nowDate();
  const ofAssets = asset ? new Where().related("assetId", "Asset", whereOf(AssetFilter, asset, "asset")) : new Where();
  const [procedures, orders] = await Promise.all([
    dueProcedures(db, now, until, ofAssets),
    withoutOrder ? ordersOfProcedures(db, ofAssets) : ordersWithin(db, { from, until, assignedTechnician, workOrder }, ofAssets),
  ]);
  const keyOf = ({ procedureId, planAssetId, occurrence }: Rows["WorkOrder"]) => occurrenceKey(procedureId, planAssetId, occurrence);
  const ordered = new Set(orders.map(keyOf));
  const entries: CalendarEntry[] = [];
  const planned = new Map<string, Pick<CalendarEntry, "dueDate" | "gapWarning">>();
  await eachDueDate(procedures, { now, until }, tooMany, (procedure, { at, occurrence }) => {
    const { id: procedureId, planAssetId, assetId } = procedure;
    const key = occurrenceKey(procedureId, planAssetId, occurrence);
    const gapWarning = occurrence === procedure.occurrence ? gapWarningOf(planOf(procedure)) : null;
    if (ordered.has(key)) planned.set(key, { dueDate: at, gapWarning });
    else if (at >= from && assignedTechnician == null && workOrder == null)
      entries.push({ date: at, assetId, procedureId, occurrence, dueDate: at, gapWarning, workOrder: null });
    if (entries.length > maxEntries) throw tooMany();
  });
  for (const workOrder of withoutOrder ? [] : orders) {
    const { scheduledDate: date, assetId, procedureId, occurrence } = workOrder;
    if (date < from || date > until) continue;
    const { dueDate, gapWarning } = planned.get(keyOf(workOrder)) ?? { dueDate: null, gapWarning: null };
    entries.push({ date, assetId, procedureId, occurrence, dueDate, gapWarning, workOrder });
  }
  if (entries.length > maxEntries) throw tooMany();
  return entries.sort((a, b) => a.date.getTime() - b.date.getTime());
}

/** Active procedures due until then, including overdue ones and procedures with meters or conditions. */
function dueProcedures(db: TenantQueryable, now: Date, until: Date, ofAssets: Where): Promise<ProjectedProcedure[]> {
  const { values, bind } = new Bindings();
  return readProjected(
    db,
    now,
    `${plannedEachTime}${projectedProcedures(bind(now))} and p."deletedAt" is null and p.status = 'active' and (p."nextDue" <= ${bind(until)} or ${hasCounters})
     and a."deletedAt" is null and a.status <> 'decommissioned'${ofAssets.render(bind)} order by p.id, p."planAssetId"`,
    values,
  );
}

/** Pending work orders of procedures at any date: their occurrences already have an order. */
function ordersOfProcedures(db: TenantQueryable, ofAssets: Where): Promise<Rows["WorkOrder"][]> {
  const { values, bind } = new Bindings();
  return db.query(
    `${plannedEachTime}select ${rowColumns("WorkOrder", "w")} from "WorkOrder" w
     where w."tenantId" = $1 and w."endedAt" is null and w."procedureId" is not null${ofAssets.render(bind)}`,
    ...values,
  );
}

/** Work orders scheduled in the period, and pending work orders of procedures at any date: their occurrences already have an order. */
function ordersWithin(
  db: TenantQueryable,
  { from, until, assignedTechnician, workOrder }: Omit<CalendarArgs, "asset" | "withoutOrder">,
  ofAssets: Where,
): Promise<Rows["WorkOrder"][]> {
  const { values, bind } = new Bindings();
  const columns = rowColumns("WorkOrder", "w");
  const [start, end] = [bind(from), bind(until)];
  const scheduled = ofAssets.copy().equal({ assignedTechnician });
  if (workOrder) scheduled.and(whereOf(WorkOrderFilter, workOrder, "workOrder"));
  return db.query(
    `${plannedEachTime}select ${columns} from "WorkOrder" w where w."tenantId" = $1 and w."endedAt" is null and w."procedureId" is not null
       and w."scheduledDate" not between ${start} and ${end}${ofAssets.render(bind)}
     union all (select ${columns} from "WorkOrder" w where w."tenantId" = $1 and w.status <> 'cancelled'
       and w."scheduledDate" between ${start} and ${end}${scheduled.render(bind)} order by w."scheduledDate", w.id limit ${maxEntries + 1})`,
    ...values,
  );
}
