/**
 * Migrations in Prisma's own folder format, applied by Prisma's schema engine in its WebAssembly build:
 * `_prisma_migrations` stays readable for `prisma migrate`, and nothing is downloaded.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bindMigrationAwareSqlAdapterFactory, type SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemaEngine } from "@prisma/schema-engine-wasm";
import type { Database } from "./database.js";

const here = dirname(fileURLToPath(import.meta.url));
/** The build has a copy. Of the sources it is beside src. */
const prismaFolder = ["../prisma", "../../prisma"].map((path) => join(here, path)).find(existsSync)!;
const nothing = { externalTables: [], externalEnums: [] };

export const schemaFiles = () => [{ path: "schema.prisma", content: readFileSync(join(prismaFolder, "schema.prisma"), "utf8") }];

export function migrationList(): MigrationList {
  const baseDir = join(prismaFolder, "migrations");
  const lockfile = join(baseDir, "migration_lock.toml");
  const folders = existsSync(baseDir) ? readdirSync(baseDir, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
  return {
    baseDir,
    lockfile: { path: "migration_lock.toml", content: existsSync(lockfile) ? readFileSync(lockfile, "utf8") : null },
    shadowDbInitScript: "",
    migrationDirectories: folders
      .map(({ name }) => name)
      .sort()
      .map((path) => ({
        path,
        migrationFile: {
          path: "migration.sql",
          content: { tag: "ok" as const, value: readFileSync(join(baseDir, path, "migration.sql"), "utf8") },
        },
      })),
  };
}

let loaded: ReturnType<typeof loadEngine> | undefined;

/** Once in a process: the glue keeps one instance's memory. Its package entry does not load in Node 20, so it is wired by hand. */
async function loadEngine() {
  const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const folder = dirname(createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg"));
  const { instance } = await WebAssembly.instantiate(readFileSync(join(folder, "schema_engine_bg.wasm")), {
    "./schema_engine_bg.js": withIdleTimers(glue as unknown as WebAssembly.ModuleImports),
  });
  const global = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: { set_message(message: string): void } };
  global.PRISMA_WASM_PANIC_REGISTRY ??= { set_message: (message) => console.error(message) };
  (glue as unknown as { __wbg_set_wasm(exports: WebAssembly.Exports): void }).__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start?(): void }).__wbindgen_start?.();
  return glue.SchemaEngine;
}

/**
 * The engine limits how long it waits for its lock by a timer of 10 s that it never clears. Unreferenced, it keeps no process
 * alive that is done. The import's name ends with a hash that differs by version.
 */
function withIdleTimers(glue: WebAssembly.ModuleImports): WebAssembly.ModuleImports {
  const timers = Object.keys(glue).filter((name) => name.startsWith("__wbg_setTimeout_"));
  const idle = (run: () => void, ms: number) => setTimeout(run, ms).unref();
  return { ...glue, ...Object.fromEntries(timers.map((name) => [name, idle])) };
}

/** Prisma's schema engine on a driver adapter. Call `free` when done. */
export async function openSchemaEngine(factory: SqlMigrationAwareDriverAdapterFactory): Promise<SchemaEngine> {
  const Engine = await (loaded ??= loadEngine());
  const datamodels = schemaFiles().map(({ path, content }): [string, string] => [path, content]);
  return Engine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
}

async function isUpToDate(database: Database, list: MigrationList): Promise<boolean> {
  // to_regclass would answer from the connection's cache, which may not know yet what was created while it waited for the lock.
  const [table] = await database.query(`select 1 from pg_class where relname = '_prisma_migrations' and pg_table_is_visible(oid)`);
  if (!table) return false;
  const applied = await database.query<{ migration_name: string; checksum: string }>(
    `select migration_name, checksum from _prisma_migrations where finished_at is not null and rolled_back_at is null`,
  );
  const sums = new Map(applied.map((row) => [row.migration_name, row.checksum]));
  return list.migrationDirectories.every(({ path, migrationFile: { content } }) => {
    const sum = createHash("sha256")
      .update(content.tag === "ok" ? content.value : "")
      .digest("hex");
    return sums.get(path) === sum;
  });
}

/**
 * Applies the missing migrations and returns their names. On PostgreSQL in one transaction, all or none; processes that start at
 * once take turns by its lock.
 */
export async function migrate(database: Database): Promise<string[]> {
  const list = migrationList();
  if (await isUpToDate(database, list)) return [];
  const apply = async () => {
    const engine = await openSchemaEngine(database.adapter);
    try {
      return (await engine.applyMigrations({ migrationsList: list, filters: nothing })).appliedMigrationNames;
    } finally {
      engine.free();
    }
  };
  // The embedded database has one owner and one connection: nobody to wait for, and a held transaction would block the engine.
  if (database.kind === "embedded") return apply();
  return database.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('maintenance-gateway migrations'))`);
    if (await isUpToDate(database, list)) return [];
    const [role] = await tx.query<{ mayCreate: boolean }>(`select has_schema_privilege(current_schema(), 'CREATE') as "mayCreate"`);
    if (!role!.mayCreate)
      throw new Error(
        "the database lacks migrations that the role in DATABASE_URL may not apply: name its owner's URL in DATABASE_MIGRATE_URL",
      );
    const applied = await apply();
    // The engine never releases its own lock, and the connection goes back to the pool.
    await tx.query(`select pg_advisory_unlock_all()`);
    return applied;
  });
}
