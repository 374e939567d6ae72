import { type Answer, readAnswer, unreachable } from "./answer.js";
import { backoff, longestDelay, sleep } from "./backoff.js";
import { type Credentials, tokensOf } from "./credentials.js";
import { bodyOf, separateFiles } from "./multipart.js";
import type { Document, Rest } from "./types.js";

export type ClientOptions = Credentials & {
  /** Such as `https://maintenance.example.com/graphql`. */
  url: string;
  fetch?: typeof globalThis.fetch;
  /** How often a request is sent again. Default: 4. */
  retries?: number;
  /** Milliseconds before the first repetition; each later one waits twice as long, up to 30 s. Default: 300. */
  retryDelay?: number;
};

export interface RequestOptions {
  signal?: AbortSignal;
  /** Requests with the same key have one effect within 24 hours. Default: each mutation without files gets one of its own. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export interface Client {
  /** Returns the data, or throws a `GatewayError`. */
  request<Data = any, Variables = Record<string, any>>(
    document: Document<Data, Variables>,
    ...rest: Rest<NoInfer<Variables>, RequestOptions>
  ): Promise<Data>;
}

export function createClient(options: ClientOptions): Client {
  const { url, retries = 4, retryDelay = 300 } = options;
  const tokens = tokensOf(options);
  // Called by its own name: a browser's fetch must not be called as another object's method.
  const send: typeof globalThis.fetch = (...request) => (options.fetch ?? globalThis.fetch)(...request);

  return {
    async request<Data, Variables>(
      document: Document<Data, Variables>,
      ...[variables, { signal, idempotencyKey, headers } = {}]: [variables?: Variables, options?: RequestOptions]
    ): Promise<Data> {
      const query = document.toString();
      const files = separateFiles(variables);
      const isMutation = isMutationDocument(query);
      // A mutation with files takes no idempotency key, because the files' content would not count.
      const key = idempotencyKey ?? (isMutation && !files.found.length ? randomKey() : undefined);
      const { body, contentType } = bodyOf(query, files);
      const attempts = isMutation && key === undefined ? 0 : retries;

      const attempt = async (token: string): Promise<Answer> => {
        const response = await send(url, {
          method: "POST",
          body,
          signal: signal ?? null,
          headers: {
            accept: "application/json",
            authorization: `Bearer ${token}`,
            ...(contentType && { "content-type": contentType }),
            ...(key !== undefined && { "idempotency-key": key }),
            ...headers,
          },
        });
        return readAnswer(response);
      };

      let token = await tokens.current();
      let canRefresh = tokens.canRefresh;
      for (let tries = 0; ; ) {
        signal?.throwIfAborted();
        const answer = await attempt(token).catch((cause): Answer => {
          signal?.throwIfAborted();
          return unreachable(cause);
        });
        if (!answer.error) return answer.data as Data;
        if (answer.error.code === "UNAUTHENTICATED" && canRefresh) {
          canRefresh = false;
          token = await tokens.replace(token);
          continue;
        }
        // The attempt before this one may still be at work.
        const isRunning = tries > 0 && answer.error.errors[0]?.extensions?.conflict === "IDEMPOTENCY_KEY_RUNNING";
        const { retryAfter = 0 } = answer;
        if (!(answer.isTemporary || isRunning) || tries >= attempts || retryAfter > longestDelay) throw answer.error;
        await sleep(Math.max(retryAfter, backoff(tries++, retryDelay)), signal);
      }
    },
  };
}

/** Whether the first operation of the document is a mutation. */
export function isMutationDocument(document: string): boolean {
  let text = document.replace(/"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#.*/g, "");
  // Without selections, which are nested, only the heads of the definitions are left.
  while (text !== (text = text.replace(/\{[^{}]*\}/g, ";")));
  return text.split(";").some((definition) => /^[\s,\uFEFF]*mutation\b/.test(definition));
}

/** `crypto.randomUUID` is missing on pages that came by plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
