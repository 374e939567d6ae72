import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";
import type { Database, Queryable } from "./database.js";
import { translated } from "./failures.js";

const names = new Map<string, string>();

/** The same text is the same prepared statement on every connection. */
function statementName(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = createHash("sha1").update(text).digest("base64url").slice(0, 24);
    if (names.size < 1000) names.set(text, name);
  }
  return name;
}

/** The public adapter, but a migration script goes to the server whole: the adapter cuts it at every semicolon, `$$` bodies too. */
function postgresqlAdapter(pool: pg.Pool, onPoolError?: (error: Error) => void): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool, { statementNameGenerator: (query) => statementName(query.sql), onPoolError });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => void (await pool.query(script));
    return adapter;
  };
  return factory;
}

export interface PostgresqlOptions {
  url: string;
  connections: number;
  /** Milliseconds a single statement may take. */
  statementTimeout: number;
  onError?: (error: Error) => void;
}

export function openPostgresql({ url, connections, statementTimeout, onError }: PostgresqlOptions): Database {
  let statements = 0;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    query_timeout: statementTimeout + 1_000,
    statement_timeout: statementTimeout,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "maintenance-gateway",
  });
  // Without this listener one terminated backend ends the process.
  pool.on("error", (error) => onError?.(error));
  pool.on("connect", (client) => {
    // The same for a connection that is in use; its query fails by itself.
    client.on("error", () => {});
    const send = client.query.bind(client) as (...args: any[]) => any;
    (client as any).query = (...args: any[]) => {
      statements++;
      return send(...args);
    };
  });

  const queryOn =
    (client: pg.Pool | pg.PoolClient): Queryable["query"] =>
    async (text, values = []) => {
      try {
        return (await client.query({ name: statementName(text), text, values })).rows as any;
      } catch (error) {
        throw translated(error);
      }
    };

  return {
    home: "postgresql",
    query: queryOn(pool),
    async transaction(work) {
      const client = await pool.connect().catch((error) => {
        throw translated(error);
      });
      let broken: Error | undefined;
      try {
        await client.query("begin");
        const result = await work({ query: queryOn(client) });
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch((failure) => {
          broken = failure;
        });
        throw translated(error);
      } finally {
        client.release(broken);
      }
    },
    adapter: postgresqlAdapter(pool, onError),
    statements: () => statements,
    close: () => pool.end(),
  };
}
