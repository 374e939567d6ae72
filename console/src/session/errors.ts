/** Classifies the service's errors. */
import type { CombinedError } from "@urql/core";

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
