/**
 * Keeps the exports of a response in temporary files, from the rows to the socket. Neither building nor sending a response to a slow client
 * then takes memory that grows with its size.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { RequestLifetime } from "../resolvers/request-lifetime.js";
import { rateLimited, serverFull } from "../schema/errors.js";

/** Shorter texts stay in memory, in characters. */
const shortText = 1_048_576;
const chunkBytes = 262_144;
/** Files of all tenants, and of one, as multiples of the largest response. */
const spaceOfAll = 8;
const spaceOfTenant = 2;

/** Space of the files that are not sent yet. */
export class SpoolSpace {
  private readonly bytesOf = new Map<string, number>();
  private total = 0;

  constructor(private readonly maxAnswer: number) {}

  /** Throws RATE_LIMITED if the tenant has too many unsent files, and SERVICE_UNAVAILABLE if all tenants together have too many. */
  take(tenantId: string, bytes: number): void {
    const own = (this.bytesOf.get(tenantId) ?? 0) + bytes;
    if (own > this.maxAnswer * spaceOfTenant) throw rateLimited(5, "Too many large answers are unread; read them before you ask for more");
    if (this.total + bytes > this.maxAnswer * spaceOfAll) throw serverFull();
    this.bytesOf.set(tenantId, own);
    this.total += bytes;
  }

  give(tenantId: string, bytes: number): void {
    const left = this.bytesOf.get(tenantId)! - bytes;
    if (left) this.bytesOf.set(tenantId, left);
    else this.bytesOf.delete(tenantId);
    this.total -= bytes;
  }
}

interface Spooled {
  file: FileHandle;
  bytes: number;
}

/** The exports of one response. */
export class SpooledAnswer {
  /** By the text that stands for them in the response. */
  private readonly texts = new Map<string, Spooled>();
  private taken = 0;
  private isClosed = false;

  constructor(
    private readonly space: SpoolSpace,
    private readonly tenantId: string,
    private readonly lifetime: RequestLifetime,
  ) {}

  /** Joins the pieces of a text. A long one is written to a file, and the result stands for it. */
  join = async (pieces: AsyncIterable<string>): Promise<string> => {
    const name = `spooled-${randomUUID()}`;
    let text = "";
    let spooled: Spooled | undefined;
    for await (const piece of pieces) {
      if (!spooled && text.length + piece.length <= shortText) {
        text += piece;
        continue;
      }
      if (!spooled) {
        spooled = { file: await temporaryFile(), bytes: 0 };
        this.texts.set(name, spooled);
        await this.write(spooled, text);
      }
      await this.write(spooled, piece);
    }
    return spooled ? name : text;
  };

  /** The response with its exports, or undefined if none was long. The caller sends or destroys it. */
  bodyOf(text: string): SpooledBody | undefined {
    if (!this.texts.size) return undefined;
    const parts: (string | Spooled)[] = text
      .split(/(spooled-[0-9a-f-]{36})/)
      .map((part) => this.texts.get(part) ?? part)
      .filter((part) => part !== "");
    return new SpooledBody(parts);
  }

  /** Removes the files. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.taken) this.space.give(this.tenantId, this.taken);
    this.taken = 0;
    const open = [...this.texts.values()];
    this.texts.clear();
    for (const { file } of open) await file.close();
  }

  /** Appends a text as it is in JSON. */
  private async write(to: Spooled, text: string): Promise<void> {
    this.lifetime.throwIfCancelled();
    if (this.isClosed) {
      await to.file.close();
      throw serverFull();
    }
    const bytes = Buffer.from(JSON.stringify(text).slice(1, -1));
    this.space.take(this.tenantId, bytes.length);
    this.taken += bytes.length;
    to.bytes += bytes.length;
    await to.file.write(bytes);
  }
}

/** A response in parts: texts, and files that are read as fast as the client reads. */
export class SpooledBody extends Readable {
  readonly bytes: number;
  private readonly chunks: AsyncGenerator<Buffer>;

  constructor(parts: (string | Spooled)[]) {
    super({ highWaterMark: chunkBytes });
    this.bytes = parts.reduce((sum, part) => sum + (typeof part === "string" ? Buffer.byteLength(part) : part.bytes), 0);
    this.chunks = chunksOf(parts);
  }

  override _read(): void {
    this.chunks.next().then(
      ({ value, done }) => this.push(done ? null : value),
      (error) => this.destroy(error),
    );
  }
}

async function* chunksOf(parts: (string | Spooled)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (typeof part === "string") yield Buffer.from(part);
    else
      for (let at = 0; at < part.bytes; ) {
        const { buffer, bytesRead } = await part.file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
        if (!bytesRead) throw new Error("a file of a response is shorter than what was written");
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
  }
}

/** A file that is gone once it is closed, even if the process is killed. */
async function temporaryFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-answer-"));
  try {
    return await open(join(folder, "answer"), "w+");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
