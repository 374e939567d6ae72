/** Once before all tests: a migrated database to copy for each test file, embedded or (TEST_DATABASE_URL) PostgreSQL. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { readConfig } from "../src/config.js";
import { openDatabase } from "../src/database/open.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that holds the embedded template and its copies. */
    folder: string;
    /** The template database's name on the PostgreSQL server; empty on the embedded one. */
    template: string;
  }
}

export const urlOf = (name: string) => {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  url.pathname = name;
  return url.href;
};

export async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf("postgres") });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

export default async function prepare(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), "gateway-test-"));
  const template = process.env.TEST_DATABASE_URL ? `gateway_test_${process.pid}` : "";
  if (template) await onServer(`create database ${template}`);
  const config = readConfig({ DATA_DIR: join(folder, "template"), DATABASE_URL: template && urlOf(template) });
  await (await openDatabase(config, () => {})).close();
  project.provide("folder", folder);
  project.provide("template", template);
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    if (template) await onServer(`drop database if exists ${template} with (force)`);
  };
}
