/** GraphQL over WebSocket (graphql-ws) at /graphql. Uses the same pipeline as HTTP. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { GraphQLSchema } from "graphql";
import { CloseCode, handleProtocols, makeServer, type SubscribePayload } from "graphql-ws";
import { v4 as uuid } from "uuid";
import { type WebSocket, WebSocketServer } from "ws";
import type { Config } from "../../config.js";
import { Activity, inActivity } from "../../database/watch/activity.js";
import type { TraceCarrier, Tracing } from "../../database/watch/span.js";
import { RequestLifetime } from "../../resolvers/request-lifetime.js";
import { unauthenticated } from "../../schema/errors.js";
import type { KeyWatch } from "../key-watch.js";
import { type BaseUrlOf, requestOf } from "../public-url.js";
import { deadlinesOf, requestCost } from "../requests.js";
import { textOf } from "../result-text.js";
import { authorizationOf } from "../session-cookie.js";
import type { Holder } from "./live-limits.js";
import {
  type AdmissionResult,
  type AdmittedOperation,
  actorOf,
  type Operation,
  type OperationOptions,
  Operations,
  type Results,
} from "./operations.js";
import { closeSoon, SocketTraffic } from "./socket-traffic.js";

/** Time for a socket to authenticate, and the maximum number of unauthenticated sockets. */
const initMs = 5_000;
const maxUnauthenticated = 1_000;

/** A socket that does not respond within this interval is closed. */
const heartbeatMs = 12_000;

interface Session {
  authorization: string;
  baseUrl: string;
}

// A type, because graphql-ws requires an index signature, which an interface lacks.
type Connection = Holder & {
  socket: WebSocket;
  request: IncomingMessage;
  /** Endings of running operations by the client's ids. */
  lifetimes: Map<string, RequestLifetime>;
  /** Set after the connection is authenticated. */
  session?: Session;
  send(text: string): Promise<void>;
  /** Handles messages that waited for an operation which turned out to be a subscription, which may stay open. */
  proceed(): void;
};

interface SocketOptions extends OperationOptions {
  schema: GraphQLSchema;
  config: Config;
  baseUrlOf: BaseUrlOf;
}

/** Returns a function that counts the open sockets. */
export function serveWebSocket(app: FastifyInstance, options: SocketOptions): () => number {
  const { pipeline, schema, config, services, admission, keyWatch, tracing, baseUrlOf } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: config.MAX_SOCKET_MESSAGE_BYTES, handleProtocols });
  const operations = new Operations(app, options, { name: "websocket", method: "WS", url: "/graphql", source: "websocket" });
  const deadlines = deadlinesOf(config);
  const unauthenticatedSockets = new Set<WebSocket>();

  const admit = async (operation: Operation, connection: Connection, id: string, payload: SubscribePayload): Promise<AdmissionResult> => {
    const { session, socket, lifetimes } = connection;
    const { authorization, baseUrl } = session!;
    const startLifetime = () => {
      const lifetime = new RequestLifetime(deadlines);
      lifetimes.set(id, lifetime);
      return lifetime;
    };
    try {
      const actor = await actorOf(services.keys, authorization, attempt(operation.id));
      if (actor) await admission.charge(actor, requestCost(JSON.stringify(payload).length));
      if (actor) return operations.admit(operation, payload, { actor, baseUrl, holder: connection, startLifetime });
      socket.close(CloseCode.Forbidden, "Forbidden");
      throw unauthenticated();
    } catch (error) {
      return { errors: [pipeline.mask(error, operation.id)] };
    }
  };
  const run = ({ contextValue }: { contextValue?: unknown }) => operations.run(contextValue as AdmittedOperation) as never;

  const server = makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: initMs,
    onConnect: async ({ connectionParams, extra }) => {
      const authorization = authorizationFor(extra, connectionParams);
      if (!(await actorOf(services.keys, authorization, attempt(uuid())))) return false;
      extra.session = { authorization, baseUrl: baseUrlOf(requestOf(extra.request, config)) };
      unauthenticatedSockets.delete(extra.socket);
      endWithKey(extra.socket, authorization, keyWatch);
      return true;
    },
    async onSubscribe({ extra, subscriptions }, id, payload) {
      const activity = new Activity(false, tracing && beginTrace(tracing, payload));
      const operation: Operation = { id: uuid(), startedAt: performance.now(), activity };
      const { admitted, errors } = await inActivity(activity, () => admit(operation, extra, id, payload));
      if (admitted) {
        // The client ended the operation in the meantime.
        if (!(id in subscriptions)) extra.lifetimes.get(id)?.hangUp();
        if (admitted.release) extra.proceed();
        const { document, operationName } = admitted.request;
        return { schema, document, operationName, contextValue: admitted };
      }
      operations.log(operation, errors);
      return errors;
    },
    onOperation({ extra }, id, _payload, _args, result) {
      extra.lifetimes.delete(id);
      return Symbol.asyncIterator in result ? sentBy(extra, id, result as Results) : undefined;
    },
    execute: run,
    subscribe: run,
  });

  sockets.on("connection", (socket, request) => {
    const send = (text: string) => traffic.send(text);
    const connection: Connection = { socket, request, lifetimes: new Map(), subscriptions: 0, send, proceed: () => traffic.proceed() };
    unauthenticatedSockets.add(socket);
    // An invalid frame has already closed the socket with the appropriate code.
    socket.on("error", () => {});
    let handle: (text: string) => Promise<void> = async () => {};
    const traffic = new SocketTraffic(socket, request.socket, {
      maxOperations: config.MAX_SOCKET_OPERATIONS,
      subscriptions: () => connection.subscriptions,
      handle: (text) => handle(text),
      onComplete: (id) => connection.lifetimes.get(id)?.hangUp(),
    });
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send,
        close: (code = 1000, reason = "") => traffic.close(code, reason),
        onMessage: (callback) => (handle = callback),
      },
      connection,
    );
    socket.once("close", (code, reason) => {
      unauthenticatedSockets.delete(socket);
      for (const lifetime of connection.lifetimes.values()) lifetime.hangUp();
      void closed(code, String(reason));
    });
  });

  const stopHeartbeat = startHeartbeat(sockets);
  app.server.on("upgrade", (request, socket, head) => {
    if (request.url?.split("?")[0] !== "/graphql") return refuse(socket, "404 Not Found");
    if (unauthenticatedSockets.size >= maxUnauthenticated) return refuse(socket, "503 Service Unavailable");
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit("connection", client, request));
  });
  app.addHook("preClose", (done) => {
    stopHeartbeat();
    for (const socket of sockets.clients) closeSoon(socket, 1001, "Going away");
    sockets.close(() => done());
  });
  return () => sockets.clients.size;
}

/**
 * Sends the results without graphql-ws, which would serialize each result again for every subscriber. graphql-ws only learns when they end.
 */
function sentBy({ send }: Connection, id: string, results: Results): Results {
  const start = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  return {
    async next() {
      for (;;) {
        const result = await results.next();
        if (result.done) return result;
        await send(`${start}${textOf(result.value)}}`);
      }
    },
    return: (value) => results.return!(value),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Operations of a socket have separate traces. A client passes its trace in `extensions`, in the format of the headers. */
const beginTrace = (tracing: Tracing, { extensions }: SubscribePayload) =>
  tracing.begin(
    "server",
    "WS /graphql",
    { "network.protocol.name": "websocket", "url.path": "/graphql" },
    (extensions ?? {}) as TraceCarrier,
  );

const attempt = (id: string) => ({ id, source: "websocket", method: "WS", path: "/graphql" }) as const;

function refuse(socket: Duplex, status: string): void {
  socket.on("error", () => {});
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
}

/** A key, token or name of a session in the parameters, as browsers must send it, or in the headers. */
function authorizationFor({ request }: Connection, parameters: Record<string, unknown> | undefined): string {
  const sent = parameters?.Authorization ?? parameters?.authorization ?? request.headers.authorization;
  return typeof sent === "string" ? authorizationOf(sent, request.headers.cookie)! : "";
}

/** Closes the socket with 4403 soon after its key was revoked or has expired. */
function endWithKey(socket: WebSocket, authorization: string, keyWatch: KeyWatch): void {
  const stopWatching = keyWatch.watch(authorization, () => socket.close(CloseCode.Forbidden, "Forbidden"));
  socket.once("close", stopWatching);
}

/** Ends sockets that do not respond. Returns a function that stops it. */
function startHeartbeat(sockets: WebSocketServer): () => void {
  const silent = new WeakSet<WebSocket>();
  sockets.on("connection", (socket) => socket.on("pong", () => silent.delete(socket)));
  const beat = setInterval(() => {
    for (const socket of sockets.clients) {
      // A paused socket is not read, so its pong would not be seen.
      if (socket.isPaused) continue;
      if (silent.has(socket)) socket.terminate();
      else {
        silent.add(socket);
        socket.ping();
      }
    }
  }, heartbeatMs).unref();
  return () => clearInterval(beat);
}
