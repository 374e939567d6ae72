/** Sites and areas, and the asset list grouped by them (docs/interface.md 2.1, 4.1). Both exist only as columns of assets. */
import type { Column } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import { cursorOf, decodeToken, encodeToken, type List, selectPage } from "../../database/page.js";
import type { AssetFilter, GroupedAssets, Site } from "../../schema/assets/asset.js";
import { badInput } from "../../schema/errors.js";
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
interface Scope {
  site?: string;
  area?: string;
}

const listIn = (filter: AssetFilter | null | undefined, scope: Scope): List<"Asset"> => ({
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
 * Returns a page of `limit` assets ordered by site, area, name and id, grouped by site and area (docs/decisions.md, "asset list"). The
 * token of an area continues that area, the token of a site that site, and the top-level token the whole list; null at the end.
 * `offset` is ignored with a token. Throws BAD_USER_INPUT naming nextToken for a token of another list, filter or tenant.
 */
export async function groupedAssets(
  db: TenantQueryable,
  filter: AssetFilter | null | undefined,
  { limit, offset, nextToken }: { limit: number; offset?: number | null; nextToken?: string | null },
): Promise<GroupedAssets> {
  const { scope, cursor } = nextToken ? readToken(nextToken) : { scope: {}, cursor: undefined };
  // One extra row shows whether the last group continues on the next page.
  const page = await selectPage(db, listIn(filter, scope), {
    first: limit + 1,
    after: cursor,
    offset: cursor ? 0 : offset,
  }).catch((error) => {
    if (error?.context?.details?.after) throw badInput({ nextToken: "is not a token of this list; use a nextToken of its answer" });
    throw error;
  });
  const assets = page.rows.slice(0, limit);
  const last = assets.at(-1);
  const next = page.rows[limit];
  const items: GroupedAssets["items"] = [];
  for (const asset of assets) {
    let group = items.at(-1);
    if (group?.site !== asset.site) items.push((group = { site: asset.site, areas: [], nextToken: null }));
    let area = group!.areas.at(-1);
    if (area?.name !== asset.area) group!.areas.push((area = { name: asset.area, assets: [], nextToken: null }));
    area!.assets.push(asset);
  }
  const tokenFor = (scope: Scope) => encodeToken(scope.site ?? null, scope.area ?? null, cursorOf(db, listIn(filter, scope), last!));
  if (last && next) {
    const { site, area } = last;
    const group = items.at(-1)!;
    if (next.site === site && next.area === area) group.areas.at(-1)!.nextToken = tokenFor({ site, area });
    if (next.site === site && scope.area === undefined) group.nextToken = tokenFor({ site });
  }
  return { items, nextToken: last && next && scope.site === undefined ? tokenFor({}) : null };
}

/** `countPlaces` as a batch: the same sites for every key. */
export async function places(db: TenantQueryable, keys: readonly string[]): Promise<Site[][]> {
  const sites = await countPlaces(db);
  return keys.map(() => sites);
}
