import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite, type Transaction, types } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { closePrisma, type Database, type Queryable } from "./database.js";
import { toServiceError } from "./errors.js";
import { NotifyBatcher, notifyStatement } from "./notify-batcher.js";
import { SerialQueue } from "./serial-queue.js";

type ProtocolMessages = Awaited<ReturnType<PGlite["execProtocol"]>>["messages"];

/** Claims the folder for this process: a second one would corrupt it. Returns how to release it. */
function claim(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "owner.pid");
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch {
    const owner = Number(readFileSync(file, "utf8"));
    if (owner && owner !== process.pid && isAlive(owner)) {
      throw new Error(
        `the data folder ${folder} is in use by process ${owner}; stop it, set DATA_DIR to another folder, or use DATABASE_URL`,
      );
    }
    writeFileSync(file, String(process.pid));
  }
  return () => rmSync(file, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export async function createPglite(folder?: string): Promise<PGlite> {
  const pglite = await PGlite.create({ dataDir: folder, extensions: { btree_gin, pg_trgm } });
  // PGlite copies this table for every statement, which takes as long as a short statement itself. Most of it is for arrays
  // of rows of tables and catalogs, which nothing selects; their type numbers begin at 10,000.
  for (const oid of Object.keys(pglite.parsers)) if (Number(oid) >= 10_000) delete pglite.parsers[oid as never];
  pglite.execProtocolStream = async (message, options) => {
    const { messages, data } = await pglite.execProtocol(message, options);
    restoreMarks(messages, data);
    return messages;
  };
  return pglite;
}

const byteOrderMark = Buffer.from("\ufeff");

/** PGlite drops a leading U+FEFF of a value. The bytes of the answer tell where one is missing. */
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

/** Prisma's adapter with two corrections for migrations: scripts are awaited, and the shadow database has our extensions. */
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

/** The transaction, or the savepoint in one, that a statement belongs to. */
interface Current {
  tx: Transaction;
  /** Parallel resolvers send at the same time. */
  queue: SerialQueue;
  depth: number;
  notifications: [channel: string, payload: string][];
}

/** The database as Prisma sees it: its queries join the current transaction. */
const inTransaction = (pglite: PGlite, current: () => Current | undefined): PGlite =>
  new Proxy(pglite, {
    get(target, name) {
      if (name === "query")
        return (...args: [any]) => {
          const part = current();
          return part ? part.queue.run(() => part.tx.query(...args)) : target.query(...args);
        };
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** Decimals arrive as numbers and 64-bit integers as text, as on a server. */
const options = { parsers: { [types.NUMERIC]: Number, [types.INT8]: String } };

/** PostgreSQL in WebAssembly, stored in `folder`/postgresql. It has one connection, so transactions run one after another. */
export async function openEmbedded(folder: string): Promise<Database> {
  const release = claim(folder);
  let statements = 0;
  let pglite: PGlite;
  try {
    pglite = await createPglite(join(folder, "postgresql"));
  } catch (error) {
    release();
    throw error;
  }
  const send = pglite.query.bind(pglite);
  pglite.query = (...args) => {
    statements++;
    return send(...args);
  };

  const currentTransaction = new AsyncLocalStorage<Current>();

  async function query(text: string, values: unknown[] = []): Promise<any> {
    try {
      const current = currentTransaction.getStore();
      if (!current) return (await pglite.query(text, values, options)).rows;
      statements++;
      return (await current.queue.run(() => current.tx.query(text, values, options))).rows;
    } catch (error) {
      throw toServiceError(error);
    }
  }

  const nested = <T>({ tx, queue, depth, notifications }: Current, work: (tx: Queryable) => Promise<T>): Promise<T> =>
    queue.run(async () => {
      const inner: Current = { tx, queue: new SerialQueue(), depth: depth + 1, notifications: [] };
      await tx.exec(`savepoint nested_${depth}`);
      try {
        const result = await currentTransaction.run(inner, () => work({ query }));
        await inner.queue.end(() => tx.exec(`release savepoint nested_${depth}`));
        notifications.push(...inner.notifications);
        return result;
      } catch (error) {
        await inner.queue.end(() => tx.exec(`rollback to savepoint nested_${depth}`));
        throw toServiceError(error);
      }
    });

  const batcher = new NotifyBatcher((channels, payloads) => send(notifyStatement, [channels, payloads]));

  const database: Database = {
    kind: "embedded",
    query,
    notify(channel, payload) {
      const current = currentTransaction.getStore();
      if (current) current.notifications.push([channel, payload]);
      else batcher.add(channel, payload);
    },
    async listen(channel, handler) {
      const end = await pglite.listen(channel, handler);
      return () => end();
    },
    async transaction(work) {
      const current = currentTransaction.getStore();
      if (current) return nested(current, work);
      try {
        let made: Current["notifications"] = [];
        const result = await pglite.transaction((tx) => {
          const current: Current = { tx, queue: new SerialQueue(), depth: 0, notifications: [] };
          made = current.notifications;
          return currentTransaction.run(current, () => work({ query })).finally(() => current.queue.end(async () => {}));
        });
        for (const [channel, payload] of made) batcher.add(channel, payload);
        return result;
      } catch (error) {
        throw toServiceError(error);
      }
    },
    adapter: pgliteAdapter(inTransaction(pglite, () => currentTransaction.getStore())),
    statements: () => statements,
    async close() {
      await batcher.flush();
      await closePrisma(database);
      await pglite.close();
      release();
    },
  };
  return database;
}
