/** What happens in a tenant, as it happens: for subscriptions. One connection listens for the whole process. */
import type { Database } from "../database/database.js";
import { type StockNotice, stockChannel } from "./ledger.js";
import { type NotificationNotice, notificationChannel } from "./notifications.js";

/** Notices that a slow subscriber has not taken yet, at most. */
const maxWaiting = 1_000;

/** Those who hear one channel, by tenant. */
class Channel<N extends { tenantId: string }> {
  private readonly subscribers = new Map<string, Set<(notice: N) => void>>();
  private listening: Promise<() => Promise<void>> | undefined;

  constructor(
    private readonly database: Database,
    private readonly name: string,
  ) {}

  /**
   * A tenant's notices from now on, each as `take` makes it; what it makes undefined of is passed over. Not a generator: that of a
   * reader who left would wait for one more notice that concerns it, and look at all until then.
   */
  of<T>(tenantId: string, take: (notice: N) => Promise<T | undefined>): AsyncIterableIterator<T> {
    const waiting: N[] = [];
    let wake: (() => void) | undefined;
    let begun = false;
    let ended = false;
    const heard = (notice: N) => {
      if (waiting.length < maxWaiting) waiting.push(notice);
      wake?.();
    };
    const end = () => {
      ended = true;
      const those = this.subscribers.get(tenantId);
      those?.delete(heard);
      if (!those?.size) this.subscribers.delete(tenantId);
      wake?.();
    };
    const begin = async () => {
      begun = true;
      await this.listen();
      if (!ended) this.subscribers.set(tenantId, (this.subscribers.get(tenantId) ?? new Set()).add(heard));
    };
    const next = async (): Promise<IteratorResult<T>> => {
      try {
        if (!begun) await begin();
        while (!ended) {
          const notice = waiting.shift();
          if (!notice) await new Promise<void>((resolve) => (wake = resolve));
          else {
            const value = await take(notice);
            if (value !== undefined && !ended) return { value, done: false };
          }
        }
        return { value: undefined, done: true };
      } catch (error) {
        end();
        throw error;
      }
    };
    return {
      next,
      async return() {
        end();
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** What fails once is tried again by the next reader. */
  private async listen(): Promise<void> {
    this.listening ??= this.database.listen(this.name, (payload) => this.spread(JSON.parse(payload) as N));
    try {
      await this.listening;
    } catch (error) {
      this.listening = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await (await this.listening)?.();
  }

  private spread(notice: N): void {
    for (const heard of this.subscribers.get(notice.tenantId) ?? []) heard(notice);
  }
}

export class NoticeBoard {
  private readonly movements: Channel<StockNotice>;
  private readonly alerts: Channel<NotificationNotice>;

  constructor(database: Database) {
    this.movements = new Channel(database, stockChannel);
    this.alerts = new Channel(database, notificationChannel);
  }

  stock = <T>(tenantId: string, take: (notice: StockNotice) => Promise<T | undefined>) => this.movements.of(tenantId, take);

  notifications = <T>(tenantId: string, take: (notice: NotificationNotice) => Promise<T | undefined>) => this.alerts.of(tenantId, take);

  async close(): Promise<void> {
    await Promise.all([this.movements.close(), this.alerts.close()]);
  }
}
