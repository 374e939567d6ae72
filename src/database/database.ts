/**
 * One face over two homes: PostgreSQL (a pg pool) and the embedded PGlite. Both speak the same SQL.
 * Only this folder sees a driver; everyone else gets a `Database`, and behind the doors a `TenantDatabase`.
 */
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";

export type Row = Record<string, any>;

export interface Queryable {
  /** Runs one statement; `values` are bound to $1, $2, … */
  query<T = Row>(text: string, values?: unknown[]): Promise<T[]>;
}

export interface Database extends Queryable {
  /** Tells every process that listens, once the transaction it is called in, if any, is committed. Best effort: a crash loses it. */
  notify(channel: string, payload: string): void;
  /** Hears what any process notifies, until the answer is called. A lost connection is made anew. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  readonly home: "postgresql" | "embedded";
  /**
   * One transaction, rolled back when `work` throws. Every statement that `work` sends is part of it, by whatever face:
   * Prisma's too. Inside another transaction it is a savepoint of that one. Await all that is sent.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** For Prisma, on the same connections. */
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Statements sent so far, Prisma's included. */
  statements(): number;
  close(): Promise<void>;
}

/** A query face that binds its tenant as $1 in every statement: PostgreSQL refuses a statement that does not use it. */
export interface TenantQueryable {
  readonly tenantId: string;
  /** `values` are bound from $2 on; $1 is the tenant. */
  query<T = Row>(text: string, ...values: unknown[]): Promise<T[]>;
  /** As `Database.notify`, with the tenant in the payload. */
  notify(channel: string, payload: Row): void;
  /**
   * Has this connection plan anew. What it planned on an empty table, the checks of foreign keys included, may read all of
   * a tenant's rows once for every row: call it where many rows are written.
   */
  replan(): Promise<void>;
}

export interface TenantDatabase extends TenantQueryable {
  transaction<T>(work: (tx: TenantQueryable) => Promise<T>): Promise<T>;
}

const bindTenant = (db: Queryable, database: Database, tenantId: string): TenantQueryable => ({
  tenantId,
  query: (text, ...values) => db.query(text, [tenantId, ...values]),
  notify: (channel, payload) => database.notify(channel, JSON.stringify({ ...payload, tenantId })),
  replan: async () => void (await db.query("discard plans")),
});

export const forTenant = (database: Database, tenantId: string): TenantDatabase => ({
  ...bindTenant(database, database, tenantId),
  transaction: (work) => database.transaction((tx) => work(bindTenant(tx, database, tenantId))),
});
