/**
 * Retention (docs/operations/background.md, "Retention"): deletes expired records in batches of short transactions, tenant by tenant. Keeps
 * records that retained ones refer to.
 */
import type { Database } from "../../database/database.js";
import type { Storage } from "../../storage/storage.js";
import { cleanDeliveries } from "../alerts/deliveries.js";
import { cleanMails } from "../alerts/outbox.js";
import { maintainPartitions } from "../changes/partitions.js";
import { removeUploads } from "../files/expired-uploads.js";
import { dropReadingMonth, makeReadingMonths, monthsBegin, readingsGoUntil } from "../maintenance/meters/reading-months.js";
import {
  countOldReadings,
  deleteReadingsOfDeleted,
  type Series,
  seriesAfter,
  sumUpReadings,
} from "../maintenance/meters/reading-retention.js";

/** In days. 0 means unlimited. */
export interface Retention {
  readings: number;
  notifications: number;
  deliveries: number;
  deleted: number;
  changes: number;
}

/** The settings RETENTION_…_DAYS. */
export const retentionOf = (
  settings: Record<`RETENTION_${"READINGS" | "NOTIFICATIONS" | "DELIVERIES" | "DELETED" | "CHANGES"}_DAYS`, number>,
): Retention => ({
  readings: settings.RETENTION_READINGS_DAYS,
  notifications: settings.RETENTION_NOTIFICATIONS_DAYS,
  deliveries: settings.RETENTION_DELIVERIES_DAYS,
  deleted: settings.RETENTION_DELETED_DAYS,
  changes: settings.RETENTION_CHANGES_DAYS,
});

/** The number of a tenant's deleted rows or, in a dry run, of rows to delete. `kind` as in docs/operations/background.md. */
export interface Purged {
  kind: string;
  tenantId: string;
  count: number;
}

export interface PurgeOptions {
  /** Counts instead of deleting. */
  isDry?: boolean;
  isStopped?: () => boolean;
}

/** Batch size: rows examined per statement, and files. */
const rowsAtOnce = 500;
const filesAtOnce = 100;

interface FilesToPurge {
  kind: string;
  table: string;
  /** Condition for attachments that are deleted with their asset. */
  ofAsset: string;
  sql: string;
}

const filesToPurge: FilesToPurge[] = [
  {
    kind: "deleted photos",
    table: "Photo",
    ofAsset: "",
    sql: `select split_part(key, '/', 3) as id from purge_photos($1, $2, $3) key where key like 'photos/%'`,
  },
  {
    kind: "deleted attachments",
    table: "Attachment",
    ofAsset: " and p.kind is not null",
    sql: "select p.id from purge_attachments($1, $2, $3) p(id)",
  },
];

/**
 * Tables whose soft-deleted records are purged, before the tables that they refer to. Components are purged from the leaves up, one level
 * per round.
 */
export const softDeleted = ["Procedure", "Strategy", "Component", "ComponentTemplate", "Asset"] as const;
const levels: Partial<Record<string, number>> = { Component: 100 };

const daysAgo = async (database: Database, days: number): Promise<Date> =>
  (await database.query<{ at: Date }>(`select now() - make_interval(days => $1::int) as at`, [days]))[0]!.at;

/** Deletes expired records of all tenants. Returns the counts by kind and tenant. Tenants are purged in rotation, batch by batch. */
export async function purge(
  database: Database,
  storage: Storage,
  retention: Retention,
  { isDry = false, isStopped = () => false }: PurgeOptions = {},
): Promise<Purged[]> {
  const tenants = await database.query<{ tenantId: string }>(
    `select "tenantId" from "Tenant" where state in ('active', 'suspended') order by 1`,
  );
  const before = {
    readings: await readingsGoUntil(database, await daysAgo(database, retention.readings)),
    notifications: await daysAgo(database, retention.notifications),
    deleted: await daysAgo(database, retention.deleted),
  };
  const purged = new Map<string, Purged>();
  const note = (kind: string, tenantId: string, count: number) => {
    const key = JSON.stringify([kind, tenantId]);
    purged.set(key, { kind, tenantId, count: count + (purged.get(key)?.count ?? 0) });
  };
  if (retention.readings && !isDry) {
    for (let gone: Map<string, number> | undefined = new Map(); gone && !isStopped(); ) {
      gone = await dropReadingMonth(database, before.readings, isStopped);
      for (const [tenantId, count] of gone ?? []) note("readings", tenantId, count);
    }
    before.readings = await monthsBegin(database, before.readings);
  }
  let turns = tenants.map(({ tenantId }) => ({ tenantId, batches: batchesOf({ database, tenantId, isDry }, storage, retention, before) }));
  while (turns.length && !isStopped()) {
    const left: typeof turns = [];
    for (const turn of turns) {
      const { done, value } = await turn.batches.next();
      if (done) continue;
      left.push(turn);
      if (value.count) note(value.kind, turn.tenantId, value.count);
    }
    turns = left;
  }
  return [...purged.values()];
}

interface Each {
  database: Database;
  tenantId: string;
  isDry: boolean;
}

/** Each item is the work of one statement. */
type Batches = AsyncGenerator<{ kind: string; count: number }, void>;

async function* batchesOf(
  each: Each,
  storage: Storage,
  retention: Retention,
  before: Record<"readings" | "notifications" | "deleted", Date>,
): Batches {
  if (retention.readings) yield* purgeReadings(each, before.readings);
  if (retention.notifications) yield* purgeTable(each, "notifications", "Notification", before.notifications);
  if (!retention.deleted) return;
  for (const files of filesToPurge) yield* purgeFiles(each, storage, before.deleted, files);
  if (!each.isDry) yield* purgeReadingsOfDeleted(each, before.deleted);
  for (const table of softDeleted) yield* purgeTable(each, `deleted records: ${table}`, table, before.deleted);
}

async function* purgeReadings({ database, tenantId, isDry }: Each, before: Date): Batches {
  const kind = "readings";
  for (let after: Series = { assetId: "", parameter: "" }; ; ) {
    const series = await seriesAfter(database, tenantId, after);
    if (!series.length) return;
    after = series.at(-1)!;
    if (isDry) yield { kind, count: await countOldReadings(database, tenantId, series, before) };
    else for (let count = 1; count; yield { kind, count }) count = await sumUpReadings(database, tenantId, series, before);
  }
}

/** Examines all rows of a table once, or repeatedly while deleted rows make others deletable. */
async function* purgeTable({ database, tenantId, isDry }: Each, kind: string, table: string, before: Date): Batches {
  for (let turn = isDry ? 1 : (levels[table] ?? 1); turn; turn--) {
    let purged = 0;
    for (let after = ""; ; ) {
      const [page] = await database.query<{ examined: number; purged: number; last: string | null }>(
        `select p.examined, p.purged, p.last from purge_rows($1, $2, $3, $4, $5, $6) p`,
        [table, tenantId, before, after, rowsAtOnce, isDry],
      );
      purged += page!.purged;
      yield { kind, count: page!.purged };
      if (page!.examined < rowsAtOnce) break;
      after = page!.last!;
    }
    if (!purged) return;
  }
}

async function* purgeFiles(
  { database, tenantId, isDry }: Each,
  storage: Storage,
  before: Date,
  { kind, table, ofAsset, sql }: FilesToPurge,
): Batches {
  if (isDry) {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from "${table}" p left join "Asset" a on a."tenantId" = p."tenantId" and a.id = p."assetId"${ofAsset}
       where p."tenantId" = $1 and p."uploadedAt" is not null and (p."deletedAt" < $2 or a."deletedAt" < $2)`,
      [tenantId, before],
    );
    yield { kind, count: row!.count };
    return;
  }
  for (;;) {
    const files = await database.query<{ id: string }>(sql, [tenantId, before, filesAtOnce]);
    if (!files.length) return;
    const uploads = files.map(({ id }) => ({ tenantId, id }));
    yield { kind, count: await removeUploads(database, storage, uploads) };
  }
}

async function* purgeReadingsOfDeleted({ database, tenantId }: Each, before: Date): Batches {
  for (let count = 1; count; yield { kind: "readings of deleted assets", count })
    count = await deleteReadingsOfDeleted(database, tenantId, before);
}

/** Counts by tenant the rows that time-based retention deletes for all tenants together. */
export async function countOldLogs(database: Database, { deliveries, changes }: Retention): Promise<Purged[]> {
  return database.query<Purged>(
    `select 'deliveries' as kind, "tenantId", count(*)::int as count from "WebhookDelivery" where "settledAt" < now() - make_interval(days => $1::int) group by "tenantId"
     union all select 'changes', "tenantId", count(*)::int from "Change"
       where "changedAt" < date_trunc('month', now() - make_interval(days => $2::int), 'UTC') and tableoid <> 'change_partitions.other'::regclass group by "tenantId"
     order by 1, 2`,
    [deliveries, changes],
  );
}

/** Deletes the rows that `countOldLogs` counts. */
export async function purgeOldLogs(database: Database, retention: Retention): Promise<void> {
  await maintainPartitions(database, retention.changes);
  await makeReadingMonths(database);
  while (await cleanDeliveries(database, retention.deliveries));
  while (await cleanMails(database, retention.deliveries));
}
