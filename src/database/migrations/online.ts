/**
 * Migrations of large tables while the service runs: statement by statement, each in a transaction of its own. An interrupted migration is
 * restarted, so each statement must be safe to repeat.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { MigrationConnection } from "./connection.js";
import { type Migration, withoutConcurrency } from "./files.js";
import { makeHistory, recordBegin, recordEnd, recordFailure } from "./history.js";
import { type Patience, rarely, userOf } from "./others.js";
import { failed, isInUse } from "./together.js";

/** Maximum wait of a statement for a table lock. Later statements on the table wait behind it. */
const lockMs = 800;

const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;|[\s\S]/g;

export interface Statement {
  sql: string;
  /** Marked with `-- repeat`: runs until it changes no row. */
  isRepeated: boolean;
}

/** Splits a script at its semicolons, except those in strings, names, function bodies and comments. */
export function statementsOf(script: string): Statement[] {
  const statements: Statement[] = [];
  let sql = "";
  let isRepeated = false;
  const end = () => {
    if (sql.trim()) statements.push({ sql: sql.trim(), isRepeated });
    sql = "";
    isRepeated = false;
  };
  for (const [part] of script.matchAll(token)) {
    if (part === ";") end();
    else if (/^--\s*repeat\s*$/.test(part)) isRepeated = true;
    else if (!part.startsWith("--") && !part.startsWith("/*")) sql += part;
  }
  end();
  return statements;
}

const concurrentIndex = /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(?:"([^"]+)"|(\w+))/i;

/** Shortened for the log. */
const brief = (sql: string) => sql.replace(/^(.{60}).+$/su, "$1…").replace(/\s+/g, " ");

/** Retries a statement that did not get its lock in time. */
async function whenFree<T>(work: () => Promise<T>, connection: MigrationConnection, sql: string, patience: Patience): Promise<T> {
  const end = Date.now() + patience.waitSeconds * 1000;
  const say = rarely(patience.log, patience.everySeconds);
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      if (!isInUse(error) || Date.now() >= end) throw error;
      const names = [...sql.matchAll(/"(?:[^"]|"")+"/g)].map(([name]) => name);
      const known = await connection.query<{ name: string }>(
        `select name from unnest($1::text[]) name where to_regclass(name) is not null`,
        [names],
      );
      const by = await userOf(
        connection,
        known.map(({ name }) => name),
      );
      say(`waiting for a table in use by ${by?.text ?? "others"}: ${brief(sql)}`);
      await sleep(Math.min(5_000, 100 * 2 ** attempts) * (0.5 + Math.random() / 2));
    }
  }
}

/**
 * Consecutive batches below a tenth of the largest batch. More mean that rows are added as fast as they are changed, so the loop would not
 * end.
 */
const mostSmall = 50;

/** Changes rows in batches until none is left. */
async function repeat(connection: MigrationConnection, sql: string, patience: Patience): Promise<void> {
  const begun = Date.now();
  const say = rarely(patience.log, patience.everySeconds);
  let largest = 0;
  for (let rows = 0, small = 0; ; ) {
    const changed = await whenFree(() => connection.change(sql), connection, sql, patience);
    rows += changed;
    largest = Math.max(largest, changed);
    small = changed * 10 < largest ? small + 1 : 0;
    const progress = `changed ${rows} rows in ${((Date.now() - begun) / 1000).toFixed(1)} s: ${brief(sql)}`;
    if (!changed) return rows ? patience.log(progress) : undefined;
    if (small === mostSmall)
      throw new Error(
        `new rows that need the change are added as fast as existing ones are changed; first add a default or a trigger for new rows: ${brief(sql)}`,
      );
    say(`${progress} under way`);
  }
}

interface Progress {
  phase: string;
  percent: number | null;
  waitsFor: number | null;
}

/** Logs the progress of an index build, read on another connection, until the returned function is called. */
async function follow(connection: MigrationConnection, name: string, { everySeconds, log }: Patience): Promise<() => Promise<void>> {
  const [self] = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
  const observer = await connection.another!();
  const look = async () => {
    const [found] = await observer.query<Progress>(
      `select phase, round(100.0 * case when blocks_total > 0 then blocks_done::numeric / blocks_total when tuples_total > 0 then tuples_done::numeric / tuples_total end)::int as percent,
         nullif(current_locker_pid, 0) as "waitsFor" from pg_stat_progress_create_index where pid = $1`,
      [self!.pid],
    );
    if (!found) return;
    const { phase, percent, waitsFor } = found;
    log(`index ${name}: ${phase}${percent === null ? "" : `, ${percent} %`}${waitsFor ? `, process ${waitsFor} of PostgreSQL` : ""}`);
  };
  const timer = setInterval(() => void look().catch(() => {}), Math.max(100, everySeconds * 1000));
  return async () => {
    clearInterval(timer);
    await observer.close();
  };
}

interface Index {
  /** Absent for the current schema. */
  schema?: string;
  name: string;
}

const quoted = ({ schema, name }: Index) => (schema ? `"${schema}"."${name}"` : `"${name}"`);

const concurrentIndexOn = /^(create\s+(?:unique\s+)?index)\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?\w+"?\s+on\s+"(\w+)"([\s\S]+)$/i;

/**
 * Builds an index of a partitioned table on each partition, which PostgreSQL cannot do itself without blocking writers. The index of the table
 * then consists of them. Returns false for any other table.
 */
async function makePartitionedIndex(connection: MigrationConnection, sql: string, name: string, patience: Patience): Promise<boolean> {
  const [, create, table, definition] = concurrentIndexOn.exec(sql) ?? [];
  if (!table) return false;
  const partitions = await connection.query<Required<Index>>(
    `select n.nspname as schema, c.relname as name from pg_class p cross join pg_partition_tree(p.oid) t
     join pg_class c on c.oid = t.relid join pg_namespace n on n.oid = c.relnamespace
     where p.oid = to_regclass(quote_ident($1)) and p.relkind = 'p' and t.isleaf order by 2`,
    [table],
  );
  if (!partitions.length) return false;
  for (const partition of partitions) {
    const index = { schema: partition.schema, name: `${name}_${partition.name}` };
    await makeIndex(connection, `${create} concurrently "${index.name}" on ${quoted(partition)}${definition}`, index, patience);
  }
  const whole = `${create} if not exists "${name}" on "${table}"${definition}`;
  await whenFree(() => connection.change(whole), connection, whole, patience);
  return true;
}

/** Builds an index without blocking writers. An interrupted build leaves an invalid index, which is dropped and rebuilt. */
async function makeIndex(connection: MigrationConnection, sql: string, made: Index, patience: Patience): Promise<void> {
  const { name } = made;
  if (connection.kind === "embedded") {
    // There are no concurrent writers here.
    await connection.script(`drop index if exists "${name}"`);
    return connection.script(withoutConcurrency(sql));
  }
  const [index] = await connection.query<{ isValid: boolean }>(
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)`,
    [quoted(made)],
  );
  if (index?.isValid) return patience.log(`index ${name} is there`);
  if (await makePartitionedIndex(connection, sql, name, patience)) return;
  const begun = Date.now();
  // The statement allows reads and writes while it waits for a lock.
  await connection.script("set lock_timeout = 0");
  try {
    if (index) {
      patience.log(`the build of index ${name} was interrupted; rebuilding`);
      await connection.change(`drop index concurrently ${quoted(made)}`);
    }
    const stop = await follow(connection, name, patience);
    try {
      await connection.change(sql);
    } finally {
      await stop();
    }
  } finally {
    await connection.script(`set lock_timeout = ${lockMs}`).catch(() => {});
  }
  patience.log(`made the index ${name} in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}

export async function applyOnline(connection: MigrationConnection, migration: Migration, patience: Patience): Promise<void> {
  await makeHistory(connection);
  await recordBegin(connection, migration);
  await connection.script(`set lock_timeout = ${lockMs}`);
  try {
    for (const { sql, isRepeated } of statementsOf(migration.sql)) {
      const [, quoted, plain] = concurrentIndex.exec(sql) ?? [];
      const index = quoted ?? plain?.toLowerCase();
      if (index) await makeIndex(connection, sql, { name: index }, patience);
      else if (isRepeated) await repeat(connection, sql, patience);
      else await whenFree(() => connection.change(sql), connection, sql, patience);
    }
  } catch (error) {
    await recordFailure(connection, migration, (error as Error).message).catch(() => {});
    throw failed(migration, error);
  } finally {
    await connection.script("set lock_timeout = 0").catch(() => {});
  }
  await recordEnd(connection, migration);
}
