/** Ends the work of a request early: when its client disconnects or its deadline passes. */
import { setMaxListeners } from "node:events";
import { ServiceError } from "../schema/errors.js";

/** Reaches no client and is not logged. */
const hungUp = () => new ServiceError("REQUEST_TIMEOUT", "The client disconnected");

function overdue(seconds: number, isWriting: boolean): ServiceError {
  const advice = isWriting
    ? ". What it writes may have been stored: send it again with the same Idempotency-Key"
    : "; ask for less at once";
  const message = `The request took longer than ${seconds} seconds and was ended${advice}`;
  return new ServiceError("SERVICE_UNAVAILABLE", message, { limit: "requestSeconds", value: seconds });
}

/** Time limits in seconds. `long` applies to imports and exports. */
export interface Deadlines {
  seconds: number;
  long: number;
}

export class RequestLifetime {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;
  /** Whether a mutation has begun. A mutation always runs to completion, so that its idempotency key records the response. */
  isWriting = false;
  isHungUp = false;

  constructor(private readonly deadlines: Deadlines) {
    // Every concurrent statement adds a listener.
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

  /** Extends the deadline for long work. */
  takeLong(): void {
    clearTimeout(this.timer);
    this.timer = this.startTimer(this.deadlines.long);
  }

  /** Returns the result of the work, or throws the signal's reason as soon as the request ends. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => reject(this.signal.reason);
      if (this.signal.aborted) end();
      else this.signal.addEventListener("abort", end, { once: true });
      work.then(resolve, reject);
    });
  }

  /** Called when the response is sent or will never be sent. */
  close(): void {
    clearTimeout(this.timer);
  }

  private startTimer(seconds: number): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(overdue(seconds, this.isWriting)), seconds * 1_000).unref();
  }
}
