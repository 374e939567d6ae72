/** Sites and areas (docs/interface.md 2.1, 4.1). Both exist only as columns of assets. */
import type { TenantQueryable } from "../../database/database.js";
import type { Site } from "../../schema/assets/asset.js";

/** Returns every site with its areas, and the number of assets of each, in one statement. */
export async function countPlaces(db: TenantQueryable): Promise<Site[]> {
  const rows = await db.query<{ site: string; area: string; count: number }>(
    `select site, area, count(*)::int as count from "Asset" where "tenantId" = $1 and "deletedAt" is null group by site, area order by site, area`,
  );
  const sites = new Map<string, Site>();
  for (const { site, area, count } of rows) {
    const entry = sites.get(site) ?? { name: site, assetCount: 0, areas: [] };
    sites.set(site, entry);
    entry.assetCount += count;
    entry.areas.push({ name: area, site, assetCount: count });
  }
  return [...sites.values()];
}

/** `countPlaces` as a batch: the same sites for every key. */
export async function places(db: TenantQueryable, keys: readonly string[]): Promise<Site[][]> {
  const sites = await countPlaces(db);
  return keys.map(() => sites);
}
