import { join } from "node:path";
import { PGlite, type QueryOptions, type Results, type Transaction, types } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { ContextPart } from "../async-context.js";
import { isInBackground } from "../background.js";
import type { Cancellation } from "../cancellation.js";
import { closePrisma, type Database, type Queryable } from "../database.js";
import { toServiceError } from "../errors.js";
import { databaseFolder, refuseHalfRestored } from "../migrations/upgrade-copy.js";
import { authorText, currentAuthor, mayWrite } from "../records/author.js";
import { currentActivity, inRequestQueue } from "../watch/activity.js";
import { lockFolder } from "./folder-lock.js";
import { PrismaPGlite } from "./pglite-adapter.js";
import { dropRowParsers } from "./pglite-internals.js";
import { keepPrepared } from "./prepared-pglite.js";
import { type SecretSettings, type Secrets, secretsOfFolder } from "./secrets.js";
import { FairQueue, SerialQueue } from "./serial-queue.js";
import { StatementTimes } from "./statement-times.js";
import { anyTenant, Written } from "./written.js";

type ProtocolMessages = Awaited<ReturnType<PGlite["execProtocol"]>>["messages"];

export async function createPglite(folder?: string): Promise<PGlite> {
  const pglite = await PGlite.create({ dataDir: folder, extensions: { btree_gin, btree_gist, pg_trgm } });
  dropRowParsers(pglite);
  const exchange = keepPrepared(async (message) => {
    const { messages, data } = await pglite.execProtocol(message, { syncToFs: false });
    restoreMarks(messages, data);
    return messages;
  });
  pglite.execProtocolStream = (message) => exchange(message);
  return pglite;
}

const byteOrderMark = Buffer.from("\ufeff");

/** PGlite drops a leading U+FEFF of a value. The raw bytes of the response show where it is missing. */
function restoreMarks(messages: ProtocolMessages, data: Uint8Array): void {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (!bytes.includes(byteOrderMark)) return;
  const rows = messages.filter((message) => message.name === "dataRow") as (ProtocolMessages[number] & { fields: (string | null)[] })[];
  let row = 0;
  for (let start = 0; start < bytes.length; start += 1 + bytes.readInt32BE(start + 1)) {
    if (bytes[start] !== "D".charCodeAt(0)) continue;
    const { fields } = rows[row++]!;
    let at = start + 7;
    for (let i = 0; i < fields.length; i++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length >= 3 && bytes.compare(byteOrderMark, 0, 3, at, at + 3) === 0) fields[i] = `\ufeff${fields[i]}`;
      at += Math.max(0, length);
    }
  }
}

/** Prisma's adapter with two corrections for migrations: scripts are awaited, and the shadow database has the required extensions. */
export function pgliteAdapter(pglite: PGlite): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPGlite(pglite);
  const awaited = async (client: PGlite) => {
    const adapter = await new PrismaPGlite(client).connect();
    adapter.executeScript = async (script) => void (await client.exec(script));
    return adapter;
  };
  factory.connect = () => awaited(pglite);
  factory.connectToShadowDb = async () => awaited(await createPglite());
  return factory;
}

/** Sets $1 as the author until the end of the transaction. */
const setAuthor = "select set_config('gateway.author', $1, true)";

/** The transaction or savepoint that a statement belongs to. */
interface Current {
  tx: Transaction;
  /** Serializes the statements of parallel resolvers. */
  queue: SerialQueue;
  depth: number;
  /** The statement that set the author of writes. */
  author: string | undefined;
}

type Send = (text: string, values?: any[], options?: QueryOptions) => Promise<Results<any>>;

/** Sends a statement in the current transaction. Before a write, sets the transaction's author. */
const sendIn = (current: Current, ...args: Parameters<Send>): ReturnType<Send> =>
  current.queue.run(async () => {
    const author = mayWrite(args[0]) ? authorText() : undefined;
    if (author && author !== current.author) await current.tx.query(setAuthor, [author]);
    current.author = author ?? current.author;
    return current.tx.query(...args);
  });

/** Sends a statement outside of a transaction. */
async function sendAlone(pglite: PGlite, send: Send, written: Written, ...args: Parameters<Send>): ReturnType<Send> {
  const author = mayWrite(args[0]) ? authorText() : undefined;
  if (!author) return send(...args);
  const result = await pglite.transaction(async (tx) => {
    await tx.query(setAuthor, [author]);
    return tx.query(...args);
  });
  written.add(currentAuthor()?.tenantId);
  return result;
}

/** The database as Prisma sees it: its queries join the current transaction. */
const inTransaction = (pglite: PGlite, times: StatementTimes, current: () => Current | undefined): PGlite =>
  new Proxy(pglite, {
    get(target, name) {
      if (name === "query")
        return (...args: Parameters<Send>) => {
          const part = current();
          return part ? times.of(args[0], () => sendIn(part, ...args)) : target.query(...args);
        };
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** Decimals arrive as numbers and 64-bit integers as text, as on a server. */
const options = { parsers: { [types.NUMERIC]: Number, [types.INT8]: String } };

/** PostgreSQL in WebAssembly, stored in `folder`/postgresql. It has one connection, so transactions run one after another. */
export async function openEmbedded(folder: string, settings: SecretSettings = {}): Promise<Database> {
  const release = await lockFolder(folder);
  let statements = 0;
  const times = new StatementTimes();
  let pglite: PGlite;
  let secrets: Secrets;
  try {
    refuseHalfRestored(folder);
    secrets = secretsOfFolder(folder, settings);
    pglite = await createPglite(join(folder, databaseFolder));
  } catch (error) {
    await release();
    throw error;
  }
  const listeners = new Set<(tenantId: string | undefined) => void>();
  const written = new Written(async (tenants) => {
    for (const tenant of tenants) for (const listener of [...listeners]) listener(tenant === anyTenant ? undefined : tenant);
  });
  const send: Send = pglite.query.bind(pglite);
  pglite.query = (...args) => {
    if (!isInBackground()) statements++;
    return times.of(args[0], () => sendAlone(pglite, send, written, ...args));
  };

  const transactions = new ContextPart<Current>();

  /** A queue of our own instead of PGlite's, so that cancelled statements leave it early: a running statement cannot be interrupted. */
  const turns = new FairQueue();
  function inTurn<T>(work: () => Promise<T>, cancellation: Cancellation | undefined): Promise<T> {
    const activity = currentActivity();
    activity?.beginWait();
    const begin = async () => {
      activity?.endWait();
      cancellation?.throwIfCancelled();
      return work();
    };
    return turns.run(begin, activity?.tenantId, activity?.isYielding);
  }

  async function query(text: string, values: unknown[] = [], cancellation?: Cancellation): Promise<any> {
    try {
      const current = transactions.current();
      if (!current) return (await inRequestQueue(() => inTurn(() => pglite.query(text, values, options), cancellation))).rows;
      if (!isInBackground()) statements++;
      cancellation?.throwIfCancelled();
      return (await times.of(text, () => sendIn(current, text, values, options))).rows;
    } catch (error) {
      throw toServiceError(error);
    }
  }

  const nested = <T>(outer: Current, work: (tx: Queryable) => Promise<T>): Promise<T> => {
    const { tx, queue, depth } = outer;
    return queue.run(async () => {
      const inner: Current = { tx, queue: new SerialQueue(), depth: depth + 1, author: outer.author };
      await tx.exec(`savepoint nested_${depth}`);
      try {
        const result = await transactions.run(inner, () => work({ query }));
        await inner.queue.end(() => tx.exec(`release savepoint nested_${depth}`));
        outer.author = inner.author;
        return result;
      } catch (error) {
        await inner.queue.end(() => tx.exec(`rollback to savepoint nested_${depth}`));
        throw toServiceError(error);
      }
    });
  };

  const database: Database = {
    kind: "embedded",
    secrets,
    query,
    // The only process already knows its own changes.
    onRightsChanged: async () => async () => {},
    async onWritten(handler) {
      listeners.add(handler);
      return async () => void listeners.delete(handler);
    },
    async transaction(work, cancellation) {
      const current = transactions.current();
      if (current) return nested(current, work);
      try {
        const begin = () =>
          pglite.transaction((tx) => {
            const current: Current = { tx, queue: new SerialQueue(), depth: 0, author: undefined };
            return transactions.run(current, () => work({ query })).finally(() => current.queue.end(async () => {}));
          });
        const result = await inTurn(begin, cancellation);
        const author = currentAuthor();
        if (author) written.add(author.tenantId);
        return result;
      } catch (error) {
        throw toServiceError(error);
      }
    },
    // No other transaction writes in the meantime, because there is one connection.
    snapshot: (work) => database.transaction(work),
    adapter: pgliteAdapter(inTransaction(pglite, times, () => transactions.current())),
    statements: () => statements,
    load() {
      const { requests, background, recentFault } = times;
      return { requests, background, recentFault };
    },
    async close() {
      await written.flush();
      await closePrisma(database);
      await pglite.close();
      await release();
    },
  };
  return database;
}
