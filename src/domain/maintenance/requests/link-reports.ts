/** Reports by a link, and the address at which a reporter without a key follows the report (docs/work.md, "Report links"). */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { writeAs } from "../../../database/records/author.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput } from "../../../schema/errors.js";
import type { ReportFaultInput, WorkRequestProgress } from "../../../schema/maintenance/requests/work-request.js";
import type { Actor } from "../../access/keys.js";
import type { reportLinkAt } from "../../access/report-links.js";
import { progressOf, reportFault } from "./work-requests.js";

export type Link = NonNullable<Awaited<ReturnType<typeof reportLinkAt>>>;

/** The author of a link's reports. Limited to the link's site, so that no other asset can be reported. */
export const linkActor = ({ tenantId, id, name, site }: Link): Actor => ({
  tenantId,
  principalId: id,
  principalName: name,
  role: "requester",
  sites: [site],
  readAll: false,
  expiresAt: Infinity,
});

/** Assets in the list of a site's link. */
export const listedAssets = 200;

export interface ReportableAsset {
  id: string;
  name: string;
  area: string;
}

/** Assets of the link's site by area and name, up to one more than `listedAssets`. `text` is part of the name or serial number. */
export const reportableAssets = (db: TenantQueryable, { site }: Link, text: string): Promise<ReportableAsset[]> =>
  db.query<ReportableAsset>(
    `select id, name, area from "Asset" where "tenantId" = $1 and site = $2 and "deletedAt" is null
       and ($3 = '' or position(lower($3) in lower(name)) > 0 or position(lower($3) in lower(coalesce("serialNumber", ''))) > 0)
     order by area, name, id limit $4`,
    site,
    text,
    listedAssets + 1,
  );

/** Length of a tracking code's signature in hexadecimal digits. */
const signatureLength = 32;

const signatureOf = (secret: string, requestId: string): string =>
  createHmac("sha256", secret).update(`report ${requestId}`).digest("hex").slice(0, signatureLength);

/** Reads of a tenant, and the secret that signs its links. */
interface Scope<Db extends TenantQueryable> {
  db: Db;
  secret(): Promise<string>;
}

/** Most photos of a report by link. */
export const mostPhotos = 3;

/** Runs writes whose author is the link. */
export function asLink<T>(link: Link, requestId: string, work: () => Promise<T>): Promise<T> {
  const { tenantId, principalId: by, sites } = linkActor(link);
  return writeAs({ tenantId, by, sites, request: requestId, source: "rest", operation: "reportByLink" }, work);
}

/** Stores the report with prepared photos and returns its tracking code. Throws BAD_USER_INPUT, FORBIDDEN for an asset of another site. */
export async function reportByLink(
  { db, secret }: Scope<TenantDatabase>,
  link: Link,
  input: ReportFaultInput & { reporterName: string | null },
  photos: string[],
  requestId: string,
): Promise<string> {
  const { reporterName, ...fault } = input;
  const assetId = link.assetId ?? fault.assetId;
  if (!assetId) throw badInput({ assetId: "is required" });
  const actor = linkActor(link);
  const { id } = await asLink(link, requestId, () => reportFault(db, actor, { ...fault, assetId }, { photos, reporterName }));
  return `${id}-${signatureOf(await secret(), id)}`;
}

export type TrackedReport = Pick<Rows["WorkRequest"], "status" | "decisionReason" | "createdAt"> & { progress: WorkRequestProgress | null };

/** The report of a tracking code. Undefined unless it was made by this link. */
export async function trackedReport(
  { db, secret }: Scope<TenantQueryable>,
  link: Link,
  tracking: string,
): Promise<TrackedReport | undefined> {
  const [, id, signature] = /^([0-9a-f-]{36})-([0-9a-f]{32})$/.exec(tracking) ?? [];
  if (!id || !timingSafeEqual(Buffer.from(signatureOf(await secret(), id)), Buffer.from(signature!))) return undefined;
  const [request] = await db.query<Pick<Rows["WorkRequest"], "status" | "decisionReason" | "createdAt" | "workOrderId">>(
    `select status, "decisionReason", "createdAt", "workOrderId" from "WorkRequest" where "tenantId" = $1 and id = $2 and "createdBy" = $3`,
    id,
    link.id,
  );
  if (!request) return undefined;
  const { workOrderId, ...shown } = request;
  const [progress = null] = workOrderId ? await progressOf(db, [workOrderId]) : [];
  return { ...shown, progress };
}
