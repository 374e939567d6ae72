/**
 * Ends operations of slow callers that send many at once: those that began before the caller counted as slow keep their slots from others,
 * and operations that wait for each other take much longer.
 */
import type { RequestLifetime } from "../../resolvers/request-lifetime.js";
import { rateLimited } from "../../schema/errors.js";

/** Shorter operations do not count, so that those of a page do not end a report beside them. */
const shortMs = 500;
/** Maximum duration of such an operation, with its waits. */
const longestMs = 6_000;
/** An operation that runs beyond `most` others ends after this time if another tenant waits for a slot. */
const awaitedMs = 1_000;
const checkMs = 250;
const retryAfter = 2;

const tooManySlow = () => rateLimited(retryAfter, "Too many slow requests at once; send fewer at a time");

interface Operation {
  caller: string;
  tenantId: string;
  lifetime: RequestLifetime | undefined;
  /** As `performance.now()`. Default: now. */
  arrivedAt: number | undefined;
}

interface Entered {
  arrivedAt: number;
  /** Undefined while it waits for a slot. */
  startedAt: number | undefined;
  lifetime: RequestLifetime | undefined;
}

interface Crowd {
  tenantId: string;
  /** In order of arrival. */
  operations: Set<Entered>;
}

export interface CrowdRules {
  isSlow(caller: string): boolean;
  /** Whether an operation of another tenant waits for a slot. */
  isAwaited(tenantId: string): boolean;
}

export class Crowds {
  /** Waiting and running operations by caller. */
  private readonly crowds = new Map<string, Crowd>();
  private timer: NodeJS.Timeout | undefined;
  /** Operations that were ended since startup. */
  ended = 0;

  /** `most`: operations that a slow caller may send at once without a time limit. */
  constructor(
    private readonly most: number,
    private readonly rules: CrowdRules,
  ) {}

  /** Call when an operation arrives, then `leave`, or `begin` when it has its slot. `begin` returns a function to call when it ends. */
  enter({ caller, tenantId, lifetime, arrivedAt = performance.now() }: Operation): { begin(): () => void; leave(): void } {
    const entered: Entered = { arrivedAt, startedAt: undefined, lifetime };
    const crowd = this.crowds.get(caller) ?? { tenantId, operations: new Set() };
    this.crowds.set(caller, crowd);
    crowd.operations.add(entered);
    this.timer ??= setInterval(() => this.check(performance.now()), checkMs).unref();
    const leave = () => {
      if (crowd.operations.delete(entered) && !crowd.operations.size) this.crowds.delete(caller);
    };
    const begin = () => {
      entered.startedAt = performance.now();
      return leave;
    };
    return { begin, leave };
  }

  private check(now: number): void {
    for (const [caller, { tenantId, operations }] of this.crowds) {
      if (operations.size <= this.most) continue;
      const slow = [...operations].filter(({ arrivedAt }) => now - arrivedAt >= shortMs);
      if (slow.length <= this.most || !this.rules.isSlow(caller)) continue;
      const isAwaited = this.rules.isAwaited(tenantId);
      const beyond = new Set(slow.filter(({ startedAt }) => startedAt !== undefined).slice(this.most));
      for (const operation of slow) {
        const { arrivedAt, startedAt, lifetime } = operation;
        const isOver = now - arrivedAt >= longestMs || (isAwaited && beyond.has(operation) && now - startedAt! >= awaitedMs);
        if (isOver && lifetime?.cutShort(tooManySlow())) this.ended++;
      }
    }
    if (this.crowds.size) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
