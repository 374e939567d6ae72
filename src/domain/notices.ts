/** What happens in a tenant, as it happens: for subscriptions. One connection listens for the whole process. */
import type { Database } from "../database/database.js";
import { type StockNotice, stockChannel } from "./ledger.js";

type Heard = (notice: StockNotice) => void;

/** Notices that a slow subscriber has not taken yet, at most. */
const maxWaiting = 1_000;

export class NoticeBoard {
  private readonly subscribers = new Map<string, Set<Heard>>();
  private listening: Promise<() => Promise<void>> | undefined;

  constructor(private readonly database: Database) {}

  /** A tenant's stock notices from now on, until the reader stops. */
  async *stock(tenantId: string): AsyncGenerator<StockNotice> {
    this.listening ??= this.database.listen(stockChannel, (payload) => this.spread(JSON.parse(payload) as StockNotice));
    await this.listening;
    const waiting: StockNotice[] = [];
    let wake: (() => void) | undefined;
    const heard: Heard = (notice) => {
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

  private spread(notice: StockNotice): void {
    for (const heard of this.subscribers.get(notice.tenantId) ?? []) heard(notice);
  }
}
