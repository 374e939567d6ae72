/** Subscriptions over WebSocket by graphql-ws, which also the service uses. */
import { type ClientOptions, createClient } from "graphql-ws";
import { backoff, sleep } from "./backoff.js";
import { type Credentials, tokensOf } from "./credentials.js";
import { type AnswerError, failure, GatewayError } from "./error.js";
import type { Document, Rest } from "./types.js";

export type SubscriptionsOptions = Credentials & {
  /** Such as `https://maintenance.example.com/graphql`. */
  url: string;
  /** Where there is no global `WebSocket`, as in Node before 22: that of the package `ws`. */
  webSocketImpl?: ClientOptions["webSocketImpl"];
  /** The connection is back after it was lost. Events in between are not sent again: read afresh what they would have changed. */
  onReconnect?: () => void;
  /** Milliseconds before the first attempt to reconnect; each later one waits twice as long, up to 30 s. Default: 300. */
  retryDelay?: number;
};

export interface Subscriptions {
  /** The events' data, until the signal aborts or the loop is left. Throws a `GatewayError`. Reconnects by itself. */
  subscribe<Data = any, Variables = Record<string, any>>(
    document: Document<Data, Variables>,
    ...rest: Rest<NoInfer<Variables>, { signal?: AbortSignal }>
  ): AsyncIterableIterator<Data>;
  /** Closes the connection, and ends all subscriptions. */
  close(): void;
}

const forbidden = 4403;
const [pingEvery, pongWithin] = [15_000, 5_000];

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { url, webSocketImpl, onReconnect, retryDelay = 300 } = options;
  const tokens = tokensOf(options);
  let token = "";
  /** In a row. */
  let refusals = 0;
  let frozen: ReturnType<typeof setTimeout> | undefined;

  const socket = createClient({
    // Older browsers take no relative address for a WebSocket.
    url: new URL(url, globalThis.location?.href).href.replace(/^http/, "ws"),
    webSocketImpl,
    connectionParams: async () => {
      token = refusals ? await tokens.replace(token) : await tokens.current();
      return { Authorization: `Bearer ${token}` };
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (attempt) => sleep(backoff(attempt, retryDelay)),
    shouldRetry(event) {
      // A refused token is replaced once. Each subscription asks here.
      if (codeOf(event) === forbidden) return tokens.canRefresh && refusals < 2;
      // What getToken throws ends the subscription. A lost connection is an event.
      return codeOf(event) !== undefined || !(event instanceof Error);
    },
    keepAlive: pingEvery,
    on: {
      connected(_socket, _payload, wasRetry) {
        refusals = 0;
        if (wasRetry) onReconnect?.();
      },
      ping(isReceived) {
        if (!isReceived) frozen = setTimeout(() => socket.terminate(), pongWithin);
      },
      pong: () => clearTimeout(frozen),
      closed(event) {
        clearTimeout(frozen);
        if (codeOf(event) === forbidden) refusals++;
      },
    },
  });

  return {
    async *subscribe<Data, Variables>(
      document: Document<Data, Variables>,
      ...[variables, { signal } = {}]: [variables?: Variables, options?: { signal?: AbortSignal }]
    ): AsyncGenerator<Data, void> {
      if (signal?.aborted) return;
      const events = socket.iterate<Data>({ query: document.toString(), variables: variables as Record<string, unknown> | undefined });
      const stop = () => void events.return?.();
      signal?.addEventListener("abort", stop);
      try {
        for await (const { data, errors } of events) {
          if (errors) throw new GatewayError(errors as readonly AnswerError[], data);
          yield data as Data;
        }
      } catch (error) {
        throw errorOf(error);
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    },
    close: () => void socket.dispose(),
  };
}

const codeOf = (event: unknown): number | undefined => (event as { code?: number } | null)?.code;

/** graphql-ws throws the errors of an answer as a list, and the event of a connection that was closed for good. */
function errorOf(error: unknown): unknown {
  if (Array.isArray(error)) return new GatewayError(error);
  const code = codeOf(error);
  if (error instanceof GatewayError || code === undefined) return error;
  if (code === forbidden) return failure("UNAUTHENTICATED", "Unauthorized", error);
  return failure("NETWORK_ERROR", `The connection was closed with ${code} ${(error as { reason?: string }).reason ?? ""}`.trim(), error);
}
