/**
 * Callers whose operations take long, regardless of their estimated cost. A caller is slow while the mean duration of its operations, each
 * weighted by its own duration, exceeds half a second: short operations do not hide long ones. Running operations count with their duration
 * so far. Waits for statements of other callers do not count, or the victims of a slow caller would count as slow.
 */
import { LRUCache } from "lru-cache";

const slowMs = 500;
/** Measurements lose half of their weight in this time. */
const halfLifeMs = 30_000;
/** Maximum number of callers that are tracked. */
const maxCallers = 10_000;

interface Measured {
  /** Sums of durations and of their squares, as of `at`. */
  ms: number;
  squares: number;
  at: number;
  /** Returns the duration of each running operation. */
  running: Set<() => number>;
}

export class SlowCallers {
  private readonly callers = new LRUCache<string, Measured>({ max: maxCallers });

  /** `now`: in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  isSlow(caller: string): boolean {
    const measured = this.callers.get(caller);
    if (!measured) return false;
    const now = this.now();
    this.age(measured, now);
    let { ms, squares } = measured;
    for (const duration of measured.running) {
      ms += duration();
      squares += duration() ** 2;
    }
    return squares > slowMs * ms;
  }

  /** Call when an operation begins. `waitedMs`: its waits so far. Returns a function to call when it ends. */
  begin(caller: string, waitedMs: () => number = () => 0): () => void {
    let measured = this.callers.get(caller);
    const since = this.now() - waitedMs();
    const duration = () => this.now() - since - waitedMs();
    if (!measured) this.callers.set(caller, (measured = { ms: 0, squares: 0, at: since, running: new Set() }));
    const { running } = measured;
    running.add(duration);
    return () => {
      running.delete(duration);
      this.age(measured, this.now());
      measured.ms += duration();
      measured.squares += duration() ** 2;
    };
  }

  private age(measured: Measured, now: number): void {
    const left = 0.5 ** ((now - measured.at) / halfLifeMs);
    measured.ms *= left;
    measured.squares *= left;
    measured.at = now;
  }
}
