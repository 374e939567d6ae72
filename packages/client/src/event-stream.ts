/** Subscriptions as server-sent events (the protocol of graphql-sse, distinct connections), one request for each. */
import { type Answer, readAnswer, unreachable } from "./answer.js";
import { backoff, sleep } from "./backoff.js";
import { tokensOf } from "./credentials.js";
import { GatewayError } from "./error.js";
import type { Payload, Result, SubscriptionsOptions, Transport } from "./transport.js";

/** The service sends something every 12 s. */
const longestSilence = 30_000;

export function overEventStream(options: SubscriptionsOptions): Transport {
  const { url, onReconnect, retryDelay = 300 } = options;
  const tokens = tokensOf(options);
  // Called by its own name: a browser's fetch must not be called as another object's method.
  const send: typeof globalThis.fetch = (...request) => (options.fetch ?? globalThis.fetch)(...request);
  const running = new Set<AbortController>();

  /** Returns once the operation is complete. */
  async function follow(payload: Payload, next: (result: Result) => void, signal: AbortSignal): Promise<void> {
    let [failures, refusals, wasConnected] = [0, 0, false];
    const connected = () => {
      if (wasConnected) onReconnect?.();
      [failures, refusals, wasConnected] = [0, 0, true];
    };
    let token = await tokens.current();
    for (;;) {
      signal.throwIfAborted();
      const { error, ...answer } = await attempt(token, payload, next, connected, signal).catch(unreachable);
      signal.throwIfAborted();
      if (!error) return;
      const { isTemporary, retryAfter = 0 } = answer as Answer & { error: GatewayError };
      if (error.code === "UNAUTHENTICATED" && tokens.canRefresh && !refusals++) {
        token = await tokens.replace(token);
        continue;
      }
      if (!isTemporary) throw error;
      await sleep(Math.max(retryAfter, backoff(failures++, retryDelay)), signal);
      token = await tokens.current();
    }
  }

  /** Rejects if the connection was lost. */
  async function attempt(
    token: string,
    payload: Payload,
    next: (result: Result) => void,
    connected: () => void,
    signal: AbortSignal,
  ): Promise<Answer> {
    const control = new AbortController();
    const abort = () => control.abort();
    signal.addEventListener("abort", abort);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(abort, longestSilence);
    };
    try {
      heard();
      const response = await send(`${url}/stream`, {
        method: "POST",
        body: JSON.stringify(payload),
        signal: control.signal,
        headers: { accept: "text/event-stream", authorization: `Bearer ${token}`, "content-type": "application/json" },
      });
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return await readAnswer(response);
      connected();
      for await (const result of resultsOf(response.body!, heard)) {
        if (result.errors?.[0]?.extensions?.code === "UNAUTHENTICATED")
          return { error: new GatewayError(result.errors), isTemporary: false };
        next(result);
      }
      return { data: null };
    } finally {
      clearTimeout(silence);
      signal.removeEventListener("abort", abort);
      abort();
    }
  }

  return {
    open(payload, sink) {
      const control = new AbortController();
      running.add(control);
      follow(payload, sink.next, control.signal)
        .then(sink.complete, (error) => (control.signal.aborted ? sink.complete() : sink.error(error)))
        .finally(() => running.delete(control));
      return () => control.abort();
    },
    close() {
      for (const control of running) control.abort();
    },
  };
}

/** Ends with the event `complete`; throws if the stream broke off before. */
async function* resultsOf(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Result, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The stream broke off");
    heard();
    text += decoder.decode(value, { stream: true });
    const messages = text.split("\n\n");
    text = messages.pop()!;
    for (const message of messages) {
      // A comment keeps the connection open.
      const [, event, data] = /^event: (\w+)\ndata:(.*)$/.exec(message) ?? [];
      if (event === "next") yield JSON.parse(data!);
      if (event === "complete") return;
    }
  }
}
