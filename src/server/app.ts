import { IncomingMessage } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from "fastify";
import { v4 as uuid } from "uuid";
import type { Config } from "../config.js";
import { sendClientError } from "./client-errors.js";
import type { SendError } from "./error-responses.js";

/** Creates the fastify instance with its limits and timeouts. Requests keep a well-formed `x-request-id`. */
export function createApp(config: Config, sendError: SendError): FastifyInstance {
  return Fastify({
    logger:
      config.LOG_LEVEL === "silent" ? false : { level: config.LOG_LEVEL, redact: ["req.headers.authorization", "req.headers.cookie"] },
    http: {
      IncomingMessage: Http1Message,
      // A slow request head or body delays only its own client; after this time, the response is 408.
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
    },
    trustProxy: config.TRUST_PROXY,
    bodyLimit: config.MAX_BODY_BYTES,
    requestTimeout: 60_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    genReqId: ({ headers }) => (/^[\w.-]{1,64}$/.test(String(headers["x-request-id"] ?? "")) ? String(headers["x-request-id"]) : uuid()),
    // The only line of a request carries its id itself: a logger for each request would cost more than the line.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply as FastifyReply),
    clientErrorHandler: sendClientError,
  });
}

/**
 * Only WebSocket upgrades leave HTTP/1.1. Node passes every request with `Upgrade` to the upgrade listeners, including requests that only
 * offer HTTP/2 (`Upgrade: h2c`), such as those of Java's client. These get a response over HTTP/1.1. Node sets and reads `upgrade`.
 */
class Http1Message extends IncomingMessage {
  private offersUpgrade = false;

  set upgrade(value: unknown) {
    this.offersUpgrade = Boolean(value);
  }

  get upgrade(): boolean {
    return this.offersUpgrade && (this.method === "CONNECT" || /\bwebsocket\b/i.test(this.headers?.upgrade ?? ""));
  }
}
