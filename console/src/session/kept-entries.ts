/**
 * Storage of the cache's entries in the browser: a log of writes, compacted as it grows. A write costs as much as its own entries. The
 * storage that comes with the cache writes all entries of a day each time, and keeps them in memory.
 */
import type { SerializedEntries, StorageAdapter } from "@urql/exchange-graphcache";

const name = "console-data";
const store = "writes";
/** The database of earlier releases. */
const former = "console";

export interface KeptEntries extends StorageAdapter {
  clear(): Promise<void>;
}

/** Entries written together. Later writes take precedence. */
interface Write {
  day: number;
  entries: SerializedEntries;
}

/** The log is compacted when it has this many entries more than twice those after the last compaction. */
const slack = 20_000;

const today = (): number => Math.floor(Date.now() / 86_400_000);

function open(): Promise<IDBDatabase> {
  // Later, because it would delay the first page.
  setTimeout(() => indexedDB.deleteDatabase(former), 10_000);
  const opening = indexedDB.open(name, 1);
  return new Promise((resolve, reject) => {
    opening.onupgradeneeded = () => opening.result.createObjectStore(store, { autoIncrement: true });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      // Another tab may delete the database, or upgrade it.
      opening.result.onversionchange = () => opening.result.close();
      resolve(opening.result);
    };
  });
}

const completed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/** The entries of the writes since the day `oldest`, each with the day of its last write. */
function merged(writes: Write[], oldest: number): Map<string, { day: number; text: string }> {
  const found = new Map<string, { day: number; text: string }>();
  for (const { day, entries } of writes)
    if (day >= oldest)
      for (const [key, text] of Object.entries(entries)) {
        if (text === undefined) found.delete(key);
        else found.set(key, { day, text });
      }
  return found;
}

/** Entries that were not written for `days` are forgotten. */
export function openEntries(days: number, onCacheHydrated?: () => void): KeptEntries {
  const opened = open();
  // Without a database, nothing is kept.
  opened.catch(() => undefined);
  let waiting: SerializedEntries = {};
  let writing: Promise<void> | undefined;
  /** Entries of the log, and of the log after its last compaction. */
  let logged = 0;
  let compacted = 0;

  const begin = async () => {
    const transaction = (await opened).transaction(store, "readwrite", { durability: "relaxed" });
    return { transaction, writes: transaction.objectStore(store) };
  };
  const compact = async () => {
    const { transaction, writes } = await begin();
    const all: IDBRequest<Write[]> = writes.getAll();
    all.onsuccess = () => {
      const found = merged(all.result, today() - days);
      const byDay = new Map<number, SerializedEntries>();
      for (const [key, { day, text }] of found) {
        if (!byDay.has(day)) byDay.set(day, {});
        byDay.get(day)![key] = text;
      }
      writes.clear();
      for (const [day, entries] of [...byDay].sort(([a], [b]) => a - b)) writes.add({ day, entries } satisfies Write);
      logged = compacted = found.size;
    };
    await completed(transaction);
  };
  const write = async () => {
    for (let count = Object.keys(waiting).length; count; count = Object.keys(waiting).length) {
      const { transaction, writes } = await begin();
      writes.add({ day: today(), entries: waiting } satisfies Write);
      waiting = {};
      logged += count;
      await completed(transaction);
      if (logged > 2 * compacted + slack) await compact();
    }
  };

  return {
    onCacheHydrated,
    async readData() {
      try {
        const { transaction, writes } = await begin();
        const all: IDBRequest<Write[]> = writes.getAll();
        await completed(transaction);
        const found = merged(all.result, today() - days);
        compacted = found.size;
        logged = all.result.reduce((sum, { entries }) => sum + Object.keys(entries).length, 0);
        return Object.fromEntries([...found].map(([key, { text }]) => [key, text]));
      } catch {
        return {};
      }
    },
    async writeData(delta) {
      Object.assign(waiting, delta);
      writing ??= write()
        .catch(() => undefined)
        .finally(() => {
          writing = undefined;
        });
      await writing;
    },
    async clear() {
      waiting = {};
      logged = compacted = 0;
      const { transaction, writes } = await begin();
      writes.clear();
      await completed(transaction);
    },
  };
}
