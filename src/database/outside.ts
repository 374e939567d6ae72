/**
 * What a repeatable transaction leaves to do outside of it: files are read and written before it, so that a storage that does not answer
 * holds no connection; effects on the process follow its commit.
 */
import { ServiceError } from "../schema/errors.js";

interface Step {
  id: string;
  work(): Promise<unknown>;
  undo(value: any): Promise<unknown>;
}

type Done = { value: unknown; undo: Step["undo"]; isUsed: boolean } | { error: unknown };

/** Ends a run whose transaction is rolled back: the step comes first. Nobody sees it. */
class StepFirst extends ServiceError {
  constructor() {
    super("CONFLICT", "A file has to be stored first");
  }
}

export class Outside {
  /** Whether an earlier request with the same key may have done a part of the steps before it ended. */
  isResumed = false;
  private readonly done = new Map<string, Done>();
  private next: Step | undefined;
  private effects: (() => void)[] = [];

  /** Called in the transaction: returns what `work` came to. Where it has not run yet, this run ends, and another follows it. */
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

  /** Runs `effect` once the transaction is committed. */
  afterCommit(effect: () => void): void {
    this.effects.push(effect);
  }

  /** Before each run of the transaction. */
  begin(): void {
    this.next = undefined;
    this.effects = [];
    for (const done of this.done.values()) if ("isUsed" in done) done.isUsed = false;
  }

  get isWaiting(): boolean {
    return this.next !== undefined;
  }

  /** After a run that waits for it, outside of the transaction. Its failure is the next run's. */
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

  /** After the commit, or after the last run failed: undoes the steps that nothing was stored of. */
  async end(isStored: boolean): Promise<void> {
    if (isStored) for (const effect of this.effects) effect();
    for (const done of this.done.values()) if ("undo" in done && !(isStored && done.isUsed)) await done.undo(done.value).catch(() => {});
  }
}
