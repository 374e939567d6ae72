/** GraphQL over WebSocket (graphql-ws) at /graphql. Uses the same pipeline as HTTP. */
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { ExecutionResult, GraphQLError, GraphQLSchema } from "graphql";
import { CloseCode, type SubscribePayload } from "graphql-ws";
import { useServer } from "graphql-ws/use/ws";
import { v4 as uuid } from "uuid";
import { type WebSocket, WebSocketServer } from "ws";
import type { Config } from "../config.js";
import { statusOfErrors } from "../execution/errors.js";
import type { PersistedDocuments } from "../execution/persisted.js";
import type { OperationRequest, Pipeline } from "../execution/pipeline.js";
import { checkPrototypeKeys, checkValues } from "../execution/text-check.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import { unauthenticated } from "../schema/errors.js";
import { requestLine } from "./requests.js";

const keyCheckMs = 2_000;

interface Session {
  authorization: string;
  baseUrl: string;
}

// A type, because graphql-ws requires an index signature, which an interface lacks.
type Connection = {
  socket: WebSocket;
  request: IncomingMessage;
  /** Set after the connection is authenticated. */
  session?: Session;
};

/** An operation that a client sent in a subscribe message. */
interface Operation {
  id: string;
  startedAt: number;
  tenant?: string;
}

interface AdmittedOperation extends Operation {
  request: OperationRequest;
  context: Context;
}

interface SocketOptions {
  pipeline: Pipeline;
  documents: PersistedDocuments;
  schema: GraphQLSchema;
  config: Config;
  services: Services;
}

export function serveWebSocket(app: FastifyInstance, options: SocketOptions): void {
  const { pipeline, schema, config, services } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: config.MAX_BODY_BYTES });

  const log = ({ id, startedAt, tenant }: Operation, errors: readonly GraphQLError[] | undefined) =>
    app.log
      .child({ reqId: id })
      .info(requestLine("WS", "/graphql", statusOfErrors(errors), performance.now() - startedAt, tenant), "request");

  /** Runs an admitted operation and logs it. A subscription is logged when it starts. */
  const run = async <T extends object>(operation: AdmittedOperation, work: () => Promise<T>): Promise<T | ExecutionResult> => {
    const result = await work().catch((error) => ({ errors: [pipeline.mask(error, operation.id)] }));
    log(operation, "errors" in result ? (result.errors as GraphQLError[]) : undefined);
    return result;
  };

  const server = useServer<Record<string, unknown>, Connection>(
    {
      onConnect: async ({ connectionParams, extra }) => {
        extra.session = await openSession(extra, connectionParams, config, services);
        return extra.session !== undefined;
      },
      async onSubscribe({ extra }, _id, payload) {
        const operation: Operation = { id: uuid(), startedAt: performance.now() };
        const { admitted, errors } = await admit(operation, extra, payload, options);
        if (admitted) {
          const { document, operationName } = admitted.request;
          return { schema, document, operationName, contextValue: admitted };
        }
        log(operation, errors);
        return errors;
      },
      execute: ({ contextValue }) => {
        const operation = contextValue as AdmittedOperation;
        return run(operation, () => pipeline.execute(operation.request, operation.context));
      },
      subscribe: ({ contextValue }) => {
        const operation = contextValue as AdmittedOperation;
        return run(operation, () => pipeline.subscribe(operation.request, operation.context)) as never;
      },
    },
    sockets as never,
  );

  app.server.on("upgrade", (request, socket, head) => {
    if (request.url?.split("?")[0] !== "/graphql") return socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit("connection", client, request));
  });
  app.addHook("preClose", async () => {
    await server.dispose();
    await services.pubsub.close();
  });
}

type Admission = { admitted: AdmittedOperation; errors?: undefined } | { admitted?: undefined; errors: readonly GraphQLError[] };

/** Authenticates, parses and checks one message. Sets the operation's tenant. Returns masked errors instead of throwing. */
async function admit(
  operation: Operation,
  { session, socket }: Connection,
  payload: SubscribePayload,
  { pipeline, documents, services }: SocketOptions,
): Promise<Admission> {
  try {
    const { authorization, baseUrl } = session!;
    const actor = await services.keys.authenticate(authorization);
    if (!actor) {
      socket.close(CloseCode.Forbidden, "Forbidden");
      throw unauthenticated();
    }
    operation.tenant = actor.tenantId;
    const { request, errors } = readRequest(pipeline, documents, payload);
    if (errors) return { errors };
    pipeline.check(request, operation.id);
    return { admitted: { ...operation, request, context: makeContext(services, actor, { id: operation.id, baseUrl }) } };
  } catch (error) {
    return { errors: [pipeline.mask(error, operation.id)] };
  }
}

/**
 * Authenticates a connection by `Authorization` in its parameters or headers. Returns undefined for an invalid key. If the key is
 * later revoked or expires, closes the socket with 4403 within seconds.
 */
async function openSession(
  { socket, request }: Connection,
  parameters: Record<string, unknown> | undefined,
  config: Config,
  { keys }: Services,
): Promise<Session | undefined> {
  const sent = parameters?.Authorization ?? parameters?.authorization ?? request.headers.authorization;
  const authorization = typeof sent === "string" ? sent : "";
  if (!(await keys.authenticate(authorization))) return undefined;
  const check = setInterval(async () => {
    const actor = await keys.authenticate(authorization).catch(() => "unknown");
    if (!actor) socket.close(CloseCode.Forbidden, "Forbidden");
  }, keyCheckMs);
  socket.once("close", () => clearInterval(check));
  return { authorization, baseUrl: config.PUBLIC_URL ?? `http://${request.headers.host ?? "localhost"}` };
}

type ReadRequest = { request: OperationRequest; errors?: undefined } | { request?: undefined; errors: readonly GraphQLError[] };

/** Checks a message like fastify and the request hooks check an HTTP body, then parses its query. Throws BAD_USER_INPUT and DocumentRefused. */
function readRequest(pipeline: Pipeline, documents: PersistedDocuments, payload: SubscribePayload): ReadRequest {
  checkPrototypeKeys(payload);
  checkValues({ body: payload });
  const { operationName, variables, extensions } = payload;
  const query = documents.textOf(payload.query, extensions?.persistedQuery) as string;
  const read = pipeline.parse(query);
  if (read.errors) return { errors: read.errors };
  return {
    request: { query, document: read.document, operationName, variables: variables ?? {}, idempotencyKey: extensions?.idempotencyKey },
  };
}
