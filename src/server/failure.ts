import { GraphQLError } from "graphql";
import { DatabaseUnavailable, NumberTooLarge } from "../database/failures.js";
import { badInput, internal, ServiceError, unavailable } from "../schema/errors.js";

/**
 * What a client may see of anything thrown: our own errors as they are, a lost database as such, errors of the query
 * itself with their message, and everything else as an internal error with the request's id.
 */
export function presentable(error: unknown, requestId: string, log: (cause: unknown) => void): GraphQLError {
  const cause = rootCause(error);
  if (cause instanceof ServiceError) return cause;
  if (cause instanceof DatabaseUnavailable) {
    log(cause);
    return unavailable();
  }
  if (cause instanceof NumberTooLarge) return badInput({ numbers: "come to more than can be kept; use smaller ones" });
  if (cause instanceof GraphQLError) return cause;
  log(cause);
  return internal(requestId);
}

export function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError && !(cause instanceof ServiceError)) cause = cause.originalError;
  return cause;
}
