/** Runs calls one at a time: a connection, or a savepoint in it, can run only one statement at a time. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private running = 0;
  private ended = false;

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.ended ? Promise.reject(new Error("The transaction of this statement is over")) : this.append(work);
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

/** A yielding call runs after at most this many others. */
const othersFirst = 20;

/** Runs calls one at a time. Yielding calls wait for others, but not indefinitely. */
export class YieldingQueue {
  private readonly others: (() => Promise<void>)[] = [];
  private readonly yielding: (() => Promise<void>)[] = [];
  private passed = 0;
  private isRunning = false;

  run<T>(work: () => Promise<T>, isYielding = false): Promise<T> {
    return new Promise((resolve, reject) => {
      (isYielding ? this.yielding : this.others).push(() => Promise.resolve().then(work).then(resolve, reject));
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    for (let next = this.next(); next; next = this.next()) await next();
    this.isRunning = false;
  }

  private next(): (() => Promise<void>) | undefined {
    const isPassed = this.yielding.length > 0 && this.others.length > 0 && this.passed < othersFirst;
    if (isPassed || !this.yielding.length) {
      this.passed = isPassed ? this.passed + 1 : 0;
      return this.others.shift();
    }
    this.passed = 0;
    return this.yielding.shift();
  }
}
