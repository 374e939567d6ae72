// Benchmark databases on one server: `BENCH_DATABASE_URL`, by default user postgres on 127.0.0.1:5432.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import pg from "pg";

export const server = process.env.BENCH_DATABASE_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres";

export const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export async function onServer(sql) {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

export function urlOf(database) {
  const url = new URL(server);
  url.pathname = database;
  return url.href;
}

/** Migrates a new database. Returns a new key of the tenant. */
export const newKey = (databaseUrl, tenant) =>
  execFileSync(process.execPath, [cli, "key", "--tenant", tenant, "--role", "admin"], {
    env: { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: "silent" },
  })
    .toString()
    .trim();
