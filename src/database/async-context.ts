/**
 * Values that follow a call through its promises. All parts share one AsyncLocalStorage, because Node copies the store of each storage for
 * every promise.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** The value of one part. A list instead of an object, since a call has at most a few parts. */
interface Held {
  readonly part: object;
  readonly value: unknown;
  readonly outer: Held | undefined;
}

const storage = new AsyncLocalStorage<Held>();

/** A kind of value, such as the author of writes. */
export class ContextPart<Value> {
  current(): Value | undefined {
    let held = storage.getStore();
    while (held && held.part !== this) held = held.outer;
    return held?.value as Value | undefined;
  }

  /** Runs `work` with a value of this part instead of its former one. */
  run<T>(value: Value, work: () => T): T {
    return storage.run({ part: this, value, outer: without(this, storage.getStore()) }, work);
  }
}

/** The list without a part. Otherwise the list of a job that begins its next run would grow forever. */
function without(part: object, held: Held | undefined): Held | undefined {
  if (!held) return undefined;
  if (held.part === part) return held.outer;
  const outer = without(part, held.outer);
  return outer === held.outer ? held : { ...held, outer };
}
