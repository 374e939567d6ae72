/** Reasons why the database is not ready, for /ready. */

import { version } from "../../version.js";
import type { Database } from "../database.js";
import { type DatabaseFault, DatabaseUnavailable } from "../errors.js";
import { readMigrations } from "../migrations/files.js";
import { isBefore } from "../migrations/versions.js";

export interface Unready {
  code: DatabaseFault | "DATABASE_UNREACHABLE" | "DATABASE_READ_ONLY" | "MIGRATIONS_MISSING" | "VERSION_TOO_OLD";
  message: string;
}

const ofFault: Record<DatabaseFault, Unready> = {
  DATABASE_FULL: { code: "DATABASE_FULL", message: "The database has no space left on its disk" },
  DATABASE_OUT_OF_MEMORY: { code: "DATABASE_OUT_OF_MEMORY", message: "The database has no memory left" },
  DATABASE_ACCESS_REFUSED: { code: "DATABASE_ACCESS_REFUSED", message: "The database refuses the role of the service, or is not there" },
};

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

/** Reads the function's source, because a database may lack the function. */
const leastVersion = String.raw`substring((select prosrc from pg_proc where oid = to_regproc('least_service_version')) from '\d+\.\d+\.\d+')`;

let names: string[] | undefined;
let own: string | undefined;
/** Last result by database. */
const known = new WeakMap<Database, Unready[]>();

/** By then, the watchdog has detected an unresponsive server (watchdog.ts). */
const busyMs = 2_000;

/** Empty for a ready database. While all connections are busy on a responsive server, returns the last result. */
export async function unreadiness(database: Database): Promise<Unready[]> {
  const asked = ask(database);
  const before = known.get(database);
  if (!before || !database.load().pool?.isBusy) return asked;
  let timer: NodeJS.Timeout;
  const later = new Promise<Unready[]>((resolve) => {
    timer = setTimeout(() => resolve(database.load().pool?.isStuck ? [unreachable] : before), busyMs);
  });
  return Promise.race([asked, later]).finally(() => clearTimeout(timer));
}

/** Never rejects. */
async function ask(database: Database): Promise<Unready[]> {
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
    const { recentFault } = database.load();
    if (recentFault) reasons.push(ofFault[recentFault]);
    known.set(database, reasons);
    return reasons;
  } catch (error) {
    if (isWithoutTable(error)) return [missing(names.length)];
    const fault = error instanceof DatabaseUnavailable ? error.fault : undefined;
    return [fault ? ofFault[fault] : unreachable];
  }
}
