/** The service on HTTP: REST paths at /, GraphQL at /graphql, and what runs beside them. */
import { fastifyApolloHandler } from "@as-integrations/fastify";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { processRequest } from "graphql-upload-minimal";
import { v4 as uuid } from "uuid";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { openPrisma } from "../database/prisma.js";
import { KeyRing } from "../domain/keys.js";
import { makeContext, type Services } from "../resolvers/context.js";
import { buildGatewaySchema } from "../resolvers/schema.js";
import { openApi } from "../rest-compat/openapi.js";
import { compileRoutes, mountRoutes } from "../rest-compat/router.js";
import { badInput, ServiceError, unauthenticated } from "../schema/errors.js";
import { explorerHeaders, explorerPage, registerExplorer } from "./explorer.js";
import { presentable } from "./failure.js";
import { startApollo } from "./graphql.js";
import { registerHealth } from "./health.js";
import { unstorable } from "./unstorable.js";

export interface GatewayOptions {
  config: Config;
  database: Database;
  /** A key the explorer fills in; only for demo data. */
  demoKey?: string;
}

/** Builds the service on an open, migrated database; the caller listens and closes. */
export async function buildGateway({ config, database, demoKey }: GatewayOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: config.LOG_LEVEL === "silent" ? false : { level: config.LOG_LEVEL, redact: ["req.headers.authorization"] },
    trustProxy: config.TRUST_PROXY,
    bodyLimit: config.MAX_BODY_BYTES,
    requestTimeout: 60_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: true,
    genReqId: ({ headers }) => (/^[\w.-]{1,64}$/.test(String(headers["x-request-id"] ?? "")) ? String(headers["x-request-id"]) : uuid()),
    disableRequestLogging: true,
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => void answerFailure(error, request, reply as FastifyReply),
    clientErrorHandler(error, socket) {
      if (!socket.writable) return socket.destroy();
      const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
      const [status, message] = tooLarge
        ? ["431 Request Header Fields Too Large", "The path or the headers are too long"]
        : ["400 Bad Request", "Malformed HTTP request"];
      const body = JSON.stringify({ error: message });
      socket.end(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    },
  });
  const logFailure = (cause: unknown, requestId: string) => app.log.error({ requestId, err: cause }, "request failed");
  const services: Services = {
    database,
    prisma: openPrisma(database),
    keys: new KeyRing(database, (error) => app.log.warn({ err: error }, "last use of a key not noted")),
  };
  const schema = buildGatewaySchema();
  const rest = compileRoutes(schema, logFailure);
  const apollo = await startApollo(schema, config, logFailure);

  app.addHook("onRequest", async (request, reply) => void reply.header("x-request-id", request.id));
  app.addHook("preValidation", async (request) => {
    for (const [place, value] of Object.entries({ path: request.params, query: request.query, body: request.body })) {
      const problem = unstorable(value);
      if (problem) throw badInput({ [problem.path || place]: problem.message });
    }
  });
  app.addHook("onResponse", async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        url: request.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        tenant: request.actor?.tenantId,
      },
      "request",
    );
  });

  function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    reply.header("x-request-id", request.id);
    const graphql = request.url.startsWith("/graphql");
    const { status, body } = failureOf(error as FastifyError, request, config);
    if (status >= 500) logFailure(error, request.id);
    if (status === 401) reply.header("www-authenticate", "Bearer");
    if (status === 503) reply.header("retry-after", "2");
    const { error: message, ...rest } = body;
    return reply.code(status).send(graphql ? { errors: [{ message, extensions: rest }] } : body);
  }
  app.setErrorHandler(answerFailure);
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      error: "Not found",
      message: `There is no ${request.method} ${request.url.split("?")[0]!.slice(0, 200)}; see /docs`,
      requestId: request.id,
    }),
  );

  app.register(async (graphql) => {
    // Parts of an upload are streamed by the resolvers that take them; see `processRequest`.
    graphql.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
    const authenticate = async (request: FastifyRequest) => {
      if (request.method === "GET" && wantsPage(request)) return;
      request.actor = await services.keys.authenticate(request.headers.authorization);
      if (!request.actor) throw unauthenticated();
    };
    const handler = fastifyApolloHandler(apollo, { context: async (request) => makeContext(services, request.actor!, request.id) });
    graphql.route({
      method: ["GET", "POST"],
      url: "/graphql",
      onRequest: authenticate,
      preValidation: async (request, reply) => {
        if (request.method === "POST" && request.headers["content-type"]?.startsWith("multipart/form-data")) {
          request.body = await processRequest(request.raw, reply.raw, { maxFileSize: 100 * 1_048_576, maxFiles: 10 });
        }
      },
      handler: async function (request, reply) {
        if (request.method === "GET" && wantsPage(request)) return reply.headers(explorerHeaders).type("text/html; charset=utf-8").send(explorerPage());
        return handler.call(this as never, request as never, reply as never);
      },
    });
  });

  mountRoutes(app, rest.compiled, services, logFailure);
  const description = JSON.stringify(openApi(rest.schema, rest.compiled));
  app.get("/openapi.json", (_request, reply) => reply.type("application/json; charset=utf-8").send(description));
  await registerExplorer(app, { demoKey });
  registerHealth(app, database);
  app.addHook("onClose", async () => {
    await apollo.stop();
    await services.prisma.$disconnect();
  });
  return app;
}

const wantsPage = ({ headers, query }: FastifyRequest): boolean =>
  Boolean(headers.accept?.includes("text/html")) && !(query as Record<string, unknown>).query;

function failureOf(
  error: FastifyError,
  request: FastifyRequest,
  config: Config,
): { status: number; body: { error: string; [field: string]: unknown } } {
  const requestId = request.id;
  const status = error.statusCode ?? (error as { status?: number }).status;
  if (!(error instanceof ServiceError) && status && status >= 400 && status < 500) {
    const [message, context] = clientFault(error, status, request, config);
    return { status, body: { error: message, ...context, requestId } };
  }
  const shown = presentable(error, requestId, () => {});
  const { code, ...context } = shown.extensions as { code: string };
  const statuses: Record<string, number> = { BAD_USER_INPUT: 400, UNAUTHENTICATED: 401, SERVICE_UNAVAILABLE: 503 };
  return { status: statuses[code] ?? 500, body: { error: shown.message, ...context, code, requestId } };
}

function clientFault(error: FastifyError, status: number, request: FastifyRequest, config: Config): [string, Record<string, unknown>] {
  if (status === 413) {
    const sent = request.headers["content-length"];
    return [
      "Payload too large",
      { maxSize: `${config.MAX_BODY_BYTES} bytes`, ...(sent && { receivedSize: `${sent} bytes` }), code: "PAYLOAD_TOO_LARGE" },
    ];
  }
  if (status === 415) return ["Unsupported media type", { message: "Send the body as application/json" }];
  if (status === 404 || status === 414) return ["Not found", { message: "The path is too long or malformed" }];
  const malformed =
    error.code === "FST_ERR_CTP_EMPTY_JSON_BODY" || error instanceof SyntaxError || error.code === "FST_ERR_CTP_INVALID_JSON_BODY";
  return malformed
    ? ["Invalid JSON", { details: { body: "must be valid JSON" }, code: "BAD_USER_INPUT" }]
    : ["Bad request", { message: error.message, code: "BAD_USER_INPUT" }];
}
