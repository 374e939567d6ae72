/** The service on HTTP: REST paths at /, GraphQL at /graphql, and what runs beside them. */
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import accepts from "accepts";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from "fastify";
import { LRUCache } from "lru-cache";
import { v4 as uuid } from "uuid";
import type { Config } from "../config.js";
import type { Database } from "../database/database.js";
import { openPrisma } from "../database/prisma.js";
import { KeyRing } from "../domain/keys.js";
import { NoticeBoard } from "../domain/notices.js";
import { makeContext, type Services } from "../resolvers/context.js";
import { buildGatewaySchema } from "../resolvers/schema.js";
import { openApi } from "../rest-compat/openapi.js";
import { compileRoutes, mountRoutes } from "../rest-compat/router.js";
import { badInput, type Code, ServiceError, statusOf, unauthenticated } from "../schema/errors.js";
import { openStorage } from "../storage/open.js";
import { startBackground } from "./background.js";
import { explorerHeaders, explorerPage, registerExplorer } from "./explorer.js";
import { presentable } from "./failure.js";
import { registerFiles } from "./files.js";
import { startApollo } from "./graphql.js";
import { registerHealth } from "./health.js";
import { serveSubscriptions } from "./subscriptions.js";
import { unstorable } from "./unstorable.js";
import { isForm, readForm } from "./uploads.js";

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
    return503OnClosing: false,
    genReqId: ({ headers }) => (/^[\w.-]{1,64}$/.test(String(headers["x-request-id"] ?? "")) ? String(headers["x-request-id"]) : uuid()),
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => void answerFailure(error, request, reply as FastifyReply),
    clientErrorHandler(error, socket) {
      // What still arrives after the answer is let go by: a socket closed over it would take the answer along.
      if (!socket.writable) return;
      const [status, message, code] = clientErrors[error.code] ?? ["400 Bad Request", "Malformed HTTP request", "BAD_USER_INPUT"];
      const requestId = uuid();
      const body = JSON.stringify({ error: message, code, requestId });
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "x-request-id": requestId,
        connection: "close",
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
      setTimeout(() => socket.destroy(), 5_000).unref();
    },
  });
  const logFailure = (cause: unknown, requestId: string) => app.log.error({ requestId, err: cause }, "request failed");
  const services: Services = {
    database,
    prisma: openPrisma(database),
    notices: new NoticeBoard(database),
    storage: await openStorage(config),
    maxPhotoSize: config.MAX_PHOTO_BYTES,
    importLimits: { maxBytes: config.MAX_IMPORT_BYTES, maxRows: config.MAX_IMPORT_ROWS },
    tenants: new LRUCache({ max: 10_000 }),
    keys: new KeyRing(database, (error) => app.log.warn({ err: error }, "last use of a key not noted")),
  };
  const baseUrlOf = (request: FastifyRequest) => config.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
  const schema = buildGatewaySchema();
  const rest = compileRoutes(schema, logFailure);
  const apollo = await startApollo(schema, config, logFailure);

  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    // Many clients name the type where they send nothing, as on a DELETE.
    if (!body.length) return done(null, undefined);
    if (!isUtf8(body)) return done(badInput({ body: "must be UTF-8" }));
    parseJson(request, body.toString(), done);
  });

  app.addHook("onRequest", async (request, reply) => void reply.header("x-request-id", request.id));
  // While the service ends, a client that kept its connection would hold it up.
  app.addHook("onSend", async (_request, reply) => {
    if (!app.server.listening) reply.header("connection", "close");
  });
  app.addHook("preValidation", async (request) => {
    refuseUnstorable({ path: request.params, query: request.query, body: request.body });
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
    const { status, body } = failureOf(error as FastifyError, request, config);
    if (status >= 500) logFailure(error, request.id);
    if (status === 401) reply.header("www-authenticate", "Bearer");
    if (status === 503) reply.header("retry-after", "2");
    const { error: message, ...extensions } = body;
    const isGraphql = request.url.split("?")[0] === "/graphql";
    return reply.code(status).send(isGraphql ? { errors: [{ message, extensions }] } : body);
  }
  app.setErrorHandler(answerFailure);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0]!;
    const allow = app.supportedMethods.filter((method) => app.hasRoute({ method: method as HTTPMethods, url: path })).join(", ");
    if (allow) reply.header("allow", allow);
    return answerFailure(
      allow ? new HttpRefusal("METHOD_NOT_ALLOWED", "Method not allowed", `Use ${allow}`) : unknownPath(request.method, path),
      request,
      reply,
    );
  });

  app.register(async (graphql) => {
    const largestUpload = Math.max(config.MAX_PHOTO_BYTES, config.MAX_IMPORT_BYTES) + 1;
    graphql.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
    const authenticate = async (request: FastifyRequest) => {
      if (request.method === "GET" && wantsPage(request)) return;
      if (!accepts(request.raw).type(["application/json", "application/graphql-response+json"]))
        throw new HttpRefusal("NOT_ACCEPTABLE", "Not acceptable", "Answers are application/json");
      request.actor = await services.keys.authenticate(request.headers.authorization);
      if (!request.actor) throw unauthenticated();
    };
    const handler = fastifyApolloHandler(apollo, {
      context: async (request) => makeContext(services, request.actor!, { id: request.id, baseUrl: baseUrlOf(request) }),
    });
    graphql.route({
      method: ["GET", "POST"],
      url: "/graphql",
      onRequest: authenticate,
      preValidation: async (request, reply) => {
        if (isForm(request)) request.body = await readForm(request, reply, largestUpload);
      },
      handler: async function (request, reply) {
        if (request.method === "GET" && wantsPage(request))
          return reply.headers(explorerHeaders).type("text/html; charset=utf-8").send(explorerPage());
        return handler.call(this as never, request as never, reply as never);
      },
    });
  });

  mountRoutes(app, rest.compiled, services, baseUrlOf, logFailure);
  registerFiles(app, services);
  serveSubscriptions(app, schema, config, services, logFailure);
  const stopBackground = startBackground(services, config, logFailure);
  const description = JSON.stringify(openApi(rest.schema, rest.compiled));
  app.get("/openapi.json", (_request, reply) => reply.type("application/json; charset=utf-8").send(description));
  await registerExplorer(app, { demoKey });
  registerHealth(app, database);
  app.addHook("onClose", async () => {
    await stopBackground();
    await apollo.stop();
    await services.prisma.$disconnect();
  });
  return app;
}

/** Throws BAD_USER_INPUT for the first text that cannot be stored, or nesting without end. */
function refuseUnstorable(places: Record<string, unknown>): void {
  for (const [place, value] of Object.entries(places)) {
    const problem = value instanceof Readable ? undefined : unstorable(value);
    if (problem) throw badInput({ [problem.path || place]: problem.message });
  }
}

const clientErrors: Record<string, [status: string, message: string, code: Code]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The path or the headers are too long", "HEADERS_TOO_LARGE"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time", "REQUEST_TIMEOUT"],
};

/** A refusal by HTTP itself. */
class HttpRefusal extends Error {
  readonly statusCode: number;

  constructor(
    readonly code: Code,
    readonly error: string,
    message: string,
  ) {
    super(message);
    this.statusCode = statusOf[code];
  }
}

const unknownPath = (method: string, path: string) =>
  new HttpRefusal("NOT_FOUND", "Not found", `There is no ${method} ${path.slice(0, 200)}; see /openapi.json`);

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
  const { code, ...context } = shown.extensions as { code: Code };
  return { status: statusOf[code] ?? 500, body: { error: shown.message, ...context, code, requestId } };
}

function clientFault(error: FastifyError, status: number, request: FastifyRequest, config: Config): [string, Record<string, unknown>] {
  if (error instanceof HttpRefusal) return [error.error, { message: error.message, code: error.code }];
  if (status === 413) {
    const maxSize = `${config.MAX_BODY_BYTES} bytes`;
    const sent = request.headers["content-length"];
    return ["Payload too large", { maxSize, receivedSize: sent ? `${sent} bytes` : `more than ${maxSize}`, code: "PAYLOAD_TOO_LARGE" }];
  }
  if (status === 415)
    return [
      "Unsupported media type",
      { message: `Send the body as ${request.routeOptions.config.mediaType ?? "application/json"}`, code: "UNSUPPORTED_MEDIA_TYPE" },
    ];
  if (status === 404 || status === 414) return ["Not found", { message: "The path is too long or malformed", code: "NOT_FOUND" }];
  return error.code === "FST_ERR_CTP_INVALID_JSON_BODY"
    ? ["Invalid JSON", { details: { body: "must be valid JSON" }, code: "BAD_USER_INPUT" }]
    : ["Bad request", { message: error.message, code: "BAD_USER_INPUT" }];
}
