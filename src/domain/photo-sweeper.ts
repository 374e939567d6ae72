/** Uploads that nobody registered: grants an hour past their end, the files sent for them, and files never sent to their end. */
import type { Database } from "../database/database.js";
import type { Storage } from "../storage/storage.js";

const graceMinutes = 60;

interface Upload {
  tenantId: string;
  id: string;
}

const keysOf = (uploads: Upload[], ...places: string[]) =>
  uploads.flatMap(({ tenantId, id }) => places.map((place) => `${place}/${tenantId}/${id}`));

/** Removes one batch after the other; answers how many grants went. Safe beside other processes: each row goes to one. */
export async function sweepUploads(database: Database, storage: Storage, olderThanMinutes = graceMinutes): Promise<number> {
  await storage.removeUnfinished(new Date(Date.now() - olderThanMinutes * 60_000));
  if (storage.home === "s3") await removeSentAgain(database, storage);
  let swept = 0;
  for (;;) {
    const rows = await database.query<Upload>(
      `delete from "Photo" where ("tenantId", id) in (
         select "tenantId", id from "Photo" where "uploadedAt" is null and "expiresAt" < now() - make_interval(mins => $1) order by "expiresAt" limit 500 for update skip locked
       ) returning "tenantId", id`,
      [olderThanMinutes],
    );
    if (!rows.length) return swept;
    swept += rows.length;
    await storage.remove(keysOf(rows, "incoming", "photos", "thumbnails"));
  }
}

/** S3 takes a file for a grant until its end, also when the photo is registered already. */
async function removeSentAgain(database: Database, storage: Storage): Promise<void> {
  const rows = await database.query<Upload>(
    `select "tenantId", id from "Photo" where "uploadedAt" is not null and "expiresAt" between now() - interval '2 hours' and now()`,
  );
  for (let at = 0; at < rows.length; at += 500) await storage.remove(keysOf(rows.slice(at, at + 500), "incoming"));
}
