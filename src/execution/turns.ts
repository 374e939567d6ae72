/** Fair turns: how many operations run at once, and whose comes next (docs/fairness.md, "Admission"). */
import { Waiters } from "../database/waiters.js";
import { rateLimited, serverFull } from "../schema/errors.js";

/** Ends a turn. A second call does nothing. */
export type EndTurn = () => void;

export interface TurnLimits {
  /** Turns at once. */
  size: number;
  /** Waiting of one tenant, and of all. */
  tenantQueue: number;
  queue: number;
  /** How long one waits, in milliseconds. */
  waitMs: number;
  /** Whether those who have turns get nowhere: then nobody waits for long. */
  isStuck?: () => boolean;
}

interface Waiting {
  tenantId: string;
  /** The key of its queue. */
  queue: string;
  start(end: EndTurn): void;
}

/**
 * Gives turns to operations. While turns are free, an operation gets one at once: a tenant alone may use all. Otherwise a turn that
 * ends goes to the tenant with the fewest, and among those to the one that waits longest since it came or last had one.
 */
export class Turns {
  /** By tenant: turns that it has. */
  private readonly running = new Map<string, number>();
  /** By queue, first come first. A tenant has one, and one for what holds a turn of a lane of few. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private taken = 0;
  private waitingCount = 0;
  /** Refused since the start. */
  readonly refused = { tenantQueue: 0, queue: 0, wait: 0 };
  private readonly waiters: Waiters;

  constructor(private readonly limits: TurnLimits) {
    this.waiters = new Waiters(limits.isStuck ?? (() => false));
  }

  /**
   * A turn, or the promise of one. Throws or rejects with RATE_LIMITED if too many of the tenant wait, with SERVICE_UNAVAILABLE if too many
   * of all wait or the wait was too long, and with the reason of `signal`. `holds` a turn of a lane of few: behind the tenant's other operations
   * it would keep that from other tenants, so that it waits beside them.
   */
  enter(tenantId: string, signal?: AbortSignal, holds = false): EndTurn | Promise<EndTurn> {
    if (this.taken < this.limits.size) return this.start(tenantId);
    const beside = `${tenantId}\0holds`;
    const name = holds ? beside : tenantId;
    if ((this.waiting.get(tenantId)?.size ?? 0) + (this.waiting.get(beside)?.size ?? 0) >= this.limits.tenantQueue) {
      this.refused.tenantQueue++;
      throw rateLimited(1, "Too many requests wait at once; send fewer at a time");
    }
    if (this.waitingCount >= this.limits.queue) {
      this.refused.queue++;
      throw serverFull();
    }
    return this.wait(tenantId, name, signal);
  }

  /** How many run and wait, for those who operate the service. */
  get load(): { running: number; waiting: number } {
    return { running: this.taken, waiting: this.waitingCount };
  }

  private start(tenantId: string): EndTurn {
    this.taken++;
    this.running.set(tenantId, (this.running.get(tenantId) ?? 0) + 1);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.end(tenantId);
    };
  }

  private end(tenantId: string): void {
    this.taken--;
    const left = this.running.get(tenantId)! - 1;
    if (left) this.running.set(tenantId, left);
    else this.running.delete(tenantId);
    const next = this.next();
    if (!next) return;
    this.leave(next);
    next.start(this.start(next.tenantId));
  }

  /** The first of the tenant with the fewest turns, of several that which stands first in the map. */
  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = Infinity;
    for (const [first] of this.waiting.values()) {
      const running = this.running.get(first!.tenantId) ?? 0;
      if (running < fewest) [next, fewest] = [first, running];
    }
    return next;
  }

  private wait(tenantId: string, name: string, signal: AbortSignal | undefined): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const stop = (error: unknown) => {
        this.leave(waiting);
        settle();
        reject(error);
      };
      const refuse = () => {
        this.refused.wait++;
        stop(serverFull());
      };
      const timer = setTimeout(refuse, this.limits.waitMs);
      const stopWatching = this.waiters.add(refuse);
      const onAbort = () => stop(signal!.reason);
      const settle = () => {
        clearTimeout(timer);
        stopWatching();
        signal?.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        tenantId,
        queue: name,
        start(end) {
          settle();
          resolve(end);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const queue = this.waiting.get(name);
      if (queue) queue.add(waiting);
      else this.waiting.set(name, new Set([waiting]));
      this.waitingCount++;
    });
  }

  private leave(waiting: Waiting): void {
    const queue = this.waiting.get(waiting.queue)!;
    const isFirst = queue.values().next().value === waiting;
    if (!queue.delete(waiting)) return;
    this.waitingCount--;
    // Others were passed over for this one: they are before its next.
    if (isFirst) this.waiting.delete(waiting.queue);
    if (isFirst && queue.size) this.waiting.set(waiting.queue, queue);
  }
}
