/** Who else is at work on the database: who holds the lock of the migrations, and whose transactions hold tables. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../database.js";

/** Also that of every version before. */
const lockKey = `hashtext('maintenance-gateway migrations')`;

/** Undefined of what another role's session does not show. */
interface Session {
  pid: number;
  program: string | null;
  host: string | null;
  since: Date | null;
}

const columns = `a.pid, nullif(a.application_name, '') as program, coalesce(a.client_hostname, host(a.client_addr)) as host`;

const shown = ({ pid, program, host, since }: Session) =>
  `process ${pid} of PostgreSQL (${[program ?? "unnamed", host && `at ${host}`, since && `since ${since.toISOString()}`].filter(Boolean).join(", ")})`;

/** Undefined if it has just ended. */
async function holder(db: Queryable): Promise<string | undefined> {
  const [found] = await db.query<Session>(
    `select ${columns}, coalesce(a.xact_start, a.backend_start) as since from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32 | l.objid::bigint) = ${lockKey}::bigint`,
  );
  return found && shown(found);
}

/** The oldest transaction of others that uses one of the tables. PostgreSQL's own vacuum counts where it is the only one. */
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

/** Says a line at most every so many seconds. */
export function rarely(log: (line: string) => void, seconds: number): (line: string) => void {
  let last = -Infinity;
  return (line) => {
    if (Date.now() - last < seconds * 1000) return;
    last = Date.now();
    log(line);
  };
}

export interface Patience {
  /** How long to wait for others before giving up. */
  waitSeconds: number;
  /** How often to say what is waited for. */
  everySeconds: number;
  log: (line: string) => void;
}

/**
 * Takes the lock under which migrations are applied. Waits without a transaction: one would hold up who makes an index concurrently under the lock.
 * Returns how to give it back, as does the end of the connection.
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
        `the migrations' lock is held by ${by}; gave up after ${waitSeconds} s (MIGRATE_WAIT_SECONDS). End it, or start again`,
      );
    if (by) say(`waiting up to ${waitSeconds} s for the migrations of ${by}`);
    await sleep(200 + 100 * Math.random());
  }
}
