/** Where files are kept: a local folder or S3, behind one face. Keys are paths that the domain makes, never a client's words. */
import type { Readable } from "node:stream";

export interface GrantRequest {
  key: string;
  contentType: string;
  /** Bytes, exactly. */
  size: number;
  expiresAt: Date;
  /** Signs the grant where the gateway itself takes the file. */
  secret: string;
  /** Address of this gateway as the caller sees it. */
  baseUrl: string;
}

/** Where the client sends the file, as a multipart form with these fields before it (interface.md 2.2). */
export interface UploadForm {
  uploadUrl: string;
  fields: Record<string, string>;
}

export interface LocalFile {
  path: string;
  size: number;
  /** Makes just these bytes the file of another key and leaves the old key empty. */
  moveTo(key: string, contentType: string): Promise<void>;
}

export interface Storage {
  readonly home: "local" | "s3";
  grant(request: GrantRequest): Promise<UploadForm>;
  /** `accept` is called when all of it has come; where it throws, nothing is kept. */
  put(key: string, source: Readable, contentType: string, accept?: () => Promise<void>): Promise<void>;
  /** The file on this machine for as long as `use` runs; undefined where there is none. */
  withFile<T>(key: string, use: (file: LocalFile) => Promise<T>): Promise<T | undefined>;
  open(key: string): Promise<{ stream: Readable; size: number } | undefined>;
  /** Keys that hold nothing are passed over. */
  remove(keys: string[]): Promise<void>;
  /** Removes what was begun, not written to since `before` and never ended. */
  removeUnfinished(before: Date): Promise<void>;
}
