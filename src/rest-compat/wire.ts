/** Answers and errors as JSON on a REST path. */
import type { GraphQLError } from "graphql";
import { type Code, statusOf } from "../schema/errors.js";

/** Marks nulls as absent, in place, but for the names in `nullable`; what stands under a name of `opaque` is the client's own. */
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

export interface Refusal {
  status: number;
  body: Record<string, unknown>;
}

/** The body of interface.md section 7, with `code` and `requestId` beside the documented fields. */
export function refusal(error: GraphQLError, requestId: string, callersName: (field: string) => string = (field) => field): Refusal {
  const { code: given, details, ...context } = error.extensions as { code?: Code; details?: unknown };
  const code = given && given in statusOf ? given : "BAD_USER_INPUT";
  const named =
    typeof details === "object" && details !== null
      ? Object.fromEntries(Object.entries(details).map(([field, message]) => [callersName(field), message]))
      : details;
  return {
    status: statusOf[code],
    body: { error: error.message, ...(named !== undefined && { details: named }), ...context, code, requestId },
  };
}
