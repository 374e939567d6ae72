/** Limits the open subscriptions per socket and per key in this process. */
import type { Config } from "../../config.js";
import type { Actor } from "../../domain/access/keys.js";
import { ServiceError } from "../../schema/errors.js";

/** A socket, or the single request of an event stream. */
export interface Holder {
  subscriptions: number;
}

const tooMany = (who: string, value: number, limit: string) =>
  new ServiceError("RATE_LIMITED", `This ${who} has ${value} subscriptions, which is the limit; end one of them first`, { limit, value });

export class LiveLimits {
  private readonly byKey = new Map<string, number>();

  /** Number of open subscriptions. */
  open = 0;

  constructor(private readonly config: Pick<Config, "MAX_SUBSCRIPTIONS_PER_SOCKET" | "MAX_SUBSCRIPTIONS_PER_KEY">) {}

  /** Counts a new subscription, or throws RATE_LIMITED. The returned function ends it; further calls do nothing. */
  take({ tenantId, keyId, principalId }: Actor, holder: Holder): () => void {
    const { MAX_SUBSCRIPTIONS_PER_SOCKET: perSocket, MAX_SUBSCRIPTIONS_PER_KEY: perKey } = this.config;
    if (holder.subscriptions >= perSocket) throw tooMany("connection", perSocket, "subscriptionsPerSocket");
    const key = `${tenantId} ${keyId ?? principalId}`;
    const count = this.byKey.get(key) ?? 0;
    if (count >= perKey) throw tooMany("key", perKey, "subscriptionsPerKey");
    this.byKey.set(key, count + 1);
    holder.subscriptions++;
    this.open++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      holder.subscriptions--;
      this.open--;
      const left = this.byKey.get(key)! - 1;
      if (left) this.byKey.set(key, left);
      else this.byKey.delete(key);
    };
  }
}
