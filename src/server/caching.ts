/** HTTP caching headers: ETag and Vary. */
import type { FastifyReply, FastifyRequest } from "fastify";
import fresh from "fresh";
import { append } from "vary";
import { digestOf } from "../rest-compat/entity-tags.js";

/** Adds request headers that the response depends on to `Vary`. */
export const addVary = (reply: FastifyReply, fields: string): FastifyReply =>
  reply.header("vary", append(String(reply.getHeader("vary") ?? ""), fields));

/** Sends text with its tag. A client that already has the text gets 304. The default tag is weak, because compression follows. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, text: string, etag = `W/"${digestOf(text)}"`): FastifyReply {
  reply.header("etag", etag);
  // Ignores the request's Cache-Control: fetch adds no-cache if its caller sets a tag, which is meant for intermediate caches.
  return fresh({ "if-none-match": request.headers["if-none-match"] }, { etag }) ? reply.code(304).send() : reply.send(text);
}
