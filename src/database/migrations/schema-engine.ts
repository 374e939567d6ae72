/** Prisma's schema engine in its WebAssembly build, which generates migrations and compares them with the schema. Nothing is downloaded. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { bindMigrationAwareSqlAdapterFactory, type SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemaEngine } from "@prisma/schema-engine-wasm";
import { readMigrations, withoutConcurrency } from "./files.js";
import { migrationsFolder, prismaFolder } from "./package-files.js";

export const schemaFiles = () => [{ path: "schema.prisma", content: readFileSync(join(prismaFolder, "schema.prisma"), "utf8") }];

/** The migrations in the engine's format. */
export function migrationList(): MigrationList {
  const lockfile = join(migrationsFolder, "migration_lock.toml");
  return {
    baseDir: migrationsFolder,
    lockfile: { path: "migration_lock.toml", content: existsSync(lockfile) ? readFileSync(lockfile, "utf8") : null },
    shadowDbInitScript: "",
    migrationDirectories: readMigrations().map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: withoutConcurrency(sql) } },
    })),
  };
}

let loaded: ReturnType<typeof loadEngine> | undefined;

/**
 * Once per process, because the glue code keeps the memory of a single instance. Wired by hand: the package's entry point does not load in
 * Node 20.
 */
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
 * The engine limits its wait for a lock with a 10 s timer that it never clears. Unreferencing the timer lets a finished process exit. The
 * import's name ends with a hash that differs by version.
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
