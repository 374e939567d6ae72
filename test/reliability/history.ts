/** Asset histories for reliability tests: assets created in the past, with work orders of that time. */
import { expect } from "vitest";
import type { Caller } from "../world.js";

export const figures =
  "assets failures basis requiredTime operatingTime downtime mtbf mttr activeRepairTime availability inherentAvailability plannedWorkShare";

export const reliability = async (tenant: Caller, args: Record<string, unknown>, selection = figures): Promise<any> => {
  const query = `query ($assetId: ID, $type: String, $site: String, $area: String, $from: DateTime, $to: DateTime) {
    reliability(assetId: $assetId, type: $type, site: $site, area: $area, from: $from, to: $to) { ${selection} } }`;
  return (await tenant.ask(query, args)).reliability;
};

/** An asset with the given creation time. */
export async function assetSince(tenant: Caller, createdAt: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = await tenant.createAsset(fields);
  await tenant.gateway.database.query(`update "Asset" set "createdAt" = $3 where "tenantId" = $1 and id = $2`, [
    tenant.tenantId,
    id,
    createdAt,
  ]);
  return id;
}

let number = 0;

/** A work order of the asset with the given working time. */
export async function orderOf(tenant: Caller, assetId: string, startedAt: string, completedAt: string): Promise<string> {
  const id = `order-${++number}`;
  const inserted = await tenant.gateway.database.query(
    `insert into "WorkOrder" ("tenantId", id, "assetId", origin, title, status, priority, "scheduledDate", "startedAt", "completedAt", "endedAt", "createdBy")
     values ($1, $2, $3, 'manual', 'Repair', 'completed', 'high', $4, $4, $5, $5, 'test') returning 1`,
    [tenant.tenantId, id, assetId, startedAt, completedAt],
  );
  expect(inserted).toHaveLength(1);
  return id;
}

/** Records a status from `from` to `to`. The asset is operational before and after. */
export const wasOut = (tenant: Caller, assetId: string, status: string, from: string, to: string) =>
  tenant.gateway.database.query(
    `insert into "AssetStatusChange" ("tenantId", "assetId", "fromStatus", "toStatus", "changedAt")
     values ($1, $2, 'operational', $3, $4), ($1, $2, $3, 'operational', $5)`,
    [tenant.tenantId, assetId, status, from, to],
  );

export const record = async (tenant: Caller, input: Record<string, unknown>): Promise<string> =>
  (await tenant.ask(`mutation ($input: RecordDowntimeInput!) { recordDowntime(input: $input) { id } }`, { input })).recordDowntime.id;

export const correct = (tenant: Caller, id: string, input: Record<string, unknown>) =>
  tenant.ask(`mutation ($id: ID!, $input: CorrectDowntimeInput!) { correctDowntime(id: $id, input: $input) { id } }`, { id, input });
