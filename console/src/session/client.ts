/** GraphQL client: a normalized cache, the key as a header, and an idempotency key for each mutation. */
import { Client, type Exchange, fetchExchange, mapExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { possibleTypes } from "../../../packages/client/src/generated/urql.js";
import { keys, resolvers } from "../../../packages/client/src/urql.js";
import { optimistic, updates } from "./cache.js";
import { isRefused } from "./errors.js";
import type { Context, Queue } from "./queue.js";
import type { Reach } from "./reach.js";

export interface Credentials {
  /** The current API key or access token. */
  token: () => string;
  /** Stops renewing the token. */
  end?: () => void;
}

/** 32 hexadecimal digits. `crypto.randomUUID` is unavailable on pages not served over HTTPS. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const hasFile = (value: unknown): boolean =>
  value instanceof Blob || (typeof value === "object" && value !== null && Object.values(value).some(hasFile));

/** Makes retries safe: a mutation that is repeated after a lost response runs only once. File uploads are not covered. */
const repeatable = (token: () => string): Exchange =>
  mapExchange({
    onOperation(operation) {
      if (operation.kind === "teardown" || operation.kind === "subscription") return operation;
      // GraphQL's CSRF check requires a header that forms of other pages cannot send.
      const headers = { authorization: `Bearer ${token()}`, "apollo-require-preflight": "true" };
      const { isSecret, ...context } = operation.context as Context;
      // The service does not store responses that contain secrets, so they cannot be replayed.
      if (operation.kind !== "mutation" || isSecret || hasFile(operation.variables))
        return { ...operation, context: { ...operation.context, fetchOptions: { headers } } };
      // Every attempt sends the same key.
      const { idempotencyKey = newId() } = context;
      const fetchOptions = { headers: { ...headers, "idempotency-key": idempotencyKey } };
      return { ...operation, context: { ...operation.context, idempotencyKey, fetchOptions } };
    },
  });

export function openClient({ token }: Credentials, queue: Queue, reach: Reach, onRefused: () => void): Client {
  return new Client({
    url: "/graphql",
    preferGetMethod: false,
    requestPolicy: "cache-and-network",
    exchanges: [
      cacheExchange({ keys, resolvers, possibleTypes, updates, optimistic }),
      mapExchange({
        onError(error) {
          if (isRefused(error)) onRefused();
        },
      }),
      repeatable(token),
      queue.exchange,
      reach.exchange,
      fetchExchange,
    ],
  });
}
