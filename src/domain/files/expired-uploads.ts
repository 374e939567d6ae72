/** Removal of expired uploads. Files are removed before their rows, so that a storage failure leaves no orphaned files. */
import type { Database } from "../../database/database.js";
import type { Storage } from "../../storage/storage.js";

export interface Upload {
  tenantId: string;
  id: string;
}

export const keysOf = (uploads: Upload[], ...folders: string[]) =>
  uploads.flatMap(({ tenantId, id }) => folders.map((folder) => `${folder}/${tenantId}/${id}`));

const isExpired = (alias: string) => `${alias}."uploadedAt" is null and ${alias}."expiresAt" < now()`;

/** Removes the files, then the rows. Returns the number of removed rows. Throws if the storage fails; the rows stay for the next run. */
export async function removeUploads(database: Database, storage: Storage, uploads: Upload[]): Promise<number> {
  await storage.remove(keysOf(uploads, "incoming", "photos", "attachments", "thumbnails"));
  const rows = await database.query(
    `with gone(tenant, id) as (select u.tenant, u.id from unnest($1::text[], $2::text[]) u(tenant, id)), photo as (
       delete from "Photo" p using gone u where p."tenantId" = u.tenant and p.id = u.id and ${isExpired("p")} returning p.id
     ), attachment as (
       delete from "Attachment" p using gone u where p."tenantId" = u.tenant and p.id = u.id and ${isExpired("p")} returning p.id
     ) select id from photo union all select id from attachment`,
    [uploads.map(({ tenantId }) => tenantId), uploads.map(({ id }) => id)],
  );
  return rows.length;
}
