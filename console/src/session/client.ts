/** The client of the graph: a normalised cache, the key as a header, and an idempotency key for each change. */
import { Client, type Exchange, fetchExchange, mapExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { possibleTypes } from "../../../packages/client/src/generated/urql.js";
import { keys, resolvers } from "../../../packages/client/src/urql.js";
import { optimistic, updates } from "./cache.js";
import { isRefused } from "./errors.js";
import type { Context, Queue } from "./queue.js";
import type { Reach } from "./reach.js";

export interface Credentials {
  /** An API key, or an access token of the identity provider: the one that holds now. */
  token: () => string;
  /** The token is not renewed any more. */
  end?: () => void;
}

/** 32 hexadecimal digits. `crypto.randomUUID` is missing where the page did not come over https. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const hasFile = (value: unknown): boolean =>
  value instanceof Blob || (typeof value === "object" && value !== null && Object.values(value).some(hasFile));

/** A change that is sent again, because its answer was lost, is done once. Files cannot be repeated this way. */
const repeatable = (token: () => string): Exchange =>
  mapExchange({
    onOperation(operation) {
      if (operation.kind === "teardown" || operation.kind === "subscription") return operation;
      // GraphQL's own check against forms of other pages asks for a header that these cannot send.
      const headers = { authorization: `Bearer ${token()}`, "apollo-require-preflight": "true" };
      const { isSecret, ...context } = operation.context as Context;
      // Answers with secrets are not kept by the service, so they cannot be given twice.
      if (operation.kind !== "mutation" || isSecret || hasFile(operation.variables))
        return { ...operation, context: { ...operation.context, fetchOptions: { headers } } };
      // The same at each attempt.
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
