import type { StorageLoad } from "./storage.js";

/** After several failures in a row calls fail at once; after a pause one of them tries whether it goes again. */
export class Breaker {
  private failures = 0;
  /** By `performance.now()`: when a call may try, while it is open. */
  private triesAt = 0;
  /** Since the start: calls that failed, and those that were not made because of it. */
  private readonly counts = { failed: 0, refused: 0 };

  /** `isFailure`: other errors count as success. `refused` makes the error of calls that are not tried. */
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
      // For the others it stays open until this one has an answer; if that does not come, the next tries.
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
