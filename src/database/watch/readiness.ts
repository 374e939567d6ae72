/** What keeps the database from being used, for /ready. */
import type { Database } from "../database.js";
import { readMigrations } from "../migrations/files.js";

export interface Unready {
  code: "DATABASE_UNREACHABLE" | "DATABASE_READ_ONLY" | "MIGRATIONS_MISSING";
  message: string;
}

const unreachable: Unready = { code: "DATABASE_UNREACHABLE", message: "The database cannot be reached" };

/** undefined_table */
const isWithoutTable = (error: unknown): boolean => (error as { code?: string }).code === "42P01";

const missing = (count: number): Unready => ({
  code: "MIGRATIONS_MISSING",
  message: `The database lacks ${count} ${count === 1 ? "migration" : "migrations"} of this release; a start of the service applies them`,
});

let names: string[] | undefined;

/** Empty for a database that serves. Asks it once. */
export async function unreadiness(database: Database): Promise<Unready[]> {
  names ??= readMigrations().map(({ name }) => name);
  try {
    const [found] = await database.query<{ isReadOnly: boolean; missing: number }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
         (select count(*)::int from unnest($1::text[]) needed where not exists (
           select 1 from _prisma_migrations m where m.migration_name = needed and m.finished_at is not null and m.rolled_back_at is null)) as missing`,
      [names],
    );
    const reasons: Unready[] = [];
    if (found!.isReadOnly)
      reasons.push({ code: "DATABASE_READ_ONLY", message: "The database takes no writes: it is a standby, or read-only" });
    if (found!.missing) reasons.push(missing(found!.missing));
    return reasons;
  } catch (error) {
    return [isWithoutTable(error) ? missing(names.length) : unreachable];
  }
}
