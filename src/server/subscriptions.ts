/** GraphQL subscriptions over graphql-ws at /graphql. A socket ends when its key is revoked or expires. */
import type { FastifyInstance } from "fastify";
import { execute, GraphQLError, type GraphQLSchema, getOperationAST, parse, subscribe, validate } from "graphql";
import { CloseCode } from "graphql-ws";
import { useServer } from "graphql-ws/use/ws";
import { v4 as uuid } from "uuid";
import { type WebSocket, WebSocketServer } from "ws";
import type { Config } from "../config.js";
import { type Context, makeContext, type Services } from "../resolvers/context.js";
import type { LogFailure } from "./executor.js";
import { presentable } from "./failure.js";
import { enforce, limitsOf } from "./limits.js";

const keyCheckMs = 2_000;

interface Session {
  authorization: string;
  baseUrl: string;
}

/** The key is sent as `Authorization` in the connection's parameters, or in the header where a client can set one. */
export function serveSubscriptions(
  app: FastifyInstance,
  schema: GraphQLSchema,
  config: Config,
  services: Services,
  logFailure: LogFailure,
): void {
  const limits = limitsOf(config);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: config.MAX_BODY_BYTES });
  const shown = (error: unknown, id: string) => {
    const cause = presentable(error, id, (failure) => logFailure(failure, id));
    return new GraphQLError(cause.message, { path: error instanceof GraphQLError ? error.path : undefined, extensions: cause.extensions });
  };

  const ender = useServer<Record<string, unknown>, { session?: Session; socket: WebSocket }>(
    {
      schema,
      async onConnect({ connectionParams, extra }) {
        const request = (extra as unknown as { request: import("node:http").IncomingMessage }).request;
        const given = connectionParams?.Authorization ?? connectionParams?.authorization ?? request.headers.authorization;
        const authorization = typeof given === "string" ? given : "";
        if (!(await services.keys.authenticate(authorization))) return false;
        extra.session = { authorization, baseUrl: config.PUBLIC_URL ?? `http://${request.headers.host ?? "localhost"}` };
        const { socket } = extra;
        const check = setInterval(async () => {
          const actor = await services.keys.authenticate(authorization).catch(() => "unknown");
          if (!actor) socket.close(CloseCode.Forbidden, "Forbidden");
        }, keyCheckMs);
        socket.once("close", () => clearInterval(check));
        return true;
      },
      async onSubscribe({ extra }, _id, { query, operationName, variables }) {
        const requestId = uuid();
        try {
          const document = parse(query, { maxTokens: config.MAX_QUERY_TOKENS });
          const errors = validate(schema, document);
          if (errors.length) return errors;
          const operation = getOperationAST(document, operationName);
          if (!operation) return [new GraphQLError("Unknown operation")];
          enforce(limits, schema, document, operation, variables ?? {});
          const { authorization, baseUrl } = extra.session!;
          const actor = await services.keys.authenticate(authorization);
          if (!actor) {
            extra.socket.close(CloseCode.Forbidden, "Forbidden");
            return [];
          }
          const contextValue: Context = makeContext(services, actor, { id: requestId, baseUrl });
          return { schema, document, operationName, variableValues: variables, contextValue };
        } catch (error) {
          return [shown(error, requestId)];
        }
      },
      execute,
      subscribe,
      onNext: (_context, _id, _payload, _args, result) => ({
        ...result,
        ...(result.errors && { errors: result.errors.map((error) => shown(error, uuid())) }),
      }),
      onError: (_context, _id, _payload, errors) => errors.map((error) => (error instanceof GraphQLError ? shown(error, uuid()) : error)),
    },
    sockets as never,
  );

  app.server.on("upgrade", (request, socket, head) => {
    if (request.url?.split("?")[0] !== "/graphql") return socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (client) => sockets.emit("connection", client, request));
  });
  app.addHook("preClose", async () => {
    await ender.dispose();
    await services.notices.close();
  });
}
