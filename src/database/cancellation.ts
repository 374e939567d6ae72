/**
 * Tells work that its caller no longer waits. Replaces AbortSignal, whose event target costs a request more than all of its listeners:
 * every request and statement has a cancellation, and almost none is ever cancelled.
 */
export class Cancellation {
  private readonly listeners = new Set<() => void>();
  private cause: { reason: unknown } | undefined;

  /** Is cancelled after a time in milliseconds. */
  static after(ms: number): Cancellation {
    const cancellation = new Cancellation();
    setTimeout(() => cancellation.cancel(new Error(`Not done after ${ms} ms`)), ms).unref();
    return cancellation;
  }

  get isCancelled(): boolean {
    return this.cause !== undefined;
  }

  /** Why it was cancelled; undefined before. */
  get reason(): unknown {
    return this.cause?.reason;
  }

  throwIfCancelled(): void {
    if (this.cause) throw this.cause.reason;
  }

  /** Calls the listener when this is cancelled, but not if it already is. */
  add(listener: () => void): void {
    this.listeners.add(listener);
  }

  remove(listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** Only the first reason counts. */
  cancel(reason: unknown): void {
    if (this.cause) return;
    this.cause = { reason };
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}
