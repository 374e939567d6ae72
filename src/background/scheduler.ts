/**
 * Creates the work orders of due procedures (docs/interface.md 4.4; docs/decisions.md, "scheduler"). Processes share the tenants: each
 * tenant is leased to one process for a slot, least recently served first. Leases only avoid duplicate work. The procedure's lock and
 * unique indexes prevent duplicate orders.
 */
import { type Database, forTenant, plannedEachTime } from "../database/database.js";
import { newId } from "../database/records/ids.js";
import { systemActor } from "../domain/access/keys.js";
import { createDueWorkOrder } from "../domain/maintenance/procedures/due-work-orders.js";
import { dueCounted, isInService, planAssetOf } from "../domain/maintenance/procedures/work-without-order.js";

/** Maximum number of work orders per slot. */
export const turnSize = 25;

const leaseMs = 30_000;
/** A slot ends well before its lease. */
const turnMs = leaseMs / 2;

/** An asset of a due procedure. */
interface Due {
  id: string;
  /** Empty for the procedure's own asset. */
  planAssetId: string;
  assetId: string;
  dueFrom: string;
}

/** Procedures of tenant $1 that are due at $2, after a position: for their own assets, and for further assets, each from an index. */
export const dueAssets = `select id, "planAssetId", "dueFrom"::text from (
    (select p.id, '' as "planAssetId", p."dueFrom" from "Procedure" p join "Asset" a on a."tenantId" = p."tenantId" and a.id = p."assetId"
     where p."tenantId" = $1 and p."dueFrom" <= $2::timestamptz and (p."dueFrom", p.id) > ($3::timestamptz, $4) and ${isInService} order by p."dueFrom", p.id limit $6)
    union all
    (select f."procedureId", f."assetId", f."dueFrom" from "ProcedureAsset" f join "Asset" a on a."tenantId" = f."tenantId" and a.id = f."assetId"
     where f."tenantId" = $1 and f."dueFrom" <= $2::timestamptz and (f."dueFrom", f."procedureId", f."assetId") > ($3::timestamptz, $4, $5) and ${isInService}
     order by f."dueFrom", f."procedureId", f."assetId" limit $6)
  ) due order by due."dueFrom", id, "planAssetId" limit $6`;

/** Work of tenant $1 that is due by a meter or a condition, after a position. */
export const countedAssets = `select p.id, d."assetId", ${planAssetOf} as "planAssetId" from ${dueCounted} and d."tenantId" = $1 and (p.id, d."assetId") > ($2, $3)
  order by p.id, d."assetId" limit $4`;

/** Active tenants with work due at $1 and without a current lease. */
export const dueTenants = `${plannedEachTime}with due as (
    select "tenantId" from (
      select "tenantId" from "Procedure" where "dueFrom" <= $1::timestamptz
      union select "tenantId" from "ProcedureAsset" where "dueFrom" <= $1::timestamptz
      union select d."tenantId" from ${dueCounted}
    ) t where not exists (select 1 from "Tenant" s where s."tenantId" = t."tenantId" and s.state <> 'active')
  ), known as (
    insert into "SchedulerLease" ("tenantId") select "tenantId" from due where not exists (select 1 from "SchedulerLease" l where l."tenantId" = due."tenantId") on conflict do nothing
  ) select "tenantId" from due`;

/**
 * Leases the least recently served of tenants $2 to $1 for $4 ms, and ends the lease of tenant $3. A lease that ends much later than a new
 * one dates from before the database's clock was set back.
 */
const nextTurn = `with ended as (
    update "SchedulerLease" set "leasedUntil" = clock_timestamp(), "servedAt" = clock_timestamp() where "tenantId" = $3 and holder = $1
  ) update "SchedulerLease" set holder = $1, "leasedUntil" = clock_timestamp() + $4 * interval '1 millisecond'
  where "tenantId" = (select "tenantId" from "SchedulerLease" where "tenantId" = any($2) and (coalesce("leasedUntil", '-infinity') <= clock_timestamp() or "leasedUntil" > clock_timestamp() + $4 * interval '2 milliseconds')
    order by "servedAt" nulls first, "tenantId" limit 1 for update skip locked) returning "tenantId"`;

/** Batches after a position: work due by date, then work due by a meter or a condition. */
const batches: ((database: Database, tenantId: string, now: Date, after: Due, limit: number) => Promise<Due[]>)[] = [
  (database, tenantId, now, { dueFrom: from, id, planAssetId }, limit) =>
    database.query<Due>(dueAssets, [tenantId, now, from, id, planAssetId, limit]),
  (database, tenantId, _now, { id, assetId }, limit) => database.query<Due>(countedAssets, [tenantId, id, assetId, limit]),
];

const start: Due = { id: "", planAssetId: "", assetId: "", dueFrom: "-infinity" };

/** Progress of a run with a tenant: the batch, and the last item that was attempted. */
interface Position {
  batch: number;
  after: Due;
}

/**
 * Creates work orders due at `now`, or at `present()` while the run lasts, and returns their number. Tenants get slots in turn. Within a
 * tenant, work due by date comes first (longest due first), then work due by meters and conditions. Skips tenants leased to other
 * processes. Errors are passed to `onError`; a failed procedure does not affect others, and the next run retries it.
 */
export async function createDueWorkOrders(
  database: Database,
  now: Date,
  onError: (error: unknown) => void,
  present = () => now,
): Promise<number> {
  const holder = newId();
  const positions = new Map<string, Position>();
  let created = 0;

  const serve = async (tenantId: string, position: Position) => {
    const until = performance.now() + turnMs;
    for (let left = turnSize; left > 0 && position.batch < batches.length; ) {
      const limit = left;
      const due = await batches[position.batch]!(database, tenantId, present(), position.after, limit);
      for (const one of due) {
        try {
          const { id, planAssetId } = one;
          if (await createDueWorkOrder(forTenant(database, tenantId), systemActor(tenantId, "scheduler"), id, planAssetId, present()))
            created++;
        } catch (error) {
          onError(error);
        }
        position.after = one;
        left--;
        if (performance.now() > until) return;
      }
      if (due.length < limit) Object.assign(position, { batch: position.batch + 1, after: start });
    }
  };

  for (;;) {
    const due = await database.query<{ tenantId: string }>(dueTenants, [present()]);
    const waiting = new Set(due.map(({ tenantId }) => tenantId).filter((tenantId) => positions.get(tenantId)?.batch !== batches.length));
    if (!waiting.size) return created;
    let served = 0;
    for (let last: string | null = null; ; served++) {
      const [turn]: { tenantId: string }[] = await database.query(nextTurn, [holder, [...waiting], last, leaseMs]);
      if (!turn) break;
      last = turn.tenantId;
      waiting.delete(last);
      const position = positions.get(last) ?? { batch: 0, after: start };
      positions.set(last, position);
      await serve(last, position);
    }
    if (!served) return created;
  }
}
