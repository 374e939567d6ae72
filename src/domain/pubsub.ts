/** Events for GraphQL subscriptions. All subscribers of a process share one listening database connection. */
import type { Database } from "../database/database.js";
import { type NotificationEvent, notificationChannel } from "./alerts/notifications.js";
import { type StockEvent, stockChannel } from "./inventory/ledger.js";

/** Maximum events queued per subscriber; further events are dropped. */
const maxQueued = 1_000;

/** The subscribers of one database channel, by tenant. */
class Channel<N extends { tenantId: string }> {
  private readonly subscribers = new Map<string, Set<(event: N) => void>>();
  private listening: Promise<() => Promise<void>> | undefined;

  constructor(
    private readonly database: Database,
    private readonly name: string,
  ) {}

  /**
   * Subscribes to a tenant's future events, each mapped by `handle`; undefined skips the event. Not an async generator, because
   * the `return` of a generator would block until the next event.
   */
  subscribe<T>(tenantId: string, handle: (event: N) => Promise<T | undefined>): AsyncIterableIterator<T> {
    const queue: N[] = [];
    let wake: (() => void) | undefined;
    let started = false;
    let ended = false;
    const listener = (event: N) => {
      if (queue.length < maxQueued) queue.push(event);
      wake?.();
    };
    const end = () => {
      ended = true;
      const listeners = this.subscribers.get(tenantId);
      listeners?.delete(listener);
      if (!listeners?.size) this.subscribers.delete(tenantId);
      wake?.();
    };
    const start = async () => {
      started = true;
      await this.listen();
      if (!ended) this.subscribers.set(tenantId, (this.subscribers.get(tenantId) ?? new Set()).add(listener));
    };
    const next = async (): Promise<IteratorResult<T>> => {
      try {
        if (!started) await start();
        while (!ended) {
          const event = queue.shift();
          if (!event) await new Promise<void>((resolve) => (wake = resolve));
          else {
            const value = await handle(event);
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

  /** Starts listening once. After a failure, the next subscriber retries. */
  private async listen(): Promise<void> {
    this.listening ??= this.database.listen(this.name, (payload) => this.publish(JSON.parse(payload) as N));
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

  private publish(event: N): void {
    for (const listener of this.subscribers.get(event.tenantId) ?? []) listener(event);
  }
}

export class PubSub {
  private readonly stockChannel: Channel<StockEvent>;
  private readonly notificationChannel: Channel<NotificationEvent>;

  constructor(database: Database) {
    this.stockChannel = new Channel(database, stockChannel);
    this.notificationChannel = new Channel(database, notificationChannel);
  }

  stock = <T>(tenantId: string, handle: (event: StockEvent) => Promise<T | undefined>) => this.stockChannel.subscribe(tenantId, handle);

  notifications = <T>(tenantId: string, handle: (event: NotificationEvent) => Promise<T | undefined>) =>
    this.notificationChannel.subscribe(tenantId, handle);

  async close(): Promise<void> {
    await Promise.all([this.stockChannel.close(), this.notificationChannel.close()]);
  }
}
