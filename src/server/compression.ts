/** Compresses texts in an encoding that the client accepts. Files are streams, which are not compressed. */
import { pipeline } from "node:stream";
import { type BrotliOptions, brotliCompress, constants, createBrotliCompress, createGzip, gzip, type ZlibOptions } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { addVary } from "./caching.js";
import { SpooledBody } from "./spooled-answers.js";

/** In characters. Compressing shorter texts costs more than it saves. */
const minLength = 1024;

// The settings with the best ratio for their CPU time (docs/operations/install.md, "Compression"). Brotli's default window of 4 MB costs more than
// it saves.
const gzipOptions: ZlibOptions = { level: 3 };
const brotliOptions: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } };

export function compressTexts(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const isSpooled = payload instanceof SpooledBody;
    const isLong = isSpooled || (typeof payload === "string" && payload.length >= minLength);
    if (isLong || reply.statusCode === 304) addVary(reply, "accept-encoding");
    const encoding = isLong ? encodingOf(request) : "identity";
    if (!isLong || encoding === "identity") return done(null, payload);
    if (isSpooled) {
      reply.header("content-encoding", encoding).removeHeader("content-length");
      const compressor = encoding === "br" ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
      // Fastify ends the response if the compressor fails.
      return done(
        null,
        pipeline(payload, compressor, () => {}),
      );
    }
    const finish = (error: Error | null, compressed: Buffer) => {
      if (!error) weakenTag(reply.header("content-encoding", encoding));
      done(error as null, compressed);
    };
    // One call in the thread pool: streaming would take twice the time.
    if (encoding === "br") brotliCompress(payload, brotliOptions, finish);
    else gzip(payload, gzipOptions, finish);
  });
}

/** Compression changes the bytes, so the tag can only identify the text. */
function weakenTag(reply: FastifyReply): void {
  const etag = reply.getHeader("etag");
  if (typeof etag === "string" && etag.startsWith('"')) reply.header("etag", `W/${etag}`);
}

/** Prefers Brotli if the client accepts both equally, because its output is smaller. */
function encodingOf({ headers }: FastifyRequest): "br" | "gzip" | "identity" {
  if (!headers["accept-encoding"]) return "identity";
  // @ts-expect-error The types lack the second parameter.
  const [best] = new Negotiator({ headers }).encodings(["br", "gzip", "identity"], { preferred: ["br", "gzip"] });
  return (best as "br" | "gzip" | undefined) ?? "identity";
}
