/**
 * Global set-up of tests that need a database: a migrated template, copied for each gateway. The template is on a PostgreSQL server in
 * memory that the run starts and stops, or on the server at TEST_DATABASE_URL. It is embedded in the project `embedded`, and if server
 * programs are missing. Templates are kept between runs.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { buildIfStale, cache, checksum } from "../scripts/stale.mjs";
import { whenThereIsRoom } from "../src/database/connection/pool.js";
import { binaries, Server } from "./postgresql.js";
import { createRunFolder } from "./run-folder.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of this run: embedded databases and files. */
    folder: string;
    /** Prefix of the names of this run's databases. */
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

/** Creates a role without privileges, if it does not exist. */
export async function makeRole(role: string): Promise<void> {
  await onServer(`create role ${role} login password '${role}'`).catch((error) => {
    // 42710: duplicate_object. 23505: two concurrent creations.
    if (error.code !== "42710" && error.code !== "23505") throw error;
  });
}

/** The environment of a gateway whose role owns nothing and is subject to row-level security. */
export async function serviceRole(name: string): Promise<Record<string, string>> {
  const role = "gateway_test_service";
  await makeRole(role);
  const url = new URL(urlOf(name));
  url.username = url.password = role;
  return { DATABASE_URL: url.href, DATABASE_MIGRATE_URL: urlOf(name), ROW_SECURITY: "on" };
}

/** Imports the database on demand, because most runs find the template in the cache. */
async function migrated(environment: Record<string, string>): Promise<void> {
  const { readConfig } = await import("../src/config.js");
  const { openDatabase } = await import("../src/database/connection/open.js");
  await (await openDatabase(readConfig(environment), () => {})).close();
}

const sources = [
  "prisma/migrations",
  "src/database/migrations/migrate.ts",
  "src/database/migrations",
  "src/database/connection/embedded.ts",
  "package-lock.json",
];
/**
 * Stops the run if a migration is missing, because most tests would then fail with an internal error.
 * Skipped for mutated migrations (scripts/mutants.mjs).
 */
const checkMigrations = () =>
  buildIfStale({
    name: "check of the migrations",
    stamp: join(cache, "migrations-checked"),
    sources: [
      "prisma/schema.prisma",
      "src/database/migrations/migration-author.ts",
      "src/database/migrations/schema-engine.ts",
      ...sources,
    ],
    async build() {
      const { drift } = await import("../src/database/migrations/migration-author.js");
      const sql = await drift();
      if (!sql) return;
      throw new Error(`prisma/migrations lacks a migration; run \`npm run migration -- NAME\`. It will contain:\n${sql}`);
    },
  });

/** Number of templates of each kind to keep, by last use. Not by age, because a run may fake its clock. */
const keptTemplates = 8;

/** A template contains the partitions of the month of its creation, so that it serves for that month only. */
const templateChecksum = () => `${checksum(...sources)}-${new Date().toISOString().slice(0, 7)}`;

/** Returns a folder of the cache, created by `fill` if it is missing. Concurrent runs see it either complete or not at all. */
async function cached(prefix: string, key: string, fill: (folder: string) => void | Promise<void>): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const usedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const known = readdirSync(cache)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(cache, name))
    .sort((one, other) => usedAt(other) - usedAt(one));
  for (const path of known.slice(keptTemplates)) rmSync(path, { recursive: true, force: true });
  const folder = join(cache, `${prefix}${key}`);
  if (!existsSync(folder)) {
    const created = mkdtempSync(`${folder}.`);
    await fill(created);
    try {
      renameSync(created, folder);
    } catch (error) {
      rmSync(created, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  utimesSync(folder, new Date(), new Date());
  return folder;
}

/** Copies the embedded template to the run's folder, so that no other run removes it. */
async function embeddedTemplate(folder: string): Promise<string> {
  const saved = await cached("database-", templateChecksum(), (DATA_DIR) => migrated({ DATA_DIR }));
  const template = join(folder, "template");
  if (!existsSync(template)) cpSync(saved, template, { recursive: true });
  return template;
}

/** Test data need not survive a crash, so no write waits for the disk. */
const serverSettings = [
  "fsync = off",
  "synchronous_commit = off",
  "full_page_writes = off",
  "wal_level = minimal",
  "max_wal_senders = 0",
  "max_connections = 300",
  "shared_buffers = 256MB",
  "max_wal_size = 512MB",
  "checkpoint_timeout = 1h",
];

/** Starts the PostgreSQL server of this run in its folder, with a cached template. */
async function startServer(folder: string): Promise<Server> {
  const version = basename(join(binaries!, ".."));
  const saved = await cached(`postgresql-${version}-`, templateChecksum(), async (path) => {
    const server = await Server.start(() => serverSettings, { parent: folder, options: ["--no-sync", "--wal-segsize=4"] });
    try {
      process.env.TEST_DATABASE_URL = server.url;
      await serverTemplate("gateway_test_run_cache");
      server.stop("fast");
      server.saveTo(join(path, "data"));
    } finally {
      server.remove();
    }
  });
  return Server.startOnCopy(join(saved, "data"), folder);
}

/** Creates the template database if it is missing. Its comment stores the time of last use. */
async function serverTemplate(run: string): Promise<string> {
  const name = `gateway_test_template_${templateChecksum().replaceAll("-", "_")}`;
  const known = await onServer(
    `select datname as name from pg_database where datname like 'gateway\\_test\\_template\\_%' order by shobj_description(oid, 'pg_database') desc nulls first`,
  );
  for (const { name: other } of known.slice(keptTemplates)) await onServer(`drop database if exists ${other} with (force)`);
  if (!known.some((database) => database.name === name)) {
    await onServer(`create database ${run}_template`);
    await migrated({ DATABASE_URL: urlOf(`${run}_template`) });
    // 42P04, duplicate_database: another run was faster. This run's copy is removed at its end.
    await onServer(`alter database ${run}_template rename to ${name}`).catch((error) => {
      if (error.code !== "42P04") throw error;
    });
  }
  await onServer(`comment on database ${name} is '${new Date().toISOString()}'`);
  return name;
}

/** Prefix of the names of a run's databases. The run's leader stays connected under this name until the run ends. */
const runName = (folder: string) => `gateway_test_run_${basename(folder).slice(-6).toLowerCase()}`;

const dropDatabases = async (condition: string) => {
  for (const { name } of await onServer(`select datname as name from pg_database where ${condition}`))
    await onServer(`drop database if exists ${name} with (force)`);
};

/** Marks a run as alive on a server that several runs share, and removes databases of runs whose leader is gone. */
async function lead(run: string): Promise<pg.Client> {
  const leader = new pg.Client({ connectionString: urlOf("postgres"), application_name: run });
  await leader.connect();
  await dropDatabases(
    `datname like 'gateway\\_test\\_run\\_%' and not exists (select from pg_stat_activity where starts_with(datname, application_name) and starts_with(application_name, 'gateway_test_run_'))`,
  );
  return leader;
}

/** Provides the run's folder and database server once for all projects. Returns the teardown. */
async function prepareRun(root: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const folder = createRunFolder();
  const run = runName(folder);
  root.provide("folder", folder);
  root.provide("run", run);
  const server = given || !binaries ? undefined : await startServer(folder);
  if (server) process.env.TEST_DATABASE_URL = server.url;
  const leader = given ? await lead(run) : undefined;
  root.provide("template", given || server ? await serverTemplate(run) : "");
  root.provide("templateFolder", given || server ? "" : await embeddedTemplate(folder));
  return async () => {
    if (leader) await dropDatabases(`starts_with(datname, '${run}')`);
    await leader?.end();
    server?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
}

export default async function setUp(project: TestProject) {
  try {
    return await prepare(project);
  } catch (error) {
    // Vitest with a module cache does not print errors of a global set-up.
    console.error(error);
    process.exit(1);
  }
}

async function prepare(project: TestProject) {
  const root = project.vitest.getRootProject();
  const isFirst = !("run" in root.getProvidedContext());
  if (isFirst && !process.env.MUTATED) await checkMigrations();
  const end = isFirst ? await prepareRun(root) : undefined;
  if (project.name === "embedded") {
    project.provide("template", "");
    project.provide("templateFolder", await embeddedTemplate(root.getProvidedContext().folder));
  }
  return end;
}
