/**
 * Subscriptions tail the change log (docs/changes.md). A process reads each event once and executes it once for all identical
 * subscriptions: same tenant, rights, document and variables. Each result has a token in its extensions. A subscriber that reconnects with
 * its token misses nothing and gets nothing twice.
 */
import { AsyncResource } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute, GraphQLError, Kind, visit } from "graphql";
import { now as databaseNow } from "../../database/clock.js";
import { type FeedEntry, logEnd, readFeed } from "../../domain/changes/feed.js";
import { comparePositions, encodePosition, type Position } from "../../domain/changes/position.js";
import { isSeen, scopeOf } from "../../domain/changes/scope.js";
import type { Context } from "../../resolvers/context.js";
import { decodeFor, type SubscriptionSource } from "../../resolvers/subscription.js";
import { type LogFailure, maskError, maskResult } from "../errors.js";
import { operationOf } from "./document.js";

type Variables = Record<string, unknown>;

export interface SubscriptionArgs extends ExecutionArgs {
  contextValue: Context;
  /** The source text of the document. */
  query: string;
}

/** A result with the log position of its event. */
interface Event {
  position: Position;
  result: ExecutionResult;
  /** The result as sent, serialized for the first subscriber. */
  shown?: ExecutionResult;
}

/** Retries of an event that cannot be read because the database is unavailable. The wait doubles each time. */
const [firstRetryMs, lastRetryMs, retriedMs] = [100, 2_000, 300_000];

/** Maximum queued results per subscriber. A slower reader gets an error with a token to resume with. */
const maxWaiting = 1_000;

/** Log entries read at once for a reconnecting subscriber. */
const batchSize = 200;

/** State shared by identical subscriptions. */
interface Stream {
  queues: Set<(event: Event) => void>;
  listening: Promise<{ end(): void }>;
  /** Start position, and the position up to which the queues have all events. Undefined until the stream listens. */
  start?: Position;
  position?: Position;
}

export class Subscriptions {
  private readonly streams = new Map<string, Stream>();

  constructor(private readonly logFailure: LogFailure) {}

  /** Starts a subscription. Returns one result per event, or a single result with errors if it cannot start. */
  async subscribe(args: SubscriptionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
    const { requestId } = args.contextValue.caller;
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return maskResult(source, requestId, this.logFailure);
    try {
      return await this.follow(args, source as unknown as SubscriptionSource);
    } catch (error) {
      return { errors: [maskError(error, requestId, this.logFailure)] };
    }
  }

  private async follow(args: SubscriptionArgs, source: SubscriptionSource): Promise<AsyncIterableIterator<ExecutionResult>> {
    const { contextValue: context } = args;
    const returned = source.after == null ? undefined : await decodeFor(context, source.after, source.recordTypes);
    const waiting: Event[] = [];
    let isLagging = false;
    let wake: (() => void) | undefined;
    const stream = this.join(args, source);
    const take = (event: Event) => {
      // No result may follow a dropped one, because its token would skip the gap.
      if (waiting.length < maxWaiting && !isLagging) waiting.push(event);
      else isLagging = true;
      wake?.();
    };
    stream.queues.add(take);
    /** Position up to which the queue lacks events, if the stream already listens. */
    let joined = stream.position;
    let isEnded = false;
    const end = () => {
      isEnded = true;
      this.leave(stream, take);
      wake?.();
    };
    const { position: now, epoch } = await stream.listening
      .then(() => logEnd(context.services.tail.database, context.caller.actor.tenantId))
      .catch((error) => {
        end();
        throw error;
      });
    joined ??= stream.start!;
    /** Position of the last event that the subscriber has received. */
    let seen = returned ?? now;
    const scope = scopeOf(context.caller.actor, source.recordTypes);
    const withToken = (result: ExecutionResult): ExecutionResult => ({
      ...result,
      extensions: { ...result.extensions, token: encodePosition({ position: seen, epoch, issuedAt: databaseNow(), scope }) },
    });
    const show = (event: Event): ExecutionResult => {
      seen = event.position;
      return (event.shown ??= withToken(event.result));
    };
    const isWanted = () => !isEnded;
    const isBehind = returned && comparePositions(returned, joined) < 0;
    const earlier = isBehind ? this.between(args, source, returned, joined, isWanted) : undefined;
    let isCatchingUp = earlier !== undefined;
    const next = async (): Promise<IteratorResult<ExecutionResult>> => {
      try {
        while (isCatchingUp && !isEnded) {
          const { value: event, done } = await earlier!.next();
          if (done) isCatchingUp = false;
          else return { value: show(event), done: false };
        }
        while (!isEnded) {
          const event = waiting.shift();
          if (event) {
            if (comparePositions(event.position, seen) <= 0) continue;
            return { value: show(event), done: false };
          }
          if (isLagging) {
            end();
            return { value: withToken({ errors: [lagged()] }), done: false };
          }
          await new Promise<void>((resolve) => (wake = resolve));
        }
        return { value: undefined, done: true };
      } catch (error) {
        end();
        throw maskError(error, context.caller.requestId, this.logFailure);
      }
    };
    // Not an async generator: its `return` would block until the next event.
    const results: AsyncIterableIterator<ExecutionResult> = {
      next,
      async return() {
        end();
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    return results;
  }

  /** Joins the stream of identical subscriptions, or starts it. */
  private join(args: SubscriptionArgs, source: SubscriptionSource): Stream {
    const { tenantId, role, sites, readAll } = args.contextValue.caller.actor;
    const key = JSON.stringify([
      tenantId,
      role,
      sites,
      readAll,
      args.contextValue.caller.baseUrl,
      args.query,
      args.operationName,
      withoutToken(args),
    ]);
    const known = this.streams.get(key);
    if (known) return known;
    const queues: Stream["queues"] = new Set();
    // Batches run one after the other, so that events stay in order.
    let last: Promise<void> = Promise.resolve();
    // Reading is background work; executing an event belongs to the subscribers.
    const send = AsyncResource.bind((entries: FeedEntry[], position: Position) => {
      last = last.then(async () => {
        for (const entry of entries) {
          if (!queues.size) return;
          const event = await this.eventOf(args, source, entry, () => queues.size > 0);
          if (event) for (const queue of [...queues]) queue(event);
          stream.position = entry.position;
        }
        stream.position = position;
      });
    });
    const listening = args.contextValue.services.tail.listen(tenantId, send);
    const stream: Stream = {
      queues,
      listening: listening.then(({ position, end }) => {
        stream.start = position;
        stream.position ??= position;
        return { end };
      }),
    };
    this.streams.set(key, stream);
    stream.listening.catch(() => this.streams.delete(key));
    return stream;
  }

  private leave(stream: Stream, take: (event: Event) => void): void {
    stream.queues.delete(take);
    if (stream.queues.size) return;
    for (const [key, one] of this.streams) if (one === stream) this.streams.delete(key);
    stream.listening.then(({ end }) => end()).catch(() => {});
  }

  /** The events after `from`, up to `until`. */
  private async *between(
    args: SubscriptionArgs,
    source: SubscriptionSource,
    from: Position,
    until: Position,
    isWanted: () => boolean,
  ): AsyncGenerator<Event> {
    const { actor } = args.contextValue.caller;
    const { services } = args.contextValue;
    let position = from;
    do {
      const [page] = await readFeed(services.tail.database, [{ tenantId: actor.tenantId, position }], batchSize, source.recordTypes);
      for (const entry of page!.entries) {
        if (comparePositions(entry.position, until) > 0) return;
        const event = await this.eventOf(args, source, entry, isWanted);
        if (event) yield event;
      }
      position = page!.position;
      if (!page!.hasMore) return;
    } while (comparePositions(position, until) < 0);
  }

  /** As `attempt`, with retries: an event must not be lost if the database becomes unavailable after its entry was read. */
  private async eventOf(
    args: SubscriptionArgs,
    source: SubscriptionSource,
    entry: FeedEntry,
    isWanted: () => boolean,
  ): Promise<Event | undefined> {
    const until = performance.now() + retriedMs;
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      const event = await this.attempt(args, source, entry);
      if (!event || !isUnavailable(event.result) || performance.now() > until || !isWanted()) return event;
      await sleep(waitMs, undefined, { ref: false });
    }
  }

  /** The result of an entry; undefined if the entry does not concern the subscription. */
  private async attempt(args: SubscriptionArgs, source: SubscriptionSource, entry: FeedEntry): Promise<Event | undefined> {
    if (!source.recordTypes.includes(entry.recordType)) return undefined;
    if (!isSeen(args.contextValue.caller.actor, entry)) return undefined;
    // Loaders of a previous event may have cached older records.
    const context: Context = { ...args.contextValue, data: args.contextValue.data.renewed() };
    try {
      const rootValue = await source.event(entry, context);
      if (rootValue === undefined) return undefined;
      const result = await execute({ ...args, rootValue, contextValue: context });
      return { position: entry.position, result: maskResult(result, context.caller.requestId, this.logFailure) };
    } catch (error) {
      return { position: entry.position, result: { errors: [maskError(error, context.caller.requestId, this.logFailure)] } };
    }
  }
}

/** The variables without the resume token, if a variable serves only as token. */
function withoutToken({ document, operationName, variableValues }: SubscriptionArgs): Variables {
  const tokens = new Set<string>();
  for (const field of operationOf(document, operationName).selectionSet.selections)
    for (const { name, value } of (field.kind === Kind.FIELD && field.arguments) || [])
      if (name.value === "after" && value.kind === Kind.VARIABLE) tokens.add(value.name.value);
  const uses: string[] = [];
  visit(document, { Variable: ({ name }) => void uses.push(name.value) });
  // Declared once and used once as the token: a list cursor is not a resume token.
  const isToken = (name: string) => tokens.has(name) && uses.filter((use) => use === name).length === 2;
  return Object.fromEntries(Object.entries(variableValues ?? {}).filter(([name]) => !isToken(name)));
}

const isUnavailable = ({ errors }: ExecutionResult): boolean =>
  errors?.some(({ extensions }) => extensions.code === "SERVICE_UNAVAILABLE") ?? false;

const lagged = () =>
  new GraphQLError("The subscriber reads events too slowly; subscribe again with the token as `after`", {
    extensions: { code: "LAGGED" },
  });
