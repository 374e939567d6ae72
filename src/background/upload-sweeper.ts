/** Deletes uploads that were never registered: expired grants, their files, and incomplete files. */
import type { Database } from "../database/database.js";
import { keysOf, removeUploads, type Upload } from "../domain/files/expired-uploads.js";
import type { Storage } from "../storage/storage.js";

const graceMinutes = 60;

const tablesOfFiles = [
  { table: "Photo", folder: "photos" },
  { table: "Attachment", folder: "attachments" },
];

/**
 * Deletes grants that expired over `olderThanMinutes` ago, in batches, and returns their number. Several processes can run it concurrently.
 * Deletes files before rows: if the storage fails, the rows stay for the next attempt.
 */
export async function sweepUploads(database: Database, storage: Storage, olderThanMinutes = graceMinutes): Promise<number> {
  await storage.removeIncomplete(new Date(Date.now() - olderThanMinutes * 60_000));
  if (storage.kind === "s3") await removeLateUploads(database, storage);
  let deleted = 0;
  for (const { table, folder } of tablesOfFiles) {
    for (;;) {
      const rows = await database.query<Upload>(
        // Claims the rows like a registration does, so that no registration starts in the meantime.
        `update "${table}" set "storageKey" = '${folder}/' || "tenantId" || '/' || id where ("tenantId", id) in (
           select "tenantId", id from "${table}" where "uploadedAt" is null and "expiresAt" < now() - make_interval(mins => $1) order by "expiresAt" limit 500 for update skip locked
         ) returning "tenantId", id`,
        [olderThanMinutes],
      );
      if (!rows.length) break;
      deleted += await removeUploads(database, storage, rows);
    }
  }
  return deleted;
}

/** Deletes files uploaded after their photo was registered: S3 accepts files for a grant until it expires. */
async function removeLateUploads(database: Database, storage: Storage): Promise<void> {
  const rows = await database.query<Upload>(
    `select "tenantId", id from "Photo" where "uploadedAt" is not null and "expiresAt" between now() - interval '2 hours' and now()`,
  );
  for (let at = 0; at < rows.length; at += 500) await storage.remove(keysOf(rows.slice(at, at + 500), "incoming"));
}
