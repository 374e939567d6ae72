/** Compresses texts as the client accepts. Files are streams, and are sent as they are. */
import { type BrotliOptions, brotliCompress, constants, gzip, type ZlibOptions } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { addVary } from "./caching.js";

/** Characters. Below it, compressing saves less than it costs. */
const minLength = 1024;

// Of what costs the same, what saves the most (docs/operations.md, "Compression"). Brotli's own window of 4 MB costs more than it saves.
const gzipOptions: ZlibOptions = { level: 3 };
const brotliOptions: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } };

export function compressTexts(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const isLong = typeof payload === "string" && payload.length >= minLength;
    if (isLong || reply.statusCode === 304) addVary(reply, "accept-encoding");
    const encoding = isLong ? encodingOf(request) : "identity";
    if (!isLong || encoding === "identity") return done(null, payload);
    const finish = (error: Error | null, compressed: Buffer) => {
      if (!error) weakenTag(reply.header("content-encoding", encoding));
      done(error as null, compressed);
    };
    // In a thread of the pool, each at once: as a stream it would cost twice the time.
    if (encoding === "br") brotliCompress(payload, brotliOptions, finish);
    else gzip(payload, gzipOptions, finish);
  });
}

/** Other bytes, so the tag tells only that the text is the same. */
function weakenTag(reply: FastifyReply): void {
  const etag = reply.getHeader("etag");
  if (typeof etag === "string" && etag.startsWith('"')) reply.header("etag", `W/${etag}`);
}

/** Brotli where the client accepts both alike: it saves more. */
function encodingOf({ headers }: FastifyRequest): "br" | "gzip" | "identity" {
  if (!headers["accept-encoding"]) return "identity";
  // @ts-expect-error The types lack the second parameter.
  const [best] = new Negotiator({ headers }).encodings(["br", "gzip", "identity"], { preferred: ["br", "gzip"] });
  return (best as "br" | "gzip" | undefined) ?? "identity";
}
