/** Subscriptions over WebSocket by graphql-ws, which also the service uses. All share one connection. */
import { createClient } from "graphql-ws";
import { backoff, sleep } from "./backoff.js";
import { tokensOf } from "./credentials.js";
import { failure, GatewayError } from "./error.js";
import type { Sink, SubscriptionsOptions, Transport } from "./transport.js";

const forbidden = 4403;
const [pingEvery, pongWithin] = [15_000, 5_000];

export function overWebSocket(options: SubscriptionsOptions): Transport {
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
    // graphql-ws writes the payload anew at each connection.
    open: (payload, sink) => socket.subscribe(payload as never, { ...sink, error: (error) => sink.error(errorOf(error)) } as Sink as never),
    close: () => void socket.dispose(),
  };
}

const codeOf = (event: unknown): number | undefined => (event as { code?: number } | null)?.code;

/** graphql-ws throws the errors of an answer as a list, and the event of a connection that was closed for good. */
function errorOf(error: unknown): unknown {
  if (Array.isArray(error)) return new GatewayError(error);
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === forbidden) return failure("UNAUTHENTICATED", "Unauthorized", error);
  return failure("NETWORK_ERROR", `The connection was closed with ${code} ${(error as { reason?: string }).reason ?? ""}`.trim(), error);
}
