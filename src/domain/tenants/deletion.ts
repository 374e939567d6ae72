/**
 * Deletes tenants marked for deletion, with all their rows and files. Any process deletes in batches, and resumes an interrupted deletion.
 */
import type { Database } from "../../database/database.js";
import { deleteTenantRows, tenantTables } from "../../database/rows/tenant-rows.js";
import type { Storage } from "../../storage/storage.js";

const batchSize = 1_000;

/** Storage folders with files of tenants. */
export const fileFolders = ["incoming", "photos", "attachments", "thumbnails"] as const;

/**
 * Prefix of a tenant's epoch while its records are moved here from another database. Until then, its files belong to the tenant at the
 * source.
 */
export const movingEpoch = "moving:";

export interface DeletionOptions {
  /** A single tenant. Default: all marked ones. */
  tenantId?: string;
  /**
   * How long a tenant keeps its name after it is marked. Processes may accept its keys for some more seconds, and their transactions must
   * end before the final check.
   */
  graceSeconds?: number;
  isStopped?: () => boolean;
}

/** Returns the names of completely deleted tenants. Without a storage, files are kept. */
export async function deleteTenants(
  database: Database,
  storage: Storage | undefined,
  { tenantId, graceSeconds = 60, isStopped = () => false }: DeletionOptions = {},
): Promise<string[]> {
  const marked = await database.query<{ tenantId: string; isDue: boolean; isMoving: boolean }>(
    `select "tenantId", "stateSince" < now() - make_interval(secs => $1) as "isDue", "logEpoch" like '${movingEpoch}%' as "isMoving" from "Tenant"
     where state = 'deleting' and ($2::text is null or "tenantId" = $2) order by "stateSince"`,
    [graceSeconds, tenantId ?? null],
  );
  const gone: string[] = [];
  for (const one of marked) {
    if (isStopped()) break;
    const files = one.isMoving ? undefined : storage;
    if (!(await deleteAll(database, files, one.tenantId, isStopped)) || !one.isDue) continue;
    if (!(await othersEnded(database)) || !(await deleteAll(database, files, one.tenantId, isStopped))) continue;
    await database.query(`delete from "Tenant" where "tenantId" = $1 and state = 'deleting'`, [one.tenantId]);
    gone.push(one.tenantId);
  }
  return gone;
}

/** Returns whether only the tenant's name is left. */
async function deleteAll(database: Database, storage: Storage | undefined, tenantId: string, isStopped: () => boolean): Promise<boolean> {
  for (const { name } of (await tenantTables(database)).reverse()) {
    for (let deleted: number | undefined = batchSize; deleted; ) {
      if (isStopped()) return false;
      deleted = await deleteTenantRows(database, name, tenantId, batchSize);
      if (deleted === undefined) return false;
    }
  }
  if (storage) for (const folder of fileFolders) await storage.removeFolder(`${folder}/${tenantId}`);
  return true;
}

/** Waits briefly for other transactions. Returns whether all transactions that had written before the call have ended. */
async function othersEnded(database: Database): Promise<boolean> {
  const [now] = await database.query<{ transaction: string }>("select pg_current_xact_id()::text as transaction");
  for (const pauseMs of [0, 20, 100, 500, 1_000]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const [end] = await database.query<{ isPassed: boolean }>(`select log_end() > $1::bigint as "isPassed"`, [now!.transaction]);
    if (end!.isPassed) return true;
  }
  return false;
}
