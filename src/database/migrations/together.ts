/** Migrations of one transaction: all or none. */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { MigrationConnection } from "./connection.js";
import type { Migration } from "./files.js";
import { makeHistory, recordBegin, recordEnd } from "./history.js";
import { type Patience, rarely, userOf } from "./others.js";

/** lock_not_available, deadlock_detected */
export const isInUse = (error: unknown): boolean => ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");

/** query_canceled: the table locks were not granted in time. */
const isCancelled = (error: unknown): boolean => (error as { code?: string }).code === "57014";

/** Statements that conflict with concurrent use of existing tables. New tables, indexes and functions only block writes. */
const changesTables = /^\s*(alter|drop|update|delete|insert|select|do|create (or replace )?(view|trigger|policy))\b/im;

/** Tables that a script names. A script that reads the catalogue may change any table. */
function tablesOf(sql: string, existing: string[]): string[] {
  if (/\bpg_(class|attribute|policy|trigger)\b/.test(sql)) return existing;
  return existing.filter((name) => sql.includes(`"${name}"`));
}

/**
 * Views before tables, and referencing tables before referenced ones. Readers and writers lock in the same order, which reduces deadlocks.
 */
async function tablesInOrder(connection: MigrationConnection): Promise<string[]> {
  const tables = await connection.query<{ name: string; isView: boolean; refersTo: string[] }>(
    `select c.relname as name, c.relkind = 'v' as "isView", array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
       where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as "refersTo"
     from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
       and c.relname <> '_prisma_migrations' and pg_has_role(c.relowner, 'USAGE')
       and not exists (select 1 from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e') order by c.relname`,
  );
  const referredTo = new Map(tables.map(({ name, refersTo }) => [name, refersTo]));
  const ordered = new Set<string>();
  const add = (name: string, path: string[]) => {
    if (ordered.has(name) || path.includes(name)) return;
    for (const other of referredTo.get(name) ?? []) add(other, [...path, name]);
    if (referredTo.has(name)) ordered.add(name);
  };
  // Tables added last come first.
  for (const { name } of tables.toSorted((a, b) => Number(a.isView) - Number(b.isView))) add(name, []);
  return [...ordered].reverse();
}

interface Locks {
  /** Quoted. */
  tables: string[];
  statements: string[];
}

/** Statements that lock the tables of all scripts at the start, so that no script waits for a table while holding others. */
async function locks(connection: MigrationConnection, migrations: Migration[]): Promise<Locks> {
  const existing = await tablesInOrder(connection);
  const alone = new Set<string>();
  const shared = new Set<string>();
  for (const { sql } of migrations) for (const name of tablesOf(sql, existing)) (changesTables.test(sql) ? alone : shared).add(name);
  const quoted = (isTaken: (name: string) => boolean) => existing.filter(isTaken).map((name) => `"${name}"`);
  const modes = [
    { tables: quoted((name) => alone.has(name)), mode: "access exclusive" },
    { tables: quoted((name) => shared.has(name) && !alone.has(name)), mode: "share row exclusive" },
  ];
  return {
    tables: modes.flatMap(({ tables }) => tables),
    statements: modes.flatMap(({ tables, mode }) => (tables.length ? [`lock table ${tables.join(", ")} in ${mode} mode`] : [])),
  };
}

async function attempt(connection: MigrationConnection, migrations: Migration[], statements: string[], lockMs: number): Promise<void> {
  await connection.transaction(async (tx) => {
    if (connection.kind === "postgresql") {
      const end = Date.now() + lockMs;
      for (const statement of statements) {
        await connection.script(`set local statement_timeout = ${Math.max(1, end - Date.now())}`);
        await connection.script(statement);
      }
      await connection.script("set local statement_timeout = 0; set local lock_timeout = '800ms'");
    }
    for (const migration of migrations) {
      // The embedded database runs in this thread: the pause between two scripts lets the process handle signals.
      await nextTurn();
      await recordBegin(tx, migration);
      try {
        await connection.script(migration.sql);
      } catch (error) {
        throw isInUse(error) ? error : failed(migration, error);
      }
      await recordEnd(tx, migration);
    }
  });
}

export const failed = ({ name }: Migration, error: unknown): Error =>
  new Error(`the migration ${name} failed: ${(error as Error).message}`, { cause: error });

/** Maximum wait for table locks in the first attempt, and its growth factor per attempt. */
const firstLockMs = 50;
const growth = 1.5;

/**
 * Applies migrations in one transaction. A waiting lock request blocks all later ones on the table, so each attempt waits only briefly,
 * rolls back and retries. The wait is shorter than `deadlock_timeout`: PostgreSQL then cancels no transaction of a running service. It
 * interrupts its own vacuum only after that timeout, so the wait for a vacuum is longer.
 */
export async function applyTogether(
  connection: MigrationConnection,
  migrations: Migration[],
  { waitSeconds, everySeconds, log }: Patience,
) {
  await makeHistory(connection);
  if (connection.kind === "embedded") return attempt(connection, migrations, [], 0);
  const { tables, statements } = await locks(connection, migrations);
  const [setting] = await connection.query<{ ms: number }>(`select setting::int as ms from pg_settings where name = 'deadlock_timeout'`);
  const mostMs = Math.max(10, 0.8 * setting!.ms);
  const end = Date.now() + waitSeconds * 1000;
  const say = rarely(log, everySeconds);
  let isVacuum = false;
  for (let ms = firstLockMs; ; ms *= growth) {
    const lockMs = isVacuum ? 1.5 * setting!.ms : Math.min(ms, mostMs);
    try {
      return await attempt(connection, migrations, statements, Math.round(lockMs));
    } catch (error) {
      if (!isInUse(error) && !isCancelled(error)) throw error;
      const by = await userOf(connection, tables);
      isVacuum = by?.isVacuum ?? false;
      if (Date.now() >= end)
        throw new Error(
          `the tables that migrations change are in use by ${by?.text ?? "others"}; timed out after ${waitSeconds} s (MIGRATE_WAIT_SECONDS). End that transaction, or start again`,
          { cause: error },
        );
      say(`waiting up to ${waitSeconds} s for tables that migrations change: in use by ${by?.text ?? "others"}`);
      await sleep(lockMs * (1.5 + Math.random()));
    }
  }
}
