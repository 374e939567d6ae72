/**
 * One interface with two implementations: PostgreSQL (a pg pool) and the embedded PGlite. Both speak the same SQL. Only this folder
 * imports a driver or Prisma; other code gets a `Database`, and the handling of a request a `TenantDatabase`.
 */
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import type { PrismaClient } from "./generated/client.js";
import { openPrisma, type Records, recordsOf } from "./records.js";

/**
 * Begins a statement whose best plan depends on its values, such as a period or a part of the tenant: it has no name, so PostgreSQL
 * plans it each time.
 */
export const plannedEachTime = "/* planned each time */ ";

export interface Queryable {
  /** Runs one statement; `values` are bound to $1, $2, … Numerics arrive as numbers, 64-bit integers as text, timestamps as dates. */
  query<T>(text: string, values?: unknown[]): Promise<T[]>;
}

export interface Database extends Queryable {
  /** Notifies every process that listens, once the surrounding transaction, if any, is committed. Best effort: a crash loses it. */
  notify(channel: string, payload: string): void;
  /** Subscribes to a channel across all processes. Call the returned function to unsubscribe. Reconnects on its own. */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>;
  readonly kind: "postgresql" | "embedded";
  /**
   * One transaction, rolled back when `work` throws. Every statement that `work` sends belongs to it, Prisma's included. Inside
   * another transaction it is a savepoint of that one. Await everything that is sent.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** For Prisma, on the same connections. */
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Statements sent so far, Prisma's included. */
  statements(): number;
  close(): Promise<void>;
}

/** Statements of one tenant: `$1` is the tenant in every one, and PostgreSQL refuses a statement that does not use it. */
export interface TenantQueryable {
  readonly tenantId: string;
  /** Single records, typed by prisma/schema.prisma. */
  readonly records: Records;
  /** `values` are bound from $2 on. */
  query<T>(text: string, ...values: unknown[]): Promise<T[]>;
  /** As `Database.notify`, with the tenant in the payload. */
  notify(channel: string, payload: object): void;
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

const bindTenant = (db: Queryable, database: Database, tenantId: string, records: Records): TenantQueryable => ({
  tenantId,
  records,
  query: (text, ...values) => db.query(text, [tenantId, ...values]),
  notify: (channel, payload) => database.notify(channel, JSON.stringify({ ...payload, tenantId })),
  replan: async () => void (await db.query("discard plans")),
});

export function forTenant(database: Database, tenantId: string): TenantDatabase {
  const records = recordsOf(() => prismaOf(database), tenantId);
  return {
    ...bindTenant(database, database, tenantId, records),
    transaction: (work) => database.transaction((tx) => work(bindTenant(tx, database, tenantId, records))),
  };
}
