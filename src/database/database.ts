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
  readonly home: "postgresql" | "embedded";
  /** One transaction; rolled back when `work` throws. */
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
}

export interface TenantDatabase extends TenantQueryable {
  transaction<T>(work: (tx: TenantQueryable) => Promise<T>): Promise<T>;
}

const bindTenant = (db: Queryable, tenantId: string): TenantQueryable => ({
  tenantId,
  query: (text, ...values) => db.query(text, [tenantId, ...values]),
});

export const forTenant = (database: Database, tenantId: string): TenantDatabase => ({
  ...bindTenant(database, tenantId),
  transaction: (work) => database.transaction((tx) => work(bindTenant(tx, tenantId))),
});
