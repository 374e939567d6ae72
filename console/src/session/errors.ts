/** Classifies the service's errors. */
import { CombinedError, type OperationResult } from "@urql/core";

/** Statuses that ask the client to retry later. */
const later = new Set([408, 425, 429, 502, 503, 504]);
const laterCodes = new Set(["RATE_LIMITED", "SERVICE_UNAVAILABLE"]);

/** The credentials are invalid, expired or revoked. */
export const isRefused = (error: CombinedError | undefined): boolean =>
  error?.response?.status === 401 || !!error?.graphQLErrors.some(({ extensions }) => extensions?.code === "UNAUTHENTICATED");

/** True if the outcome is unknown or the request must be retried later. A truncated response counts too. */
export function isLost(error: CombinedError | undefined): boolean {
  if (!error) return false;
  const { response, networkError, graphQLErrors } = error;
  const status: number | undefined = response?.status;
  if (networkError) return status === undefined || response.ok || later.has(status);
  return graphQLErrors.some(
    ({ message, extensions }) =>
      laterCodes.has(String(extensions?.code)) || message === "A request with this Idempotency-Key is still running",
  );
}

/** The path as far as its first null. */
function toNull(data: unknown, path: readonly (string | number)[]): readonly (string | number)[] {
  let at = data;
  for (const [index, name] of path.entries()) {
    at = (at as Record<string | number, unknown> | undefined)?.[name];
    if (at === null) return path.slice(0, index + 1);
  }
  return path;
}

/**
 * Moves the error of a field that cannot be null to the field above that is null instead. Otherwise the cache would take the null for the
 * value, and every page would lose the record.
 */
export function withErrorsAtNulls(result: OperationResult): OperationResult {
  const { data, error } = result;
  if (!data || !error?.graphQLErrors.length) return result;
  const graphQLErrors = error.graphQLErrors.map(({ message, extensions, path }) => ({
    message,
    extensions,
    path: path && toNull(data, path),
  }));
  return { ...result, error: new CombinedError({ ...error, graphQLErrors }) };
}
