/** Conflicts between writers, for which PostgreSQL rolls back one of them: deadlocks and serialization failures. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../../schema/errors.js";

/** The writes were rolled back and may be retried. */
export class WriteConflict extends ServiceError {
  constructor(cause?: unknown) {
    super("SERVICE_UNAVAILABLE", "Others are writing the same records at this moment; nothing was changed, try again shortly");
    this.cause = cause;
  }
}

const codes = new Set(["40P01", "40001", "P2034"]);

export const isConflictCode = (code: string | undefined): boolean => code !== undefined && codes.has(code);

/** Maximum number of retries before the caller gets the error. */
const mostRepeats = 4;
/** Maximum wait before the first retry; doubles with each retry. */
const firstWaitMs = 30;

/**
 * Runs `work`, and retries it after a random wait if it fails with a conflict. `work` must be safe to repeat and have no external effects.
 */
export async function repeatingConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof WriteConflict || isConflictCode((error as { code?: string }).code);
      if (!isConflict || repeats === mostRepeats) throw error;
      await sleep(Math.random() * firstWaitMs * 2 ** repeats);
    }
  }
}
