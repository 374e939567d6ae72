/** Who waits for a connection, or for the turn of somebody who has one. Where nothing moves they are refused, long before a request would give up. */

/** Milliseconds in which no statement of a pool ends until it is stuck; and how long a connection that is being made is waited for. */
export const stuckAfterMs = 1_250;
/** Nobody is refused sooner: a pool that was stuck may just have come free. */
const leastMs = 500;
const checkMs = 250;

interface Wait {
  since: number;
  mostMs: number;
}

export class Waiters {
  /** By what refuses them. */
  private readonly waiting = new Map<() => void, Wait>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly isStuck: () => boolean) {}

  /** Calls `refuse` if it is to wait no longer, after `mostMs` whatever happens. Returns how to leave before. */
  add(refuse: () => void, mostMs = Number.POSITIVE_INFINITY): () => void {
    this.waiting.set(refuse, { since: performance.now(), mostMs });
    // What has arrived while the process was held up is read first.
    this.timer ??= setInterval(() => setImmediate(() => this.check()), checkMs).unref();
    return () => void this.waiting.delete(refuse);
  }

  private check(): void {
    if (!this.waiting.size) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const isStuck = this.isStuck();
    for (const [refuse, { since, mostMs }] of this.waiting) {
      if (performance.now() - since < (isStuck ? leastMs : mostMs)) continue;
      this.waiting.delete(refuse);
      refuse();
    }
  }
}
