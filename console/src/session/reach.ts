/** Tracks whether the service responds. Queries that failed meanwhile are repeated automatically. */
import { type Client, type Exchange, makeOperation, type Operation } from "@urql/core";
import { pipe, tap } from "wonka";
import { isLost } from "./errors.js";

const retryMilliseconds = 5_000;

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
        tap(({ operation, error }) => {
          const isUnread = operation.kind === "query" && isLost(error) && !!error?.networkError;
          this.note(operation.key, isUnread ? operation : undefined);
        }),
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
    for (const operation of this.unread.values())
      this.client?.reexecuteOperation(makeOperation("query", operation, { ...operation.context, requestPolicy: "network-only" }));
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
