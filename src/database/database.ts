/**
 * One interface with two implementations: PostgreSQL (a pg pool) and the embedded PGlite. Both speak the same SQL. Only this folder imports
 * a driver or Prisma. Other code receives a `Database`, and request handling a `TenantDatabase`.
 */
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import type { Cancellation } from "./cancellation.js";
import type { Secrets } from "./connection/secrets.js";
import type { DatabaseFault } from "./errors.js";
import type { PrismaClient } from "./generated/client.js";
import { openPrisma, type Records, recordsOf } from "./records/records.js";
import type { Table } from "./rows/catalogue.js";
import { withinTenant } from "./rows/tenant-scope.js";

/**
 * Prefix of a select whose best plan depends on its values, such as a period or a part of the tenant. The whole statement gets no name, so
 * that PostgreSQL plans it on each execution.
 */
export const plannedEachTime = "/* planned each time */ ";

export interface Queryable {
  /**
   * Runs one statement; `values` are bound to $1, $2, … Numerics arrive as numbers, 64-bit integers as text, timestamps as dates. When
   * cancelled, throws the reason: a waiting statement is dropped, a running statement is cancelled (except in the embedded database).
   */
  query<T>(text: string, values?: unknown[], cancellation?: Cancellation): Promise<T[]>;
}

/** Load of this process on its database. */
export interface DatabaseLoad {
  /** Statements of requests, and of background work (background.ts). */
  requests: { count: number; seconds: number };
  background: { count: number; seconds: number };
  /** Fault that a statement encountered in the last 30 seconds, such as a full disk. */
  recentFault?: DatabaseFault | undefined;
  /** Undefined for the embedded database, which has one connection. */
  pool?: {
    open: number;
    idle: number;
    waiting: number;
    size: number;
    /** Whether all connections are in use. */
    isBusy: boolean;
    /** Whether all connections are in use, no statement has finished for a while, and the server does not respond. */
    isStuck: boolean;
    /** Servers in the order of the URL. None is used while none is reachable. */
    servers: { name: string; isUsed: boolean }[];
    /** Number of times that connections were reopened, as after a failover. */
    moves: number;
  };
}

export interface ReplicaLoad {
  /** `behind`: the standby lags more than reports allow. `gone`: it is not read at all. */
  state: "serving" | "behind" | "gone";
  /** Upper bound of the lag in seconds. Undefined until measured. */
  lag: number | undefined;
  /** Statements eligible for the standby, by the server that executed them. */
  reads: { standby: number; primary: number };
}

/** A standby for reads that may be some seconds old (replica.ts). */
export interface ReadReplica {
  readonly load: ReplicaLoad;
  /** Maximum lag of reports in seconds. */
  readonly maxLag: number;
  /** Reads with at most `seconds` of lag: from the standby if it is recent enough, otherwise or if it fails from the primary. */
  within(seconds: number): Queryable["query"];
}

export interface Database extends Queryable {
  /**
   * Calls `handler` shortly after any process has written with an author (author.ts), with the tenant if known. Best effort: notifications
   * are lost while the connection is down, and pending ones in a crash. Call the returned function to stop listening.
   */
  onWritten(handler: (tenantId: string | undefined) => void): Promise<() => Promise<void>>;
  /**
   * Calls `handler` when any process changes the rights of a tenant's keys or persons. Like `onWritten`, loses notifications while the
   * connection is down.
   */
  onRightsChanged(handler: (tenantId: string) => void): Promise<() => Promise<void>>;
  readonly kind: "postgresql" | "embedded";
  /** The target of reads that may be some seconds old, if configured. */
  replica?: ReadReplica;
  /** How secrets are stored. */
  readonly secrets: Secrets;
  /**
   * One transaction, rolled back when `work` throws. It includes every statement that `work` sends, Prisma's included. Inside another
   * transaction it is a savepoint. Await everything that is sent. After a conflict with other writers (conflicts.ts), the outermost `work`
   * runs again: it must keep no state between runs and have no external effects. The cancellation applies only to waiting for the start.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, cancellation?: Cancellation): Promise<T>;
  /**
   * One read-only transaction that sees the database as of its start. Not inside another transaction. No monthly partition of the named
   * tables is dropped in the meantime, since the snapshot would lose its rows.
   */
  snapshot<T>(work: (tx: Queryable) => Promise<T>, partitioned?: readonly Table[]): Promise<T>;
  /** For Prisma, on the same connections. */
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Statements sent so far, including Prisma's, without those in the background (background.ts). */
  statements(): number;
  /** Load since the database was opened. */
  load(): DatabaseLoad;
  close(): Promise<void>;
}

/** Statements of one tenant: `$1` is always the tenant. PostgreSQL refuses a statement that does not use it. */
export interface TenantQueryable {
  readonly tenantId: string;
  readonly secrets: Secrets;
  /** Single records, typed by prisma/schema.prisma. */
  readonly records: Records;
  /** `values` are bound from $2 on. */
  query<T>(text: string, ...values: unknown[]): Promise<T[]>;
  /**
   * Discards the query plans cached by this connection. Plans made for an empty table, including those of foreign-key checks, may read all
   * rows of a tenant for each row written. Call it before writing many rows.
   */
  replan(): Promise<void>;
}

export interface TenantDatabase extends TenantQueryable {
  transaction<T>(work: (tx: TenantQueryable) => Promise<T>): Promise<T>;
}

const clients = new WeakMap<Database, PrismaClient>();

/** One client per database, created on first use. */
function prismaOf(database: Database): PrismaClient {
  let client = clients.get(database);
  if (!client) clients.set(database, (client = openPrisma(database.adapter)));
  return client;
}

/** Disconnects the database's client, if it was created. */
export const closePrisma = async (database: Database): Promise<void> => clients.get(database)?.$disconnect();

const bindTenant = (
  db: Queryable,
  { tenantId, secrets, records }: Pick<TenantQueryable, "tenantId" | "secrets" | "records">,
  cancellation?: Cancellation,
): TenantQueryable => ({
  tenantId,
  secrets,
  records,
  query: (text, ...values) => withinTenant(tenantId, () => db.query(text, [tenantId, ...values], cancellation)),
  replan: async () => void (await db.query("discard plans")),
});

export const forTenant = (database: Database, tenantId: string): TenantDatabase =>
  bound(database, {
    tenantId,
    secrets: database.secrets,
    records: recordsOf({ prisma: () => prismaOf(database), query: (sql, values) => database.query(sql, values) }, tenantId),
  });

/** Returns the same database with the cancellation on all statements. Single records, by `records`, are read and written to the end. */
export const untilCancelled = (database: Database, db: TenantDatabase, cancellation: Cancellation): TenantDatabase =>
  bound(database, db, cancellation);

/** Returns the same database; `query` sends statements outside of transactions. */
export const readBy = (query: Queryable["query"], db: TenantDatabase, cancellation: Cancellation | undefined): TenantDatabase => ({
  ...db,
  query: bindTenant({ query }, db, cancellation).query,
});

const bound = (
  database: Database,
  of: Pick<TenantQueryable, "tenantId" | "secrets" | "records">,
  cancellation?: Cancellation,
): TenantDatabase => ({
  ...bindTenant(database, of, cancellation),
  transaction: (work) => database.transaction((tx) => work(bindTenant(tx, of, cancellation)), cancellation),
});
