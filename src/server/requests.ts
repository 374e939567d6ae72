/** Hooks of every HTTP request: request id, value check, authentication, log line. */
import { Readable } from "node:stream";
import accepts from "accepts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.js";
import { checkValues } from "../execution/text-check.js";
import type { Services } from "../resolvers/context.js";
import { notAcceptable, unauthenticated } from "../schema/errors.js";

export type BaseUrlOf = (request: FastifyRequest) => string;

/** Returns the base URL as clients see it: PUBLIC_URL, otherwise the request's host. */
export const baseUrlFrom =
  ({ PUBLIC_URL }: Config): BaseUrlOf =>
  (request) =>
    PUBLIC_URL ?? `${request.protocol}://${request.host}`;

export function addRequestHooks(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => void reply.header("x-request-id", request.id));
  // Open connections would delay the shutdown.
  app.addHook("onSend", async (_request, reply) => {
    if (!app.server.listening) reply.header("connection", "close");
  });
  app.addHook("preValidation", async ({ params, query, body }) => {
    checkValues({ path: params, query, body: body instanceof Readable ? undefined : body });
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, url, actor } = request;
    request.log.info(requestLine(method, url, reply.statusCode, reply.elapsedTime, actor?.tenantId), "request");
  });
}

/** The fields of the log line of a request, over HTTP or WebSocket. `elapsed` in milliseconds. */
export const requestLine = (method: string, url: string, status: number, elapsed: number, tenant: string | undefined) => ({
  method,
  url,
  status,
  ms: Math.round(elapsed),
  tenant,
});

/** Returns a hook that sets `request.actor`. It throws NOT_ACCEPTABLE and UNAUTHENTICATED (docs/interface.md 5). */
export const requireKey =
  ({ keys }: Services, mediaTypes: string[]) =>
  async (request: FastifyRequest) => {
    if (!accepts(request.raw).type(mediaTypes)) throw notAcceptable();
    request.actor = await keys.authenticate(request.headers.authorization);
    if (!request.actor) throw unauthenticated();
  };
