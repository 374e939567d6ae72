import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";
import type { Database, Queryable } from "./database.js";
import { translated } from "./failures.js";
import { Notices, sendNotices } from "./notices.js";
import { Turns } from "./turns.js";

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

/** The pool, but its queries go to the transaction they are part of: Prisma's join in. */
const inTransaction = (pool: pg.Pool, send: (...args: [any]) => Promise<pg.QueryResult>): pg.Pool =>
  new Proxy(pool, {
    get(target, name) {
      if (name === "query") return send;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** The transaction, or the savepoint in one, that a statement is part of. */
interface Current {
  client: pg.PoolClient;
  /** Parallel resolvers send at once; a connection takes one statement at a time, and savepoints only one within another. */
  turns: Turns;
  depth: number;
  notices: [channel: string, payload: string][];
}

const reconnectMs = 1_000;

/** Listens on a connection of its own. What is notified while it is being made anew is missed. */
async function listenOn(url: string, channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
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
    next.on("notification", ({ payload }) => heard(payload ?? ""));
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
    const send = client.query.bind(client) as (...args: any[]) => any;
    (client as any).query = (...args: any[]) => {
      statements++;
      return send(...args);
    };
  });

  const ambient = new AsyncLocalStorage<Current>();
  const send = (...args: [any]): Promise<pg.QueryResult> => {
    const current = ambient.getStore();
    return current ? current.turns.take(() => current.client.query(...args)) : pool.query(...args);
  };

  async function query(text: string, values: unknown[] = []): Promise<any> {
    try {
      return (await send({ name: statementName(text), text, values })).rows;
    } catch (error) {
      throw translated(error);
    }
  }

  const nested = <T>({ client, turns, depth, notices }: Current, work: (tx: Queryable) => Promise<T>): Promise<T> =>
    turns.take(async () => {
      const inner: Current = { client, turns: new Turns(), depth: depth + 1, notices: [] };
      await client.query(`savepoint nested_${depth}`);
      try {
        const result = await ambient.run(inner, () => work({ query }));
        await inner.turns.end(() => client.query(`release savepoint nested_${depth}`));
        notices.push(...inner.notices);
        return result;
      } catch (error) {
        await inner.turns.end(() => client.query(`rollback to savepoint nested_${depth}`));
        throw translated(error);
      }
    });

  const notices = new Notices((channels, payloads) => pool.query(sendNotices, [channels, payloads]));

  return {
    home: "postgresql",
    query,
    notify(channel, payload) {
      const current = ambient.getStore();
      if (current) current.notices.push([channel, payload]);
      else notices.add(channel, payload);
    },
    listen: (channel, heard) => listenOn(url, channel, heard),
    async transaction(work) {
      const current = ambient.getStore();
      if (current) return nested(current, work);
      const client = await pool.connect().catch((error) => {
        throw translated(error);
      });
      const made: Current = { client, turns: new Turns(), depth: 0, notices: [] };
      let broken: Error | undefined;
      try {
        await client.query("begin");
        const result = await ambient.run(made, () => work({ query }));
        await made.turns.end(() => client.query("commit"));
        for (const [channel, payload] of made.notices) notices.add(channel, payload);
        return result;
      } catch (error) {
        await made.turns
          .end(() => client.query("rollback"))
          .catch((failure) => {
            broken = failure;
          });
        throw translated(error);
      } finally {
        client.release(broken);
      }
    },
    adapter: postgresqlAdapter(inTransaction(pool, send), onError),
    statements: () => statements,
    async close() {
      await notices.flush();
      await pool.end();
    },
  };
}
