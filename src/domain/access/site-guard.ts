/**
 * Keys limited to sites change only records of their sites (docs/decisions.md, "a key limited to sites"). database/records/site-view.ts limits
 * their reads.
 */
import type { TenantQueryable } from "../../database/database.js";
import { ForeignSite, foreignSiteMessage } from "../../database/errors.js";
import type { Actor } from "./keys.js";

export { foreignSiteMessage };

export const foreignSite = (context?: ConstructorParameters<typeof ForeignSite>[0]) => new ForeignSite(context);

/** Whether the key is limited to sites other than `site`. */
export const isForeign = (actor: Actor, site: string) => actor.sites.length > 0 && !actor.sites.includes(site);

/** Condition that limits a statement to records of the key's sites. */
export const ofOwnSites = ({ sites }: Actor): { site?: { in: string[] } } => (sites.length ? { site: { in: sites } } : {});

/** Throws FORBIDDEN if the key is limited to sites other than `site`. */
export function guardSite(actor: Actor, site: string): void {
  if (isForeign(actor, site)) throw foreignSite();
}

/** Throws FORBIDDEN if one of the assets belongs to a site outside the key's sites. Ignores unknown ids; the caller reports those. */
export async function guardAssets(
  db: TenantQueryable,
  actor: Actor,
  ids: string[],
  which: "live" | "deleted" | "all" = "live",
): Promise<void> {
  if (!actor.sites.length || !ids.length) return;
  const outside = await db.query(
    `select 1 from "Asset" where "tenantId" = $1 and id = any($2) and site <> all($3) and ($4 = 'all' or ("deletedAt" is null) = ($4 = 'live')) limit 1`,
    ids,
    actor.sites,
    which,
  );
  if (outside.length) throw foreignSite();
}

/** SQL of the site of component `c` of asset `a`: that of the unit that took it along, if any. Null if it belongs to neither. */
export const siteOfComponent = (c: string, a: string) =>
  `coalesce(${a}.site, case when ${c}."assetId" is null then holder_site($1, ${c}.id, true) end)`;

/** Returns the components that belong to assets or units outside the key's sites, or to neither and therefore to no site. */
export async function foreignComponents(
  db: TenantQueryable,
  actor: Actor,
  ids: string[],
  which: "live" | "deleted" = "live",
): Promise<Set<string>> {
  if (!actor.sites.length || !ids.length) return new Set();
  const outside = await db.query<{ id: string }>(
    `select c.id from "Component" c left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
     where c."tenantId" = $1 and c.id = any($2) and (${siteOfComponent("c", "a")} = any($3)) is not true and (c."deletedAt" is null) = $4`,
    ids,
    actor.sites,
    which === "live",
  );
  return new Set(outside.map(({ id }) => id));
}

/** Throws FORBIDDEN if a unit is outside the key's sites. Ignores an unknown id. */
export async function guardUnit(db: TenantQueryable, actor: Actor, id: string): Promise<void> {
  if (!actor.sites.length) return;
  const outside = await db.query(
    `select 1 from "UnitPeriod" p left join "Component" c on c."tenantId" = $1 and c.id = p."componentId" left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
     where p."tenantId" = $1 and p."unitId" = $2 and p."endedAt" is null and (coalesce(${siteOfComponent("c", "a")}, p.site) = any($3)) is not true`,
    id,
    actor.sites,
  );
  if (outside.length) throw foreignSite();
}

/** Throws FORBIDDEN if one of the components is outside the key's sites. */
export async function guardComponents(db: TenantQueryable, actor: Actor, ids: string[], which: "live" | "deleted" = "live"): Promise<void> {
  if ((await foreignComponents(db, actor, ids, which)).size) throw foreignSite();
}
