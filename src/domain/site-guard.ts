/** A key may be limited to sites: it reads the tenant, and changes only what stands at its sites (decisions.md, "roles"). */
import type { TenantQueryable } from "../database/database.js";
import { forbidden } from "../schema/errors.js";
import type { Actor } from "./keys.js";

const refuse = () => forbidden("This key may change only records of its own sites");

export function guardSite(actor: Actor, site: string): void {
  if (actor.sites.length && !actor.sites.includes(site)) throw refuse();
}

/** Throws FORBIDDEN where one of the live assets (or deleted ones, or all) stands elsewhere; unknown ids are for the caller to answer. */
export async function guardAssets(
  db: TenantQueryable,
  actor: Actor,
  ids: string[],
  which: "live" | "deleted" | "all" = "live",
): Promise<void> {
  if (!actor.sites.length || !ids.length) return;
  const elsewhere = await db.query(
    `select 1 from "Asset" where "tenantId" = $1 and id = any($2) and site <> all($3) and ($4 = 'all' or ("deletedAt" is null) = ($4 = 'live')) limit 1`,
    ids,
    actor.sites,
    which,
  );
  if (elsewhere.length) throw refuse();
}

/** As `guardAssets`, by the assets that own the components; a component of no asset stands at no site. */
export async function guardComponents(db: TenantQueryable, actor: Actor, ids: string[], which: "live" | "deleted" = "live"): Promise<void> {
  if (!actor.sites.length || !ids.length) return;
  const elsewhere = await db.query(
    `select 1 from "Component" c left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
     where c."tenantId" = $1 and c.id = any($2) and (a.site is null or a.site <> all($3)) and (c."deletedAt" is null) = $4 limit 1`,
    ids,
    actor.sites,
    which === "live",
  );
  if (elsewhere.length) throw refuse();
}
