/** Tenant states for the operator: active, suspended, importing or deleting (docs/operations/access.md, "Tenants"). */

import type { Database } from "../../database/database.js";
import type { TenantState } from "../../database/rows/column-types.js";
import { tenantTables } from "../../database/rows/tenant-rows.js";

export interface TenantStatus {
  tenantId: string;
  state: TenantState;
  stateSince: Date | null;
  createdAt: Date;
}

export const listTenants = (database: Database): Promise<TenantStatus[]> =>
  database.query<TenantStatus>(`select "tenantId", state, "stateSince", "createdAt" from "Tenant" order by "tenantId"`);

/** States that the operator can set, each with its valid source states. */
const changes = {
  active: ["suspended"],
  suspended: ["active"],
  deleting: ["active", "suspended", "importing"],
} as const satisfies Partial<Record<TenantState, TenantState[]>>;

/**
 * Sets the state of a tenant. Processes apply it within seconds. Throws if the tenant is unknown or its state does not allow the change.
 */
export async function changeState(database: Database, tenantId: string, to: keyof typeof changes): Promise<void> {
  const [changed] = await database.query(
    `update "Tenant" set state = $2 where "tenantId" = $1 and state = any($3::text[]) returning 1 as done`,
    [tenantId, to, changes[to]],
  );
  if (changed) return;
  const [tenant] = await database.query<{ state: TenantState }>(`select state from "Tenant" where "tenantId" = $1`, [tenantId]);
  if (!tenant) throw new Error(`there is no tenant ${tenantId}`);
  if (tenant.state !== to) throw new Error(`the tenant ${tenantId} is ${stateNames[tenant.state]}`);
}

export const stateNames: Record<TenantState, string> = {
  active: "active",
  suspended: "suspended",
  importing: "being imported, or incomplete after an interrupted import",
  deleting: "being deleted",
};

/** Maximum count per table. */
const mostCounted = 100_000;

/** The number of a tenant's records by table. At most 100,000 per table are counted. */
export async function countRecords(database: Database, tenantId: string): Promise<{ table: string; count: number }[]> {
  const tables = await tenantTables(database);
  const counts = tables.map(
    ({ name }) =>
      `select '${name}' as name, (select count(*)::int from (select 1 from "${name}" where "tenantId" = $1 limit ${mostCounted}) r) as count`,
  );
  const rows = await database.query<{ name: string; count: number }>(counts.join(" union all "), [tenantId]);
  return rows.filter(({ count }) => count).map(({ name, count }) => ({ table: name, count }));
}
