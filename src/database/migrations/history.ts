/** Applied migrations of a database, in the table of `prisma migrate`. */
import { randomUUID } from "node:crypto";
import type { Queryable } from "../database.js";
import type { Migration } from "./files.js";

interface Recorded {
  name: string;
  checksum: string;
  finishedAt: Date | null;
}

export interface Standing {
  name: string;
  /** `unknown`: from another version of the service, usually a later one. `begun`: incomplete, such as an interrupted online migration. */
  state: "applied" | "missing" | "begun" | "unknown";
  appliedAt?: Date;
  /** Whether the applied migration differs from this version's file of that name. */
  isEdited: boolean;
}

/** Prisma's table definition, word for word. */
const table = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

const isThere = async (db: Queryable): Promise<boolean> =>
  // to_regclass would use the connection's cache, which may lack a table created while the connection waited for the lock.
  (await db.query(`select 1 from pg_class where relname = '_prisma_migrations' and pg_table_is_visible(oid)`)).length > 0;

export async function makeHistory(db: Queryable): Promise<void> {
  if (!(await isThere(db))) await db.query(table);
}

/** One entry per migration of this version or of the database, by name, which begins with its time. */
export async function standings(db: Queryable, migrations: Migration[]): Promise<Standing[]> {
  const recorded = (await isThere(db))
    ? await db.query<Recorded>(
        `select distinct on (migration_name) migration_name as name, checksum, finished_at as "finishedAt" from _prisma_migrations
         where rolled_back_at is null order by migration_name, finished_at desc nulls last, started_at desc`,
      )
    : [];
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const found = recorded.map(({ name, checksum, finishedAt }): Standing => {
    const own = known.get(name);
    return {
      name,
      state: !own ? "unknown" : finishedAt ? "applied" : "begun",
      ...(finishedAt && { appliedAt: finishedAt }),
      isEdited: own !== undefined && own.checksum !== checksum,
    };
  });
  const names = new Set(recorded.map(({ name }) => name));
  const missing = migrations
    .filter(({ name }) => !names.has(name))
    .map(({ name }): Standing => ({ name, state: "missing", isEdited: false }));
  return [...found, ...missing].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Migrations that this version still needs. */
export const missingOf = (all: Standing[]): Standing[] => all.filter(({ state }) => state === "missing" || state === "begun");

/** Records the start of a migration. A restarted migration keeps its row. */
export async function recordBegin(db: Queryable, { name, checksum }: Migration): Promise<void> {
  const begun = await db.query(
    `update _prisma_migrations set checksum = $2, logs = null where migration_name = $1 and finished_at is null and rolled_back_at is null returning 1`,
    [name, checksum],
  );
  if (begun.length) return;
  await db.query(`insert into _prisma_migrations (id, checksum, migration_name, started_at) values ($1, $2, $3, clock_timestamp())`, [
    randomUUID(),
    checksum,
    name,
  ]);
}

export const recordEnd = async (db: Queryable, { name }: Migration): Promise<void> =>
  void (await db.query(
    `update _prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1, logs = null
     where migration_name = $1 and finished_at is null and rolled_back_at is null`,
    [name],
  ));

export const recordFailure = async (db: Queryable, { name }: Migration, message: string): Promise<void> =>
  void (await db.query(
    `update _prisma_migrations set logs = $2 where migration_name = $1 and finished_at is null and rolled_back_at is null`,
    [name, message],
  ));
