/**
 * Imports tenants exported from this or another installation. A tenant is not visible until its import is complete. A failed import is
 * removed.
 */
import { Readable } from "node:stream";
import type { Database } from "../../database/database.js";
import { checkTenantName, keysByPrefix } from "../../database/records/directory.js";
import { insertSelect } from "../../database/rows/catalogue.js";
import { insertTenantRows, tenantTables } from "../../database/rows/tenant-rows.js";
import type { Storage } from "../../storage/storage.js";
import { downtimesFromLog } from "../reliability/status-log.js";
import { deleteTenants, movingEpoch } from "./deletion.js";
import { withSecrets } from "./export.js";
import {
  type ArchivedTenant,
  type ArchiveHead,
  fileColumns,
  formatName,
  formatVersion,
  keyForTenant,
  nameOf,
  type Place,
  placeOf,
} from "./format.js";
import { changeState } from "./states.js";

export interface Entry {
  name: string;
  content: AsyncIterable<Buffer>;
}

export interface ImportOptions {
  /** A new name for the tenant, if the archive contains only one. */
  as?: string | undefined;
  /** Leaves the imported tenants suspended. */
  isSuspended?: boolean | undefined;
  /** Requires an installation without tenants. */
  isRestore?: boolean;
  /** Receives messages about the removal of an interrupted import. */
  say?: (line: string) => void;
}

export interface Imported {
  tenants: string[];
  records: number;
  files: number;
  /** Number of omitted API keys, which exist in another tenant here. A key belongs to one tenant. */
  takenKeys: number;
}

/** A tenant being imported. */
interface Incoming {
  name: string;
  state: ArchivedTenant["state"];
  /** The transaction of the import in this database's log. */
  place: string;
}

const storedKey = (folder: string, tenantId: string, id: string) => `${folder}/${tenantId}/${id}`;

/** In bytes. Exports write pieces of about 2 MB; the first rows of a table can be larger. */
const maxText = 64 * 1024 * 1024;

/** The text of an entry. Throws while reading if it is too large, because a small archive can contain a large entry. */
async function textOf({ name, content }: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxText) throw new Error(`the archive has an entry of more than ${maxText / 1024 / 1024} MB: ${name}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** `entries` throws at its end if the archive is damaged. Throws one-line errors about the archive or the tenant's name. */
export async function importTenants(
  database: Database,
  storage: Storage | undefined,
  entries: AsyncIterable<Entry>,
  { as, isSuspended = false, isRestore = false, say = () => {} }: ImportOptions = {},
): Promise<Imported> {
  const imported: Imported = { tenants: [], records: 0, files: 0, takenKeys: 0 };
  const incoming = new Map<string, Incoming>();
  let head: ArchiveHead | undefined;
  const stop = showThatItGoesOn(database, incoming);
  try {
    for await (const entry of entries) {
      const { name, content } = entry;
      if (!head) {
        if (name !== nameOf.head) throw new Error("the file is not a tenant archive");
        head = await checkedHead(database, await textOf(entry), as);
        await makeRoom(database, storage, isRestore ? undefined : namesOf(head, as), say);
        continue;
      }
      const place = placeOf(name);
      if (!place) throw new Error(`the archive has an entry that this version does not know: ${name}`);
      if (place.kind === "tenant") {
        incoming.set(place.tenant, await beginTenant(database, JSON.parse(await textOf(entry)) as ArchivedTenant, as, !storage));
        continue;
      }
      const tenant = incoming.get(place.tenant);
      if (!tenant) throw new Error(`the archive has an entry without its tenant: ${name}`);
      if (place.kind === "rows") await importRows(database, head, tenant, place.table, await textOf(entry), imported);
      else imported.files += await importFile(database, storage, tenant, place, content);
    }
    if (!head) throw new Error("the file is not a tenant archive");
    await database.transaction(async (tx) => {
      for (const { name, state } of incoming.values()) {
        await tx.query(`select end_tenant_import($1)`, [name]);
        if (!head!.tables.Downtime) await downtimesFromLog(tx, name);
        if (!head!.tables.Unit?.includes("partId")) await tx.query(`select record_units_of($1)`, [name]);
        await tx.query(`update "Tenant" set state = $2, "logEpoch" = gen_random_uuid()::text where "tenantId" = $1`, [
          name,
          isSuspended ? "suspended" : state,
        ]);
      }
    });
  } catch (error) {
    // A tenant that cannot be removed now is listed as importing. The next attempt of the import removes it.
    for (const { name } of incoming.values()) await removeAgain(database, storage, name).catch(() => {});
    throw error;
  } finally {
    stop();
  }
  imported.tenants = [...incoming.values()].map(({ name }) => name);
  return imported;
}

/** Archives of earlier versions have the units of parts in this table, with columns of the same names. */
const tableOf = (archived: string) => (archived === "StockSerial" ? "Unit" : archived);

const namesOf = ({ tenants }: ArchiveHead, as: string | undefined): string[] => (as === undefined ? tenants : [as]);

async function checkedHead(database: Database, text: string, as: string | undefined): Promise<ArchiveHead> {
  const head = JSON.parse(text) as ArchiveHead;
  if (head.format !== formatName) throw new Error("the file is not a tenant archive");
  if (head.version > formatVersion)
    throw new Error(`the archive has format ${head.version}; this version reads ${formatVersion}. Use a newer one`);
  const [known] = await database.query("select 1 as known from _prisma_migrations where migration_name = $1", [head.schema]);
  if (!known)
    throw new Error(`the archive was made by a newer version, whose last migration is ${head.schema}. Use that one, or a newer one`);
  const tables = await tenantTables(database);
  for (const [table, columns] of Object.entries(head.tables)) {
    const own = tables.find(({ name }) => name === tableOf(table));
    const lost = own ? columns.filter((column) => !own.columns.includes(column)) : columns;
    if (lost.length) throw new Error(`the archive has columns that this version does not have: ${table}.${lost.join(", ")}`);
  }
  if (as !== undefined && head.tenants.length !== 1)
    throw new Error(`the archive has ${head.tenants.length} tenants; only an archive of a single tenant can be renamed`);
  namesOf(head, as).forEach(checkTenantName);
  return head;
}

/** Heartbeat interval of an import, and the time without heartbeat after which it counts as interrupted. */
const saidEveryMs = 5_000;
const overAfterSeconds = 30;

/**
 * Starts the heartbeat of an import; the returned function stops it. The embedded database has a single process, so that imports of other
 * processes cannot be running.
 */
function showThatItGoesOn(database: Database, incoming: Map<string, Incoming>): () => void {
  if (database.kind === "embedded") return () => {};
  const say = () =>
    database.query(`update "Tenant" set "stateSince" = now() where "tenantId" = any($1) and state = 'importing'`, [
      [...incoming.values()].map(({ name }) => name),
    ]);
  const timer = setInterval(() => void say().catch(() => {}), saidEveryMs).unref();
  return () => clearInterval(timer);
}

/**
 * Removes the remains of interrupted imports of these names, or of all. Throws if a tenant has one of the names, or if there is any tenant.
 */
async function makeRoom(database: Database, storage: Storage | undefined, names: string[] | undefined, say: (line: string) => void) {
  const begun = await database.query<{ tenantId: string; isOver: boolean }>(
    `select "tenantId", "stateSince" < now() - make_interval(secs => $2) as "isOver" from "Tenant"
     where state = 'importing' and ($1::text[] is null or "tenantId" = any($1)) order by 1`,
    [names ?? null, database.kind === "embedded" ? 0 : overAfterSeconds],
  );
  for (const { tenantId, isOver } of begun) {
    if (!isOver)
      throw new Error(
        `the tenant ${tenantId} is being imported; if that import was interrupted, retry in ${overAfterSeconds} s: the remains are then removed`,
      );
    say(`removing the remains of an interrupted import of ${tenantId}`);
    await removeAgain(database, storage, tenantId);
  }
  // Remains of such a removal. Skipped without a storage, because files to be deleted would stay.
  const left = await database.query<{ tenantId: string; isMoving: boolean }>(
    `select "tenantId", "logEpoch" like '${movingEpoch}%' as "isMoving" from "Tenant"
     where state = 'deleting' and ($1::text[] is null or "tenantId" = any($1)) order by 1`,
    [names ?? null],
  );
  for (const { tenantId, isMoving } of left)
    if (storage || isMoving) await deleteTenants(database, storage, { tenantId, ...(isMoving && { graceSeconds: 0 }) });
  const taken = await database.query<{ tenantId: string; isGoing: boolean }>(
    `select "tenantId", state = 'deleting' as "isGoing" from "Tenant" where $1::text[] is null or "tenantId" = any($1) order by 1 limit 5`,
    [names ?? null],
  );
  const list = taken.map(({ tenantId }) => tenantId).join(", ");
  const going = taken.find(({ isGoing }) => isGoing);
  if (going) throw new Error(`the tenant ${going.tenantId} is being deleted; retry when tenant list no longer shows that tenant`);
  if (taken.length && !names)
    throw new Error(`this installation has tenants already (${list}); restore into an empty one, or import tenants one by one`);
  if (taken.length) throw new Error(`there is a tenant of this name already: ${list}; delete it first, or import under another name`);
}

async function beginTenant(database: Database, archived: ArchivedTenant, as: string | undefined, isMoving: boolean): Promise<Incoming> {
  const name = as ?? archived.name;
  const secret = database.secrets.seal(archived.signingSecret, [name, "Tenant", name]);
  const insert = insertSelect(
    "Tenant",
    {
      signingSecret: "$2",
      logEpoch: `'${isMoving ? movingEpoch : ""}' || gen_random_uuid()`,
      state: "'importing'",
      stateSince: "now()",
      receiptApproval: "$3",
    },
    "(values (1)) one",
  );
  const [begun] = await database.query<{ place: string }>(`${insert} returning log_transaction() as place`, [
    name,
    secret,
    archived.receiptApproval ?? false,
  ]);
  await database.query(`update "Tenant" set "createdAt" = $2 where "tenantId" = $1`, [name, archived.createdAt]);
  return { name, state: archived.state, place: begun!.place };
}

async function importRows(
  database: Database,
  { tables }: ArchiveHead,
  { name: tenantId, place }: Incoming,
  table: string,
  text: string,
  imported: Imported,
): Promise<void> {
  const columns = tables[table];
  if (!columns) throw new Error(`the archive does not say which columns ${table} has`);
  let rows = text.split("\n").filter(Boolean);
  if (table === "ApiKey") {
    const free = await freeKeys(database, rows);
    imported.takenKeys += rows.length - free.length;
    rows = free;
  }
  const keys = fileColumns[table] ?? [];
  const here = rows.map((row) => {
    if (table === "Webhook") return withSecrets(row, (secret, id) => database.secrets.seal(secret, [tenantId, table, id]));
    if (!keys.length) return row;
    const record = JSON.parse(row) as Record<string, string | null>;
    for (const key of keys) if (record[key]) record[key] = keyForTenant(record[key], tenantId);
    return JSON.stringify(record);
  });
  if (here.length) await insertTenantRows(database, { name: tableOf(table), columns }, tenantId, here, place);
  imported.records += here.length;
}

/** The keys whose prefixes are not used by a tenant here. */
async function freeKeys(database: Database, rows: string[]): Promise<string[]> {
  const prefixes = rows.map((row) => (JSON.parse(row) as { prefix: string }).prefix);
  const taken = await keysByPrefix(database, prefixes);
  return rows.filter((_, i) => !taken.some(({ prefix }) => prefix === prefixes[i]));
}

async function importFile(
  database: Database,
  storage: Storage | undefined,
  { name: tenantId }: Incoming,
  { folder, id }: Place & { kind: "file" },
  content: AsyncIterable<Buffer>,
): Promise<number> {
  if (!storage) throw new Error("the archive has files, but no file storage is available");
  const [record] = await database.query<{ contentType: string }>(
    `select "contentType" from "Photo" where "tenantId" = $1 and id = $2 union all select "contentType" from "Attachment" where "tenantId" = $1 and id = $2`,
    [tenantId, id],
  );
  if (!record) throw new Error(`the archive has a file of no record: ${id}`);
  await storage.put(storedKey(folder, tenantId, id), Readable.from(content), folder === "thumbnails" ? "image/webp" : record.contentType);
  return 1;
}

const removals = 20;

async function removeAgain(database: Database, storage: Storage | undefined, tenantId: string): Promise<void> {
  await changeState(database, tenantId, "deleting");
  // Each attempt waits for older transactions, which may belong to an interrupted import.
  for (let left = removals; left; left--) if ((await deleteTenants(database, storage, { tenantId, graceSeconds: 0 })).length) return;
}
