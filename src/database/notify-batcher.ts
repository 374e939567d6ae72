/** Collects notifications for a moment and sends them in one statement. */
import { AsyncResource } from "node:async_hooks";

const batchMs = 10;

export class NotifyBatcher {
  private pending: [channel: string, payload: string][] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Outside of the transaction that notified: it is over when this runs. */
  private readonly scheduleFlush: () => void;

  constructor(private readonly send: (channels: string[], payloads: string[]) => Promise<unknown>) {
    this.scheduleFlush = AsyncResource.bind(() => {
      this.timer = setTimeout(() => void this.flush(), batchMs);
      this.timer.unref();
    });
  }

  add(channel: string, payload: string): void {
    this.pending.push([channel, payload]);
    if (!this.timer) this.scheduleFlush();
  }

  /** Errors are dropped: a notification may be lost, but must not fail a request. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.pending.splice(0);
    if (!batch.length) return;
    await this.send(
      batch.map(([channel]) => channel),
      batch.map(([, payload]) => payload),
    ).catch(() => {});
  }
}

export const notifyStatement = "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) n(channel, payload)";
