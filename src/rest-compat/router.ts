/** The documented paths on fastify: binds each request to its route's operation, runs it, and sends the response. */
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, onRequestAsyncHookHandler } from "fastify";
import type { Actor } from "../domain/access/keys.js";
import type { LogFailure } from "../execution/errors.js";
import { fingerprintOf, type RecordedResponse, runOnce, validatedKey } from "../execution/idempotency.js";
import { runOperation } from "../execution/run.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import { methodNotAllowed, tooLarge } from "../schema/errors.js";
import { streamOf } from "../schema/files/upload.js";
import { type Bound, bind } from "./bind.js";
import type { CompiledRoute } from "./compiled-routes.js";
import { dropNulls, errorResponse } from "./wire.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Media type of the route's body if it is not JSON. */
    mediaType?: string;
  }
  interface FastifyRequest {
    actor?: Actor;
  }
}

export interface RouterOptions {
  services: Services;
  /** Sets `request.actor`. Throws if the request has no valid key. */
  authenticate: onRequestAsyncHookHandler;
  baseUrlOf(request: FastifyRequest): string;
  logFailure: LogFailure;
}

const methods: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Mounts the routes. Other methods on their paths get METHOD_NOT_ALLOWED. OPTIONS lists the allowed methods. */
export function mountRoutes(app: FastifyInstance, compiled: CompiledRoute[], options: RouterOptions): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const entry of compiled) {
    mountRoute(app, entry, options);
    const { method, path } = entry.route;
    const known = methodsOf.get(path) ?? new Set(["OPTIONS"]);
    methodsOf.set(path, known.add(method));
    if (method === "GET") known.add("HEAD");
  }
  for (const [url, known] of methodsOf) mountOtherMethods(app, url, known);
}

function mountRoute(app: FastifyInstance, entry: CompiledRoute, options: RouterOptions): void {
  const { method, path, file } = entry.route;
  const route = { method, url: path, onRequest: options.authenticate, handler: handlerOf(entry, options) };
  if (!file) return void app.route(route);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(file, (_request, payload, done) => done(null, payload));
    scope.route({ ...route, config: { mediaType: file } });
  });
}

function mountOtherMethods(app: FastifyInstance, url: string, known: Set<string>): void {
  const allow = [...known].join(", ");
  app.route({ method: "OPTIONS", url, handler: (_, reply) => reply.header("allow", allow).code(204).send() });
  app.route({
    method: methods.filter((method) => !known.has(method as string)),
    url,
    handler: async (_, reply) => {
      reply.header("allow", allow);
      throw methodNotAllowed(allow);
    },
  });
}

function handlerOf(entry: CompiledRoute, { services, baseUrlOf, logFailure }: RouterOptions) {
  const { route, parameters } = entry;
  const respond = responder(entry, logFailure);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const key = route.method === "GET" ? undefined : request.headers["idempotency-key"];
    const file = route.file && key !== undefined ? await readFile(request.body as Readable, services.importLimits.maxBytes) : undefined;
    const body = file ? streamOf(file) : request.body;
    const bound = bind(parameters, { params: request.params as never, query: request.query as never, body }, route.body);
    const context = makeContext(services, request.actor!, { id: request.id, baseUrl: baseUrlOf(request) });
    if (bound.unknown.length)
      reply.header("warning", `299 - "Unknown fields ignored: ${bound.unknown.map(headerSafe).join(", ").slice(0, 500)}"`);
    if (key === undefined) return send(reply, await respond(bound, context));
    const content = file ? createHash("sha256").update(file).digest("hex") : request.body;
    const fingerprint = fingerprintOf(context.actor.keyId, request.method, request.url, content);
    const response = await runOnce(context.writing, validatedKey(key), fingerprint, () => respond(bound, context));
    if (response.replayed) reply.header("idempotent-replayed", "true");
    return send(reply, response);
  };
}

/** Returns a function that runs the route's operation and converts its result, or its first error, to status and body. */
function responder({ route, run, jsonFields }: CompiledRoute, logFailure: LogFailure) {
  const nullable = new Set(route.nullable);
  const opaque = new Set(jsonFields);
  return async ({ variables, clientName }: Bound, context: Context): Promise<RecordedResponse> => {
    const { data, errors } = await runOperation(run, variables, context, logFailure);
    if (errors?.length) {
      const { status, body } = errorResponse(errors[0]!, context.requestId, (field) => route.renamed?.[field] ?? clientName(field));
      return { status, body: JSON.stringify(body) };
    }
    const [root] = Object.values(data!);
    let response = valueAt(root, route.responsePath);
    if (route.shape) response = route.shape.of(response);
    if (typeof response === "object" && response !== null) dropNulls(response, nullable, opaque);
    return { status: route.status ?? 200, body: typeof response === "string" ? response : JSON.stringify(response) };
  };
}

const valueAt = (value: any, path: string | undefined): unknown => (path ? path.split(".").reduce((at, name) => at?.[name], value) : value);

/** Reads a whole file, because the fingerprint of an idempotent request includes its content. Throws PAYLOAD_TOO_LARGE. */
async function readFile(stream: Readable, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxSize) throw tooLarge(maxSize, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(reply: FastifyReply, { status, body }: RecordedResponse) {
  if (status === 503) reply.header("retry-after", "2");
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

const headerSafe = (text: string) => text.replace(/[^\x21-\x7e]|["\\]/g, "?");
