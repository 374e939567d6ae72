/**
 * Effects outside of a retryable transaction. Files are read and written before it, so that an unresponsive storage holds no connection.
 * Effects on the process follow its commit.
 */
import { ServiceError } from "../../schema/errors.js";

interface Step {
  id: string;
  work(): Promise<unknown>;
  undo(value: any): Promise<unknown>;
}

type Done = { value: unknown; undo: Step["undo"]; isUsed: boolean } | { error: unknown };

/** Ends a run to execute a step first; the transaction rolls back. Never reaches a client. */
class StepFirst extends ServiceError {
  constructor() {
    super("CONFLICT", "A file has to be stored first");
  }
}

export class Outside {
  /** Whether an earlier request with the same key may have completed some of the steps before it ended. */
  isResumed = false;
  private readonly done = new Map<string, Done>();
  private next: Step | undefined;
  private effects: (() => void)[] = [];
  private named = 0;

  /**
   * Called in the transaction: returns the result of `work`. If `work` has not run yet, ends this run; after the step, the transaction runs
   * again.
   */
  first<T>(id: string, work: () => Promise<T>, undo: (value: T) => Promise<unknown>): Promise<T> {
    const done = this.done.get(id);
    if (!done) {
      this.next ??= { id, work, undo };
      return Promise.reject(new StepFirst());
    }
    if ("error" in done) return Promise.reject(done.error);
    done.isUsed = true;
    return Promise.resolve(done.value as T);
  }

  /** Identifies a step by its position: each run of the transaction takes its steps in the same order. */
  nextId(): string {
    return `step ${++this.named}`;
  }

  /** Runs `effect` once the transaction is committed. */
  afterCommit(effect: () => void): void {
    this.effects.push(effect);
  }

  /** Call before each run of the transaction. */
  begin(): void {
    this.next = undefined;
    this.effects = [];
    this.named = 0;
    for (const done of this.done.values()) if ("isUsed" in done) done.isUsed = false;
  }

  get isWaiting(): boolean {
    return this.next !== undefined;
  }

  /** Executes the pending step outside of the transaction. The next run throws its error, if any. */
  async step(): Promise<void> {
    const { id, work, undo } = this.next!;
    this.done.set(
      id,
      await work().then(
        (value) => ({ value, undo, isUsed: false }),
        (error: unknown) => ({ error }),
      ),
    );
  }

  /** Call after the commit or the last failed run. Undoes the steps whose results were not stored. */
  async end(isStored: boolean): Promise<void> {
    if (isStored) for (const effect of this.effects) effect();
    for (const done of this.done.values()) if ("undo" in done && !(isStored && done.isUsed)) await done.undo(done.value).catch(() => {});
  }
}
