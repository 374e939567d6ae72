import type { StorageLoad } from "./storage.js";

/** Circuit breaker: after several consecutive failures, calls fail immediately; after a pause, one call probes for recovery. */
export class Breaker {
  private failures = 0;
  /** Time of the next probe while open, by `performance.now()`. */
  private triesAt = 0;
  /** Since startup: failed calls, and calls refused because of failures. */
  private readonly counts = { failed: 0, refused: 0 };

  /** `isFailure`: other errors count as success. `refused` creates the error of refused calls. */
  constructor(private readonly options: { failures: number; pauseMs: number; isFailure(error: unknown): boolean; refused(): Error }) {}

  get load(): StorageLoad {
    return { isOpen: this.failures >= this.options.failures, ...this.counts };
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const { failures, pauseMs, isFailure, refused } = this.options;
    if (this.failures >= failures) {
      if (performance.now() < this.triesAt) {
        this.counts.refused++;
        throw refused();
      }
      // Stays open for other calls until this one completes. If it does not, the next probe follows after the pause.
      this.triesAt = performance.now() + pauseMs;
    }
    try {
      const result = await work();
      this.failures = 0;
      return result;
    } catch (error) {
      const isFailed = isFailure(error);
      if (isFailed) this.counts.failed++;
      this.failures = isFailed ? this.failures + 1 : 0;
      if (this.failures >= failures) this.triesAt = performance.now() + pauseMs;
      throw error;
    }
  }
}
