import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { LRUCache } from "lru-cache";
import pg from "pg";
import type { Log } from "../../log.js";
import { ContextPart } from "../async-context.js";
import { inBackground, isInBackground } from "../background.js";
import type { Cancellation } from "../cancellation.js";
import { closePrisma, type Database, type Queryable } from "../database.js";
import { toServiceError } from "../errors.js";
import { authorText, currentAuthor, mayWrite } from "../records/author.js";
import { currentScope, keepScopes } from "../rows/tenant-scope.js";
import { inRequestQueue } from "../watch/activity.js";
import { CancellablePool, type Submit } from "./cancel.js";
import { isConflictCode, repeatingConflicts, WriteConflict } from "./conflicts.js";
import { Listener } from "./listener.js";
import { statementCloser } from "./pg-internals.js";
import { Pool } from "./pool.js";
import { beginWith, type SessionSettings, sendWithSettings, setStatement, type TransactionSettings } from "./query-with-settings.js";
import { Secrets } from "./secrets.js";
import { SerialQueue } from "./serial-queue.js";
import { connectTimeoutMs, Servers } from "./servers.js";
import { transactionSettings } from "./session.js";
import { maxPrepared, statementName } from "./statement-names.js";
import { StatementTimes } from "./statement-times.js";
import { anyTenant, rightsMark, Written, writtenChannel } from "./written.js";

// Until about 1900, local times had offsets with seconds, which pg would cut off.
pg.defaults.parseInputDatesAsUTC = true;

/** Decimals arrive as numbers, 64-bit integers as text, everything else as pg parses it. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.NUMERIC ? Number : pg.types.getTypeParser(oid, format as never),
} as pg.CustomTypesConfig;

/**
 * Limits the prepared statements of a connection. Call the returned function with the name of each statement that it runs. The least
 * recently used statement is closed.
 */
function preparedStatements(client: pg.PoolClient): (name: string) => void {
  const close = statementCloser(client);
  const prepared = new LRUCache<string, true>({
    max: maxPrepared,
    dispose: (_, name, reason) => {
      if (reason === "evict") close(name);
    },
  });
  return (name) => void prepared.set(name, true);
}

/** Sends a statement and calls `end` when it finishes. The last argument may be a callback; otherwise returns a promise. */
function sendTimed(send: (...args: unknown[]) => unknown, args: unknown[], end: (error?: unknown) => void): unknown {
  const last = args.findLastIndex((argument) => typeof argument === "function");
  if (last < 0)
    return new Promise((resolve, reject) => {
      send(...args, (error: unknown, result: unknown) => {
        end(error ?? undefined);
        if (error) reject(error);
        else resolve(result);
      });
    });
  const callback = args[last] as (...result: unknown[]) => void;
  return send(
    ...args.with(last, (...result: unknown[]) => {
      end(result[0]);
      callback(...result);
    }),
  );
}

/** Prisma's adapter, except that migration scripts are sent whole: the adapter splits them at every semicolon, even inside `$$` bodies. */
function postgresqlAdapter(
  pool: pg.Pool,
  nameOf: typeof statementName,
  onPoolError?: (error: Error) => void,
): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool, { statementNameGenerator: (query) => nameOf(query.sql) as string, onPoolError });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => void (await pool.query(script));
    return adapter;
  };
  return factory;
}

/** The pool as Prisma sees it: its queries join the current transaction. */
const inTransaction = (pool: pg.Pool, send: (statement: unknown) => Promise<pg.QueryResult>): pg.Pool =>
  new Proxy(pool, {
    get(target, name) {
      if (name === "query") return send;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** The transaction or savepoint that a statement belongs to. */
interface Current {
  client: pg.PoolClient;
  /** Serializes the statements of parallel resolvers. */
  queue: SerialQueue;
  depth: number;
  /** Settings that the database has for the transaction. */
  settings: TransactionSettings;
  /** Shared by the whole transaction: the conflict that one of its statements encountered. */
  met: { conflict?: WriteConflict };
}

export interface PostgresqlOptions {
  /** URL of one server or several (server-url.ts). */
  url: string;
  /** The setting that contains the URL. */
  urlName?: string;
  /** The server itself if `url` points to a pooler, which may assign each transaction another session. */
  directUrl?: string | undefined;
  connections: number;
  /** Milliseconds to wait for a free connection. */
  patienceMs?: number;
  /** Milliseconds per statement. */
  statementTimeout: number;
  /** Whether statements declare their tenant, which the database's policies check. */
  rowSecurity?: boolean;
  /** Default: plain text. */
  secrets?: Secrets;
  /** Receives a line when the server is lost and found again. */
  log?: Log;
  onError?: (error: Error) => void;
}

export function openPostgresql({
  url,
  urlName,
  directUrl,
  connections,
  patienceMs = connectTimeoutMs,
  statementTimeout,
  rowSecurity = false,
  secrets = new Secrets(),
  log,
  onError,
}: PostgresqlOptions): Database {
  if (rowSecurity) keepScopes();
  let statements = 0;
  const times = new StatementTimes();
  const behind = directUrl ? new Servers(directUrl, { name: "DATABASE_DIRECT_URL" }) : undefined;
  const servers = new Servers(url, { name: urlName, behind, log });
  const direct = behind ?? servers;
  const nameOf: typeof statementName = directUrl ? () => undefined : statementName;
  // A pooler refuses startup options, and its sessions are shared: each transaction sets them instead.
  const session: SessionSettings | undefined = directUrl
    ? { ...transactionSettings, statement_timeout: String(statementTimeout) }
    : undefined;
  const set = setStatement(session);
  const begin = beginWith(session);
  const pool = new Pool(servers, {
    max: connections,
    connectionTimeoutMillis: patienceMs,
    query_timeout: statementTimeout + 1_000,
    ...(!session && { statement_timeout: statementTimeout }),
  });
  // Without this listener, one terminated backend ends the process.
  pool.on("error", (error) => onError?.(error));
  pool.on("connect", (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown;
    const prepare = preparedStatements(client);
    client.query = ((...args: unknown[]) => {
      if (!isInBackground()) statements++;
      const { name, text = args[0] } = args[0] as { name?: string; text?: unknown };
      if (name) prepare(name);
      return sendTimed(send, args, times.begin(String(text)));
    }) as typeof client.query;
  });

  const written = new Written((tenants) =>
    inBackground(() => pool.query("select pg_notify($1, tenant) from unnest($2::text[]) tenant", [writtenChannel, tenants])),
  );
  const cancellable = new CancellablePool(pool, servers, directUrl !== undefined);
  const listener = new Listener(direct, writtenChannel);
  const transactions = new ContextPart<Current>();
  const send = (statement: any, cancellation?: Cancellation): Promise<pg.QueryResult> => {
    const current = transactions.current();
    const isWrite = mayWrite(statement.text ?? statement);
    const author = isWrite ? authorText() : undefined;
    const tenant = rowSecurity ? currentScope() : "";
    if (current)
      return current.queue.run(() => sendIn(current, statement, { author: author ?? current.settings.author, tenant }, cancellation));
    return inRequestQueue(() => sendAlone(statement, { author, tenant, isWrite }, cancellation));
  };

  /** Sends a statement outside of transactions. */
  const sendAlone = (
    statement: any,
    { author, tenant, isWrite }: { author: string | undefined; tenant: string; isWrite: boolean },
    cancellation?: Cancellation,
  ): Promise<pg.QueryResult> => {
    const submit: Submit | undefined =
      author || tenant || session ? (client) => sendWithSettings(client, statement, { author: author ?? "", tenant }, set) : undefined;
    if (isWrite) return repeatingConflicts(() => (submit ? writeAlone(submit, author, cancellation) : pool.query(statement)));
    if (submit || cancellation) return cancellable.sendAlone(submit ?? ((client) => client.query(statement)), cancellation);
    return pool.query(statement);
  };

  const sendIn = async (
    current: Current,
    statement: any,
    settings: TransactionSettings,
    cancellation?: Cancellation,
  ): Promise<pg.QueryResult> => {
    const { client, met } = current;
    const isSet = settings.author === current.settings.author && settings.tenant === current.settings.tenant;
    const submit: Submit = isSet ? () => client.query(statement) : () => sendWithSettings(client, statement, settings, set);
    try {
      const result = await (cancellation ? cancellable.send(client, submit, cancellation) : submit(client));
      current.settings = settings;
      return result;
    } catch (error) {
      if (isConflictCode((error as { code?: string }).code)) met.conflict ??= new WriteConflict(error);
      throw error;
    }
  };

  const writeAlone = async (submit: Submit, author: string | undefined, cancellation?: Cancellation): Promise<pg.QueryResult> => {
    const result = await cancellable.sendAlone(submit, cancellation, false);
    if (author) written.add(currentAuthor()?.tenantId);
    return result;
  };

  async function query(text: string, values: unknown[] = [], cancellation?: Cancellation): Promise<any> {
    try {
      return (await send({ name: nameOf(text), text, values, types }, cancellation)).rows;
    } catch (error) {
      // The driver's own stack leads to the socket.
      if (error instanceof pg.DatabaseError) Error.captureStackTrace(error);
      throw toServiceError(error);
    }
  }

  const nested = <T>(outer: Current, work: (tx: Queryable) => Promise<T>): Promise<T> => {
    const { client, queue, depth, met, settings } = outer;
    return queue.run(async () => {
      const inner: Current = { client, queue: new SerialQueue(), depth: depth + 1, settings, met };
      await client.query(`savepoint nested_${depth}`);
      try {
        const result = await transactions.run(inner, () => work({ query }));
        await inner.queue.end(() => client.query(`release savepoint nested_${depth}`));
        outer.settings = inner.settings;
        return result;
      } catch (error) {
        await inner.queue.end(() => client.query(`rollback to savepoint nested_${depth}`));
        throw toServiceError(error);
      }
    });
  };

  const once = async <T>(
    work: (tx: Queryable) => Promise<T>,
    cancellation: Cancellation | undefined,
    mode?: string,
    held: readonly string[] = [],
  ): Promise<T> => {
    const client = await cancellable.connect(cancellation).catch((error) => {
      throw toServiceError(error);
    });
    const made: Current = { client, queue: new SerialQueue(), depth: 0, settings: { author: "", tenant: "" }, met: {} };
    let broken: Error | undefined;
    try {
      // Taken before the snapshot, so that the partitions it sees cannot be dropped.
      const locks = held.map((table) => `; lock table "${table}" in access share mode`).join("");
      await client.query(mode ? beginWith(session, mode) + locks : begin);
      const result = await transactions.run(made, () => work({ query }));
      // The work may have caught the error: GraphQL turns errors into part of the response.
      if (made.met.conflict) throw made.met.conflict;
      await made.queue.end(() => client.query("commit"));
      if (made.settings.author) written.add(currentAuthor()?.tenantId);
      return result;
    } catch (error) {
      await made.queue
        .end(() => client.query("rollback"))
        .catch((failure) => {
          broken = failure;
        });
      throw made.met.conflict ?? toServiceError(error);
    } finally {
      cancellable.release(client, broken);
    }
  };

  const database: Database = {
    kind: "postgresql",
    secrets,
    query,
    onWritten: (handler) =>
      listener.add((tenantId) => {
        if (!tenantId.startsWith(rightsMark)) handler(tenantId === anyTenant ? undefined : tenantId);
      }),
    onRightsChanged: (handler) =>
      listener.add((payload) => {
        if (payload.startsWith(rightsMark)) handler(payload.slice(rightsMark.length));
      }),
    async transaction(work, cancellation) {
      const current = transactions.current();
      if (current) return nested(current, work);
      return repeatingConflicts(() => once(work, cancellation));
    },
    snapshot: (work, partitioned = []) => once(work, undefined, "isolation level repeatable read read only", partitioned),
    adapter: postgresqlAdapter(
      inTransaction(pool, (statement) => send(statement)),
      nameOf,
      onError,
    ),
    statements: () => statements,
    load() {
      const { requests, background, recentFault } = times;
      const { totalCount: open, idleCount: idle, waitingCount: waiting, isBusy, isStuck } = pool;
      return { requests, background, recentFault, pool: { open, idle, waiting, size: connections, isBusy, isStuck, ...servers.load } };
    },
    async close() {
      await written.flush();
      await closePrisma(database);
      await pool.end();
      await cancellable.close();
      for (const one of new Set([servers, direct])) one.close();
    },
  };
  return database;
}
