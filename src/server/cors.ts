/** CORS for the origins of CORS_ORIGINS, whose pages may call the service. Keys travel in a header, so credentials are disabled. */
import cors from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.js";

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const allowedHeaders = [
  "Accept",
  "Authorization",
  "Content-Type",
  "GraphQL-Cost",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Max-Staleness",
  "X-Request-Id",
  // Sent by Apollo Client and others, but not required here.
  "Apollo-Require-Preflight",
  "Apollographql-Client-Name",
  "Apollographql-Client-Version",
  "GraphQL-Require-Preflight",
  "X-Apollo-Operation-Id",
  "X-Apollo-Operation-Name",
  "Traceparent",
  "Tracestate",
];
const exposedHeaders = [
  "Allow",
  "Content-Disposition",
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Warning",
  "WWW-Authenticate",
  "X-Request-Id",
];
/** Seconds. Browsers cache a preflight response for at most two hours. */
const maxAge = 7200;

export async function allowOrigins(app: FastifyInstance, { CORS_ORIGINS: origins }: Config): Promise<void> {
  if (!origins) return;
  const isAny = origins[0] === "*";
  await app.register(cors, {
    delegator: (request, done) => {
      const origin = isAny ? "*" : origins.find((listed) => listed === request.headers.origin);
      const isAllowed = origin !== undefined && !isPlainOptions(request);
      done(null, isAllowed ? { origin, methods, allowedHeaders, exposedHeaders, maxAge } : { origin: false });
    },
  });
  // The plugin adds `Vary: Origin` to every response.
  app.addHook("onRequest", async (request, reply) => {
    if (isAny || isPlainOptions(request)) reply.removeHeader("vary");
  });
}

/** OPTIONS of a client that queries a path's allowed methods, as without CORS (docs/interface.md 7). */
const isPlainOptions = ({ method, headers }: FastifyRequest): boolean =>
  method === "OPTIONS" && !(headers.origin && headers["access-control-request-method"]);
