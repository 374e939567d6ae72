/** Notices on their way out: gathered for a moment, so that many writes cost one statement. */
import { AsyncResource } from "node:async_hooks";

const gatherMs = 10;

export class Notices {
  private pending: [channel: string, payload: string][] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Outside of whatever transaction a notice was made in: that one is over when this runs. */
  private readonly later: () => void;

  constructor(private readonly send: (channels: string[], payloads: string[]) => Promise<unknown>) {
    this.later = AsyncResource.bind(() => {
      this.timer = setTimeout(() => void this.flush(), gatherMs);
      this.timer.unref();
    });
  }

  add(channel: string, payload: string): void {
    this.pending.push([channel, payload]);
    if (!this.timer) this.later();
  }

  /** Losing a notice is allowed, failing for one is not. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const notices = this.pending.splice(0);
    if (!notices.length) return;
    await this.send(
      notices.map(([channel]) => channel),
      notices.map(([, payload]) => payload),
    ).catch(() => {});
  }
}

export const sendNotices = "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) notice(channel, payload)";
