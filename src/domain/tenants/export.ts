/** Exports tenants with all records and files (docs/operations/access.md, "Tenants"). Includes every table with rows of tenants. */

import type { Secrets } from "../../database/connection/secrets.js";
import type { Database, Queryable } from "../../database/database.js";
import type { TenantState } from "../../database/rows/column-types.js";
import { readRows, type TenantTable, tenantTables } from "../../database/rows/tenant-rows.js";
import type { Storage } from "../../storage/storage.js";
import {
  type ArchivedTenant,
  type ArchiveHead,
  exportedRows,
  fileColumns,
  formatName,
  formatVersion,
  leftOut,
  nameOf,
  secretColumns,
} from "./format.js";

/** Destination of the entries. */
export interface Sink {
  add(name: string, text: string): Promise<void>;
  addStream(name: string, size: number, content: AsyncIterable<Buffer>): Promise<void>;
}

export interface Exported {
  tenants: string[];
  records: number;
  files: number;
  /** Keys of files that are missing in the storage. */
  missing: string[];
  /** Skipped tenants, which are being imported or deleted. */
  skipped: string[];
}

interface StoredTenant {
  tenantId: string;
  createdAt: Date;
  state: TenantState;
  signingSecret: string;
  receiptApproval: boolean;
}

/** `names` defaults to all tenants. All records are read from one snapshot. Without a storage, files are omitted. */
export async function exportTenants(database: Database, storage: Storage | undefined, sink: Sink, names?: string[]): Promise<Exported> {
  const exported: Exported = { tenants: [], records: 0, files: 0, missing: [], skipped: [] };
  const files: { tenant: string; key: string }[] = [];
  await database.snapshot(
    async (tx) => {
      const found = await tx.query<StoredTenant>(
        `select "tenantId", "createdAt", state, "signingSecret", "receiptApproval" from "Tenant" where $1::text[] is null or "tenantId" = any($1) order by "tenantId"`,
        [names ?? null],
      );
      const unknown = names?.find((name) => !found.some(({ tenantId }) => tenantId === name));
      if (unknown !== undefined) throw new Error(`there is no tenant ${unknown}`);
      const whole = found.filter(({ state }) => state === "active" || state === "suspended");
      exported.skipped = found.filter((tenant) => !whole.includes(tenant)).map(({ tenantId }) => tenantId);
      exported.tenants = whole.map(({ tenantId }) => tenantId);
      const tables = (await tenantTables(tx)).filter(({ name }) => !(name in leftOut));
      await sink.add(nameOf.head, JSON.stringify(await headOf(tx, tables, exported.tenants)));
      for (const [i, tenant] of whole.entries()) {
        const number = String(i + 1);
        await sink.add(nameOf.tenant(number), JSON.stringify(archived(tenant, database.secrets)));
        for (const table of tables) {
          let piece = 0;
          const write = async (rows: string[]) => {
            exported.records += rows.length;
            for (const column of fileColumns[table.name] ?? [])
              for (const row of rows) {
                const key = (JSON.parse(row) as Record<string, string | null>)[column];
                if (key) files.push({ tenant: number, key });
              }
            await sink.add(nameOf.rows(number, table.name, ++piece), linesOf(rows, table.name, tenant.tenantId, database.secrets));
          };
          await readRows(tx, table, tenant.tenantId, write, exportedRows[table.name]);
        }
      }
    },
    ["Reading", "Change"],
  );
  if (storage) for (const { tenant, key } of files) await exportFile(storage, sink, tenant, key, exported);
  return exported;
}

async function headOf(tx: Queryable, tables: TenantTable[], tenants: string[]): Promise<ArchiveHead> {
  const [last] = await tx.query<{ schema: string; now: Date }>(
    "select max(migration_name) as schema, now() as now from _prisma_migrations where finished_at is not null and rolled_back_at is null",
  );
  const columns = Object.fromEntries(tables.map(({ name, columns }) => [name, columns]));
  return {
    format: formatName,
    version: formatVersion,
    schema: last!.schema,
    exportedAt: last!.now.toISOString(),
    tenants,
    tables: columns,
    leftOut,
  };
}

const archived = ({ tenantId, createdAt, state, signingSecret, receiptApproval }: StoredTenant, secrets: Secrets): ArchivedTenant => ({
  name: tenantId,
  createdAt: createdAt.toISOString(),
  state,
  receiptApproval,
  signingSecret: secrets.open(signingSecret, [tenantId, "Tenant", tenantId]),
});

/** One row per line, with decrypted secrets. */
function linesOf(rows: string[], table: string, tenantId: string, secrets: Secrets): string {
  const texts =
    table === "Webhook" ? rows.map((row) => withSecrets(row, (secret, id) => secrets.open(secret, [tenantId, table, id]))) : rows;
  return texts.map((text) => `${text}\n`).join("");
}

/** A webhook's row as JSON, with each of its secrets replaced by the result of `change`. */
export function withSecrets(text: string, change: (secret: string, id: string) => string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  for (const column of secretColumns.Webhook) if (typeof row[column] === "string") row[column] = change(row[column], row.id as string);
  return JSON.stringify(row);
}

async function exportFile(storage: Storage, sink: Sink, tenant: string, key: string, exported: Exported): Promise<void> {
  const file = await storage.open(key);
  if (!file) return void exported.missing.push(key);
  const [folder, , id] = key.split("/");
  await sink.addStream(nameOf.file(tenant, folder!, id!), file.size, file.stream);
  exported.files++;
}
