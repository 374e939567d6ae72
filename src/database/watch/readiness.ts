/** What keeps the database from being used, for /ready. */
import type { Database } from "../database.js";
import { readMigrations } from "../migrations/files.js";
import { isBefore } from "../migrations/versions.js";
import { version } from "../package-files.js";

export interface Unready {
  code: "DATABASE_UNREACHABLE" | "DATABASE_READ_ONLY" | "MIGRATIONS_MISSING" | "VERSION_TOO_OLD";
  message: string;
}

const unreachable: Unready = { code: "DATABASE_UNREACHABLE", message: "The database cannot be reached" };

/** undefined_table */
const isWithoutTable = (error: unknown): boolean => (error as { code?: string }).code === "42P01";

const missing = (count: number): Unready => ({
  code: "MIGRATIONS_MISSING",
  message: `The database lacks ${count} ${count === 1 ? "migration" : "migrations"} of this release; a start of the service applies them`,
});

const tooOld = (own: string, least: string): Unready => ({
  code: "VERSION_TOO_OLD",
  message: `This is version ${own}, and the database needs ${least} or later since its last migration`,
});

/** From the function's text, because a database may lack the function. */
const leastVersion = String.raw`substring((select prosrc from pg_proc where oid = to_regproc('least_service_version')) from '\d+\.\d+\.\d+')`;

let names: string[] | undefined;
let own: string | undefined;

/** Empty for a database that serves. Asks it once. */
export async function unreadiness(database: Database): Promise<Unready[]> {
  names ??= readMigrations().map(({ name }) => name);
  own ??= version();
  try {
    const [found] = await database.query<{ isReadOnly: boolean; least: string | null; missing: number }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly", ${leastVersion} as least,
         (select count(*)::int from unnest($1::text[]) needed where not exists (
           select 1 from _prisma_migrations m where m.migration_name = needed and m.finished_at is not null and m.rolled_back_at is null)) as missing`,
      [names],
    );
    const reasons: Unready[] = [];
    if (found!.isReadOnly)
      reasons.push({ code: "DATABASE_READ_ONLY", message: "The database takes no writes: it is a standby, or read-only" });
    if (found!.least && isBefore(own, found!.least)) reasons.push(tooOld(own, found!.least));
    if (found!.missing) reasons.push(missing(found!.missing));
    return reasons;
  } catch (error) {
    return [isWithoutTable(error) ? missing(names.length) : unreachable];
  }
}
