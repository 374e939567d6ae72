import { AsyncResource } from "node:async_hooks";

/** Runs calls one at a time: a connection, or a savepoint in it, can run only one statement at a time. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private running = 0;
  private ended = false;

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.ended ? Promise.reject(new Error("The transaction of this statement is over")) : this.append(work);
  }

  /** Waits for the calls so far. Returns whether there were any. */
  async wait(): Promise<boolean> {
    if (!this.running) return false;
    await this.last;
    return true;
  }

  /** Runs the last call. Later calls are refused, because the connection may serve another transaction by then. */
  end<T>(work: () => Promise<T>): Promise<T> {
    this.ended = true;
    return this.append(work);
  }

  /** Begins at once if no call is running: most requests send one statement at a time. */
  private append<T>(work: () => Promise<T>): Promise<T> {
    const result = this.running ? this.last.then(work) : work();
    const end = () => void this.running--;
    this.running++;
    this.last = result.then(end, end);
    return result;
  }
}

/** Last turns that are remembered. */
const maxRemembered = 10_000;

/** Calls in turns of their keys: the next call is that of the key whose last turn is longest ago, even if it had no calls meanwhile. */
class Turns<Call> {
  private readonly queues = new Map<string, Call[]>();
  /** Number of the last turn by key, oldest first. */
  private readonly last = new Map<string, number>();
  private count = 0;
  private current: string | undefined;
  /** Calls that were added by other keys than that of the last turn. */
  arrivals = 0;

  add(key: string, call: Call): void {
    if (key !== this.current) this.arrivals++;
    const queue = this.queues.get(key);
    if (queue) queue.push(call);
    else this.queues.set(key, [call]);
  }

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  take(): Call | undefined {
    let first: string | undefined;
    for (const key of this.queues.keys()) if (first === undefined || this.lastOf(key) < this.lastOf(first)) first = key;
    if (first === undefined) return undefined;
    this.current = first;
    this.last.delete(first);
    this.last.set(first, ++this.count);
    if (this.last.size > maxRemembered) this.last.delete(this.last.keys().next().value!);
    const queue = this.queues.get(first)!;
    if (queue.length === 1) this.queues.delete(first);
    return queue.shift();
  }

  private readonly lastOf = (key: string): number => this.last.get(key) ?? 0;
}

/** A yielding call runs after at most this many others. */
const othersFirst = 20;

/** After a call that took this many milliseconds, other requests have time to send their calls. */
const longCallMs = 5;

/**
 * Rounds of the event loop that others have for that. A request takes several from its arrival to its first call, and from its last call to
 * its response.
 */
const rounds = 20;

/** Runs calls one at a time, in turns of the tenants. Yielding calls wait for others, but not indefinitely. */
export class FairQueue {
  private readonly others = new Turns<() => Promise<void>>();
  private readonly yielding = new Turns<() => Promise<void>>();
  private passed = 0;
  private isRunning = false;

  run<T>(work: () => Promise<T>, tenantId = "", isYielding = false): Promise<T> {
    return new Promise((resolve, reject) => {
      // Each call keeps its own context, such as the author of its writes, although the loop belongs to the call that started it.
      const begin = AsyncResource.bind(() => Promise.resolve().then(work).then(resolve, reject));
      (isYielding ? this.yielding : this.others).add(tenantId, begin);
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    for (let next = this.next(); next; next = this.next()) {
      const startedAt = performance.now();
      await next();
      // Otherwise a long operation or a full queue would keep the process from its sockets, so that no other tenant's call arrives. Yielding
      // calls may be long, so the responses to others come first.
      const isLongNext = this.others.isEmpty && !this.yielding.isEmpty;
      if (isLongNext || performance.now() - startedAt > longCallMs) await this.pause();
    }
    this.isRunning = false;
  }

  /** Lets other requests proceed until another tenant's call arrives that does not yield. */
  private async pause(): Promise<void> {
    const { arrivals } = this.others;
    for (let round = 0; round < rounds && this.others.arrivals === arrivals; round++) await new Promise(setImmediate);
  }

  private next(): (() => Promise<void>) | undefined {
    const isPassed = !this.yielding.isEmpty && !this.others.isEmpty && this.passed < othersFirst;
    if (isPassed || this.yielding.isEmpty) {
      this.passed = isPassed ? this.passed + 1 : 0;
      return this.others.take();
    }
    this.passed = 0;
    return this.yielding.take();
  }
}
