/** Headers by which browsers and proxies keep answers: ETag and Vary. */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import fresh from "fresh";
import { append } from "vary";

/** Names request headers that the answer depends on, beside those that are named already. */
export const addVary = (reply: FastifyReply, fields: string): FastifyReply =>
  reply.header("vary", append(String(reply.getHeader("vary") ?? ""), fields));

/** Sends text with its tag, which is weak, because compression comes after it. A client that has the text already gets 304. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const etag = `W/"${createHash("sha1").update(text).digest("base64url")}"`;
  reply.header("etag", etag);
  // Without the request's Cache-Control: fetch adds no-cache where its caller names a tag, and that is for caches on the way.
  return fresh({ "if-none-match": request.headers["if-none-match"] }, { etag }) ? reply.code(304).send() : reply.send(text);
}
