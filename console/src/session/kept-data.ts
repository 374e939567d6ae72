/**
 * Data that a user who stays signed in has read, kept in the browser for visits without a connection. Deleted at sign-out, when the session
 * ends, and before another session reads.
 */
import type { StorageAdapter } from "@urql/exchange-graphcache";
import { dataOwner, lastSession } from "./early.js";
import { type KeptEntries, openEntries } from "./kept-entries.js";
import { forgetAllFiles } from "./kept-files.js";

const days = 7;

let storage: KeptEntries | undefined;

export async function forgetData(): Promise<void> {
  localStorage.removeItem(dataOwner);
  if (!globalThis.indexedDB) return;
  forgetAllFiles();
  storage ??= openEntries(days);
  await storage.clear().catch(() => undefined);
}

/** Opens the data of a session. `isRead` resolves once the cache holds it. Undefined if the browser keeps no data. */
export async function keptData(session: string): Promise<{ storage: StorageAdapter; isRead: Promise<void> } | undefined> {
  if (!globalThis.indexedDB) return undefined;
  if (lastSession() !== session) {
    await forgetData();
    localStorage.setItem(dataOwner, session);
  }
  let onCacheHydrated = () => {};
  const isRead = new Promise<void>((resolve) => {
    onCacheHydrated = resolve;
  });
  storage = openEntries(days, onCacheHydrated);
  return { storage, isRead };
}
