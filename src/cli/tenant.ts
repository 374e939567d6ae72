import { createWriteStream, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Command } from "commander";
import { ArchiveWriter, readArchive } from "../archive/archive.js";
import type { Database } from "../database/database.js";
import { forTenant } from "../database/database.js";
import { writeAccessEvents } from "../domain/changes/access-events.js";
import { type Exported, exportTenants } from "../domain/tenants/export.js";
import { type Imported, type ImportOptions, importTenants } from "../domain/tenants/import.js";
import { changeState, countRecords, listTenants, stateNames } from "../domain/tenants/states.js";
import { openStorage } from "../storage/open.js";
import type { Storage } from "../storage/storage.js";
import {
  commandLine,
  jsonOption,
  log,
  openInput,
  print,
  report,
  showProgress,
  WrongUsage,
  whenInterrupted,
  withDatabase,
} from "./common.js";

/** Writes an archive to a new file that only its owner may read. Removes an incomplete file. */
export async function exportToFile(database: Database, storage: Storage, file: string, names?: string[]): Promise<Exported> {
  const stream = createWriteStream(file, { flags: "wx", mode: 0o600 });
  await new Promise((resolve, reject) => stream.once("open", resolve).once("error", reject)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === "EEXIST" ? `${file} exists; name a new file` : `cannot write ${file} (${error.code})`);
  });
  const archive = new ArchiveWriter(stream);
  const done = showProgress(() => `${megabytes(stream.bytesWritten)} written`);
  const ended = whenInterrupted((error) => void archive.abort(error));
  try {
    const exported = await exportTenants(database, storage, archive, names);
    await archive.end();
    await logExports(database, exported.tenants);
    return exported;
  } catch (error) {
    await archive.abort(error as Error);
    await rm(file, { force: true });
    throw error;
  } finally {
    ended();
    done();
  }
}

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Records the exports in the tenants' change logs. */
export async function logExports(database: Database, tenants: string[]): Promise<void> {
  for (const tenantId of tenants)
    await writeAccessEvents(forTenant(database, tenantId), [
      { kind: "exported", tenantId, principalId: commandLine, source: "command", details: { field: "exportTenant" } },
    ]);
}

export async function importFromFile(database: Database, storage: Storage, file: string, options: ImportOptions): Promise<Imported> {
  const stream = await openInput(file);
  const { size } = statSync(file);
  const done = showProgress(() => `${megabytes(stream.bytesRead)} of ${megabytes(size)} read`);
  const ended = whenInterrupted((error) => stream.destroy(error));
  return importTenants(database, storage, readArchive(stream), { say: log, ...options }).finally(() => {
    ended();
    done();
  });
}

export const named = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`;

/** Reports the export and returns the exit code: 2 if the archive lacks files. */
export function reportExported(verb: string, exported: Exported): number {
  const { tenants, records, files, missing, skipped } = exported;
  const words = [`${verb} ${named(tenants.length, "tenant")}: ${named(records, "record")}, ${named(files, "file")}`];
  if (skipped.length) words.push(`skipped, because an import or deletion is incomplete: ${skipped.join(", ")}`);
  if (missing.length) words.push(`${named(missing.length, "file")} missing from the storage:`, ...missing.map((key) => `  ${key}`));
  report(exported, words);
  return missing.length ? 2 : 0;
}

export function reportImported(verb: string, imported: Imported, ...further: string[]): void {
  const { tenants, records, files, takenKeys } = imported;
  const words = [`${verb} ${named(tenants.length, "tenant")}: ${named(records, "record")}, ${named(files, "file")}`];
  if (takenKeys) words.push(`skipped ${named(takenKeys, "API key")} that another tenant already uses; issue new keys with the command key`);
  report(imported, [...words, ...further]);
}

const list = new Command("list")
  .description("list tenants, their states, and the remaining records of tenants being deleted")
  .addOption(jsonOption())
  .action(() =>
    withDatabase(async (database) => {
      for (const { tenantId, state, stateSince, createdAt } of await listTenants(database)) {
        const since = state === "active" || !stateSince ? "" : ` since ${stateSince.toISOString()}`;
        const counts = state === "deleting" ? await countRecords(database, tenantId) : undefined;
        const document = { tenant: tenantId, state, stateSince, createdAt, ...(counts && { recordsLeft: sumOf(counts) }) };
        print(document, `${tenantId}: ${stateNames[state]}${since}${counts ? `, ${leftText(counts)}` : ""}`);
      }
      return 0;
    }),
  );

const sumOf = (counts: { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0);

function leftText(counts: { count: number }[]): string {
  const records = sumOf(counts);
  return records ? `${named(records, "record")} in ${named(counts.length, "table")} left` : "all records deleted, name not yet free";
}

const state = (name: string, to: "active" | "suspended", done: string, description: string) =>
  new Command(name)
    .argument("<name>", "the tenant")
    .description(description)
    .addOption(jsonOption())
    .action((tenant: string) =>
      withDatabase(async (database) => {
        await changeState(database, tenant, to);
        report({ tenant, state: to }, [`${tenant} ${done}`]);
        return 0;
      }),
    );

const remove = new Command("delete")
  .argument("<name>", "the tenant")
  .description("permanently delete a tenant with all its records and files: access ends at once, data is deleted in the background")
  .option("--confirm <name>", "repeat the name of the tenant")
  .addOption(jsonOption())
  .action((tenant: string, { confirm }: { confirm?: string }) => {
    if (confirm !== tenant)
      throw new WrongUsage(
        `this cannot be undone: repeat the name, as in tenant delete ${JSON.stringify(tenant)} --confirm ${JSON.stringify(tenant)}`,
      );
    return withDatabase(async (database) => {
      const records = sumOf(await countRecords(database, tenant));
      await changeState(database, tenant, "deleting");
      report({ tenant, state: "deleting", recordsLeft: records }, [
        `${tenant} is no longer served; the service deletes its ${named(records, "record")} and its files. tenant list shows the progress`,
      ]);
      return 0;
    });
  });

const exportOne = new Command("export")
  .argument("<name>", "the tenant")
  .argument("<file>", "a new .tar.gz file")
  .description("write a tenant with all its records and files into an archive that import accepts; it contains readable secrets")
  .addOption(jsonOption())
  .action((tenant: string, file: string) =>
    withDatabase(async (database, config) =>
      reportExported("exported", await exportToFile(database, await openStorage(config), file, [tenant])),
    ),
  );

const importOne = new Command("import")
  .argument("<file>", "an archive written by export")
  .description("import a tenant from an archive of this or another installation")
  .option("--as <name>", "name for the imported tenant")
  .option("--suspended", "import the tenant suspended: nothing is served or sent until tenant resume")
  .addOption(jsonOption())
  .action((file: string, { as, suspended }: { as?: string; suspended?: boolean }) =>
    withDatabase(async (database, config) => {
      reportImported("imported", await importFromFile(database, await openStorage(config), file, { as, isSuspended: suspended }));
      return 0;
    }),
  );

export const tenantCommand = new Command("tenant")
  .description("tenants: list, suspend, resume, export, import, delete")
  .addCommand(list)
  .addCommand(state("suspend", "suspended", "is suspended", "refuse all keys and tokens of a tenant, and pause its background work"))
  .addCommand(state("resume", "active", "is active", "end a suspension"))
  .addCommand(exportOne)
  .addCommand(importOne)
  .addCommand(remove);
