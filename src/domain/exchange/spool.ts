/** Spools an uploaded file to disk during an import, so that a slow client does not keep a transaction open. */
import { createWriteStream } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badInput, tooLarge } from "../../schema/errors.js";

const chunkBytes = 65_536;

export interface Spooled {
  /** A new stream from the beginning, on every call. */
  content(): Readable;
  delimiter: string;
}

export const notUtf8 = () => badInput({ body: "must be UTF-8 text; save the file as CSV UTF-8" }, "Invalid CSV");

/** Runs `work` with the file. Throws BAD_USER_INPUT unless it is UTF-8 and not empty, PAYLOAD_TOO_LARGE above `maxBytes`. */
export async function spooled<T>(source: Readable, maxBytes: number, work: (file: Spooled) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-import-"));
  try {
    const path = join(folder, "rows.csv");
    await spool(source, path, maxBytes);
    const file = await open(path, "r");
    try {
      // Unlinked while open, so that a killed process leaves no file behind.
      await rm(folder, { recursive: true, force: true });
      return await work({ content: () => Readable.from(chunksOf(file)), delimiter: await delimiterOf(file) });
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(source: Readable, path: string, maxBytes: number): Promise<void> {
  let size = 0;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const check = (chunk: Buffer | undefined) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw notUtf8();
    }
  };
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge(maxBytes, size);
        check(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        check(undefined);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  try {
    // Kept out of the pipeline, which would destroy the source on failure and close the connection before the response.
    source.on("error", (error) => counted.destroy(error));
    await pipeline(source.pipe(counted), createWriteStream(path));
  } catch (error) {
    source.unpipe(counted).resume();
    throw error;
  }
  if (!size) throw badInput({ body: "is empty; send a header row and rows below it" }, "Invalid CSV");
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (!bytesRead) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Returns the more frequent of comma and semicolon in the header line. */
async function delimiterOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(10_000), 0, 10_000, 0);
  const [line = ""] = buffer.toString("utf8", 0, bytesRead).split(/[\r\n]/, 1);
  return line.split(";").length > line.split(",").length ? ";" : ",";
}
