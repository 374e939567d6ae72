/**
 * Takes in tenants that were exported, here or on another installation. Nobody sees a tenant before it is whole; one that cannot be taken in whole
 * is removed again.
 */
import { Readable } from "node:stream";
import { insertSelect } from "../../database/catalogue.js";
import type { Database } from "../../database/database.js";
import { checkTenantName, keysByPrefix } from "../../database/directory.js";
import { insertTenantRows, tenantTables } from "../../database/tenant-rows.js";
import type { Storage } from "../../storage/storage.js";
import { deleteTenants } from "./deletion.js";
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
  /** The name of the tenant here, if the archive has one tenant. */
  as?: string | undefined;
  /** Leaves the tenants suspended. */
  isSuspended?: boolean | undefined;
  /** Refuses an installation that has tenants. */
  isRestore?: boolean;
}

export interface Imported {
  tenants: string[];
  records: number;
  files: number;
  /** API keys that were left out, because another tenant here has them: a key is one tenant's. */
  takenKeys: number;
}

/** A tenant that is being taken in. */
interface Incoming {
  name: string;
  state: ArchivedTenant["state"];
  /** Where what it has in the log stands in this one. */
  place: string;
}

const storedKey = (folder: string, tenantId: string, id: string) => `${folder}/${tenantId}/${id}`;

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** `entries` throws at its end if the archive is damaged. Throws one line that says what is wrong with the archive or the tenant's name. */
export async function importTenants(
  database: Database,
  storage: Storage | undefined,
  entries: AsyncIterable<Entry>,
  { as, isSuspended = false, isRestore = false }: ImportOptions = {},
): Promise<Imported> {
  const imported: Imported = { tenants: [], records: 0, files: 0, takenKeys: 0 };
  const incoming = new Map<string, Incoming>();
  let head: ArchiveHead | undefined;
  try {
    for await (const { name, content } of entries) {
      if (!head) {
        if (name !== nameOf.head) throw new Error("this is no archive of tenants");
        head = await checkedHead(database, await textOf(content), as, isRestore);
        continue;
      }
      const place = placeOf(name);
      if (!place) throw new Error(`the archive has an entry that this version does not know: ${name}`);
      if (place.kind === "tenant") {
        incoming.set(place.tenant, await beginTenant(database, JSON.parse(await textOf(content)) as ArchivedTenant, as));
        continue;
      }
      const tenant = incoming.get(place.tenant);
      if (!tenant) throw new Error(`the archive has an entry without its tenant: ${name}`);
      if (place.kind === "rows") await importRows(database, head, tenant, place.table, await textOf(content), imported);
      else imported.files += await importFile(database, storage, tenant, place, content);
    }
    if (!head) throw new Error("this is no archive of tenants");
    await database.transaction(async (tx) => {
      for (const { name, state } of incoming.values()) {
        await tx.query(`select end_tenant_import($1)`, [name]);
        await tx.query(`update "Tenant" set state = $2 where "tenantId" = $1`, [name, isSuspended ? "suspended" : state]);
      }
    });
  } catch (error) {
    // What cannot be removed now is listed as half imported, and is deleted by hand.
    for (const { name } of incoming.values()) await removeAgain(database, storage, name).catch(() => {});
    throw error;
  }
  imported.tenants = [...incoming.values()].map(({ name }) => name);
  return imported;
}

async function checkedHead(database: Database, text: string, as: string | undefined, isRestore: boolean): Promise<ArchiveHead> {
  const head = JSON.parse(text) as ArchiveHead;
  if (head.format !== formatName) throw new Error("this is no archive of tenants");
  if (head.version > formatVersion)
    throw new Error(`the archive has format ${head.version}; this version reads ${formatVersion}. Use a newer one`);
  const [known] = await database.query("select 1 as known from _prisma_migrations where migration_name = $1", [head.schema]);
  if (!known)
    throw new Error(`the archive was made by a newer version, whose last migration is ${head.schema}. Use that one, or a newer one`);
  const tables = await tenantTables(database);
  for (const [table, columns] of Object.entries(head.tables)) {
    const own = tables.find(({ name }) => name === table);
    const lost = own ? columns.filter((column) => !own.columns.includes(column)) : columns;
    if (lost.length) throw new Error(`the archive has what this version does not keep: ${table}.${lost.join(", ")}`);
  }
  if (as !== undefined && head.tenants.length !== 1)
    throw new Error(`the archive has ${head.tenants.length} tenants; one alone can have another name`);
  const names = as === undefined ? head.tenants : [as];
  names.forEach(checkTenantName);
  const taken = await database.query<{ tenantId: string }>(
    `select "tenantId" from "Tenant" where $1::text[] is null or "tenantId" = any($1) order by 1 limit 5`,
    [isRestore ? null : names],
  );
  const list = taken.map(({ tenantId }) => tenantId).join(", ");
  if (taken.length && isRestore)
    throw new Error(`this installation has tenants already (${list}); restore into an empty one, or import tenants one by one`);
  if (taken.length) throw new Error(`there is a tenant of this name already: ${list}; delete it first, or import under another name`);
  return head;
}

async function beginTenant(database: Database, archived: ArchivedTenant, as: string | undefined): Promise<Incoming> {
  const name = as ?? archived.name;
  const secret = database.secrets.seal(archived.signingSecret, [name, "Tenant", name]);
  const insert = insertSelect(
    "Tenant",
    { signingSecret: "$2", logEpoch: "gen_random_uuid()::text", state: "'importing'", stateSince: "now()" },
    "(values (1)) one",
  );
  const [begun] = await database.query<{ place: string }>(`${insert} returning log_transaction() as place`, [name, secret]);
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
  if (here.length) await insertTenantRows(database, { name: table, columns }, tenantId, here, place);
  imported.records += here.length;
}

/** The keys whose prefixes no tenant here has. */
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
  if (!storage) throw new Error("the archive has files, and there is nowhere to put them");
  const [photo] = await database.query<{ contentType: string }>(`select "contentType" from "Photo" where "tenantId" = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  if (!photo) throw new Error(`the archive has a file of no photo: ${id}`);
  await storage.put(storedKey(folder, tenantId, id), Readable.from(content), folder === "thumbnails" ? "image/webp" : photo.contentType);
  return 1;
}

async function removeAgain(database: Database, storage: Storage | undefined, tenantId: string): Promise<void> {
  await changeState(database, tenantId, "deleting");
  if (storage) await deleteTenants(database, storage, { tenantId, graceSeconds: 0 });
}
