/** What fields of procedures and sites read, each for many of them in one statement. */
import { type Rows, rowColumns } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import { groupsOf } from "../../database/group.js";
import type { ProcedureExecution, ProcedurePerformance } from "../../schema/maintenance/procedure.js";

/** Parts of each procedure and of its steps. */
export async function partsOfProcedures(db: TenantQueryable, ids: readonly string[]): Promise<Rows["ProcedurePart"][][]> {
  const rows = await db.query<Rows["ProcedurePart"]>(
    `select ${rowColumns("ProcedurePart")} from "ProcedurePart" where "tenantId" = $1 and "procedureId" = any($2) order by position`,
    ids,
  );
  return groupsOf(ids, rows, (row) => row.procedureId);
}

/** Maximum number of executions in the history of a procedure: the most recent ones. */
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
       round(avg(coalesce("partsCost", 0) + coalesce("laborCost", 0)) filter (where "completedAt" is not null), 4) as "averageCost"
     from "WorkOrder" where "tenantId" = $1 and "procedureId" = any($2) and "planAssetId" = '' and "endedAt" is not null group by 1`,
    ids,
  );
  const found = new Map(rows.map((row) => [row.procedureId, row]));
  return ids.map((id) => found.get(id) ?? { averageDuration: null, completionRate: null, averageCost: null });
}
