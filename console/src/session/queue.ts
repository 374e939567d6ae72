/**
 * Changes that found no connection wait here, in their order, and are sent once it is back; after a reload, once the same person signs in. Each
 * keeps its idempotency key, so that one whose answer was lost is done once. What the service refuses stays listed until the person has read it.
 */
import { type AnyVariables, type Exchange, gql, makeOperation, type Operation, type OperationResult, stringifyDocument } from "@urql/core";
import { filter, makeSubject, merge, pipe } from "wonka";
import { messageOf } from "../parts/states.js";
import { isLost, isRefused } from "./errors.js";

interface Stored {
  query: string;
  variables: AnyVariables;
  idempotencyKey: string;
  /** Why the service refused it. Without one it waits. */
  reason?: string;
}

/** A change that waited, and was refused. */
export interface RefusedChange extends Stored {
  reason: string;
}

/** What an operation's context tells of it. */
export interface Context {
  /** It may wait. */
  queueable?: boolean;
  idempotencyKey?: string;
  /** Called when the change begins to wait. */
  onWaiting?: () => void;
  /** It waited before a reload, and goes on waiting for its turn. */
  isRestored?: boolean;
  /** Its answer holds a secret. */
  isSecret?: boolean;
}

const retryMilliseconds = 10_000;
const keyOf = ({ context }: Operation): string => (context as Context).idempotencyKey!;
const none: RefusedChange[] = [];

/** What is stored under a name. What cannot be read was not written by this page. */
function storedAt(name: string): Stored[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one?.query === "string" && typeof one.idempotencyKey === "string") : [];
  } catch {
    return [];
  }
}

export class Queue {
  private readonly waiting = new Map<string, Operation>();
  private readonly listeners = new Set<() => void>();
  private readonly retried = makeSubject<Operation>();
  private readonly timer: ReturnType<typeof setInterval>;
  private sending: string | undefined;
  private name = "";
  /** Changes that were refused after they had waited, until they are dismissed. */
  refused = none;
  isClosed = false;

  constructor() {
    addEventListener("online", this.send);
    addEventListener("storage", this.follow);
    this.timer = setInterval(this.send, retryMilliseconds);
  }

  readonly exchange: Exchange =
    ({ forward }) =>
    (operations) =>
      pipe(
        forward(
          merge([
            pipe(
              operations,
              filter((operation) => !this.takes(operation)),
            ),
            this.retried.source,
          ]),
        ),
        filter((result) => this.settle(result)),
      );

  /** A change does not overtake those that wait. */
  private takes(operation: Operation): boolean {
    const context = operation.context as Context;
    if (operation.kind !== "mutation" || !context.queueable || !(context.isRestored || this.waiting.size)) return false;
    this.wait(operation);
    queueMicrotask(this.send);
    return true;
  }

  private wait(operation: Operation): void {
    const idempotencyKey = keyOf(operation);
    if (this.waiting.has(idempotencyKey)) return;
    this.waiting.set(idempotencyKey, operation);
    (operation.context as Context).onWaiting?.();
    const { query, variables } = operation;
    const stored = { query: stringifyDocument(query), variables, idempotencyKey };
    this.store((all) => (all.some((one) => one.idempotencyKey === idempotencyKey) ? all : [...all, stored]));
  }

  /** Whether the result is told, which it is not while its change waits. */
  private settle(result: OperationResult): boolean {
    const { operation, error } = result;
    if (operation.kind !== "mutation" || !(operation.context as Context).queueable) return true;
    const idempotencyKey = keyOf(operation);
    if (this.sending === idempotencyKey) this.sending = undefined;
    if (isLost(error)) {
      this.wait(operation);
      return false;
    }
    // Whoever made it signs in again: then it is sent.
    if (!this.waiting.has(idempotencyKey) || isRefused(error)) return true;
    this.waiting.delete(idempotencyKey);
    this.store((all) =>
      error
        ? all.map((one) => (one.idempotencyKey === idempotencyKey ? { ...one, reason: messageOf(error) } : one))
        : all.filter((one) => one.idempotencyKey !== idempotencyKey),
    );
    this.send();
    return true;
  }

  /** Sends the first one; its answer sends the next. */
  readonly send = (): void => {
    const [first] = this.waiting;
    if (!first || this.isClosed || this.sending !== undefined || !navigator.onLine) return;
    const [key, operation] = first;
    this.sending = key;
    this.retried.next(makeOperation(operation.kind, operation));
  };

  /** Goes on with what this person left waiting before a reload. */
  restore(name: string, mutate: (query: ReturnType<typeof gql>, variables: AnyVariables, context: Context) => void): void {
    this.name = `console:waiting:${name}`;
    const stored = storedAt(this.name);
    this.list(stored);
    for (const { query, variables, idempotencyKey, reason } of stored)
      if (reason === undefined) mutate(gql(query), variables, { queueable: true, isRestored: true, idempotencyKey });
  }

  /** Other tabs of the same person keep theirs in the same list. */
  private store(edit: (all: Stored[]) => Stored[]): void {
    const next = edit(storedAt(this.name));
    try {
      if (next.length) localStorage.setItem(this.name, JSON.stringify(next));
      else localStorage.removeItem(this.name);
    } catch {
      // Without storage they wait as long as the page is open.
    }
    this.list(next);
  }

  private list(all: Stored[]): void {
    this.refused = all.filter((one): one is RefusedChange => one.reason !== undefined);
    for (const listener of this.listeners) listener();
  }

  private readonly follow = ({ key }: StorageEvent): void => {
    if (key === this.name) this.list(storedAt(this.name));
  };

  /** The person knows of the refused ones. */
  readonly dismiss = (): void => this.store((all) => all.filter(({ reason }) => reason === undefined));

  /** Nothing of this person is kept. */
  readonly discard = (): void => {
    this.waiting.clear();
    this.store(() => []);
  };

  get size(): number {
    return this.waiting.size;
  }

  readonly listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  close(): void {
    this.isClosed = true;
    removeEventListener("online", this.send);
    removeEventListener("storage", this.follow);
    clearInterval(this.timer);
  }
}
