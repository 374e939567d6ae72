/** Conflicts between writers that PostgreSQL ends by undoing one of them: a deadlock, a serialisation failure. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../schema/errors.js";

/** What was to be written is undone, and may be tried again. */
export class WriteConflict extends ServiceError {
  constructor(cause?: unknown) {
    super("SERVICE_UNAVAILABLE", "Others are writing the same records at this moment; nothing was changed, try again shortly");
    this.cause = cause;
  }
}

const codes = new Set(["40P01", "40001", "P2034"]);

export const isConflictCode = (code: string | undefined): boolean => code !== undefined && codes.has(code);

/** How often work is retried before its caller gets the error. */
const mostRepeats = 4;
/** Before the first repetition at most; before each further one twice as long. */
const firstWaitMs = 30;

/** Runs `work`, and again after a random wait while it ends with a conflict. `work` must be safe to run again: nothing of it is sent outside. */
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
