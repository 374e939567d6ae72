/** Responses and errors as JSON on a REST path. */
import type { GraphQLError } from "graphql";
import { type Code, ServiceError, statusOf } from "../schema/errors.js";

/** Removes null fields in place, except those in `nullable`. Leaves the values of fields in `opaque` unchanged. */
export function dropNulls(value: unknown, nullable: ReadonlySet<string>, opaque: ReadonlySet<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) dropNulls(item, nullable, opaque);
    return;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    const entry = object[key];
    if (entry === null) {
      if (!nullable.has(key)) object[key] = undefined;
    } else if (typeof entry === "object" && !opaque.has(key)) dropNulls(entry, nullable, opaque);
  }
}

export interface ErrorResponse {
  status: number;
  body: Record<string, unknown>;
}

/**
 * The response of docs/interface.md 7, with `code` and `requestId` in addition to the documented fields. `clientName` renames the fields in
 * `details`.
 */
export function errorResponse(
  error: GraphQLError,
  requestId: string,
  clientName: (field: string) => string = (field) => field,
): ErrorResponse {
  const { code: known, details, ...context } = error.extensions as { code?: Code; details?: unknown; allowed?: unknown };
  const code = known && Object.hasOwn(statusOf, known) ? known : "BAD_USER_INPUT";
  const named =
    typeof details === "object" && details !== null
      ? Object.fromEntries(Object.entries(details).map(([field, message]) => [clientName(field), message]))
      : details;
  return {
    status: statusOf[code],
    body: {
      error: Array.isArray(context.allowed) ? lowered(error.message) : error.message,
      ...(named !== undefined && { details: named }),
      ...inWords(context),
      code,
      requestId,
    },
  };
}

const lowered = (message: string) => message.replace(/\b[A-Z][A-Z_]+\b/g, (state) => state.toLowerCase());

/** Converts the states of a refused transition from GraphQL's enum names to REST values. */
function inWords(context: Record<string, unknown>): Record<string, unknown> {
  const word = (state: unknown) => (typeof state === "string" ? state.toLowerCase() : state);
  const { status, allowed } = context;
  return {
    ...context,
    ...(status !== undefined && { status: word(status) }),
    ...(Array.isArray(allowed) && { allowed: allowed.map(word) }),
  };
}

/** PRECONDITION_FAILED. `message` describes the header's problem. */
export const preconditionFailed = (message: string, context: Record<string, unknown> = {}) =>
  new ServiceError("PRECONDITION_FAILED", "Precondition failed", { details: { "If-Match": message }, ...context });

/** The record's current version, if the operation failed because of a version conflict. */
export const conflictingVersion = ({ extensions }: GraphQLError): number | string | undefined =>
  extensions.code === "CONFLICT" && "expectedVersion" in extensions ? (extensions.version as number | string) : undefined;
