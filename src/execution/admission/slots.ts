/** Fair scheduling of operations: how many run at once, and the order of waiting ones (docs/fairness.md, "Admission"). */
import type { Cancellation } from "../../database/cancellation.js";
import { Waiters } from "../../database/connection/waiters.js";
import { rateLimited, type ServiceError, serverFull } from "../../schema/errors.js";

/** Releases a slot. A second call does nothing. */
export type ReleaseSlot = () => void;

export interface SlotLimits {
  /** Number of slots. */
  size: number;
  /** Maximum waiting operations per tenant, and of all tenants. */
  tenantQueue: number;
  queue: number;
  /** Maximum wait in milliseconds. */
  waitMs: number;
  /** Whether running operations make no progress. Waiting operations then fail early. */
  isStuck?: () => boolean;
}

/** The key of a tenant's queue for operations that hold a slot of a limited lane. */
const besideOf = (tenantId: string) => `${tenantId}\0holds`;

interface Wait {
  /**
   * Whether the operation holds a slot of a limited lane. It uses a separate queue, because waiting behind the tenant's other operations
   * would keep that slot from other tenants.
   */
  holds?: boolean;
  /** Maximum wait in milliseconds. Default: that of the slots. */
  waitMs?: number | undefined;
}

interface Waiting {
  tenantId: string;
  /** The key of its queue. */
  queue: string;
  start(end: ReleaseSlot): void;
}

/**
 * Assigns slots to operations. A free slot is assigned immediately; a single tenant may use all. A released slot goes to the tenant with
 * the fewest slots. Among those, it goes to the tenant whose last slot, or arrival, is longest ago.
 */
export class Slots {
  /** Slots in use by tenant. */
  private readonly running = new Map<string, number>();
  /** By queue, in order of arrival. A tenant has one queue, and another for operations that hold a slot of a limited lane. */
  private readonly waiting = new Map<string, Set<Waiting>>();
  private taken = 0;
  private waitingCount = 0;
  /** Refusals since startup. */
  readonly refused = { tenantQueue: 0, queue: 0, wait: 0 };
  private readonly waiters: Waiters;
  /** Called when a slot or a place in a queue became free. */
  onRoom: (() => void) | undefined;

  constructor(private readonly limits: SlotLimits) {
    this.waiters = new Waiters(limits.isStuck ?? (() => false));
  }

  /**
   * Returns a slot, or its promise. Throws or rejects with RATE_LIMITED if too many operations of the tenant wait; with SERVICE_UNAVAILABLE
   * if too many operations wait in total, or the wait was too long; and with the reason of `cancellation`.
   */
  enter(tenantId: string, cancellation?: Cancellation, { holds = false, waitMs }: Wait = {}): ReleaseSlot | Promise<ReleaseSlot> {
    if (this.taken < this.limits.size) return this.start(tenantId);
    if (this.isQueueFull(tenantId)) throw this.refuse();
    if (this.waitingCount >= this.limits.queue) {
      this.refused.queue++;
      throw serverFull();
    }
    return this.wait(tenantId, holds ? besideOf(tenantId) : tenantId, cancellation, waitMs ?? this.limits.waitMs);
  }

  /** Whether an operation of another tenant waits. */
  isAwaitedBesides(tenantId: string): boolean {
    for (const [first] of this.waiting.values()) if (first!.tenantId !== tenantId) return true;
    return false;
  }

  /** Whether another operation of the tenant would be refused, because too many of them wait, once `arriving` others have entered. */
  isQueueFull(tenantId: string, arriving = 0): boolean {
    const free = this.limits.size - this.taken;
    if (arriving < free) return false;
    const waiting = (this.waiting.get(tenantId)?.size ?? 0) + (this.waiting.get(besideOf(tenantId))?.size ?? 0);
    return waiting + arriving - free >= this.limits.tenantQueue;
  }

  /** Counts and returns the refusal of an operation whose tenant's queue is full. */
  refuse(): ServiceError {
    this.refused.tenantQueue++;
    return rateLimited(1, "Too many requests wait at once; send fewer at a time");
  }

  /** Running and waiting operations, for the metrics. */
  get load(): { running: number; waiting: number } {
    return { running: this.taken, waiting: this.waitingCount };
  }

  private start(tenantId: string): ReleaseSlot {
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
    if (next) {
      next.start(this.start(next.tenantId));
      this.leave(next);
    } else this.onRoom?.();
  }

  /** The first operation of the tenant with the fewest slots; of several tenants, the first in the map. */
  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = Infinity;
    for (const [first] of this.waiting.values()) {
      const running = this.running.get(first!.tenantId) ?? 0;
      if (running < fewest) [next, fewest] = [first, running];
    }
    return next;
  }

  private wait(tenantId: string, name: string, cancellation: Cancellation | undefined, waitMs: number): Promise<ReleaseSlot> {
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
      const timer = setTimeout(refuse, waitMs);
      const stopWatching = this.waiters.add(refuse);
      const leave = () => stop(cancellation!.reason);
      const settle = () => {
        clearTimeout(timer);
        stopWatching();
        cancellation?.remove(leave);
      };
      const waiting: Waiting = {
        tenantId,
        queue: name,
        start(end) {
          settle();
          resolve(end);
        },
      };
      cancellation?.add(leave);
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
    // The tenant goes to the end of the map, so that others precede its next operation.
    if (isFirst) this.waiting.delete(waiting.queue);
    if (isFirst && queue.size) this.waiting.set(waiting.queue, queue);
    this.onRoom?.();
  }
}
