/** Due work without a work order: the backlog of the scheduler. */
import { plannedEachTime, type Queryable, type TenantQueryable } from "../../../database/database.js";
import { dueByCounter } from "./plan-counters.js";
import { covers } from "./timed-procedures.js";

/** Delay from which the scheduler counts as behind. It runs every minute by default. */
export const behindMinutes = 15;

/** SQL condition of assets `a` that can get a work order. */
export const isInService = `a."deletedAt" is null and a.status <> 'decommissioned'`;

/** SQL of the plan's asset id. Empty for the procedure's own asset. */
export const planAssetOf = `case when d."assetId" = p."assetId" then '' else d."assetId" end`;

/** SQL of work due by a meter or a condition, without a pending order. */
export const dueCounted = `(${dueByCounter}) d join "Procedure" p on p."tenantId" = d."tenantId" and p.id = d."procedureId" join "Asset" a on a."tenantId" = d."tenantId" and a.id = d."assetId"
  where p.status = 'active' and p."deletedAt" is null and ${covers("p", `d."assetId"`)} and ${isInService}
    and not exists (select 1 from "WorkOrder" w where w."tenantId" = d."tenantId" and w."procedureId" = p.id and w."planAssetId" = ${planAssetOf} and w."endedAt" is null)`;

/** SQL of the due times of overdue work, for tenants whose id satisfies a condition. */
const waiting = (ofTenants: (tenantId: string) => string) => `
    select p."dueFrom" as since from "Procedure" p join "Asset" a on a."tenantId" = p."tenantId" and a.id = p."assetId"
    where p."dueFrom" <= now() - interval '${behindMinutes} minutes' and ${isInService} and ${ofTenants(`p."tenantId"`)}
    union all
    select f."dueFrom" from "ProcedureAsset" f join "Asset" a on a."tenantId" = f."tenantId" and a.id = f."assetId"
    where f."dueFrom" <= now() - interval '${behindMinutes} minutes' and ${isInService} and ${ofTenants(`f."tenantId"`)}
    union all
    select d."dueSince" from ${dueCounted} and d."dueSince" <= now() - interval '${behindMinutes} minutes' and ${ofTenants(`d."tenantId"`)}`;

export interface SchedulerStatus {
  isBehind: boolean;
  /** Due time of the oldest overdue work. */
  dueSince: Date | null;
}

const statusOf = (since: Date | null | undefined): SchedulerStatus => ({ isBehind: Boolean(since), dueSince: since ?? null });

/** Status for the tenant, at the sites that the actor may read. */
export async function schedulerStatus(db: TenantQueryable): Promise<SchedulerStatus> {
  const [found] = await db.query<{ since: Date | null }>(`select min(since) as since from (${waiting((id) => `${id} = $1`)}) w`);
  return statusOf(found?.since);
}

/** Status across all active tenants. */
export async function schedulerStatusOfAll(db: Queryable): Promise<SchedulerStatus> {
  const ofActive = (id: string) => `not exists (select 1 from "Tenant" t where t."tenantId" = ${id} and t.state <> 'active')`;
  const [found] = await db.query<{ since: Date | null }>(`${plannedEachTime}select min(since) as since from (${waiting(ofActive)}) w`);
  return statusOf(found?.since);
}
