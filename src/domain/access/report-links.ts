/** Secret links through which anyone reports faults without a key (docs/work.md, "Report links"). */
import { randomBytes } from "node:crypto";
import type { Database, TenantDatabase, TenantQueryable } from "../../database/database.js";
import { linkBySecret, sha256 } from "../../database/records/directory.js";
import { pick, type Rows } from "../../database/rows/catalogue.js";
import type { CreateReportLinkInput } from "../../schema/access/report-link.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Actor } from "./keys.js";
import { guardAssets, guardSite } from "./site-guard.js";

export type ReportLinkRecord = Omit<Rows["ReportLink"], "secretHash">;

/** Per asset or site. */
const maxLinks = 20;
/** Newest links in a list. */
export const listedLinks = 500;

const columns = pick("ReportLink", ["tenantId", "id", "name", "site", "assetId", "createdAt", "createdBy", "revokedAt", "revokedBy"]);

const secretHashOf = (secret: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(secret));

/** Undefined if the link is unknown or revoked, or its asset is deleted. */
export const reportLinkAt = (database: Database, secret: string) => linkBySecret(database, secretHashOf(secret));

/** Throws FORBIDDEN if the link is at another site than the key's. */
const guardLink = (tx: TenantQueryable, actor: Actor, { assetId, site }: { assetId: string | null; site: string | null }) =>
  assetId === null ? guardSite(actor, site!) : guardAssets(tx, actor, [assetId], "all");

/** Throws BAD_USER_INPUT unless either an asset or a site with assets is given, FORBIDDEN at another site, CONFLICT for too many links. */
export const createReportLink = (
  db: TenantDatabase,
  actor: Actor,
  { name, assetId = null, site = null }: CreateReportLinkInput,
): Promise<{ secret: string; link: ReportLinkRecord }> =>
  db.transaction(async (tx) => {
    if ((assetId === null) === (site === null)) throw badInput({ assetId: "or site is required, and not both" });
    const [found] = await tx.query(
      `select 1 from "Asset" where "tenantId" = $1 and "deletedAt" is null and ($2::text is null or id = $2) and ($3::text is null or site = $3) limit 1`,
      assetId,
      site,
    );
    if (!found)
      throw badInput(
        assetId === null ? { site: "names no site with assets" } : { assetId: "names no asset; use the id of an existing one" },
      );
    await guardLink(tx, actor, { assetId, site });
    // Counts after the links that others are making.
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('report links ' || $1, 0))`);
    if ((await tx.records.ReportLink.count({ assetId, site, revokedAt: null })) >= maxLinks)
      throw conflict(`There are ${maxLinks} report links already; revoke one first`);
    const secret = randomBytes(32).toString("hex");
    const fields = { name, assetId, site, secretHash: secretHashOf(secret), createdBy: actor.principalId };
    return { secret, link: await tx.records.ReportLink.create(actor.principalId, fields) };
  });

/** Invalidates the link and the addresses of its reports. Throws NOT_FOUND, FORBIDDEN at another site. */
export const revokeReportLink = (db: TenantDatabase, actor: Actor, id: string): Promise<ReportLinkRecord> =>
  db.transaction(async (tx) => {
    const [link] = await tx.query<ReportLinkRecord>(`select ${columns} from "ReportLink" where "tenantId" = $1 and id = $2 for update`, id);
    if (!link) throw notFound("Report link", { reportLinkId: id });
    await guardLink(tx, actor, link);
    if (link.revokedAt) return link;
    const [revoked] = await tx.query<ReportLinkRecord>(
      `update "ReportLink" set "revokedAt" = now(), "revokedBy" = $3 where "tenantId" = $1 and id = $2 returning ${columns}`,
      id,
      actor.principalId,
    );
    return revoked!;
  });

/** Valid links, newest first. */
export const reportLinks = (
  db: TenantQueryable,
  { assetId, site }: { assetId?: string | null; site?: string | null },
): Promise<ReportLinkRecord[]> =>
  db.query<ReportLinkRecord>(
    `select ${columns} from "ReportLink" where "tenantId" = $1 and "revokedAt" is null
       and ($2::text is null or "assetId" = $2) and ($3::text is null or site = $3)
     order by "createdAt" desc, id desc limit $4`,
    assetId ?? null,
    site ?? null,
    listedLinks,
  );
