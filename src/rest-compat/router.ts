/** The documented paths on fastify: binds each request to its route's operation, runs it, and sends the response. */
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, onRequestHookHandler } from "fastify";
import type { FieldNode } from "graphql";
import type { Actor } from "../domain/access/keys.js";
import { type Admission, pointsOf } from "../execution/admission/admission.js";
import { type LogFailure, maskError } from "../execution/errors.js";
import type { CompiledOperation } from "../execution/operation/compile.js";
import { type Execute, executeWith, finished } from "../execution/operation/execute.js";
import { fingerprintOf, type RecordedResponse, type Repeatable, runOnce, validatedKey } from "../execution/operation/idempotency.js";
import { validatedStaleness } from "../execution/operation/staleness.js";
import { type Context, makeContext, type Outcome, type Services } from "../resolvers/context.js";
import { methodNotAllowed, tooLarge } from "../schema/errors.js";
import { type Bound, bind } from "./bind.js";
import { type CompiledRoute, type RouteEntry, versionKey } from "./compiled-routes.js";
import { tagOf, versionsOf } from "./entity-tags.js";
import { Progress, wantsLines } from "./progress.js";
import type { Route } from "./route.js";
import { conflictingVersion, dropNulls, errorResponse, preconditionFailed } from "./wire.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Media type of the route's body if it is not JSON. */
    mediaType?: string;
  }
  interface FastifyRequest {
    actor?: Actor;
    /** Set once the operation was parsed. */
    outcome?: Outcome;
  }
}

export interface RouterOptions {
  services: Services;
  admission: Admission;
  /** Sets `request.actor`. Throws if the request has no valid key. */
  authenticate: onRequestHookHandler;
  baseUrlOf(request: FastifyRequest): string;
  lifetimeOf(reply: FastifyReply): NonNullable<Context["lifetime"]>;
  logFailure: LogFailure;
  /** Sends a text with its tag, or 304 to a client that already has the text. */
  sendTagged(request: FastifyRequest, reply: FastifyReply, text: string, etag: string): FastifyReply;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const methods: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Mounts the routes. Other methods on their paths get METHOD_NOT_ALLOWED. OPTIONS lists the allowed methods. */
export function mountRoutes(app: FastifyInstance, routes: RouteEntry[], options: RouterOptions): void {
  const methodsOf = new Map<string, Set<string>>();
  const execute = executeWith(options.admission);
  for (const { route, compiled } of routes) {
    let handler: Handler | undefined;
    mountRoute(app, route, (request, reply) => (handler ??= handlerOf(compiled(), execute, options))(request, reply), options);
    const { method, path } = route;
    const known = methodsOf.get(path) ?? new Set(["OPTIONS"]);
    methodsOf.set(path, known.add(method));
    if (method === "GET") known.add("HEAD");
  }
  for (const [url, known] of methodsOf) mountOtherMethods(app, url, known);
}

function mountRoute(app: FastifyInstance, { method, path, file }: Route, handler: Handler, { authenticate }: RouterOptions): void {
  const route = { method, url: path, onRequest: authenticate, handler };
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

function handlerOf(
  entry: CompiledRoute,
  execute: Execute,
  { services, baseUrlOf, lifetimeOf, logFailure, sendTagged }: RouterOptions,
): Handler {
  const { route, parameters } = entry;
  const respond = responder(entry, logFailure);
  const [root] = entry.operation.selectionSet.selections as [FieldNode];
  const shown = `${route.method} ${route.path.replace(/:(\w+)/g, "{$1}")}`;
  const named = { type: entry.operation.operation, field: root.name.value, shown };
  const send = (request: FastifyRequest, reply: FastifyReply, { status, body, etag }: RecordedResponse) => {
    if (status === 503) reply.header("retry-after", String(JSON.parse(body).retryAfter ?? 2));
    reply.code(status).type(`${(status === 200 && route.answer) || "application/json"}; charset=utf-8`);
    if (etag === undefined) return reply.send(body);
    // Cacheable with revalidation, since a key's rights can change.
    if (route.method === "GET") return sendTagged(request, reply.header("cache-control", "private, no-cache"), body, etag);
    return reply.header("etag", etag).send(body);
  };
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const ifMatch = request.headers["if-match"];
    const expected = ifMatch === undefined ? undefined : expectedVersions(entry, ifMatch);
    const key = route.method === "GET" ? undefined : request.headers["idempotency-key"];
    const file =
      route.file && key !== undefined ? await readFile(request.body as Readable | undefined, services.importLimits.maxBytes) : undefined;
    const body = file ?? request.body;
    const bound = bind(parameters, { params: request.params as never, query: request.query as never, body }, route.body);
    const lifetime = lifetimeOf(reply);
    const maxStaleness = validatedStaleness(request.headers["max-staleness"]);
    const progress = route.progress && wantsLines(request) ? new Progress() : undefined;
    const caller = {
      actor: request.actor!,
      requestId: request.id,
      source: "rest",
      baseUrl: baseUrlOf(request),
      maxStaleness,
      progress: progress?.tell,
    } as const;
    const context = makeContext(services, caller, lifetime);
    request.outcome = context.outcome;
    if (bound.unknown.length)
      reply.header("warning", `299 - "Unknown fields ignored: ${bound.unknown.map(headerSafe).join(", ").slice(0, 500)}"`);
    const work = { cost: entry.cost(bound.variables), lane: entry.lane };
    const admitted = <T extends RecordedResponse>(run: () => Promise<T>): Promise<T> =>
      execute({ context, named, work, run, answered: ({ body }) => pointsOf(body) });
    /** Long operations stream their progress. Operations that finish or fail before the first progress respond normally. */
    const answered = async (answer: Promise<RecordedResponse>) => {
      if ((await Promise.race([answer, progress?.started])) !== undefined || !progress) return send(request, reply, await answer);
      return progress.send(reply, answer, (error) => {
        const { status, body } = errorResponse(maskError(error, request.id, logFailure), request.id);
        context.outcome.errorCode = String(body.code);
        return { status, body: JSON.stringify(body) };
      });
    };
    if (key === undefined) return answered(admitted(() => respond(bound, context, expected)));
    const content = file ? createHash("sha256").update(file).digest("hex") : request.body;
    const fingerprint = fingerprintOf(
      context.caller.actor.keyId ?? context.caller.actor.principalId,
      request.method,
      request.url,
      content,
      ...(ifMatch === undefined ? [] : [ifMatch]),
    );
    const write: Repeatable["write"] = (outside) => {
      context.data.outside = outside;
      return respond(bound, context, expected);
    };
    const response = admitted(() =>
      runOnce(context.data.writing, { principalId: context.caller.actor.principalId, key: validatedKey(key), fingerprint, write }),
    );
    if (progress) return answered(response);
    if ((await response).replayed) reply.header("idempotent-replayed", "true");
    return send(request, reply, await response);
  };
}

/**
 * The versions that If-Match allows; undefined for any. Throws PRECONDITION_FAILED if none can match, because a condition must never be
 * ignored.
 */
function expectedVersions({ expected }: CompiledRoute, ifMatch: string): (number | string)[] | undefined {
  if (!expected) throw preconditionFailed("is taken by PUT and DELETE of one record that has a version; leave it out here");
  const versions = versionsOf(ifMatch)?.filter((version) => version.includes(".") === (expected === "String"));
  if (versions?.length === 0) throw preconditionFailed("names no version; send the ETag of the record's own path");
  return expected === "Int" ? versions?.map(Number) : versions;
}

/** Returns a function that runs the route's operation and converts its result, or its first error, to status and body. */
function responder({ route, run, runBefore, jsonFields, versionPath }: CompiledRoute, logFailure: LogFailure) {
  const nullable = new Set(route.nullable);
  const opaque = new Set(jsonFields);
  return async ({ variables, clientName }: Bound, context: Context, expected?: (number | string)[]): Promise<RecordedResponse> => {
    const runMasked = async (operation: CompiledOperation, values: Record<string, unknown>) =>
      finished(await operation.run(values, context), context, logFailure);
    const attempt = (version?: number | string) =>
      runMasked(run, version === undefined ? variables : { ...variables, expectedVersion: version });
    let { data, errors } = await attempt(expected?.[0]);
    if (runBefore && variables.nextToken != null && errors?.[0]?.extensions.code === "BAD_USER_INPUT")
      ({ data, errors } = await runMasked(runBefore, variables));
    // If If-Match has several versions, uses the record's current version.
    let version = expected && errors && conflictingVersion(errors[0]!);
    if (version !== undefined && expected!.includes(version)) {
      ({ data, errors } = await attempt(version));
      version = errors && conflictingVersion(errors[0]!);
    }
    if (errors?.length && version !== undefined) {
      const { changedFields } = errors[0]!.extensions;
      const failure = preconditionFailed(`${errors[0]!.message}; read it again and send its new ETag`, { version, changedFields });
      context.outcome.errorCode = failure.code;
      const { status, body } = errorResponse(failure, context.caller.requestId);
      return { status, body: JSON.stringify(body), etag: `"${version}"` };
    }
    if (errors?.length) {
      const { status, body } = errorResponse(errors[0]!, context.caller.requestId, (field) => route.renamed?.[field] ?? clientName(field));
      return { status, body: JSON.stringify(body) };
    }
    const [root] = Object.values(data!);
    const shown = versionPath === undefined ? undefined : takeVersion(valueAt(root, versionPath));
    let response = valueAt(root, route.responsePath);
    if (route.shape) response = route.shape.of(response);
    if (typeof response === "object" && response !== null) dropNulls(response, nullable, opaque);
    const body = typeof response === "string" ? response : JSON.stringify(response);
    context.data.bounds.check(body);
    const isTagged = route.method === "GET" || shown !== undefined;
    return { status: route.status ?? 200, body, etag: isTagged ? tagOf(body, shown) : undefined };
  };
}

/** Removes and returns the version that was selected next to the response's fields. */
function takeVersion(record: any): unknown {
  const version = record?.[versionKey];
  if (version !== undefined) record[versionKey] = undefined;
  return version;
}

const valueAt = (value: any, path: string | undefined): unknown => (path ? path.split(".").reduce((at, name) => at?.[name], value) : value);

/** Reads a whole file, because the fingerprint of an idempotent request includes its content. Throws PAYLOAD_TOO_LARGE. */
async function readFile(stream: Readable | undefined, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of (stream ?? []) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxSize) throw tooLarge(maxSize, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const headerSafe = (text: string) => text.replace(/[^\x21-\x7e]|["\\]/g, "?");
