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

  /** A tenant's notices from now on, until the reader stops. */
  async *of(tenantId: string): AsyncGenerator<N> {
    this.listening ??= this.database.listen(this.name, (payload) => this.spread(JSON.parse(payload) as N));
    await this.listening;
    const waiting: N[] = [];
    let wake: (() => void) | undefined;
    const heard = (notice: N) => {
      if (waiting.length < maxWaiting) waiting.push(notice);
      wake?.();
    };
    const those = this.subscribers.get(tenantId) ?? new Set();
    this.subscribers.set(tenantId, those.add(heard));
    try {
      for (;;) {
        while (waiting.length) yield waiting.shift()!;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      those.delete(heard);
      if (!those.size) this.subscribers.delete(tenantId);
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

  stock = (tenantId: string): AsyncGenerator<StockNotice> => this.movements.of(tenantId);

  notifications = (tenantId: string): AsyncGenerator<NotificationNotice> => this.alerts.of(tenantId);

  async close(): Promise<void> {
    await Promise.all([this.movements.close(), this.alerts.close()]);
  }
}
