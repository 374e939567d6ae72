/** Subscriptions that come back by themselves, over WebSocket or server-sent events. */
import { GatewayError } from "./error.js";
import { overEventStream } from "./event-stream.js";
import type { Payload, Result, Sink, SubscriptionsOptions, Transport } from "./transport.js";
import type { Document, Rest } from "./types.js";
import { overWebSocket } from "./websocket.js";

export type { SubscriptionsOptions };

export interface Subscriptions {
  /**
   * The events' data, until the signal aborts or the loop is left. Throws a `GatewayError`. Reconnects by itself; if the operation has a
   * variable `$after`, it goes on after the last event: nothing is missed, nothing comes twice.
   */
  subscribe<Data = any, Variables = Record<string, any>>(
    document: Document<Data, Variables>,
    ...rest: Rest<NoInfer<Variables>, { signal?: AbortSignal }>
  ): AsyncIterableIterator<Data>;
  /** Closes the connection, and ends all subscriptions. */
  close(): void;
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const transport = options.transport === "sse" ? overEventStream(options) : overWebSocket(options);
  return {
    async *subscribe<Data, Variables>(
      document: Document<Data, Variables>,
      ...[variables, { signal } = {}]: [variables?: Variables, options?: { signal?: AbortSignal }]
    ): AsyncGenerator<Data, void> {
      if (signal?.aborted) return;
      const payload = { query: document.toString(), variables: variables as Payload["variables"] };
      const results = follow(transport, payload, options.onReconnect);
      signal?.addEventListener("abort", results.end);
      try {
        for (let result: Result | undefined; (result = await results.next()); ) {
          if (result.errors) throw new GatewayError(result.errors, result.data);
          yield result.data as Data;
        }
      } finally {
        signal?.removeEventListener("abort", results.end);
        results.end();
      }
    },
    close: () => transport.close(),
  };
}

/** Results as they come. After `end`, and once the operation is complete, `next` returns undefined. */
function follow(transport: Transport, payload: Payload, onGap?: () => void) {
  const takesToken = /\$after\s*:/.test(payload.query);
  const waiting: Result[] = [];
  let ended: { error?: unknown } | undefined;
  let isLagging = false;
  let wake = () => {};
  const finish = (how: { error?: unknown }) => {
    ended ??= how;
    wake();
  };
  const sink: Sink = {
    next(result) {
      // Noted when it arrives and not when it is read: what waits here is not sent again.
      const after = result.extensions?.token;
      if (takesToken && after) payload.variables = { ...payload.variables, after };
      isLagging = result.errors?.[0]?.extensions?.code === "LAGGED";
      if (!isLagging) waiting.push(result);
      wake();
    },
    error: (error) => finish({ error }),
    complete() {
      if (!isLagging || ended) return finish({});
      // The service gave up on a slow reader, who goes on where it was.
      isLagging = false;
      stop = transport.open(payload, sink);
      if (!takesToken) onGap?.();
    },
  };
  let stop = transport.open(payload, sink);
  return {
    async next(): Promise<Result | undefined> {
      while (!waiting.length && !ended) await new Promise<void>((resolve) => (wake = resolve));
      if (!waiting.length && ended && "error" in ended) throw ended.error;
      return waiting.shift();
    },
    end() {
      waiting.length = 0;
      finish({});
      stop();
    },
  };
}
