/**
 * Photos and files of queued changes, kept in the browser for a user who stays signed in. Deleted once the change is sent, and with the data
 * of the session.
 */
import type { AnyVariables } from "@urql/core";

/** A file and its place in the variables, such as input.photos.0. */
export interface KeptFile {
  path: string;
  file: File;
}

const name = "console-files";
const store = "files";

/** All files that wait, in bytes. */
export const mostWaitingBytes = 50_000_000;

export const bytesOf = (files: KeptFile[]): number => files.reduce((sum, { file }) => sum + file.size, 0);

/** The files in a change's variables. */
export function filesIn(value: unknown, path = ""): KeptFile[] {
  if (value instanceof File) return [{ path, file: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => filesIn(entry, path ? `${path}.${name}` : name));
}

/** The variables with the files back in their places. */
export function withFiles(variables: AnyVariables, files: KeptFile[]): AnyVariables {
  const copy = structuredClone(variables);
  for (const { path, file } of files) {
    const names = path.split(".");
    const last = names.pop()!;
    const owner = names.reduce((at: any, name) => at?.[name], copy);
    if (owner) owner[last] = file;
  }
  return copy;
}

const ended = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Resolves to undefined if the browser keeps no files. */
async function inFiles<T>(mode: IDBTransactionMode, use: (files: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  if (!globalThis.indexedDB) return undefined;
  try {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(store);
    const database = await ended(opening);
    try {
      return await ended(use(database.transaction(store, mode).objectStore(store)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

export const keepFiles = (change: string, files: KeptFile[]): Promise<unknown> => inFiles("readwrite", (kept) => kept.put(files, change));

/** Undefined if the files are gone. */
export const keptFiles = (change: string): Promise<KeptFile[] | undefined> =>
  inFiles<KeptFile[] | undefined>("readonly", (kept) => kept.get(change));

export const forgetFiles = (change: string): Promise<unknown> => inFiles("readwrite", (kept) => kept.delete(change));

export const forgetAllFiles = (): void => void globalThis.indexedDB?.deleteDatabase(name);
