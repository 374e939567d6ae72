/**
 * Offline queue. Changes that found no connection wait in order and are sent when the connection is back. After a reload, they are sent
 * once the same person signs in. Each change keeps its idempotency key, so a change whose response was lost runs only once. Rejected
 * changes stay listed until the person dismisses them. Files of a change are kept apart (kept-files.ts).
 */
import { t } from "@lingui/core/macro";
import { type AnyVariables, type Exchange, gql, makeOperation, type Operation, type OperationResult, stringifyDocument } from "@urql/core";
import { filter, makeSubject, merge, pipe } from "wonka";
import { messageOf } from "../parts/states.js";
import { isLost, isRefused } from "./errors.js";
import { bytesOf, filesIn, forgetAllFiles, forgetFiles, keepFiles, keptFiles, mostWaitingBytes, withFiles } from "./kept-files.js";

interface Stored {
  query: string;
  variables: AnyVariables;
  idempotencyKey: string;
  /** Whether files belong to the change, which are absent from its variables. */
  hasFiles?: true;
  /** Start of the wait, in milliseconds since the epoch. */
  at: number;
  /** Reason for the rejection. Absent while the change waits. */
  reason?: string;
}

/** A queued change that the service rejected. */
export interface RefusedChange extends Stored {
  reason: string;
}

/** Queue-related fields of an operation's context. */
export interface Context {
  /** The change may wait for a connection. */
  queueable?: boolean;
  idempotencyKey?: string;
  /** Called when the change is queued. */
  onWaiting?: () => void;
  /** The change was queued before a reload, and keeps waiting for its slot. */
  isRestored?: boolean;
  /** The response contains a secret. */
  isSecret?: boolean;
}

const retryMilliseconds = 10_000;
const keyOf = ({ context }: Operation): string => (context as Context).idempotencyKey!;
const none: RefusedChange[] = [];

/** The parsed value stored under a name. Null if it is absent or not JSON. */
function storedAt(name: string): any {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** If storage is unavailable, the queue lasts as long as the page is open. */
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
  /** Queued changes that were rejected, until the user dismisses them. */
  refused = none;
  isClosed = false;

  /** `keepsFiles`: whether files outlast the page. Otherwise, a change with files waits as long as the page is open. */
  constructor(private readonly keepsFiles = false) {
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

  /** Queues the operation if others are already waiting, to preserve order. */
  private takes(operation: Operation): boolean {
    const context = operation.context as Context;
    if (operation.kind !== "mutation" || !context.queueable || !(context.isRestored || this.waiting.size)) return false;
    if (!this.hasRoomFor(operation)) return false;
    this.wait(operation);
    queueMicrotask(this.send);
    return true;
  }

  /** Limits the files that wait. A change without room fails as one that cannot wait. */
  private hasRoomFor(operation: Operation): boolean {
    if (this.waiting.has(keyOf(operation))) return true;
    const bytes = bytesOf(filesIn(operation.variables));
    if (!bytes) return true;
    const others = [...this.waiting.values()].reduce((sum, { variables }) => sum + bytesOf(filesIn(variables)), 0);
    return bytes + others <= mostWaitingBytes;
  }

  private wait(operation: Operation): void {
    const idempotencyKey = keyOf(operation);
    if (this.waiting.has(idempotencyKey)) return;
    this.waiting.set(idempotencyKey, operation);
    (operation.context as Context).onWaiting?.();
    const { query, variables } = operation;
    const at = performance.timeOrigin + performance.now();
    const files = filesIn(variables);
    const known = storedAt(this.prefix + idempotencyKey);
    const change: Stored = known ?? {
      query: stringifyDocument(query),
      variables,
      idempotencyKey,
      at,
      ...(files.length && { hasFiles: true as const }),
    };
    if (!files.length || known) this.store(change);
    else if (this.keepsFiles)
      void keepFiles(idempotencyKey, files).then(() => {
        // The change may have been sent in the meantime.
        if (this.waiting.has(idempotencyKey)) this.store(change);
        else void forgetFiles(idempotencyKey);
      });
    this.list();
  }

  /** Returns true if the result is passed on to the caller. It is withheld while the change waits. */
  private settle(result: OperationResult): boolean {
    const { operation, error } = result;
    if (operation.kind !== "mutation" || !(operation.context as Context).queueable) return true;
    const idempotencyKey = keyOf(operation);
    if (this.sending === idempotencyKey) this.sending = undefined;
    if (isLost(error) && this.hasRoomFor(operation)) {
      this.wait(operation);
      return false;
    }
    // The change is sent when its author signs in again.
    if (!this.waiting.has(idempotencyKey) || isRefused(error)) return true;
    this.waiting.delete(idempotencyKey);
    const stored = storedAt(this.prefix + idempotencyKey);
    if (stored?.hasFiles) void forgetFiles(idempotencyKey);
    if (error && stored) this.store({ ...stored, reason: messageOf(error) });
    else this.remove(idempotencyKey);
    this.send();
    return true;
  }

  /** Sends the first change. Its response triggers the next. */
  readonly send = (): void => {
    const [first] = this.waiting;
    if (!first || this.isClosed || this.sending !== undefined || !navigator.onLine) return;
    const [key, operation] = first;
    this.sending = key;
    this.retried.next(makeOperation(operation.kind, operation));
  };

  /** Restores the changes that this person left in the queue before a reload. */
  async restore(name: string, mutate: (query: ReturnType<typeof gql>, variables: AnyVariables, context: Context) => void): Promise<void> {
    this.prefix = `console:waiting:${name}:`;
    this.splitList(`console:waiting:${name}`);
    this.list();
    for (const change of storedUnder(this.prefix)) {
      const { query, variables, idempotencyKey, hasFiles, reason } = change;
      if (reason !== undefined) continue;
      const files = hasFiles ? await keptFiles(idempotencyKey) : [];
      if (files) mutate(gql(query), withFiles(variables, files), { queueable: true, isRestored: true, idempotencyKey });
      else this.store({ ...change, reason: t`Its photos were deleted when the session ended. Enter it again.` });
    }
  }

  /** Earlier versions stored all changes in one list. */
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

  /** Removes rejected changes. */
  dismiss(changes: RefusedChange[]): void {
    this.remove(...changes.map(({ idempotencyKey }) => idempotencyKey));
  }

  /** Deletes all stored changes of this person. */
  readonly discard = (): void => {
    this.waiting.clear();
    forgetAllFiles();
    this.remove(...storedUnder(this.prefix).map(({ idempotencyKey }) => idempotencyKey));
  };

  /** Whether a waiting change has files. */
  get hasFiles(): boolean {
    return [...this.waiting.values()].some(({ variables }) => filesIn(variables).length > 0);
  }

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
