/**
 * The one error vocabulary. Resolvers and domain throw these; the doors translate them: GraphQL into `extensions`,
 * REST into a status and a body (interface.md section 7). Whatever else is thrown is masked as an internal error.
 */
import { GraphQLError } from "graphql";

/** The HTTP status each code answers with on REST paths. */
export const statusOf = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type Code = keyof typeof statusOf;

export class ServiceError extends GraphQLError {
  constructor(
    readonly code: Code,
    message: string,
    /** Fields beside `error` in a REST body, and in GraphQL `extensions`. */
    readonly context: Record<string, unknown> = {},
  ) {
    super(message, { extensions: { ...context, code } });
  }
}

/** `details` names each bad field and what to do about it. */
export const badInput = (details: Record<string, string>, message = "Invalid input") =>
  new ServiceError("BAD_USER_INPUT", message, { details });

/** `identifier` is the resource's identifier field of interface.md section 7, e.g. `{ assetId }`. */
export const notFound = (noun: string, identifier: Record<string, string> = {}) =>
  new ServiceError("NOT_FOUND", `${noun} not found`, identifier);

export const conflict = (message: string, context: Record<string, unknown> = {}) => new ServiceError("CONFLICT", message, context);

export const forbidden = (message: string) => new ServiceError("FORBIDDEN", "Forbidden", { message });

export const unauthenticated = () =>
  new ServiceError("UNAUTHENTICATED", "Unauthorized", { message: "Send a valid API key in the header Authorization: Bearer <API_KEY>" });

export const unavailable = () =>
  new ServiceError("SERVICE_UNAVAILABLE", "The database cannot be reached for the moment; try again shortly");

export const internal = (requestId: string) => new ServiceError("INTERNAL_SERVER_ERROR", `Internal server error (${requestId})`);

/** Like `25 MB`, rounded up: what is over a limit must not read like the limit. */
const readable = (bytes: number) => (bytes < 1_048_576 ? `${bytes} bytes` : `${Math.ceil((bytes * 100) / 1_048_576) / 100} MB`);

export const tooLarge = (maxSize: number, receivedSize: number) =>
  new ServiceError("PAYLOAD_TOO_LARGE", "File too large", { maxSize: readable(maxSize), receivedSize: readable(receivedSize) });
