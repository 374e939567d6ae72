/** Other sessions on the database: the holder of the migration lock, and transactions that hold table locks. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../database.js";

/** Shared with all earlier versions. */
const lockKey = `hashtext('maintenance-gateway migrations')`;

/** Fields that another role's session hides are undefined. */
interface Session {
  pid: number;
  program: string | null;
  host: string | null;
  since: Date | null;
}

const columns = `a.pid, nullif(a.application_name, '') as program, coalesce(a.client_hostname, host(a.client_addr)) as host`;

const shown = ({ pid, program, host, since }: Session) =>
  `process ${pid} of PostgreSQL (${[program ?? "unnamed", host && `at ${host}`, since && `since ${since.toISOString()}`].filter(Boolean).join(", ")})`;

/** Undefined if the holder has just ended. */
async function holder(db: Queryable): Promise<string | undefined> {
  const [found] = await db.query<Session>(
    `select ${columns}, coalesce(a.xact_start, a.backend_start) as since from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32 | l.objid::bigint) = ${lockKey}::bigint`,
  );
  return found && shown(found);
}

/** The oldest transaction of another session that uses one of the tables. PostgreSQL's own vacuum counts only if there is no other. */
export async function userOf(db: Queryable, tables: string[]): Promise<{ text: string; isVacuum: boolean } | undefined> {
  const [found] = await db.query<Session & { isVacuum: boolean }>(
    `select ${columns}, a.xact_start as since, coalesce(a.backend_type = 'autovacuum worker', false) as "isVacuum" from pg_stat_activity a
     where a.pid <> pg_backend_pid() and exists (select 1 from pg_locks l where l.pid = a.pid and l.granted and l.relation = any($1::regclass[])
       and l.database = (select oid from pg_database where datname = current_database()))
     order by "isVacuum", a.xact_start nulls last limit 1`,
    [tables],
  );
  return found && { text: found.isVacuum ? "PostgreSQL's vacuum" : shown(found), isVacuum: found.isVacuum };
}

/** Logs at most one line per `seconds`. */
export function rarely(log: (line: string) => void, seconds: number): (line: string) => void {
  let last = -Infinity;
  return (line) => {
    if (Date.now() - last < seconds * 1000) return;
    last = Date.now();
    log(line);
  };
}

export interface Patience {
  /** Maximum wait for other sessions, in seconds. */
  waitSeconds: number;
  /** Interval of log messages during the wait, in seconds. */
  everySeconds: number;
  log: (line: string) => void;
}

/**
 * Takes the lock for applying migrations. Waits outside of a transaction, which would block the lock's holder while it builds an index
 * concurrently. Returns a function that releases the lock; closing the connection also releases it.
 */
export async function takeTurn(db: Queryable, { waitSeconds, everySeconds, log }: Patience): Promise<() => Promise<void>> {
  const end = Date.now() + waitSeconds * 1000;
  const say = rarely(log, everySeconds);
  for (;;) {
    const [lock] = await db.query<{ isTaken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as "isTaken"`);
    if (lock!.isTaken) return async () => void (await db.query(`select pg_advisory_unlock(${lockKey})`));
    const by = await holder(db);
    if (Date.now() >= end)
      throw new Error(
        `the migration lock is held by ${by}; timed out after ${waitSeconds} s (MIGRATE_WAIT_SECONDS). Stop that process, or start again`,
      );
    if (by) say(`waiting up to ${waitSeconds} s for the migrations of ${by}`);
    await sleep(200 + 100 * Math.random());
  }
}
