/** Spools an uploaded file to disk during an import, so that a slow client does not keep a transaction open. */
import { createWriteStream } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badInput, tooLarge } from "../../schema/errors.js";
import { CsvEncoding, CsvSeparator } from "../../schema/exchange/enums.js";
import { decoderOf, EncodingCheck } from "./encoding.js";

const chunkBytes = 65_536;

/** How a file is read. Absent values are detected. */
export interface CsvForm {
  encoding?: CsvEncoding | undefined;
  separator?: CsvSeparator | undefined;
}

export interface Spooled {
  /** A new stream of text from the beginning, on every call. */
  content(): Readable;
  encoding: CsvEncoding;
  separator: CsvSeparator;
  /** The character of `separator`. */
  delimiter: string;
  /** Whether the first line is Excel's `sep=;` instead of the header. */
  hasSeparatorLine: boolean;
}

export const delimiters: Record<CsvSeparator, string> = { comma: ",", semicolon: ";", tab: "\t" };

/** Runs `work` with the file. Throws BAD_USER_INPUT for an empty or unreadable file, PAYLOAD_TOO_LARGE above `maxBytes`. */
export async function spooled<T>(source: Readable, maxBytes: number, form: CsvForm, work: (file: Spooled) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-import-"));
  try {
    const path = join(folder, "rows.csv");
    const encoding = await spool(source, path, maxBytes, form.encoding);
    const file = await open(path, "r");
    try {
      // Unlinked while open, so that a killed process leaves no file behind.
      await rm(folder, { recursive: true, force: true });
      const separation = separationOf(await firstLine(file, encoding), form.separator);
      return await work({ content: () => Readable.from(chunksOf(file, encoding), { objectMode: false }), encoding, ...separation });
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(source: Readable, path: string, maxBytes: number, given: CsvEncoding | undefined): Promise<CsvEncoding> {
  let size = 0;
  const check = new EncodingCheck();
  let encoding: CsvEncoding | undefined;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) return done(tooLarge(maxBytes, size));
      check.add(chunk);
      done(null, chunk);
    },
    flush(done) {
      try {
        encoding = check.end(given);
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
  return encoding!;
}

async function* chunksOf(file: FileHandle, encoding: CsvEncoding): AsyncGenerator<Buffer | string> {
  // The parser reads UTF-8 itself.
  const decode = encoding === "utf-8" ? undefined : decoderOf(encoding);
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (!bytesRead) break;
    at += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    const piece = decode ? decode(chunk) : chunk;
    if (piece.length) yield piece;
  }
  const rest = decode?.();
  if (rest) yield rest;
}

async function firstLine(file: FileHandle, encoding: CsvEncoding): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(10_000), 0, 10_000, 0);
  const chunk = buffer.subarray(0, bytesRead);
  const text = encoding === "utf-8" ? chunk.toString("utf8").replace(/^\ufeff/, "") : decoderOf(encoding)(chunk);
  return text.split(/[\r\n]/, 1)[0]!;
}

type Separation = Pick<Spooled, "separator" | "delimiter" | "hasSeparatorLine">;

/** The given separator, that of Excel's `sep=` line, or the most frequent one in the header line outside of quotes. */
function separationOf(line: string, given: CsvSeparator | undefined): Separation {
  const all = Object.values(CsvSeparator);
  const stated = /^"?sep=(.?)"?$/i.exec(line);
  const named = stated && all.find((one) => delimiters[one] === stated[1]);
  if (stated && !named && !given)
    throw badInput({ body: `has the separator ${JSON.stringify(stated[1])}; use a comma, semicolon or tab` }, "Invalid CSV");
  const plain = line.replace(/"[^"]*"/g, "");
  const frequency = (one: CsvSeparator) => plain.split(delimiters[one]).length;
  const separator = given ?? named ?? all.reduce((best, one) => (frequency(one) > frequency(best) ? one : best));
  return { separator, delimiter: delimiters[separator], hasSeparatorLine: stated !== null };
}
