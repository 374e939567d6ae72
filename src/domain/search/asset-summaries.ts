/** Names and places of assets, which requesters may read (`seenByRequester`). */

import type { TenantQueryable } from "../../database/database.js";
import type { AssetSummariesArgs, AssetSummary } from "../../schema/assets/asset-summary.js";
import { badInput } from "../../schema/errors.js";
import { search as searchRecords } from "./search.js";

const columns = `select id, name, site, area from "Asset" where "tenantId" = $1 and "deletedAt" is null`;

/** The summaries of assets, by their ids. Null if unknown or deleted. */
export async function summariesOf(db: TenantQueryable, ids: readonly string[]): Promise<(AssetSummary | null)[]> {
  const rows = await db.query<AssetSummary>(`${columns} and id = any($2)`, ids);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) ?? null);
}

/** Throws BAD_USER_INPUT naming first or text, as `search` does. */
export async function findSummaries(db: TenantQueryable, { search, first }: AssetSummariesArgs): Promise<AssetSummary[]> {
  if (!(first >= 1 && first <= 20)) throw badInput({ first: "must be from 1 to 20" });
  if (!search?.trim()) return db.query<AssetSummary>(`${columns} order by name, id limit $2`, first);
  const found = await searchRecords(db, { text: search, recordTypes: ["Asset"], first });
  const summaries = await summariesOf(
    db,
    found.map(({ id }) => id),
  );
  return summaries.filter((one) => one !== null);
}
