/**
 * Errors that clients may see. Resolvers and domain throw them. GraphQL responses carry code and context in `extensions`, REST
 * responses as status and body (docs/interface.md 7). Any other error is masked as an internal error.
 */
import { GraphQLError } from "graphql";

/** The HTTP status of each code on REST paths. */
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
  /** Fields of the input that the error is about, where `context` does not name them. Only GraphQL shows them, as `fieldErrors`. */
  fields: string[] = [];

  constructor(
    readonly code: Code,
    message: string,
    /** Additional fields of the REST body and of GraphQL `extensions`. */
    readonly context: Record<string, unknown> = {},
  ) {
    super(message, { extensions: { ...context, code } });
  }

  about(...fields: string[]): this {
    this.fields = fields;
    return this;
  }
}

/** BAD_USER_INPUT. `details` maps each invalid field to a message. */
export const badInput = (details: Record<string, string>, message = "Invalid input") =>
  new ServiceError("BAD_USER_INPUT", message, { details });

/** NOT_FOUND. `identifier` is the identifier field of docs/interface.md 7, e.g. `{ assetId }`. */
export const notFound = (resource: string, identifier: Record<string, string> = {}) =>
  new ServiceError("NOT_FOUND", `${resource} not found`, identifier);

export const conflict = (message: string, context: Record<string, unknown> = {}) => new ServiceError("CONFLICT", message, context);

export const forbidden = (message: string) => new ServiceError("FORBIDDEN", "Forbidden", { message });

export const unauthenticated = () =>
  new ServiceError("UNAUTHENTICATED", "Unauthorized", { message: "Send a valid API key in the header Authorization: Bearer <API_KEY>" });

export const methodNotAllowed = (allow: string) =>
  new ServiceError("METHOD_NOT_ALLOWED", "Method not allowed", { message: `Use ${allow}` });

export const notAcceptable = () => new ServiceError("NOT_ACCEPTABLE", "Not acceptable", { message: "Answers are application/json" });

export const unavailable = () =>
  new ServiceError("SERVICE_UNAVAILABLE", "The database cannot be reached for the moment; try again shortly");

export const internal = (requestId: string) => new ServiceError("INTERNAL_SERVER_ERROR", `Internal server error (${requestId})`);

/** Formats a size like `25 MB`. Rounds up, so that a size over a limit never reads like the limit. */
const formatSize = (bytes: number) => (bytes < 1_048_576 ? `${bytes} bytes` : `${Math.ceil((bytes * 100) / 1_048_576) / 100} MB`);

/** PAYLOAD_TOO_LARGE. Sizes in bytes. */
export const tooLarge = (maxSize: number, receivedSize: number) =>
  new ServiceError("PAYLOAD_TOO_LARGE", "File too large", { maxSize: formatSize(maxSize), receivedSize: formatSize(receivedSize) });
