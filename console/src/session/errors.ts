/** What an answer of the service means for what was asked. */
import type { CombinedError } from "@urql/core";

/** Answers that say: later. */
const later = new Set([408, 425, 429, 502, 503, 504]);
const laterCodes = new Set(["RATE_LIMITED", "SERVICE_UNAVAILABLE"]);

/** The key does not hold, or no longer. */
export const isRefused = (error: CombinedError | undefined): boolean =>
  error?.response?.status === 401 || !!error?.graphQLErrors.some(({ extensions }) => extensions?.code === "UNAUTHENTICATED");

/** Nobody can tell what became of it, or it is to be sent again later: an answer that broke off counts too. */
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
