/** Parts shared by all operations of /openapi.json: headers, and responses to refused requests. */
import type { GraphQLError } from "graphql";
import {
  badInput,
  conflict,
  forbidden,
  internal,
  notAcceptable,
  notFound,
  rateLimited,
  ServiceError,
  statusOf,
  tooLarge,
  unauthenticated,
  unavailable,
} from "../../schema/errors.js";
import { errorResponse, preconditionFailed } from "../wire.js";
import type { Schema } from "./schemas.js";

const header = (description: string, schema: Schema = { type: "string" }, example?: unknown) => ({
  description,
  schema,
  ...(example !== undefined && { example }),
});

/** Response headers by their names in `components`. */
export const headers = {
  RequestId: header("The request's id, as sent in `X-Request-Id` or made for it. Errors have it in their body too."),
  ETag: header(
    "A digest of the body; of one record its version before it, with a hyphen between.",
    undefined,
    '"3-4fQxZ0m2sJ0p3bY7nH5vTtWk1aE"',
  ),
  RateLimit: header(
    "What is left of the budgets of the key and its tenant, in points, and in how many seconds they are full again. Left out where there is no budget.",
    undefined,
    '"key";r=19990;t=1',
  ),
  RateLimitPolicy: header("The budgets: points and seconds. Left out where there is none.", undefined, '"key";q=20000;w=20'),
  IdempotentReplayed: header("`true` where this is the recorded answer to an earlier request with the same `Idempotency-Key`.", {
    type: "string",
    enum: ["true"],
  }),
  Warning: header("Names the fields of the body that are not known and were ignored.", undefined, '299 - "Unknown fields ignored: colour"'),
  RetryAfter: header("After how many seconds to try again.", { type: "integer", minimum: 0 }, 2),
  Authenticate: header("Always `Bearer`.", undefined, "Bearer"),
};

export const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

export const everyAnswer = {
  "X-Request-Id": headerRef("RequestId"),
  RateLimit: headerRef("RateLimit"),
  "RateLimit-Policy": headerRef("RateLimitPolicy"),
};

/** Request headers by their names in `components`. */
export const requestHeaders = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "ETag of an earlier answer. If it is still the same, the answer is 304.",
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "ETag of the record as it was read. If its version is another one by now, nothing is done and the answer is 412.",
  },
  MaxStaleness: {
    name: "Max-Staleness",
    in: "header",
    required: false,
    schema: { type: "integer", minimum: 0, maximum: 86_400 },
    description: "Seconds: an answer is taken that lacks at most what was written since then, which a read replica may give.",
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
    description:
      "New for each intent. The same request with the same key may be sent again for 24 hours: it is done once, and answered with the recorded answer. Another request with it is 422, one that still runs 409.",
  },
};

export const requestHeader = (name: keyof typeof requestHeaders) => ({ $ref: `#/components/parameters/${name}` });

/** The body of every error: docs/interface.md 7. */
export const errorSchema: Schema = {
  type: "object",
  description: "Why a request was refused. Some errors have further fields, which say what stands against it.",
  required: ["error", "code", "requestId"],
  properties: {
    error: { type: "string", description: "What went wrong, in a few words." },
    details: {
      description: "Of invalid input: by field, what is wrong with it. Fields in others are written with dots, such as `steps.0.order`.",
      anyOf: [{ type: "object", additionalProperties: { type: "string" } }, { type: "string" }],
    },
    message: { type: "string", description: "What to do about it." },
    reason: { type: "string", description: "Of a conflict: what stands against it." },
    code: { type: "string", enum: Object.keys(statusOf), description: "The kind of error, for programs." },
    requestId: { type: "string", description: "As in the header `X-Request-Id`; the operator finds the request in the log by it." },
  },
  additionalProperties: true,
};

const requestId = "01a20133-d04c-700d-aeb4-e40456133d5a";

/** The response to a refused request, with the body that the service sends for the error. */
function refusal(description: string, errors: Record<string, GraphQLError>, more: Record<string, unknown> = {}) {
  const examples = Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [name, { value: errorResponse(error, requestId).body }]),
  );
  return {
    description,
    headers: { "X-Request-Id": headerRef("RequestId"), ...more },
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, examples } },
  };
}

const retry = { "Retry-After": headerRef("RetryAfter") };
const limited = { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimitPolicy") };

export const refusals = {
  BadRequest: refusal("Invalid data; `details` names each field, under the name that was sent", {
    fields: badInput({ name: "is required", installDate: "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z" }),
    body: badInput({ body: "must be valid JSON" }, "Invalid JSON"),
  }),
  Unauthorized: refusal("No valid API key", { key: unauthenticated() }, { "WWW-Authenticate": headerRef("Authenticate") }),
  Forbidden: refusal("The API key lacks the required role or site", {
    role: forbidden("This needs the role manager; the key has the role viewer"),
    site: forbidden("This key may change only records of its own sites"),
  }),
  NotFound: refusal("An identifier that is unknown, of another tenant, or of a deleted record", {
    asset: notFound("Asset", { assetId: "x-1" }),
  }),
  NotAcceptable: refusal("`Accept` excludes JSON", { accept: notAcceptable("application/json") }),
  RequestTimeout: refusal("The request did not arrive within 60 seconds", {
    slow: new ServiceError("REQUEST_TIMEOUT", "The request did not arrive in time"),
  }),
  Conflict: refusal("Conflict with the present state, or a request with this `Idempotency-Key` is still running", {
    serialNumber: conflict("An asset with this serial number already exists", { serialNumber: "FP-1" }),
    stock: conflict("Insufficient stock", { available: 12.5, requested: 100 }),
    running: conflict("A request with this Idempotency-Key is still running", { reason: "Wait for its answer and send it again" }),
  }),
  PreconditionFailed: refusal(
    "The record is at another version; `version` is the current one, `changedFields` what was changed",
    {
      version: preconditionFailed("The asset is at version 4 now, not at 3; read it again and send its new ETag", {
        version: 4,
        changedFields: ["name"],
      }),
    },
    { ETag: headerRef("ETag") },
  ),
  PayloadTooLarge: refusal("The body or the file is too large", { file: tooLarge(26_214_400, 27_262_976) }),
  UnsupportedMediaType: refusal("Another Content-Type than the body's", {
    type: new ServiceError("UNSUPPORTED_MEDIA_TYPE", "Unsupported media type", { message: "Send the body as application/json" }),
  }),
  Unprocessable: refusal("The `Idempotency-Key` came with another request", {
    key: new ServiceError("UNPROCESSABLE", "This Idempotency-Key came with another request", {
      reason: "Use a new key for a new request",
    }),
  }),
  TooManyRequests: refusal(
    "The budget of the key or its tenant is used up",
    { budget: rateLimited(2, "The budget of this key is used up; wait for the seconds in Retry-After") },
    { ...retry, ...limited },
  ),
  HeadersTooLarge: refusal("The path or the headers are longer than 16 KB", {
    length: new ServiceError("HEADERS_TOO_LARGE", "The path or the headers are too long"),
  }),
  InternalError: refusal("A failure of the service; the operator finds it by `requestId`", { failure: internal(requestId) }),
  ConditionNotTaken: refusal("`If-Match` was sent to a path that does not take it", {
    condition: preconditionFailed("is taken by PUT and DELETE of one record that has a version; leave it out here"),
  }),
  Other: refusal("Any other error", { failure: internal(requestId) }),
  Unavailable: refusal("The service is busy, or its database cannot be reached", { database: unavailable() }, retry),
} as const;

export const refused = (name: keyof typeof refusals) => ({ $ref: `#/components/responses/${name}` });
