/** Sites and areas as the assets name them, and the asset list grouped by them (interface.md 2.1, 4.1). */
import type { Row, TenantQueryable } from "../database/database.js";
import { cursorOf, decodeToken, encodeToken, type List, selectPage, Where } from "../database/page.js";
import type { Asset, AssetFilter, GroupedAssets, Site } from "../schema/asset.js";
import { badInput } from "../schema/errors.js";

export const locationOrder = ["site", "area", "name", "id"];

export const assetWhere = (filter: AssetFilter | null | undefined): Where => {
  const { search, ...exact } = filter ?? {};
  return new Where().equal(exact).search(search);
};

/** Sites with their areas and counts, in one statement. */
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

/** What a token continues: the whole list, one site of it, or one area. */
interface Scope {
  site?: string;
  area?: string;
}

const listIn = (filter: AssetFilter | null | undefined, scope: Scope): List => ({
  table: "Asset",
  where: assetWhere(filter).equal({ ...scope }),
  order: locationOrder,
});

function readToken(token: string): { scope: Scope; cursor: string } {
  const [site, area, cursor] = decodeToken(token) ?? [];
  if (typeof cursor !== "string") throw badInput({ nextToken: "is not a token of this list; use a nextToken of its answer" });
  return { scope: { ...(typeof site === "string" && { site }), ...(typeof area === "string" && { area }) }, cursor };
}

/**
 * A page of `limit` assets in the order of a walk through the plants, or `offset` assets further on. A token on an area
 * continues that area alone, on a site that site alone, at the top the whole list; null where nothing is left.
 * Throws BAD_USER_INPUT naming nextToken for a token of another list, filter or tenant.
 */
export async function groupedAssets(
  db: TenantQueryable,
  filter: AssetFilter | null | undefined,
  { limit, offset, nextToken }: { limit: number; offset?: number | null; nextToken?: string | null },
): Promise<GroupedAssets> {
  const { scope, cursor } = nextToken ? readToken(nextToken) : { scope: {}, cursor: undefined };
  // One row more than asked for tells which of the groups the page ends in goes on.
  const page = await selectPage<Asset & Row>(db, listIn(filter, scope), {
    first: limit + 1,
    after: cursor,
    offset: cursor ? 0 : offset,
  }).catch((error) => {
    if (error?.context?.details?.after) throw badInput({ nextToken: "is not a token of this list; use a nextToken of its answer" });
    throw error;
  });
  const assets = page.rows.slice(0, limit);
  const last = assets.at(-1);
  const beyond = page.rows[limit];
  const items: GroupedAssets["items"] = [];
  for (const asset of assets) {
    let group = items.at(-1);
    if (group?.site !== asset.site) items.push((group = { site: asset.site, areas: [], nextToken: null }));
    let area = group!.areas.at(-1);
    if (area?.name !== asset.area) group!.areas.push((area = { name: asset.area, assets: [], nextToken: null }));
    area!.assets.push(asset);
  }
  const continuing = (scope: Scope) => encodeToken(scope.site ?? null, scope.area ?? null, cursorOf(db, listIn(filter, scope), last!));
  if (last && beyond) {
    const { site, area } = last;
    const group = items.at(-1)!;
    if (beyond.site === site && beyond.area === area) group.areas.at(-1)!.nextToken = continuing({ site, area });
    if (beyond.site === site && scope.area === undefined) group.nextToken = continuing({ site });
  }
  return { items, nextToken: last && beyond && scope.site === undefined ? continuing({}) : null };
}
