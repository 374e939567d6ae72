/** Deletes tenants that are marked for it, with all of their rows and files: in batches, by any process, and again where one was stopped. */
import type { Database } from "../../database/database.js";
import { deleteTenantRows, tenantTables } from "../../database/tenant-rows.js";
import type { Storage } from "../../storage/storage.js";

const batchSize = 1_000;

/** Where the files of tenants are. */
export const fileFolders = ["incoming", "photos", "attachments", "thumbnails"] as const;

/** What the epoch of a tenant begins with whose records are moved here, until all are: its files are those of the tenant that it is moved from. */
export const movingEpoch = "moving:";

export interface DeletionOptions {
  /** One of them; all where left out. */
  tenantId?: string;
  /**
   * For how long after it was marked a tenant keeps its name: processes know for some seconds yet that its keys are good, and what they have begun
   * must end before the last look.
   */
  graceSeconds?: number;
  isStopped?: () => boolean;
}

/** Returns the names of the tenants of which nothing is left. Without a storage, files are left where they are. */
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

/** Returns whether nothing is left but the tenant's name. */
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

/** Whether all transactions are over that wrote when this was called: a moment is waited for them. */
async function othersEnded(database: Database): Promise<boolean> {
  const [now] = await database.query<{ transaction: string }>("select pg_current_xact_id()::text as transaction");
  for (const pauseMs of [0, 20, 100, 500, 1_000]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const [end] = await database.query<{ isPassed: boolean }>(`select log_end() > $1::bigint as "isPassed"`, [now!.transaction]);
    if (end!.isPassed) return true;
  }
  return false;
}
