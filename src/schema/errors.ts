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
  GONE: 410,
  RESYNC_REQUIRED: 410,
  PRECONDITION_FAILED: 412,
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
  /** Input fields that caused the error, if `context` does not contain them. Only GraphQL returns them, as `fieldErrors`. */
  fields: string[] = [];

  constructor(
    readonly code: Code,
    message: string,
    /** Additional fields of the REST body and of GraphQL `extensions`. */
    readonly context: Record<string, unknown> = {},
  ) {
    super(message, { extensions: { ...context, code } });
  }

  /** Returns the same error with more context for GraphQL clients. */
  with(context: Record<string, unknown>): ServiceError {
    return new ServiceError(this.code, this.message, { ...this.context, ...context });
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

/** GONE: the resource can no longer be used. `reason` says why, for programs. */
export const gone = (message: string, reason: string) => new ServiceError("GONE", message, { reason });

/** RESYNC_REQUIRED: the change log no longer contains the position of a token. */
export const resyncRequired = (reason = "The log of changes does not reach back to this token") =>
  new ServiceError("RESYNC_REQUIRED", reason, {
    message: "Begin anew: read all records without a token, then go on from the token of that answer",
  });

export const forbidden = (message: string) => new ServiceError("FORBIDDEN", "Forbidden", { message });

export const unauthenticated = (message = "Send a valid API key in the header Authorization: Bearer <API_KEY>") =>
  new ServiceError("UNAUTHENTICATED", "Unauthorized", { message });

export const methodNotAllowed = (allow: string) =>
  new ServiceError("METHOD_NOT_ALLOWED", "Method not allowed", { message: `Use ${allow}` });

export const notAcceptable = (answers: string) =>
  new ServiceError("NOT_ACCEPTABLE", "Not acceptable", { message: `Answers are ${answers}` });

export const unavailable = (what = "The database") =>
  new ServiceError("SERVICE_UNAVAILABLE", `${what} cannot be reached for the moment; try again shortly`);

/** Retry-After in seconds for faults that an operator must repair. */
const repairSeconds = 30;

/** SERVICE_UNAVAILABLE for a fault that an operator must repair. `reason` is the code that /ready reports. */
export const unusable = (reason: string) =>
  new ServiceError("SERVICE_UNAVAILABLE", faultMessages[reason] ?? "The service cannot do this now; try again shortly", {
    reason,
    retryAfter: repairSeconds,
  });
const faultMessages: Record<string, string> = {
  DATABASE_FULL: "The database has no space left, so nothing was stored; an operator has to make room",
  DATABASE_OUT_OF_MEMORY: "The database has no memory left for this; ask for less, or try again later",
  DATABASE_ACCESS_REFUSED: "The database refuses the service; the operator must correct its role or settings",
  DISK_READ_ONLY: "The service cannot write to its disk, so nothing was stored; an operator has to make it writable",
  DISK_FULL: "The service has no space left on its disk, so nothing was stored; an operator has to make room",
};

/** RATE_LIMITED: the caller must wait `retryAfter` seconds. */
export const rateLimited = (retryAfter: number, message: string) =>
  new ServiceError("RATE_LIMITED", "Too many requests", { message, retryAfter });

/** SERVICE_UNAVAILABLE: all slots are in use and the queue is full. */
export const serverFull = () => new ServiceError("SERVICE_UNAVAILABLE", "The service is busy for the moment; try again shortly");

export const internal = (requestId: string) => new ServiceError("INTERNAL_SERVER_ERROR", `Internal server error (${requestId})`);

/** Formats a size like `25 MB`. Rounds up, so that a size over a limit never reads like the limit. */
const formatSize = (bytes: number) => (bytes < 1_048_576 ? `${bytes} bytes` : `${Math.ceil((bytes * 100) / 1_048_576) / 100} MB`);

/** PAYLOAD_TOO_LARGE. Sizes in bytes. */
export const tooLarge = (maxSize: number, receivedSize: number) =>
  new ServiceError("PAYLOAD_TOO_LARGE", "File too large", { maxSize: formatSize(maxSize), receivedSize: formatSize(receivedSize) });

/** BAD_USER_INPUT for a limit that is detected only while an operation runs. `fix` suggests a smaller request. */
const limitReached = (what: string, fix: string, limit: string, value: number) =>
  new ServiceError("BAD_USER_INPUT", `${what}; ${fix}; the limit is ${value} (${limit})`, { limit, value });

export const answerTooLarge = (bytes: number) =>
  limitReached("The answer is too large", "ask for smaller pages, fewer fields or, of an export, with a filter", "answer bytes", bytes);

export const tooManyListed = (records: number) =>
  limitReached(
    "The lists without pages, such as `ancestors` and `descendants`, have too many records",
    "ask for fewer objects, or for connections such as `descendantComponents`",
    "listed records",
    records,
  );

/** `most`: the maximum cost of an operation with this budget. */
export const exceedsBudgetCapacity = (points: number, whose: string, setting: string, most: number) =>
  limitReached(
    `This needs ${points} points, more than the budget of this ${whose} ever holds`,
    `ask for less at a time, or have ${setting} or RATE_LIMIT_BURST raised`,
    "cost",
    most,
  );
