/**
 * Data that a user who stays signed in has read, kept in the browser for visits without a connection. Deleted at sign-out, when the session
 * ends, and before another session reads.
 */
import type { StorageAdapter } from "@urql/exchange-graphcache";
import { type DefaultStorage, makeDefaultStorage } from "@urql/exchange-graphcache/default-storage";
import { forgetAllFiles } from "./kept-files.js";

/** Names the session whose data is kept. */
const owner = "console:data-of";
const days = 7;

let storage: DefaultStorage | undefined;

/** The session of the last visit. */
export const lastSession = (): string | undefined => localStorage.getItem(owner) ?? undefined;

export async function forgetData(): Promise<void> {
  localStorage.removeItem(owner);
  if (!globalThis.indexedDB) return;
  forgetAllFiles();
  storage ??= makeDefaultStorage({ idbName: "console", maxAge: days });
  await storage.clear().catch(() => undefined);
}

/** Opens the data of a session. `isRead` resolves once the cache holds it. Undefined if the browser keeps no data. */
export async function keptData(session: string): Promise<{ storage: StorageAdapter; isRead: Promise<void> } | undefined> {
  if (!globalThis.indexedDB) return undefined;
  if (lastSession() !== session) {
    await forgetData();
    localStorage.setItem(owner, session);
  }
  let onCacheHydrated = () => {};
  const isRead = new Promise<void>((resolve) => {
    onCacheHydrated = resolve;
  });
  storage = makeDefaultStorage({ idbName: "console", maxAge: days, onCacheHydrated });
  return { storage, isRead };
}
