/**
 * Creates the work orders of due procedures (docs/interface.md 4.4; docs/decisions.md, "scheduler"). Several processes can run it
 * concurrently: the procedure is locked while its work order is created, and a unique index allows one work order per occurrence of an asset.
 */
import { type Database, forTenant } from "../database/database.js";
import { systemActor } from "../domain/access/keys.js";
import { createDueWorkOrder, dueFrom, isDue } from "../domain/maintenance/due-work-orders.js";
import { dueByCounter } from "../domain/maintenance/plan-counters.js";
import { covers } from "../domain/maintenance/timed-procedures.js";

const batchSize = 200;

/** An asset of a procedure that is due. */
interface Due {
  tenantId: string;
  id: string;
  /** Empty for the procedure's own asset. */
  planAssetId: string;
  assetId: string;
  dueFrom: string;
}

/** SQL conditions of assets `a` of procedures that can get a work order. */
const canGetOne = (p: string, id: string, planAssetId: string) => `a."deletedAt" is null and a.status <> 'decommissioned'
    and not exists (select 1 from "Tenant" t where t."tenantId" = ${p}."tenantId" and t.state <> 'active')
    and not exists (select 1 from "WorkOrder" w where w."tenantId" = ${p}."tenantId" and w."procedureId" = ${id} and w."planAssetId" = ${planAssetId} and w."endedAt" is null)`;

/** The next batch of what is due at $1: procedures for their own assets, and for their further ones, each by an index. */
export const dueAssets = `select "tenantId", id, "planAssetId", "dueFrom"::text from (
    (select p."tenantId", p.id, '' as "planAssetId", ${dueFrom} as "dueFrom" from "Procedure" p join "Asset" a on a."tenantId" = p."tenantId" and a.id = p."assetId"
     where p.status = 'active' and p."deletedAt" is null and ${isDue("$1")} and ${canGetOne("p", "p.id", "''")}
       and (${dueFrom}, p.id) > ($2::timestamp, $3) order by ${dueFrom}, p.id limit ${batchSize})
    union all
    (select f."tenantId", f."procedureId", f."assetId", f."dueFrom" at time zone 'UTC' from "ProcedureAsset" f join "Asset" a on a."tenantId" = f."tenantId" and a.id = f."assetId"
     where f."dueFrom" <= $1::timestamptz and ${canGetOne("f", `f."procedureId"`, `f."assetId"`)}
       and (f."dueFrom", f."procedureId", f."assetId") > ($2::timestamp at time zone 'UTC', $3, $4) order by f."dueFrom", f."procedureId", f."assetId" limit ${batchSize})
  ) due order by due."dueFrom", id, "planAssetId" limit ${batchSize}`;

const planAssetOf = `case when d."assetId" = p."assetId" then '' else d."assetId" end`;

/** The next batch of what is due by a meter or a condition. */
export const countedAssets = `select d."tenantId", p.id, d."assetId", ${planAssetOf} as "planAssetId" from (${dueByCounter}) d
  join "Procedure" p on p."tenantId" = d."tenantId" and p.id = d."procedureId" join "Asset" a on a."tenantId" = d."tenantId" and a.id = d."assetId"
  where p.status = 'active' and p."deletedAt" is null and ${covers("p", `d."assetId"`)} and ${canGetOne("p", "p.id", planAssetOf)}
    and (d."tenantId", p.id, d."assetId") > ($1, $2, $3) order by d."tenantId", p.id, d."assetId" limit ${batchSize}`;

/** Batches after one: of those that are due by their dates, and of those by a meter or a condition. */
const batches: ((database: Database, now: Date, after: Due) => Promise<Due[]>)[] = [
  (database, now, { dueFrom: from, id, planAssetId }) => database.query<Due>(dueAssets, [now, from, id, planAssetId]),
  (database, _now, { tenantId, id, assetId }) => database.query<Due>(countedAssets, [tenantId, id, assetId]),
];

/**
 * Creates all work orders due at `now`, first those that are due for longest by their dates, then those by meters and conditions, and returns their
 * number. Errors are passed to `onError`; a failed procedure does not affect others, and the next run retries it.
 */
export async function createDueWorkOrders(database: Database, now: Date, onError: (error: unknown) => void): Promise<number> {
  let created = 0;
  for (const batchAfter of batches) {
    let due: Due[];
    let after: Due = { tenantId: "", id: "", planAssetId: "", assetId: "", dueFrom: "-infinity" };
    do {
      due = await batchAfter(database, now, after);
      for (const { tenantId, id, planAssetId } of due) {
        try {
          if (await createDueWorkOrder(forTenant(database, tenantId), systemActor(tenantId, "scheduler"), id, planAssetId, now)) created++;
        } catch (error) {
          onError(error);
        }
      }
      after = due.at(-1) ?? after;
    } while (due.length === batchSize);
  }
  return created;
}
