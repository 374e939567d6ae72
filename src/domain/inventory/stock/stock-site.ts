/** Default stock level of a part (docs/decisions.md, "which site"). */
import type { TenantQueryable } from "../../../database/database.js";
import { badInput, notFound } from "../../../schema/errors.js";

/**
 * Returns `site`, or the default site of a part: its only stock level, else the part's own site, else main (docs/decisions.md, "which
 * site"). Throws NOT_FOUND, BAD_USER_INPUT naming site if the part has several stock levels.
 */
export async function siteOf(db: TenantQueryable, { partId, site }: { partId: string; site?: string | null }): Promise<string> {
  const [part] = await db.query<{ site: string | null; sites: string[] }>(
    `select p.site, array(select l.site from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null order by 1) as sites
     from "Part" p where p."tenantId" = $1 and p.id = $2`,
    partId,
  );
  if (!part) throw notFound("Part", { partId });
  if (site != null) return site;
  if (part.sites.length > 1) throw badInput({ site: `is required, because the part is kept at ${part.sites.join(", ")}` });
  return part.sites[0] ?? part.site ?? "main";
}
