/** Sites and areas, and the asset list grouped by them (docs/interface.md 2.1, 4.1). Both exist only as columns of assets. */
import type { Column } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import type { AssetFilter, Site } from "../../schema/assets/asset.js";
import { Where } from "../../schema/where.js";

export const locationOrder: Column<"Asset">[] = ["site", "area", "name", "id"];

/** SQL condition of the filter of asset lists (docs/interface.md 4.1). */
export const assetWhere = (filter: AssetFilter | null | undefined): Where => {
  const { search, ...exact } = filter ?? {};
  return new Where().equal(exact).search(search);
};

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

/** The part of the list that a token continues: all of it, one site or one area. */
/** `countPlaces` as a batch: the same sites for every key. */
export async function places(db: TenantQueryable, keys: readonly string[]): Promise<Site[][]> {
  const sites = await countPlaces(db);
  return keys.map(() => sites);
}
