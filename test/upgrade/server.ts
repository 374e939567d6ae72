/** A separate database on the PostgreSQL server of the run. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

export const server = process.env.TEST_DATABASE_URL;

/** The built command line of this version. */
export const thisMain = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

async function run(url: string, sql: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
}

export interface Installation {
  /** Settings of its services and commands. */
  environment: Record<string, string>;
  query: (sql: string) => Promise<any[]>;
  remove: () => Promise<void>;
}

export async function newInstallation(): Promise<Installation> {
  const name = `gateway_upgrade_${randomBytes(4).toString("hex")}`;
  const folder = mkdtempSync(join(tmpdir(), "gateway-upgrade-"));
  await run(server!, `create database ${name}`);
  const url = new URL(server!);
  url.pathname = name;
  return {
    environment: { DATABASE_URL: url.href, DATA_DIR: folder },
    query: (sql) => run(url.href, sql),
    async remove() {
      await run(server!, `drop database if exists ${name} with (force)`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
