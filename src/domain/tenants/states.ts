/** Tenants as their operator sees them: active, suspended, being imported or being deleted (docs/operations.md, "Tenants"). */
import type { TenantState } from "../../database/column-types.js";
import type { Database } from "../../database/database.js";
import { tenantTables } from "../../database/tenant-rows.js";

export interface TenantStatus {
  tenantId: string;
  state: TenantState;
  stateSince: Date | null;
  createdAt: Date;
}

export const listTenants = (database: Database): Promise<TenantStatus[]> =>
  database.query<TenantStatus>(`select "tenantId", state, "stateSince", "createdAt" from "Tenant" order by "tenantId"`);

/** The states that a tenant may be put into by hand, and those that it may be in before. */
const changes = {
  active: ["suspended"],
  suspended: ["active"],
  deleting: ["active", "suspended", "importing"],
} as const satisfies Partial<Record<TenantState, TenantState[]>>;

/** Puts a tenant into a state. Processes see it within seconds. Throws if there is no such tenant, or not in a state that allows it. */
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
  importing: "being imported, or was when its import broke off",
  deleting: "being deleted",
};

/** More are not counted of a table. */
const mostCounted = 100_000;

/** The number of records that a tenant has, or that are left of it, by table; at most 100,000 of each are counted. */
export async function countRecords(database: Database, tenantId: string): Promise<{ table: string; count: number }[]> {
  const tables = await tenantTables(database);
  const counts = tables.map(
    ({ name }) =>
      `select '${name}' as name, (select count(*)::int from (select 1 from "${name}" where "tenantId" = $1 limit ${mostCounted}) r) as count`,
  );
  const rows = await database.query<{ name: string; count: number }>(counts.join(" union all "), [tenantId]);
  return rows.filter(({ count }) => count).map(({ name, count }) => ({ table: name, count }));
}
