/** Hooks of every HTTP request: request id, value check, authentication, log line. */
import { Readable } from "node:stream";
import accepts from "accepts";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Config } from "../config.js";
import { Activity, inActivity } from "../database/watch/activity.js";
import type { Attributes, Span, TraceCarrier, Tracing } from "../database/watch/span.js";
import type { Actor, KeyRing } from "../domain/access/keys.js";
import type { Admission } from "../execution/admission/admission.js";
import { refusedValue } from "../execution/operation/text-check.js";
import type { Outcome } from "../resolvers/context.js";
import type { CostReport } from "../resolvers/cost.js";
import { type Deadlines, RequestLifetime } from "../resolvers/request-lifetime.js";
import { badInput, notAcceptable, type ServiceError, unauthenticated } from "../schema/errors.js";
import { endsConnections } from "./drain.js";
import type { Metrics } from "./metrics/metrics.js";
import { authorizationOf } from "./session-cookie.js";
import { withoutSecrets } from "./without-secrets.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined for a path that the router cannot parse. */
    activity?: Activity;
    /** Set for a request that was refused before it was parsed. */
    refusedCost?: CostReport;
  }
}

export const deadlinesOf = ({ REQUEST_SECONDS, LONG_REQUEST_SECONDS }: Config): Deadlines => ({
  seconds: REQUEST_SECONDS,
  long: Math.max(REQUEST_SECONDS, LONG_REQUEST_SECONDS),
});

export type LifetimeOf = (reply: FastifyReply) => RequestLifetime;

/** Returns a function that determines when a request ends: with its response, at its deadline, or when its client disconnects. */
export function lifetimesFrom(config: Config): LifetimeOf {
  const deadlines = deadlinesOf(config);
  return ({ raw }) => {
    const lifetime = new RequestLifetime(deadlines);
    const end = () => {
      lifetime.close();
      if (!raw.writableFinished) lifetime.hangUp();
    };
    if (raw.destroyed) end();
    else raw.once("close", end);
    return lifetime;
  };
}

/** Status in log lines, as in nginx: the client closed the connection before the response. */
export const hungUpStatus = 499;

export interface Watchers {
  metrics: Metrics | undefined;
  tracing: Tracing | undefined;
}

/** Every request passes through these hooks, so there is one per stage, and none returns a promise. */
export function addRequestHooks(app: FastifyInstance, admission: Admission, { metrics, tracing }: Watchers): void {
  const end = (request: FastifyRequest, reply: FastifyReply, status: number) => {
    // Server-sent events are logged when they start.
    if (String(reply.getHeader("content-type")).startsWith("text/event-stream")) return;
    log(request, reply, status);
    metrics?.countRequest(request, status, reply.elapsedTime);
    request.activity?.end(...ofAnswer(request.id, request.actor, status, request.errorCode ?? request.outcome?.errorCode));
  };
  app.addHook("onRequest", (request, reply, done) => {
    request.activity = new Activity(false, tracing && beginTrace(tracing, request));
    reply.header("x-request-id", request.id);
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) end(request, reply, hungUpStatus);
    });
    // Everything that fastify does from here on runs in this context, including reading the body.
    inActivity(request.activity, () => done(secondHost(request.raw.rawHeaders)));
  });
  app.addHook("onSend", ({ actor }, reply, payload, done) => {
    addSafeHeaders(reply);
    // Open connections would delay the shutdown.
    if (endsConnections(app.server)) reply.header("connection", "close");
    if (actor) reply.headers(admission.headers(actor));
    done(null, payload);
  });
  app.addHook("preValidation", ({ params, query, body }, _reply, done) => {
    done(refusedValue({ path: params, query, body: body instanceof Readable ? undefined : body }));
  });
  app.addHook("onResponse", (request, reply, done) => {
    if (reply.raw.writableFinished) end(request, reply, reply.statusCode);
    done();
  });
}

/** Node reads only the first Host header, but a proxy may route by another one (RFC 9112, 3.2). */
function secondHost(rawHeaders: string[]): ServiceError | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") hosts++;
  return hosts > 1 ? badInput({ Host: "must be sent once" }) : undefined;
}

/** Whether the level is on. The logger of LOG_LEVEL=silent has no levels, and drops the line itself. */
const isLogged = (log: FastifyBaseLogger, level: string): boolean =>
  (log as { isLevelEnabled?(level: string): boolean }).isLevelEnabled?.(level) ?? true;

function log(request: FastifyRequest, reply: FastifyReply, status: number): void {
  const level = probes.has(request.routeOptions.url) ? "debug" : "info";
  if (!isLogged(request.log, level)) return;
  const { method, url, actor, outcome, errorCode, activity } = request;
  const line = requestLine(method, url, status, reply.elapsedTime, actor);
  request.log[level]({ reqId: request.id, ...line, ...outcomeLine(outcome, errorCode), ...activityLine(activity) }, "request");
}

/** Paths that monitoring requests every few seconds. Their log lines and traces would outnumber all others. */
const probes = new Set<string | undefined>(["/health", "/ready", "/metrics"]);

function beginTrace(tracing: Tracing, { method, url, headers, protocol, routeOptions }: FastifyRequest): Span | undefined {
  const route = routeOptions.url;
  if (probes.has(route)) return undefined;
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "url.path": url.split("?")[0],
    "url.scheme": protocol,
    "user_agent.original": headers["user-agent"],
  };
  return tracing.begin("server", route ? `${method} ${route}` : method, attributes, headers as TraceCarrier);
}

/** Trace attributes of a response, and the error code if it is a failure. */
export const ofAnswer = (requestId: string, actor: Caller | undefined, status: number, code: string | undefined): [Attributes, string?] => {
  const attributes = {
    "http.response.status_code": status,
    "gateway.request.id": requestId,
    "gateway.tenant": actor?.tenantId,
    "gateway.key": actor?.keyId,
    "gateway.code": code,
  };
  return status >= 500 ? [attributes, code ?? String(status)] : [attributes];
};

/** Suggested file names for saved responses. Otherwise browsers derive the name from the URL, which a link can end in `.bat`. */
const savedAs: [type: RegExp, name: string][] = [
  [/^application\/.*json/, "answer.json"],
  [/^text\/plain/, "answer.txt"],
];

/** Default headers of every response: no content sniffing, no caching. */
export function addSafeHeaders(reply: FastifyReply): void {
  reply.header("x-content-type-options", "nosniff");
  if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  const type = String(reply.getHeader("content-type") ?? "");
  const name = savedAs.find(([pattern]) => pattern.test(type))?.[1];
  if (name && !reply.hasHeader("content-disposition")) reply.header("content-disposition", `inline; filename="${name}"`);
}

/** The sender of a request, as far as known. */
export type Caller = Pick<Actor, "tenantId" | "keyId">;

/** Fields of a request's log line, for every transport. `elapsed` in milliseconds. */
export const requestLine = (method: string, url: string, status: number, elapsed: number, actor: Caller | undefined) => ({
  method,
  url: withoutSecrets(url),
  status,
  ms: Math.round(elapsed),
  tenant: actor?.tenantId,
  key: actor?.keyId,
});

/** Maximum characters of an operation's client-chosen name. */
const maxName = 100;

/** Log fields of an operation that was parsed or refused. */
export const outcomeLine = (outcome: Outcome | undefined, errorCode: string | undefined) => ({
  operation: outcome?.rootField,
  operationName: outcome?.name && withoutSecrets(outcome.name).slice(0, maxName),
  cost: outcome?.cost,
  code: errorCode ?? outcome?.errorCode,
});

/** Database statements and trace of a request. */
export const activityLine = (activity: Activity | undefined) => ({ statements: activity?.statements, trace: activity?.root?.traceId });

/** Cost of a request before it is parsed, in points, by the bytes of its body. */
export const requestCost = (bytes: number): number => 1 + Math.floor(bytes / 1024);

interface KeyOptions {
  /** Media type that an error names. */
  answers?: string;
  /** Whether the operation of a request enters its tenant's queue. Subscriptions and uploads of files do not. */
  isQueued?(request: FastifyRequest): boolean;
}

/**
 * Returns a hook that sets `request.actor` and deducts the cost of the request itself. It fails with NOT_ACCEPTABLE and UNAUTHENTICATED,
 * FORBIDDEN for some tokens (docs/interface.md 5), and RATE_LIMITED.
 */
export function requireKey(
  keys: KeyRing,
  admission: Admission,
  mediaTypes: string[],
  { answers = "application/json", isQueued = () => true }: KeyOptions = {},
): onRequestHookHandler {
  /** Returns a promise only if the request must wait. */
  const admit = (request: FastifyRequest, actor: Actor | undefined): void | Promise<void> => {
    request.actor = actor;
    if (!actor) throw unauthenticated();
    const points = requestCost(Number(request.headers["content-length"]) || 0);
    const noteCost = (error: unknown) => {
      request.refusedCost = admission.report(actor, points);
      throw error;
    };
    const held = isQueued(request) ? admission.admitBody(actor) : undefined;
    return (held ? held.then(() => admission.charge(actor, points)) : admission.charge(actor, points))?.catch(noteCost);
  };
  const authenticate = async (request: FastifyRequest): Promise<void> => {
    const [path] = request.url.split("?") as [string];
    const source = path.startsWith("/graphql") ? "graphql" : "rest";
    const authorization = authorizationOf(request.headers.authorization, request.headers.cookie);
    const actor = await keys.authenticate(authorization, { id: request.id, source, method: request.method, path });
    await admit(request, actor);
  };
  return (request, _reply, done) => {
    // Without the header, every media type is accepted.
    if (request.headers.accept !== undefined && !accepts(request.raw).type(mediaTypes)) return done(notAcceptable(answers));
    const actor = keys.known(authorizationOf(request.headers.authorization, request.headers.cookie));
    const waiting = actor ? admit(request, actor) : authenticate(request);
    if (waiting) waiting.then(() => done(), done);
    else done();
  };
}
