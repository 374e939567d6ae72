/** Keys that expire soon. */
import type { ApiKeyFilter } from "../../../packages/client/src/generated/schema.js";

const soonMilliseconds = 30 * 86_400_000;

/** Keys in use that expire within 30 days from now. */
export function expiringKeys(): ApiKeyFilter {
  const now = Date.now();
  return {
    expiresAt: { from: new Date(now).toISOString(), until: new Date(now + soonMilliseconds).toISOString() },
    isNull: ["REVOKED_AT"],
  };
}
