/** GraphQL client: a normalized cache, the key as a header, and an idempotency key for each mutation. */
import { Client, type Exchange, fetchExchange, mapExchange } from "@urql/core";
import { cacheExchange, type StorageAdapter } from "@urql/exchange-graphcache";
import { possibleTypes } from "../../../packages/client/src/generated/urql.js";
import { keys, resolvers } from "../../../packages/client/src/urql.js";
import { optimistic, updates } from "./cache.js";
import { fetchOrTake, headersOf } from "./early.js";
import { isRefused, withErrorsAtNulls } from "./errors.js";
import type { Context, Queue } from "./queue.js";
import { cachedWhenAway, type Reach } from "./reach.js";
import type { Seen } from "./seen.js";

export interface Credentials {
  /** The current API key, access token, or name of the browser's session. */
  token: () => string;
  /** Whether the token is of an identity provider. */
  isAccount?: true;
  /** The session of this browser, whose data is kept. */
  session?: string;
  /** Stops renewing the token. */
  end?: () => void;
  /** Ends the browser's session when the user signs out. */
  signOut?: () => void;
}

/** 32 hexadecimal digits. `crypto.randomUUID` is unavailable on pages not served over HTTPS. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Makes retries safe: a mutation that is repeated after a lost response runs only once. */
const repeatable = (token: () => string): Exchange =>
  mapExchange({
    onOperation(operation) {
      if (operation.kind === "teardown" || operation.kind === "subscription") return operation;
      const headers = headersOf(token());
      const { isSecret, ...context } = operation.context as Context;
      // The service does not store responses that contain secrets, so they cannot be replayed.
      if (operation.kind !== "mutation" || isSecret) return { ...operation, context: { ...operation.context, fetchOptions: { headers } } };
      // Every attempt sends the same key.
      const { idempotencyKey = newId() } = context;
      const fetchOptions = { headers: { ...headers, "idempotency-key": idempotencyKey } };
      return { ...operation, context: { ...operation.context, idempotencyKey, fetchOptions } };
    },
  });

interface Parts {
  queue: Queue;
  reach: Reach;
  seen: Seen;
  /** Keeps what was read beyond this page. */
  storage: StorageAdapter | undefined;
  onRefused: () => void;
}

export function openClient({ token }: Credentials, { queue, reach, seen, storage, onRefused }: Parts): Client {
  return new Client({
    url: "/graphql",
    fetch: fetchOrTake,
    preferGetMethod: false,
    requestPolicy: "cache-and-network",
    exchanges: [
      cachedWhenAway,
      cacheExchange({ keys, resolvers, possibleTypes, updates, optimistic, storage }),
      mapExchange({
        onError(error) {
          if (isRefused(error)) onRefused();
        },
        onResult(result) {
          seen.note(result.data);
          return withErrorsAtNulls(result);
        },
      }),
      repeatable(token),
      queue.exchange,
      reach.exchange,
      fetchExchange,
    ],
  });
}
