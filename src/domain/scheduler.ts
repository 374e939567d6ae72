/**
 * Makes the work orders of procedures that are due. Any number of processes may run it: each procedure is held by one while its
 * work order is made, and a unique index keeps each occurrence to one.
 */
import { type Database, forTenant } from "../database/database.js";
import type { Actor } from "./keys.js";
import { createDueWorkOrder, isDue } from "./work-order-creation.js";

const scheduler = (tenantId: string): Actor => ({
  tenantId,
  keyId: "scheduler",
  keyName: "scheduler",
  role: "admin",
  sites: [],
  expiresAt: Infinity,
});

const batchSize = 200;

/**
 * Makes what is due at a moment, in the order of due dates, until nothing is; answers how many. One that fails does not keep the
 * others: it is told to `onError` and tried again the next time.
 */
export async function createDueWorkOrders(database: Database, now: Date, onError: (error: unknown) => void): Promise<number> {
  let made = 0;
  let after: { nextDue: Date | string; id: string } = { nextDue: "-infinity", id: "" };
  for (;;) {
    const due = await database.query<{ tenantId: string; id: string; nextDue: Date }>(
      `select p."tenantId", p.id, p."nextDue" from "Procedure" p join "Asset" a on a."tenantId" = p."tenantId" and a.id = p."assetId"
       where p.status = 'active' and p."deletedAt" is null and ${isDue("$1")} and a."deletedAt" is null and a.status <> 'decommissioned'
         and not exists (select 1 from "WorkOrder" w where w."tenantId" = p."tenantId" and w."procedureId" = p.id and w."endedAt" is null)
         and (p."nextDue", p.id) > ($2::timestamptz, $3) order by p."nextDue", p.id limit ${batchSize}`,
      [now, after.nextDue, after.id],
    );
    for (const { tenantId, id } of due) {
      try {
        if (await createDueWorkOrder(forTenant(database, tenantId), scheduler(tenantId), id, now)) made++;
      } catch (error) {
        onError(error);
      }
    }
    if (due.length < batchSize) return made;
    after = due.at(-1)!;
  }
}
