/** Archives: gzipped tar files. The last entry, `checksums.sha256`, has the SHA-256 of each other entry in the format of sha256sum. */
import { createHash } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import tar from "tar-stream";

const checksums = "checksums.sha256";
/** Bytes; enough for a few million entries. */
const maxChecksums = 256 * 1024 * 1024;

export class ArchiveWriter {
  private readonly pack = tar.pack();
  private readonly sums: string[] = [];
  private readonly written: Promise<void>;
  private failure: unknown;

  constructor(to: Writable) {
    this.written = pipeline(this.pack, createGzip({ level: 6 }), to);
    this.written.catch((error) => {
      this.failure = error;
    });
  }

  add(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    return this.addStream(name, bytes.length, [bytes]);
  }

  /** Throws unless the content has exactly `size` bytes. */
  async addStream(name: string, size: number, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    if (this.failure) throw this.failure;
    const hash = createHash("sha256");
    const counted = async function* () {
      for await (const chunk of content) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const entry = this.pack.entry({ name, size, mode: 0o600 });
    // If the output fails in the meantime, nothing drains the entry any more.
    const broken = this.written.then(() => {
      throw new Error("the archive ended early");
    });
    await Promise.race([pipeline(counted, entry), broken]);
    broken.catch(() => {});
    this.sums.push(`${hash.digest("hex")}  ${name}\n`);
  }

  async end(): Promise<void> {
    await this.add(checksums, this.sums.join(""));
    this.pack.finalize();
    await this.written;
  }

  /** Leaves the archive unfinished. */
  async abort(error: Error): Promise<void> {
    this.pack.destroy(error);
    await this.written.catch(() => {});
  }
}

export interface ArchiveEntry {
  name: string;
  /** Read this to its end before requesting the next entry. */
  content: AsyncIterable<Buffer>;
}

/** Yields all entries except the checksums, and verifies each against them. Throws if an entry was altered or the archive is incomplete. */
export async function* readArchive(from: Readable): AsyncGenerator<ArchiveEntry> {
  const extract = tar.extract();
  const read = pipeline(from, createGunzip(), extract);
  read.catch((error) => extract.destroy(error));
  const sums: string[] = [];
  let expected: string | undefined;
  try {
    for await (const entry of extract) {
      const { name } = entry.header;
      if (name === checksums) {
        if (entry.header.size! > maxChecksums) throw new Error("the archive has more checksums than an archive can have entries");
        expected = await textOf(entry);
        continue;
      }
      if (entry.header.type !== "file" || expected !== undefined)
        throw new Error(`the archive has an entry that does not belong there: ${name}`);
      const hash = createHash("sha256");
      const hashed = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of entry) {
          hash.update(chunk as Buffer);
          yield chunk as Buffer;
        }
      };
      yield { name, content: hashed() };
      sums.push(`${hash.digest("hex")}  ${name}\n`);
    }
    await read;
  } catch (error) {
    from.destroy();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith("Z_") || /tar|Unexpected end/i.test(message)) throw new Error(`not a whole archive: ${message}`, { cause: error });
    throw error;
  }
  if (expected === undefined) throw new Error("not a whole archive: its checksums are missing");
  if (expected !== sums.join("")) throw new Error("the archive is damaged: its entries are not those of its checksums");
}

export async function textOf(content: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
