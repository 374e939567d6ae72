/** The connection for migrations. It is separate from the pool, so that the pool's statement limits do not apply, and closed afterwards. */
import { hostname } from "node:os";
import { lasting, whenThereIsRoom } from "../connection/pool.js";
import { noServer } from "../connection/server-client.js";
import { Servers } from "../connection/servers.js";
import type { Database, Queryable } from "../database.js";

export interface MigrationConnection extends Queryable {
  readonly kind: Database["kind"];
  /** Runs a whole script, in the open transaction or in one of its own. */
  script(sql: string): Promise<void>;
  /** Runs one statement outside of a transaction and returns the number of rows it changed. */
  change(sql: string): Promise<number>;
  /** As `Database.transaction`, without nesting and retries. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Opens another connection, to observe this one. Undefined if the database has only one. */
  another?(): Promise<MigrationConnection>;
  close(): Promise<void>;
}

async function inTransaction<T>(connection: MigrationConnection, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await connection.script("begin");
  try {
    const result = await work(connection);
    await connection.script("commit");
    return result;
  } catch (error) {
    // Losing the connection has rolled back.
    await connection.script("rollback").catch(() => {});
    throw error;
  }
}

/** Shown in `pg_stat_activity`, so that an operator can tell which process holds the lock. PostgreSQL keeps 63 bytes. */
const applicationName = () => `maintenance-gateway migrations ${process.pid} ${hostname()}`.slice(0, 63);

/** Disables timeouts, regardless of defaults of the role or the database. Row-level security policies show this connection all rows. */
const settings = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0; set gateway.tenant = '*'";

/** `name` is the URL's name in messages. */
export async function connectToMigrate(url: string, name = "DATABASE_MIGRATE_URL"): Promise<MigrationConnection> {
  const servers = new Servers(url, { name });
  const connect = async () => {
    const made = servers.client({ ...lasting, application_name: applicationName() });
    try {
      await made.connect();
      await made.query(settings);
    } catch (error) {
      void made.end().catch(() => {});
      throw error;
    }
    return made;
  };
  // With several servers, the first may not accept writes.
  const client = await whenThereIsRoom(connect, { otherCodes: [noServer] }).catch((error) => {
    servers.close();
    throw error;
  });
  const connection: MigrationConnection = {
    kind: "postgresql",
    query: async (text, values) => (await client.query(text, values)).rows as never,
    script: async (sql) => void (await client.query(sql)),
    change: async (sql) => (await client.query(sql)).rowCount ?? 0,
    transaction: (work) => inTransaction(connection, work),
    another: () => connectToMigrate(url, name),
    async close() {
      servers.close();
      await client.end();
    },
  };
  return connection;
}

/** The embedded database has one connection, which stays open because the service uses it. */
export async function embeddedToMigrate(database: Database): Promise<MigrationConnection> {
  const adapter = await database.adapter.connect();
  const connection: MigrationConnection = {
    kind: "embedded",
    query: (text, values) => database.query(text, values),
    script: (sql) => adapter.executeScript(sql),
    change: (sql) => adapter.executeRaw({ sql, args: [], argTypes: [] }),
    transaction: (work) => inTransaction(connection, work),
    close: async () => {},
  };
  return connection;
}
