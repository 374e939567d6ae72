import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite, type Transaction } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { SqlMigrationAwareDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { PrismaPGlite } from "pglite-prisma-adapter";
import type { Database, Queryable } from "./database.js";
import { translated } from "./failures.js";
import { Notices, sendNotices } from "./notices.js";
import { Turns } from "./turns.js";

type ProtocolMessages = Awaited<ReturnType<PGlite["execProtocol"]>>["messages"];

/** A PGlite folder must have one owner: a second process would corrupt it. */
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
  const pglite = await PGlite.create({ dataDir: folder, extensions: { pg_trgm } });
  pglite.execProtocolStream = async (message, options) => {
    const { messages, data } = await pglite.execProtocol(message, options);
    restoreMarks(messages, data);
    return messages;
  };
  return pglite;
}

const byteOrderMark = Buffer.from("\ufeff");

/** PGlite reads a value that begins with U+FEFF without it; what arrived says where one is missing. */
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

/** The public adapter, with two mends for migrations: scripts are awaited, and the shadow database has our extensions. */
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

/** The transaction, or the savepoint in one, that a statement is part of. */
interface Current {
  tx: Transaction;
  /** As on a server: savepoints of parallel resolvers come only one within another. */
  turns: Turns;
  depth: number;
  notices: [channel: string, payload: string][];
}

/** The database, but its queries go to the transaction they are part of: Prisma's join in. */
const inTransaction = (pglite: PGlite, current: () => Current | undefined): PGlite =>
  new Proxy(pglite, {
    get(target, name) {
      if (name === "query")
        return (...args: [any]) => {
          const part = current();
          return part ? part.turns.take(() => part.tx.query(...args)) : target.query(...args);
        };
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** PostgreSQL in WebAssembly, kept in `folder`/postgresql. Everything runs on its one connection, transactions in turn. */
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

  const ambient = new AsyncLocalStorage<Current>();

  async function query(text: string, values: unknown[] = []): Promise<any> {
    try {
      const current = ambient.getStore();
      if (!current) return (await pglite.query(text, values)).rows;
      statements++;
      return (await current.turns.take(() => current.tx.query(text, values))).rows;
    } catch (error) {
      throw translated(error);
    }
  }

  const nested = <T>({ tx, turns, depth, notices }: Current, work: (tx: Queryable) => Promise<T>): Promise<T> =>
    turns.take(async () => {
      const inner: Current = { tx, turns: new Turns(), depth: depth + 1, notices: [] };
      await tx.exec(`savepoint nested_${depth}`);
      try {
        const result = await ambient.run(inner, () => work({ query }));
        await inner.turns.end(() => tx.exec(`release savepoint nested_${depth}`));
        notices.push(...inner.notices);
        return result;
      } catch (error) {
        await inner.turns.end(() => tx.exec(`rollback to savepoint nested_${depth}`));
        throw translated(error);
      }
    });

  const notices = new Notices((channels, payloads) => send(sendNotices, [channels, payloads]));

  return {
    home: "embedded",
    query,
    notify(channel, payload) {
      const current = ambient.getStore();
      if (current) current.notices.push([channel, payload]);
      else notices.add(channel, payload);
    },
    async listen(channel, heard) {
      const end = await pglite.listen(channel, heard);
      return () => end();
    },
    async transaction(work) {
      const current = ambient.getStore();
      if (current) return nested(current, work);
      try {
        let made: Current["notices"] = [];
        const result = await pglite.transaction((tx) => {
          const current: Current = { tx, turns: new Turns(), depth: 0, notices: [] };
          made = current.notices;
          return ambient.run(current, () => work({ query })).finally(() => current.turns.end(async () => {}));
        });
        for (const [channel, payload] of made) notices.add(channel, payload);
        return result;
      } catch (error) {
        throw translated(error);
      }
    },
    adapter: pgliteAdapter(inTransaction(pglite, () => ambient.getStore())),
    statements: () => statements,
    async close() {
      await notices.flush();
      await pglite.close();
      release();
    },
  };
}
