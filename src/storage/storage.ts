/** The file storage: a local folder or S3. The domain generates all keys; they never contain client input. */
import type { Readable } from "node:stream";

/** The storage does not respond, or not in time. */
export class StorageUnavailable extends Error {}

export interface GrantRequest {
  key: string;
  contentType: string;
  /** In bytes, exact. */
  size: number;
  expiresAt: Date;
  /** Seconds until the grant expires. */
  seconds: number;
  /** Signs the grant if clients upload to the gateway. */
  secret: string;
  /** Public URL of this gateway. */
  baseUrl: string;
}

/** The multipart form that a client posts to `uploadUrl`; `fields` precede the file (docs/interface.md 2.2). */
export interface UploadForm {
  uploadUrl: string;
  fields: Record<string, string>;
}

export interface LocalFile {
  path: string;
  /** In bytes. */
  size: number;
  /** Moves exactly these bytes to another key and removes the old one. */
  moveTo(key: string, contentType: string): Promise<void>;
}

export interface StorageLoad {
  /** Whether calls are temporarily refused because the storage did not respond. */
  isOpen: boolean;
  /** Calls since startup that failed, and calls that were refused because of failures. */
  failed: number;
  refused: number;
}

export interface Storage {
  readonly kind: "local" | "s3";
  /** Call statistics. Undefined for a local folder. */
  load?(): StorageLoad;
  grant(request: GrantRequest): Promise<UploadForm>;
  /** Stores a file. `accept` runs once the source is fully received; if it throws, nothing is stored. */
  put(key: string, source: Readable, contentType: string, accept?: () => Promise<void>): Promise<void>;
  /** Runs `use` with a local copy of the file, or returns undefined if the key does not exist. The copy is valid until `use` resolves. */
  withFile<T>(key: string, use: (file: LocalFile) => Promise<T>): Promise<T | undefined>;
  /** Returns a stream and the size in bytes, or undefined if the key does not exist. */
  open(key: string): Promise<{ stream: Readable; size: number } | undefined>;
  /** Removes files. Ignores keys that do not exist. */
  remove(keys: string[]): Promise<void>;
  /** Removes all files whose keys begin with `folder/`. */
  removeFolder(folder: string): Promise<void>;
  /** Removes incomplete files last written before `before`. */
  removeIncomplete(before: Date): Promise<void>;
}
