/** Headers of HTTP caching: ETag and Vary. */
import type { FastifyReply, FastifyRequest } from "fastify";
import fresh from "fresh";
import { append } from "vary";
import { digestOf } from "../rest-compat/entity-tags.js";

/** Names request headers that the answer depends on, beside those that are named already. */
export const addVary = (reply: FastifyReply, fields: string): FastifyReply =>
  reply.header("vary", append(String(reply.getHeader("vary") ?? ""), fields));

/** Sends text with its tag. A client that has the text already gets 304. The default is weak, because compression comes after it. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, text: string, etag = `W/"${digestOf(text)}"`): FastifyReply {
  reply.header("etag", etag);
  // Without the request's Cache-Control: fetch adds no-cache where its caller names a tag, and that is for caches on the way.
  return fresh({ "if-none-match": request.headers["if-none-match"] }, { etag }) ? reply.code(304).send() : reply.send(text);
}
