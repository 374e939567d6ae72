/**
 * Once before the tests that need a database: a migrated one to copy for each gateway, embedded or (TEST_DATABASE_URL)
 * PostgreSQL. It is kept between runs under the checksum of the migrations and of the code that applies them.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statfsSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { buildIfStale, cache, checksum } from "../scripts/stale.mjs";
import { whenThereIsRoom } from "../src/database/pool.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of this run: embedded databases and files. */
    folder: string;
    /** What the names of this run's databases begin with. */
    run: string;
    /** The template database's name on the PostgreSQL server; empty on the embedded one. */
    template: string;
    /** The folder of the embedded template. */
    templateFolder: string;
  }
}

export const urlOf = (name: string) => {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  url.pathname = name;
  return url.href;
};

export async function onServer(sql: string, database = "postgres"): Promise<any[]> {
  const client = await whenThereIsRoom(async () => {
    const made = new pg.Client({ connectionString: urlOf(database) });
    await made.connect();
    return made;
  });
  return (await client.query(sql).finally(() => client.end())).rows;
}

/** Makes a role without rights of its own, if it is not there. */
export async function makeRole(role: string): Promise<void> {
  await onServer(`create role ${role} login password '${role}'`).catch((error) => {
    // 42710, duplicate_object; 23505, of two at once.
    if (error.code !== "42710" && error.code !== "23505") throw error;
  });
}

/** The environment of a gateway whose role owns nothing and is held by row-level security. */
export async function serviceRole(name: string): Promise<Record<string, string>> {
  const role = "gateway_test_service";
  await makeRole(role);
  const url = new URL(urlOf(name));
  url.username = url.password = role;
  return { DATABASE_URL: url.href, DATABASE_MIGRATE_URL: urlOf(name), ROW_SECURITY: "on" };
}

/** Imports the database here, because most runs find the template in the cache. */
async function migrated(environment: Record<string, string>): Promise<void> {
  const { readConfig } = await import("../src/config.js");
  const { openDatabase } = await import("../src/database/open.js");
  await (await openDatabase(readConfig(environment), () => {})).close();
}

const sources = [
  "prisma/migrations",
  "src/database/migrate.ts",
  "src/database/migrations",
  "src/database/embedded.ts",
  "package-lock.json",
];
/** Stops the run if a migration is missing, because most tests would then fail with an internal error. */
const checkMigrations = () =>
  buildIfStale({
    name: "check of the migrations",
    stamp: join(cache, "migrations-checked"),
    sources: ["prisma/schema.prisma", "src/database/migration-author.ts", "src/database/schema-engine.ts", ...sources],
    async build() {
      const { drift } = await import("../src/database/migration-author.js");
      const sql = await drift();
      if (!sql) return;
      // Vitest with a module cache cannot print an error that a global setup throws.
      console.error(`prisma/migrations lacks a migration; run \`npm run migration -- NAME\`. It will contain:\n${sql}`);
      process.exit(1);
    },
  });

const dayMs = 86_400_000;
/** What no run of any branch has used for so long is removed. */
const keptMs = 7 * dayMs;

/** Made under another name and renamed: two runs at once each find it whole or not at all. */
async function embeddedTemplate(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (name.startsWith("database-") && Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
  const folder = join(cache, `database-${checksum(...sources)}`);
  if (!existsSync(folder)) {
    const made = mkdtempSync(`${folder}.`);
    await migrated({ DATA_DIR: made });
    try {
      renameSync(made, folder);
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  utimesSync(folder, new Date(), new Date());
  return folder;
}

/** As above; the database's comment says when it was used last. */
async function serverTemplate(run: string): Promise<string> {
  const name = `gateway_test_template_${checksum(...sources)}`;
  const known = await onServer(
    `select datname as name, coalesce(shobj_description(oid, 'pg_database'), '') as used from pg_database where datname like 'gateway\\_test\\_%'`,
  );
  for (const { name: other, used } of known) {
    const [, started] = /^gateway_test_run_(\d+)_/.exec(other) ?? [];
    const isLeft = started ? Date.now() - Number(started) > dayMs : Date.now() - Date.parse(used) > keptMs;
    if (other !== name && isLeft) await onServer(`drop database if exists ${other} with (force)`);
  }
  if (!known.some((database) => database.name === name)) {
    await onServer(`create database ${run}_template`);
    await migrated({ DATABASE_URL: urlOf(`${run}_template`) });
    // 42P04, duplicate_database: another run was quicker, and this run's is removed at its end.
    await onServer(`alter database ${run}_template rename to ${name}`).catch((error) => {
      if (error.code !== "42P04") throw error;
    });
  }
  await onServer(`comment on database ${name} is '${new Date().toISOString()}'`);
  return name;
}

/** In memory where there is room for many copies of the embedded database: each is 1,300 files, which take a disk a second to write and remove. */
function folderOfRun(): string {
  const memory = "/dev/shm";
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const parent = bavail * bsize > 4 * 2 ** 30 ? memory : tmpdir();
  // Of runs that were killed.
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (name.startsWith("gateway-test-") && Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path, { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, "gateway-test-"));
}

export default async function prepare(project: TestProject) {
  await checkMigrations();
  const folder = folderOfRun();
  const run = `gateway_test_run_${Date.now()}_${basename(folder).slice(-6).toLowerCase()}`;
  project.provide("folder", folder);
  project.provide("run", run);
  const onPostgresql = Boolean(process.env.TEST_DATABASE_URL);
  project.provide("template", onPostgresql ? await serverTemplate(run) : "");
  project.provide("templateFolder", onPostgresql ? "" : await embeddedTemplate());
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    if (!onPostgresql) return;
    const left = await onServer(`select datname as name from pg_database where starts_with(datname, '${run}')`);
    for (const { name } of left) await onServer(`drop database if exists ${name} with (force)`);
  };
}
