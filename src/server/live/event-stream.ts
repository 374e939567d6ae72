/**
 * GraphQL over server-sent events (graphql-sse, distinct connections) at POST /graphql/stream, for networks that block WebSockets: one
 * request, one operation. Uses the same pipeline as HTTP. Only the library's message format is used, because its handler queues results
 * without bound for clients that do not read.
 */
import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ExecutionResult } from "graphql";
import { print, type StreamMessage } from "graphql-sse";
import { RefusedValue } from "../../execution/operation/text-check.js";
import { badInput, ServiceError, unauthenticated } from "../../schema/errors.js";
import type { BaseUrlOf } from "../public-url.js";
import { type LifetimeOf, requireKey } from "../requests.js";
import { textOf } from "../result-text.js";
import { authorizationOf } from "../session-cookie.js";
import { type Operation, type OperationOptions, Operations, type Payload, type Results } from "./operations.js";

export const streamPath = "/graphql/stream";

/** Proxies close connections without traffic, many after 30 seconds. */
const heartbeatMs = 12_000;
const heartbeat = ":\n\n";

/** Maximum time that a client that does not read can delay the shutdown. */
const closingMs = 1_000;

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // nginx would otherwise buffer the events.
  "x-accel-buffering": "no",
  // After hours of one stream there is no reason to keep the connection, and a shutdown need not wait for it.
  connection: "close",
};

interface StreamOptions extends OperationOptions {
  baseUrlOf: BaseUrlOf;
  lifetimeOf: LifetimeOf;
}

/** Returns a function that counts the open streams. */
export function serveEventStream(app: FastifyInstance, options: StreamOptions): () => number {
  const { pipeline, services, admission, keyWatch, baseUrlOf, lifetimeOf } = options;
  const operations = new Operations(app, options, { name: "sse", method: "SSE", url: streamPath, source: "graphql" });
  const open = new Set<EventStream>();
  const authenticate = requireKey(services.keys, admission, ["text/event-stream"], { answers: "text/event-stream", isQueued: () => false });
  let isClosing = false;

  const send = (reply: FastifyReply, results: Results, authorization: string | undefined) => {
    const stream = new EventStream(results);
    open.add(stream);
    if (isClosing) void stream.close();
    const stopWatching = keyWatch.watch(authorization ?? "", () => stream.refuse());
    stream.body.once("close", () => {
      stopWatching();
      open.delete(stream);
    });
    return reply.headers(headers).send(stream.body);
  };

  app.route({
    method: "POST",
    url: streamPath,
    onRequest(request, reply, done) {
      // A client whose stream broke off may reconnect before the service stops listening.
      if (isClosing) done(new ServiceError("SERVICE_UNAVAILABLE", "The service is shutting down; try again shortly"));
      else authenticate.call(this, request, reply, done);
    },
    // As over WebSocket, the errors of an operation are its result.
    errorHandler: (error, request, reply) => {
      const cause = pipeline.bodyError(error, (request.body ?? {}) as Payload);
      if (!(error instanceof RefusedValue)) throw cause;
      const errors = [pipeline.mask(cause, request.id)];
      operations.log(operationOf(request), errors);
      return send(reply, single({ errors }), authorizationOf(request.headers.authorization, request.headers.cookie));
    },
    handler: async (request, reply) => {
      const operation = operationOf(request);
      const { admitted, errors } = operations.admit(operation, payloadOf(request), {
        actor: request.actor!,
        baseUrl: baseUrlOf(request),
        holder: { subscriptions: 0 },
        startLifetime: () => lifetimeOf(reply),
      });
      if (errors) operations.log(operation, errors);
      const result = admitted ? await operations.run(admitted) : { errors };
      return send(
        reply,
        Symbol.asyncIterator in result ? result : single(result),
        authorizationOf(request.headers.authorization, request.headers.cookie),
      );
    },
  });

  app.addHook("preClose", async () => {
    isClosing = true;
    await Promise.all([...open].map((stream) => stream.close()));
  });
  return () => open.size;
}

/** Sends results to a client at the client's pace. */
class EventStream {
  readonly body = new PassThrough();
  private readonly heartbeat = setInterval(() => this.write(heartbeat), heartbeatMs);
  private isRefused = false;
  private readonly closed = new AbortController();

  constructor(private readonly results: Results) {
    this.body.once("close", () => {
      clearInterval(this.heartbeat);
      this.closed.abort();
      void results.return?.();
    });
    // The failure is already logged; the client reconnects with its token.
    this.send().catch(() => this.body.destroy());
  }

  private async send(): Promise<void> {
    // Some browsers show no response before its first byte.
    this.write(heartbeat);
    for await (const result of this.results) if (!this.write(next(result))) await this.drained();
    if (this.isRefused) this.write(next({ errors: [unauthenticated()] }));
    this.write(complete);
    this.body.end();
  }

  private write(text: string): boolean {
    return this.body.writable && this.body.write(text);
  }

  private drained(): Promise<unknown> {
    if (!this.body.writable) return Promise.resolve();
    return once(this.body, "drain", { signal: this.closed.signal }).catch(() => {});
  }

  /** Ends the operation with UNAUTHENTICATED. */
  refuse(): void {
    this.isRefused = true;
    void this.results.return?.();
  }

  /** Ends the stream without the event `complete`, so that the client reconnects. */
  async close(): Promise<void> {
    this.body.end();
    const late = setTimeout(() => this.body.destroy(), closingMs);
    if (!this.body.closed) await once(this.body, "close");
    clearTimeout(late);
  }
}

const complete = print({ event: "complete", data: null } as StreamMessage<false, "complete">);
const next = (result: ExecutionResult): string => `event: next\ndata: ${textOf(result)}\n\n`;

async function* single(result: ExecutionResult): Results {
  yield result;
}

const operationOf = ({ id, actor, activity }: FastifyRequest): Operation => ({
  id,
  startedAt: performance.now(),
  activity: activity!,
  actor,
});

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Throws BAD_USER_INPUT for a body that is not a GraphQL request. The header `Idempotency-Key` applies as at /graphql. */
function payloadOf({ body, headers }: FastifyRequest): Payload {
  if (!isObject(body)) throw badInput({ body: "must be a JSON object with a `query`" });
  const payload = body as Record<string, unknown>;
  for (const name of ["query", "operationName"])
    if (payload[name] != null && typeof payload[name] !== "string") throw badInput({ [name]: "must be a text" });
  for (const name of ["variables", "extensions"])
    if (payload[name] != null && !isObject(payload[name])) throw badInput({ [name]: "must be an object" });
  const idempotencyKey = headers["idempotency-key"];
  const { extensions, ...rest } = payload as Payload;
  return { ...rest, extensions: idempotencyKey === undefined ? extensions : { ...extensions, idempotencyKey } };
}
