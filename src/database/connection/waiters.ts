/**
 * Callers that wait for a connection, or for a slot whose holder has a connection. If the pool is stuck, they are refused long before the
 * request's own timeout.
 */

/** Milliseconds without a finished statement after which a pool counts as stuck. Also the time limit of a new connection. */
export const stuckAfterMs = 1_250;
/** Minimum wait before a refusal, because a stuck pool may just have recovered. */
const leastMs = 500;
const checkMs = 250;

interface Wait {
  since: number;
  mostMs: number;
}

export class Waiters {
  /** Keyed by the function that refuses the caller. */
  private readonly waiting = new Map<() => void, Wait>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly isStuck: () => boolean) {}

  /** Calls `refuse` when the pool is stuck, and in any case after `mostMs`. Returns a function that stops waiting. */
  add(refuse: () => void, mostMs = Number.POSITIVE_INFINITY): () => void {
    this.waiting.set(refuse, { since: performance.now(), mostMs });
    // Deferred, so that data received while the process was blocked is handled first.
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
