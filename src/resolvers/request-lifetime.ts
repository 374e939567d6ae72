/** When the work for a request ends before it is done: its client hangs up, or its time is over. */
import { setMaxListeners } from "node:events";
import { ServiceError } from "../schema/errors.js";

/** Nobody sees it, and it is not logged. */
const hungUp = () => new ServiceError("REQUEST_TIMEOUT", "The client hung up");

function overdue(seconds: number, isWriting: boolean): ServiceError {
  const advice = isWriting
    ? ". What it writes may have been stored: send it again with the same Idempotency-Key"
    : "; ask for less at once";
  const message = `The request took longer than ${seconds} seconds and was ended${advice}`;
  return new ServiceError("SERVICE_UNAVAILABLE", message, { limit: "requestSeconds", value: seconds });
}

/** Seconds that a request may take; `long` for imports and exports. */
export interface Deadlines {
  seconds: number;
  long: number;
}

export class RequestLifetime {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;
  /** Whether a mutation has begun. It runs to its end though nobody waits for it, so that its idempotency key has the answer. */
  isWriting = false;
  isHungUp = false;

  constructor(private readonly deadlines: Deadlines) {
    // Each of its statements listens, however many run at once.
    setMaxListeners(0, this.controller.signal);
    this.timer = this.startTimer(deadlines.seconds);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  hangUp(): void {
    if (this.isWriting) return;
    this.isHungUp = true;
    this.controller.abort(hungUp());
  }

  /** For work that takes longer by its nature. */
  takeLong(): void {
    clearTimeout(this.timer);
    this.timer = this.startTimer(this.deadlines.long);
  }

  /** The result of the work; throws the signal's reason as soon as the request has ended. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => reject(this.signal.reason);
      if (this.signal.aborted) end();
      else this.signal.addEventListener("abort", end, { once: true });
      work.then(resolve, reject);
    });
  }

  /** The answer is sent, or will never be. */
  close(): void {
    clearTimeout(this.timer);
  }

  private startTimer(seconds: number): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(overdue(seconds, this.isWriting)), seconds * 1_000).unref();
  }
}
