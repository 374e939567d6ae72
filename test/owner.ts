import pg from "pg";
import type { Gateway } from "./world.js";

/**
 * Runs a statement as the owner of the tables, which the gateway's role is not under row-level security. `options` apply to this session
 * only.
 */
export async function askOwner<T extends object>(
  { config, database }: Gateway,
  sql: string,
  values: unknown[] = [],
  options?: string,
): Promise<T[]> {
  if (!config.DATABASE_MIGRATE_URL) return database.query<T>(sql, values);
  const owner = new pg.Client({ connectionString: config.DATABASE_MIGRATE_URL, options });
  await owner.connect();
  return (await owner.query<T>(sql, values).finally(() => owner.end())).rows;
}
