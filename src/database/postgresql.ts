import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { closePrisma, type Database, plannedEachTime, type Queryable } from "./database.js";
import { toServiceError } from "./errors.js";
import { NotifyBatcher, notifyStatement } from "./notify-batcher.js";
import { SerialQueue } from "./serial-queue.js";

/** Decimals arrive as numbers, 64-bit integers as text, everything else as pg parses it. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.NUMERIC ? Number : pg.types.getTypeParser(oid, format as never),
} as pg.CustomTypesConfig;

/** By text; in characters. */
const names = new LRUCache<string, string>({ maxSize: 4_000_000, sizeCalculation: (_, text) => text.length });

/** The same text is the same prepared statement on every connection. Searches have none: their plan depends on what is searched for. */
function statementName(text: string): string | undefined {
  if (text.startsWith(plannedEachTime) || text.includes(`"searchText" like`)) return undefined;
  let name = names.get(text);
  if (!name) {
    name = createHash("sha1").update(text).digest("base64url").slice(0, 24);
    names.set(text, name);
  }
  return name;
}

/** Prepared statements that a connection keeps. That of a nested query takes 300 kB in PostgreSQL. */
const maxPrepared = 100;

interface Connection {
  parsedStatements: Record<string, string>;
  close(message: { type: "S"; name: string }): void;
}

/**
 * Returns a function to call with the name of each statement that a connection runs. It closes the statement that was not used for longest:
 * by the protocol's own message, which is no error for one that was never prepared, in a transaction neither.
 */
function preparedStatements(client: pg.PoolClient): (name: string) => void {
  const { connection } = client as unknown as { connection: Connection };
  const prepared = new LRUCache<string, true>({
    max: maxPrepared,
    dispose: (_, name, reason) => {
      if (reason !== "evict") return;
      delete connection.parsedStatements[name];
      connection.close({ type: "S", name });
    },
  });
  return (name) => void prepared.set(name, true);
}

/** Prisma's adapter, except that a migration script is sent whole: the adapter splits at every semicolon, in `$$` bodies too. */
function postgresqlAdapter(pool: pg.Pool, onPoolError?: (error: Error) => void): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool, { statementNameGenerator: (query) => statementName(query.sql) as string, onPoolError });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => void (await pool.query(script));
    return adapter;
  };
  return factory;
}

/** The pool as Prisma sees it: its queries join the current transaction. */
const inTransaction = (pool: pg.Pool, send: (...args: [any]) => Promise<pg.QueryResult>): pg.Pool =>
  new Proxy(pool, {
    get(target, name) {
      if (name === "query") return send;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** The transaction, or the savepoint in one, that a statement belongs to. */
interface Current {
  client: pg.PoolClient;
  /** Parallel resolvers send at the same time. */
  queue: SerialQueue;
  depth: number;
  notifications: [channel: string, payload: string][];
}

const reconnectMs = 1_000;

/** Listens on a connection of its own. Notifications sent while it reconnects are missed. */
async function listenOn(url: string, channel: string, handler: (payload: string) => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let ended = false;
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: "maintenance-gateway listener",
    });
    next.on("error", () => {});
    next.on("notification", ({ payload }) => handler(payload ?? ""));
    next.on("end", () => {
      if (!ended) setTimeout(retry, reconnectMs).unref();
    });
    await next.connect();
    await next.query(`listen "${channel}"`);
    client = next;
  };
  const retry = () => {
    if (!ended) connect().catch(() => setTimeout(retry, reconnectMs).unref());
  };
  await connect();
  return async () => {
    ended = true;
    await client?.end();
  };
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
    const send = client.query.bind(client) as (...args: unknown[]) => unknown;
    const prepare = preparedStatements(client);
    client.query = ((...args: unknown[]) => {
      statements++;
      const { name } = args[0] as { name?: string };
      if (name) prepare(name);
      return send(...args);
    }) as typeof client.query;
  });

  const currentTransaction = new AsyncLocalStorage<Current>();
  const send = (...args: [any]): Promise<pg.QueryResult> => {
    const current = currentTransaction.getStore();
    return current ? current.queue.run(() => current.client.query(...args)) : pool.query(...args);
  };

  async function query(text: string, values: unknown[] = []): Promise<any> {
    try {
      return (await send({ name: statementName(text), text, values, types })).rows;
    } catch (error) {
      throw toServiceError(error);
    }
  }

  const nested = <T>({ client, queue, depth, notifications }: Current, work: (tx: Queryable) => Promise<T>): Promise<T> =>
    queue.run(async () => {
      const inner: Current = { client, queue: new SerialQueue(), depth: depth + 1, notifications: [] };
      await client.query(`savepoint nested_${depth}`);
      try {
        const result = await currentTransaction.run(inner, () => work({ query }));
        await inner.queue.end(() => client.query(`release savepoint nested_${depth}`));
        notifications.push(...inner.notifications);
        return result;
      } catch (error) {
        await inner.queue.end(() => client.query(`rollback to savepoint nested_${depth}`));
        throw toServiceError(error);
      }
    });

  const batcher = new NotifyBatcher((channels, payloads) => pool.query(notifyStatement, [channels, payloads]));

  const database: Database = {
    kind: "postgresql",
    query,
    notify(channel, payload) {
      const current = currentTransaction.getStore();
      if (current) current.notifications.push([channel, payload]);
      else batcher.add(channel, payload);
    },
    listen: (channel, handler) => listenOn(url, channel, handler),
    async transaction(work) {
      const current = currentTransaction.getStore();
      if (current) return nested(current, work);
      const client = await pool.connect().catch((error) => {
        throw toServiceError(error);
      });
      const made: Current = { client, queue: new SerialQueue(), depth: 0, notifications: [] };
      let broken: Error | undefined;
      try {
        await client.query("begin");
        const result = await currentTransaction.run(made, () => work({ query }));
        await made.queue.end(() => client.query("commit"));
        for (const [channel, payload] of made.notifications) batcher.add(channel, payload);
        return result;
      } catch (error) {
        await made.queue
          .end(() => client.query("rollback"))
          .catch((failure) => {
            broken = failure;
          });
        throw toServiceError(error);
      } finally {
        client.release(broken);
      }
    },
    adapter: postgresqlAdapter(inTransaction(pool, send), onError),
    statements: () => statements,
    async close() {
      await batcher.flush();
      await closePrisma(database);
      await pool.end();
    },
  };
  return database;
}
