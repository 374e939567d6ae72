/**
 * One interface with two implementations: PostgreSQL (a pg pool) and the embedded PGlite. Both speak the same SQL. Only this folder
 * imports a driver or Prisma; other code gets a `Database`, and the handling of a request a `TenantDatabase`.
 */
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import type { Table } from "./catalogue.js";
import type { DatabaseFault } from "./errors.js";
import type { PrismaClient } from "./generated/client.js";
import { openPrisma, type Records, recordsOf } from "./records.js";
import type { Secrets } from "./secrets.js";
import { withinTenant } from "./tenant-scope.js";

/**
 * Begins a select whose best plan depends on its values, such as a period or a part of the tenant: the statement, also one that it is a part of,
 * has no name, so PostgreSQL plans it each time.
 */
export const plannedEachTime = "/* planned each time */ ";

export interface Queryable {
  /**
   * Runs one statement; `values` are bound to $1, $2, … Numerics arrive as numbers, 64-bit integers as text, timestamps as dates. When the
   * signal fires, what waits is dropped and what runs is cancelled (not in the embedded database), and the signal's reason is thrown.
   */
  query<T>(text: string, values?: unknown[], signal?: AbortSignal): Promise<T[]>;
}

/** What a process asks of its database. */
export interface DatabaseLoad {
  /** Statements of requests, and of work in the background (background.ts). */
  requests: { count: number; seconds: number };
  background: { count: number; seconds: number };
  /** Fault that a statement met in the last 30 seconds, such as a full disk. */
  recentFault?: DatabaseFault | undefined;
  /** Undefined for the embedded database, which has one connection. */
  pool?: {
    open: number;
    idle: number;
    waiting: number;
    size: number;
    /** Whether all are taken. */
    isBusy: boolean;
    /** Whether all are taken, nothing ends on any of them for a while, and the server does not answer. */
    isStuck: boolean;
    /** Those that the URL names, in their order; none is used while none can be. */
    servers: { name: string; isUsed: boolean }[];
    /** How often connections were reopened, as after a failover. */
    moves: number;
  };
}

export interface ReplicaLoad {
  /** `behind`: it lacks more than reports may. `gone`: it is not read at all. */
  state: "serving" | "behind" | "gone";
  /** Seconds that it lacks at most. Undefined until that is known. */
  lag: number | undefined;
  /** Statements that it could have been asked, by who answered them. */
  reads: { standby: number; primary: number };
}

/** A standby for reads that may be some seconds old (replica.ts). */
export interface ReadReplica {
  readonly load: ReplicaLoad;
  /** Seconds that reports may lack. */
  readonly maxLag: number;
  /** Reads what lacks at most the last `seconds`: from the standby if it has that, else, and if the standby fails, from the primary. */
  within(seconds: number): Queryable["query"];
}

export interface Database extends Queryable {
  /**
   * Calls `handler` soon after any process has written as somebody (author.ts), with the tenant if that is known. Best effort: while the
   * connection is lost nothing is delivered, and a crash loses what was not delivered yet. Call the returned function to end it.
   */
  onWritten(handler: (tenantId: string | undefined) => void): Promise<() => Promise<void>>;
  /** Calls `handler` when any process changes the rights of a tenant's keys or persons. As with `onWritten`, messages are lost while the connection is. */
  onRightsChanged(handler: (tenantId: string) => void): Promise<() => Promise<void>>;
  readonly kind: "postgresql" | "embedded";
  /** Where reads may go that may be some seconds old, if there is one. */
  replica?: ReadReplica;
  /** How secrets are stored. */
  readonly secrets: Secrets;
  /**
   * One transaction, rolled back when `work` throws. Every statement that `work` sends belongs to it, Prisma's included. Inside
   * another transaction it is a savepoint of that one. Await everything that is sent. After a conflict with other writers (conflicts.ts) the
   * outermost `work` is run again: it keeps nothing from one run to the next, and sends nothing outside. The signal is about waiting to begin.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * One transaction that only reads, and sees the database as it is when it begins. Not inside another one. Of the tables named no month is dropped
   * meanwhile, which it would see gone.
   */
  snapshot<T>(work: (tx: Queryable) => Promise<T>, partitioned?: readonly Table[]): Promise<T>;
  /** For Prisma, on the same connections. */
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Statements sent so far, Prisma's included, without those in the background (background.ts). */
  statements(): number;
  /** What was asked of it since it was opened. */
  load(): DatabaseLoad;
  close(): Promise<void>;
}

/** Statements of one tenant: `$1` is the tenant in every one, and PostgreSQL refuses a statement that does not use it. */
export interface TenantQueryable {
  readonly tenantId: string;
  readonly secrets: Secrets;
  /** Single records, typed by prisma/schema.prisma. */
  readonly records: Records;
  /** `values` are bound from $2 on. */
  query<T>(text: string, ...values: unknown[]): Promise<T[]>;
  /**
   * Discards the query plans cached by this connection. Plans made for an empty table, including those of foreign-key checks, may read
   * all rows of a tenant for each row written. Call it before writing many rows.
   */
  replan(): Promise<void>;
}

export interface TenantDatabase extends TenantQueryable {
  transaction<T>(work: (tx: TenantQueryable) => Promise<T>): Promise<T>;
}

const clients = new WeakMap<Database, PrismaClient>();

/** One client for each database, made when first used. */
function prismaOf(database: Database): PrismaClient {
  let client = clients.get(database);
  if (!client) clients.set(database, (client = openPrisma(database.adapter)));
  return client;
}

/** Disconnects the database's client, if it was ever used. */
export const closePrisma = async (database: Database): Promise<void> => clients.get(database)?.$disconnect();

const bindTenant = (
  db: Queryable,
  { tenantId, secrets, records }: Pick<TenantQueryable, "tenantId" | "secrets" | "records">,
  signal?: AbortSignal,
): TenantQueryable => ({
  tenantId,
  secrets,
  records,
  query: (text, ...values) => withinTenant(tenantId, () => db.query(text, [tenantId, ...values], signal)),
  replan: async () => void (await db.query("discard plans")),
});

export const forTenant = (database: Database, tenantId: string): TenantDatabase =>
  bound(database, { tenantId, secrets: database.secrets, records: recordsOf(() => prismaOf(database), tenantId) });

/** The same, as long as somebody waits: the signal is that of its statements. Single records, by `records`, are read and written to their end. */
export const untilAborted = (database: Database, db: TenantDatabase, signal: AbortSignal): TenantDatabase => bound(database, db, signal);

/** The same, with statements outside of transactions sent by `query`. */
export const readBy = (query: Queryable["query"], db: TenantDatabase, signal: AbortSignal | undefined): TenantDatabase => ({
  ...db,
  query: bindTenant({ query }, db, signal).query,
});

const bound = (
  database: Database,
  of: Pick<TenantQueryable, "tenantId" | "secrets" | "records">,
  signal?: AbortSignal,
): TenantDatabase => ({
  ...bindTenant(database, of, signal),
  transaction: (work) => database.transaction((tx) => work(bindTenant(tx, of, signal)), signal),
});
