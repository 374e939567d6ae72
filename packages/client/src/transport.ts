import type { ClientOptions } from "graphql-ws";
import type { Credentials } from "./credentials.js";
import type { AnswerError } from "./error.js";

export type SubscriptionsOptions = Credentials & {
  /** Such as `https://maintenance.example.com/graphql`. */
  url: string;
  /** `sse`, server-sent events, for places where WebSockets do not pass. Default: `websocket`. */
  transport?: "websocket" | "sse";
  /** Where there is no global `WebSocket`, as in Node before 22: that of the package `ws`. */
  webSocketImpl?: ClientOptions["webSocketImpl"];
  /** For server-sent events. */
  fetch?: typeof globalThis.fetch;
  /**
   * The connection is back after it was lost. A subscription with a variable `$after` has missed nothing. For others read afresh what the
   * events in between would have changed.
   */
  onReconnect?: () => void;
  /** Milliseconds before the first attempt to reconnect; each later one waits twice as long, up to 30 s. Default: 300. */
  retryDelay?: number;
};

/** Read again at each attempt, so that it can go on where the last one ended. */
export interface Payload {
  query: string;
  variables?: Record<string, unknown>;
}

export interface Result {
  data?: unknown;
  errors?: readonly AnswerError[];
  extensions?: Record<string, unknown>;
}

export interface Sink {
  next(result: Result): void;
  error(error: unknown): void;
  complete(): void;
}

export interface Transport {
  /** Subscribes, and again whenever the connection was lost. Returns how to stop. */
  open(payload: Payload, sink: Sink): () => void;
  /** Ends all subscriptions. */
  close(): void;
}
