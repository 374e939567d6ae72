/** Tracks whether the service responds. Queries that failed meanwhile are answered from the cache, and repeated automatically. */
import {
  type Client,
  type CombinedError,
  type Exchange,
  makeOperation,
  type Operation,
  type OperationResult,
  type RequestPolicy,
} from "@urql/core";
import { filter, makeSubject, map, merge, pipe, tap } from "wonka";
import { isLost } from "./errors.js";

const retryMilliseconds = 5_000;

const under = (requestPolicy: RequestPolicy, operation: Operation): Operation =>
  makeOperation(operation.kind, operation, { ...operation.context, requestPolicy });

const isUnread = ({ operation, error }: OperationResult): boolean => operation.kind === "query" && isLost(error) && !!error?.networkError;

/** Answers queries without a response from the cache. Their error is passed on if the cache does not hold all of their data. */
export const cachedWhenAway: Exchange =
  ({ forward }) =>
  (operations) => {
    const lost = new Map<number, CombinedError>();
    const again = makeSubject<Operation>();
    return pipe(
      merge([operations, again.source]),
      forward,
      filter((result) => {
        if (!isUnread(result) || result.data) return true;
        lost.set(result.operation.key, result.error!);
        again.next(under("cache-only", result.operation));
        return false;
      }),
      map((result) => {
        const error = lost.get(result.operation.key);
        lost.delete(result.operation.key);
        return error && !result.data ? { ...result, error } : result;
      }),
    );
  };

export class Reach {
  private readonly unread = new Map<number, Operation>();
  private readonly listeners = new Set<() => void>();
  private readonly timer: ReturnType<typeof setInterval>;
  private client: Client | undefined;

  constructor() {
    addEventListener("online", this.retry);
    this.timer = setInterval(this.retry, retryMilliseconds);
  }

  readonly exchange: Exchange =
    ({ forward, client }) =>
    (operations) => {
      this.client = client;
      return pipe(
        operations,
        tap(({ kind, key }) => kind === "teardown" && this.note(key)),
        forward,
        tap((result) => this.note(result.operation.key, isUnread(result) ? result.operation : undefined)),
      );
    };

  get isAway(): boolean {
    return this.unread.size > 0;
  }

  private note(key: number, operation?: Operation): void {
    const was = this.isAway;
    if (operation) this.unread.set(key, operation);
    else this.unread.delete(key);
    if (was !== this.isAway) for (const listener of this.listeners) listener();
  }

  private readonly retry = (): void => {
    if (!navigator.onLine) return;
    for (const operation of this.unread.values()) this.client?.reexecuteOperation(under("network-only", operation));
  };

  readonly listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  close(): void {
    removeEventListener("online", this.retry);
    clearInterval(this.timer);
  }
}
