/** Uploads that nobody will register any more: their files go first, so that none stays behind where the storage fails. */
import type { Database } from "../../database/database.js";
import type { Storage } from "../../storage/storage.js";

export interface Upload {
  tenantId: string;
  id: string;
}

export const keysOf = (uploads: Upload[], ...folders: string[]) =>
  uploads.flatMap(({ tenantId, id }) => folders.map((folder) => `${folder}/${tenantId}/${id}`));

/** Removes the files, then the rows; returns how many of these were there. Throws if the storage fails: the rows stay for the next time. */
export async function removeUploads(database: Database, storage: Storage, uploads: Upload[]): Promise<number> {
  await storage.remove(keysOf(uploads, "incoming", "photos", "thumbnails"));
  const rows = await database.query(
    `delete from "Photo" p using unnest($1::text[], $2::text[]) u("tenantId", id)
     where p."tenantId" = u."tenantId" and p.id = u.id and p."uploadedAt" is null and p."expiresAt" < now() returning 1 as gone`,
    [uploads.map(({ tenantId }) => tenantId), uploads.map(({ id }) => id)],
  );
  return rows.length;
}
