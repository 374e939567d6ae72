/** Error responses over HTTP: docs/interface.md 7 on REST paths, GraphQL `errors` at /graphql. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { Config } from "../config.js";
import { type LogFailure, maskError, retryAfterOf } from "../execution/errors.js";
import { DocumentRefused } from "../execution/operation/persisted.js";
import { invalidJson } from "../execution/operation/text-check.js";
import { type ErrorResponse, errorResponse } from "../rest-compat/wire.js";
import { methodNotAllowed, ServiceError } from "../schema/errors.js";
import { streamPath } from "./live/event-stream.js";
import { addSafeHeaders } from "./requests.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for a request that was refused before it was parsed, or that failed as a whole. */
    errorCode?: string;
  }
}

export type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Returns a function that masks an error, logs it if it is internal, and sends it in the format of the request's path. */
export function errorSender(config: Config, logFailure: LogFailure): SendError {
  return (error, request, reply) => {
    if (error instanceof DocumentRefused) {
      request.errorCode = error.extensions.code as string;
      return reply.code(error.status).send({ errors: [error] });
    }
    const known = fastifyError(error as FastifyError, request, config) ?? maskError(error, request.id, logFailure);
    const { status, body } = withStatusOf(error as FastifyError, errorResponse(known, request.id));
    request.errorCode = String(body.code);
    // Hooks do not run for a path that the router cannot parse.
    addSafeHeaders(reply.header("x-request-id", request.id).type("application/json; charset=utf-8"));
    if (status === 401) reply.header("www-authenticate", "Bearer");
    const retryAfter = retryAfterOf(known);
    if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
    const { error: message, ...extensions } = body;
    if (!graphqlPaths.includes(pathOf(request))) return reply.code(status).send(body);
    const { refusedCost: cost } = request;
    return reply.code(status).send({ errors: [{ message, extensions }], ...(cost && { extensions: { cost } }) });
  };
}

export function handleErrors(app: FastifyInstance, sendError: SendError): void {
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const allow = app.supportedMethods.filter((method) => app.hasRoute({ method: method as HTTPMethods, url: path })).join(", ");
    if (!allow) return sendError(unknownPath(request.method, path), request, reply);
    reply.header("allow", allow);
    return sendError(methodNotAllowed(allow), request, reply);
  });
}

const graphqlPaths = ["/graphql", streamPath];

const pathOf = ({ url }: FastifyRequest): string => url.split("?")[0]!;

const unknownPath = (method: string, path: string) =>
  new ServiceError("NOT_FOUND", "Not found", { message: `There is no ${method} ${path.slice(0, 200)}; see /openapi.json` });

const isClientStatus = (status: number | undefined): status is number => status !== undefined && status >= 400 && status < 500;

const statusOfFastify = (error: FastifyError & { status?: number }): number | undefined => {
  const status = error.statusCode ?? error.status;
  return !(error instanceof ServiceError) && isClientStatus(status) ? status : undefined;
};

/** A 4xx error of fastify or of the multipart parser keeps its status. */
const withStatusOf = (error: FastifyError, response: ErrorResponse): ErrorResponse => ({
  ...response,
  status: statusOfFastify(error) ?? response.status,
});

/** Converts a 4xx error of fastify or of the multipart parser. Returns undefined for any other error. */
function fastifyError(error: FastifyError, request: FastifyRequest, config: Config): ServiceError | undefined {
  const status = statusOfFastify(error);
  if (status === undefined) return undefined;
  if (status === 413) {
    const maxSize = `${config.MAX_BODY_BYTES} bytes`;
    const sent = request.headers["content-length"];
    return new ServiceError("PAYLOAD_TOO_LARGE", "Payload too large", {
      maxSize,
      receivedSize: sent ? `${sent} bytes` : `more than ${maxSize}`,
    });
  }
  if (status === 415) {
    const message = `Send the body as ${request.routeOptions.config.mediaType ?? "application/json"}`;
    return new ServiceError("UNSUPPORTED_MEDIA_TYPE", "Unsupported media type", { message });
  }
  if (status === 404 || status === 414) return new ServiceError("NOT_FOUND", "Not found", { message: "The path is too long or malformed" });
  if (error.code === "FST_ERR_CTP_INVALID_JSON_BODY") return invalidJson();
  return new ServiceError("BAD_USER_INPUT", "Bad request", { message: error.message });
}
