/**
 * Creates the work orders of due procedures (docs/interface.md 4.4; docs/decisions.md, "scheduler"). Several processes can run it
 * concurrently: the procedure is locked while its work order is created, and a unique index allows one work order per occurrence.
 */
import { type Database, forTenant } from "../database/database.js";
import { systemActor } from "../domain/access/keys.js";
import { createDueWorkOrder, dueFrom, isDue } from "../domain/maintenance/work-order-creation.js";

const batchSize = 200;

/**
 * Creates all work orders due at `now`, first those that are due for longest, and returns their number. Errors are passed to `onError`; a failed
 * procedure does not affect others, and the next run retries it.
 */
export async function createDueWorkOrders(database: Database, now: Date, onError: (error: unknown) => void): Promise<number> {
  let created = 0;
  let after = { dueFrom: "-infinity", id: "" };
  for (;;) {
    const due = await database.query<{ tenantId: string; id: string; dueFrom: string }>(
      `select p."tenantId", p.id, ${dueFrom}::text as "dueFrom" from "Procedure" p join "Asset" a on a."tenantId" = p."tenantId" and a.id = p."assetId"
       where p.status = 'active' and p."deletedAt" is null and ${isDue("$1")} and a."deletedAt" is null and a.status <> 'decommissioned'
         and not exists (select 1 from "Tenant" t where t."tenantId" = p."tenantId" and t.state <> 'active')
         and not exists (select 1 from "WorkOrder" w where w."tenantId" = p."tenantId" and w."procedureId" = p.id and w."endedAt" is null)
         and (${dueFrom}, p.id) > ($2::timestamp, $3) order by ${dueFrom}, p.id limit ${batchSize}`,
      [now, after.dueFrom, after.id],
    );
    for (const { tenantId, id } of due) {
      try {
        if (await createDueWorkOrder(forTenant(database, tenantId), systemActor(tenantId, "scheduler"), id, now)) created++;
      } catch (error) {
        onError(error);
      }
    }
    if (due.length < batchSize) return created;
    after = due.at(-1)!;
  }
}
