/** Ends the work of a request early: when its client disconnects or its deadline passes. */
import { Cancellation } from "../database/cancellation.js";
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

/**
 * Requests that have not ended. One timer ends all overdue ones, since a timer for each would cost more than a short request. It stops
 * when it finds none.
 */
const open = new Set<RequestLifetime>();
let sweep: NodeJS.Timeout | undefined;
const sweepMs = 100;

function endOverdue(): void {
  const now = performance.now();
  for (const lifetime of open) lifetime.endIfOverdue(now);
  if (open.size) return;
  clearInterval(sweep);
  sweep = undefined;
}

export class RequestLifetime extends Cancellation {
  private seconds: number;
  /** As `performance.now()`. */
  private readonly startedAt = performance.now();
  /** Whether a mutation has begun. A mutation always runs to completion, so that its idempotency key records the response. */
  isWriting = false;
  private isLong = false;
  isHungUp = false;

  constructor(private readonly deadlines: Deadlines) {
    super();
    this.seconds = deadlines.seconds;
    open.add(this);
    sweep ??= setInterval(endOverdue, sweepMs).unref();
  }

  hangUp(): void {
    if (this.isWriting) return;
    this.isHungUp = true;
    this.cancel(hungUp());
  }

  /** Extends the deadline for long work. */
  takeLong(): void {
    this.isLong = true;
    this.seconds = this.deadlines.long;
  }

  /** Ends a read early, with this error. Mutations that have begun, imports and exports continue. Returns whether it ended. */
  cutShort(reason: ServiceError): boolean {
    if (this.isWriting || this.isLong || this.isCancelled) return false;
    this.cancel(reason);
    return true;
  }

  endIfOverdue(now: number): void {
    if (now - this.startedAt < this.seconds * 1_000) return;
    open.delete(this);
    this.cancel(overdue(this.seconds, this.isWriting));
  }

  /** Returns the result of the work, or throws the cancellation's reason as soon as the request ends. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => reject(this.reason);
      if (this.isCancelled) end();
      else this.add(end);
      work.then(resolve, reject);
    });
  }

  /** Called when the response is sent or will never be sent. */
  close(): void {
    open.delete(this);
  }
}
