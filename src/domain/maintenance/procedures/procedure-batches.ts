/** Batch loaders for fields of procedures and sites, each with one statement. */

import type { TenantQueryable } from "../../../database/database.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { groupsOf } from "../../../database/rows/group.js";
import type { GapWarning } from "../../../schema/maintenance/procedures/occurrence.js";
import type { ProcedureExecution, ProcedurePerformance } from "../../../schema/maintenance/procedures/procedure.js";
import { totalCost } from "../../../schema/maintenance/work-orders/cost-sql.js";
import { gapWarningOf } from "./plan-dates.js";
import { type PlannedProcedure, plannedProcedures, planOf } from "./timed-procedures.js";

/** Parts of each procedure and of its steps. */
export async function partsOfProcedures(db: TenantQueryable, ids: readonly string[]): Promise<Rows["ProcedurePart"][][]> {
  const rows = await db.query<Rows["ProcedurePart"]>(
    `select ${rowColumns("ProcedurePart")} from "ProcedurePart" where "tenantId" = $1 and "procedureId" = any($2) order by position`,
    ids,
  );
  return groupsOf(ids, rows, (row) => row.procedureId);
}

/** Maximum number of executions in a procedure's history, most recent ones. */
const historyLength = 100;

/** The last executions of each procedure on its own asset, oldest first. */
export async function historyOf(db: TenantQueryable, ids: readonly string[]): Promise<ProcedureExecution[][]> {
  const rows = await db.query<ProcedureExecution & { procedureId: string }>(
    `select w."procedureId", w."workOrderId", w."executedDate", w.duration, w.technician, w.status from unnest($2::text[]) k(id) cross join lateral (
       select "procedureId", id as "workOrderId", "completedAt" as "executedDate", duration, technician, status from "WorkOrder"
       where "tenantId" = $1 and "procedureId" = k.id and "planAssetId" = '' and "completedAt" is not null order by "completedAt" desc, id desc limit ${historyLength}) w
     order by w."executedDate", w."workOrderId"`,
    ids,
  );
  return groupsOf(ids, rows, (row) => row.procedureId);
}

/** Key figures of each procedure on its own asset. A figure is null if there is no data for it. */
export async function performanceOf(db: TenantQueryable, ids: readonly string[]): Promise<ProcedurePerformance[]> {
  const rows = await db.query<ProcedurePerformance & { procedureId: string }>(
    `select "procedureId", round(avg(duration), 4) as "averageDuration", round(100.0 * count("completedAt") / count(*), 2) as "completionRate",
       round(avg(case when "completedAt" is not null then ${totalCost("w")} end), 4) as "averageCost"
     from "WorkOrder" w where "tenantId" = $1 and "procedureId" = any($2) and "planAssetId" = '' and "endedAt" is not null group by 1`,
    ids,
  );
  const found = new Map(rows.map((row) => [row.procedureId, row]));
  return ids.map((id) => found.get(id) ?? { averageDuration: null, completionRate: null, averageCost: null });
}

/** The gap after each work order that is the last completed one of its plan. */
export async function gapsAfterOrders(db: TenantQueryable, ids: readonly string[]): Promise<(GapWarning | null)[]> {
  const [orders, procedures] = await Promise.all([
    db.query<Pick<Rows["WorkOrder"], "id" | "procedureId" | "planAssetId" | "completedAt">>(
      `select id, "procedureId", "planAssetId", "completedAt" from "WorkOrder" where "tenantId" = $1 and id = any($2) and "completedAt" is not null`,
      ids,
    ),
    db.query<PlannedProcedure>(
      `${plannedProcedures} and p."deletedAt" is null and p.status = 'active' and p.id in (select "procedureId" from "WorkOrder" where "tenantId" = $1 and id = any($2))`,
      ids,
    ),
  ]);
  const plans = new Map(procedures.map((one) => [`${one.id} ${one.planAssetId}`, one]));
  const found = new Map<string, GapWarning | null>();
  for (const { id, procedureId, planAssetId, completedAt } of orders) {
    const plan = plans.get(`${procedureId} ${planAssetId}`);
    if (plan?.lastExecuted?.getTime() === completedAt!.getTime()) found.set(id, gapWarningOf(planOf(plan)));
  }
  return ids.map((id) => found.get(id) ?? null);
}
