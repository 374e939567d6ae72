/** References to assets in other sheets: external id, else serial number, else id. */
import type { TenantQueryable } from "../../database/database.js";
import type { Entry, Run } from "./sheet.js";

export interface AssetRef {
  id: string;
  site: string;
}

const live = `"tenantId" = $1 and "deletedAt" is null`;

/**
 * SQL of the reference to asset `a`. A serial number equal to another asset's external id is not used, because it would resolve to that
 * asset.
 */
export const assetRef = (a: string) => `coalesce(${a}."externalId", case when not exists (
    select 1 from "Asset" x where x."tenantId" = $1 and x."externalId" = ${a}."serialNumber" and x."deletedAt" is null) then ${a}."serialNumber" end, ${a}.id)`;

export async function assetsNamed(tx: TenantQueryable, names: readonly unknown[]): Promise<Map<string, AssetRef>> {
  const keys = [...new Set(names)].filter((name): name is string => typeof name === "string");
  if (!keys.length) return new Map();
  const rows = await tx.query<AssetRef & { key: string }>(
    `select k.key, a.id, a.site from unnest($2::text[]) k(key) cross join lateral (
       select id, site from (
         select id, site, 1 as rank from "Asset" where ${live} and "externalId" = k.key
         union all select id, site, 2 from "Asset" where ${live} and "serialNumber" = k.key
       ) named order by rank limit 1) a`,
    keys,
  );
  const named = new Map(rows.map(({ key, ...asset }) => [key, asset]));
  const others = keys.filter((key) => !named.has(key));
  if (others.length)
    for (const asset of await tx.query<AssetRef>(`select id, site from "Asset" where ${live} and id = any($2)`, others))
      named.set(asset.id, asset);
  return named;
}

/**
 * SQL of the live asset `a` of a row, looked up by primary key. A condition on live assets could make PostgreSQL choose another index while
 * statistics are missing.
 */
export const assetOf = (row: string) =>
  `cross join lateral (select id, "externalId", "serialNumber", "deletedAt" from "Asset" where "tenantId" = $1 and id = ${row}."assetId" offset 0) a`;

/** The rows whose asset exists and is at the key's sites, with the asset. Refuses the others. */
export async function ofOwnAssets<E extends Entry<any>>(run: Run<any>, entries: E[], field = "asset"): Promise<[E, AssetRef][]> {
  const { tx, actor, refuse } = run;
  const assets = await assetsNamed(
    tx,
    entries.map(({ fields }) => fields[field]),
  );
  return entries.flatMap((entry): [E, AssetRef][] => {
    const value: string = entry.fields[field];
    const asset = assets.get(value);
    if (!asset) refuse(entry, { field, message: "names no asset; use its externalId, serial number or id", value });
    else if (actor.sites.length && !actor.sites.includes(asset.site))
      refuse(entry, { field, message: "is not at one of this key's sites", value });
    else return [[entry, asset]];
    return [];
  });
}
