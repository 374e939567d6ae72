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
  /** When it began to wait, in milliseconds. */
  at: number;
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

/** Stored value of a name. Null if it is absent or not JSON. */
function storedAt(name: string): any {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Without storage, changes wait as long as the page is open. */
function keep(name: string, value: object | undefined): void {
  try {
    if (value) localStorage.setItem(name, JSON.stringify(value));
    else localStorage.removeItem(name);
  } catch {}
}

/** Each change has its own entry, because tabs of the same person write concurrently. */
function storedUnder(prefix: string): Stored[] {
  const isStored = (one: any): one is Stored => typeof one?.query === "string" && typeof one.idempotencyKey === "string";
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
    const found = names.map(storedAt).filter(isStored);
    return found.sort((a, b) => a.at - b.at);
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
  private prefix = "";
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
    const at = performance.timeOrigin + performance.now();
    this.store(storedAt(this.prefix + idempotencyKey) ?? { query: stringifyDocument(query), variables, idempotencyKey, at });
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
    const stored = storedAt(this.prefix + idempotencyKey);
    if (error && stored) this.store({ ...stored, reason: messageOf(error) });
    else this.remove(idempotencyKey);
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
    this.prefix = `console:waiting:${name}:`;
    this.splitList(`console:waiting:${name}`);
    this.list();
    for (const { query, variables, idempotencyKey, reason } of storedUnder(this.prefix))
      if (reason === undefined) mutate(gql(query), variables, { queueable: true, isRestored: true, idempotencyKey });
  }

  /** Earlier versions kept all changes in one list. */
  private splitList(name: string): void {
    const list = storedAt(name);
    if (Array.isArray(list)) for (const [at, one] of list.entries()) if (one?.idempotencyKey) this.store({ ...one, at });
    keep(name, undefined);
  }

  private store(change: Stored): void {
    keep(this.prefix + change.idempotencyKey, change);
    this.list();
  }

  private remove(...idempotencyKeys: string[]): void {
    for (const key of idempotencyKeys) keep(this.prefix + key, undefined);
    this.list();
  }

  private list(): void {
    this.refused = storedUnder(this.prefix).filter((one): one is RefusedChange => one.reason !== undefined);
    for (const listener of this.listeners) listener();
  }

  private readonly follow = ({ key }: StorageEvent): void => {
    if (key?.startsWith(this.prefix)) this.list();
  };

  /** The person knows of the refused ones. */
  readonly dismiss = (): void => this.remove(...this.refused.map(({ idempotencyKey }) => idempotencyKey));

  /** Nothing of this person is kept. */
  readonly discard = (): void => {
    this.waiting.clear();
    this.remove(...storedUnder(this.prefix).map(({ idempotencyKey }) => idempotencyKey));
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
