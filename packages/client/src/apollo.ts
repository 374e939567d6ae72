/** Settings of Apollo Client's `InMemoryCache`: `new InMemoryCache({ typePolicies, possibleTypes })`. */
import type { TypePolicies, TypePolicy } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { connections, embedded, lists, possibleTypes } from "./generated/apollo.js";

/**
 * Connections join their pages, one list for each filter and order. Objects without an identity are merged into what is known of
 * them, lists replace the list before. Objects with an identity are kept by their type and `id`, as Apollo does by itself.
 */
function policies(): TypePolicies {
  const all: Record<string, TypePolicy & { fields: NonNullable<TypePolicy["fields"]> }> = {};
  const fieldsOf = (type: string) => (all[type] ??= { fields: {} }).fields;
  for (const [type, fields] of Object.entries(connections))
    for (const [name, keyArgs] of Object.entries(fields)) fieldsOf(type)[name] = relayStylePagination(keyArgs.length ? keyArgs : false);
  for (const [type, names] of Object.entries(lists)) for (const name of names) fieldsOf(type)[name] = { merge: false };
  return { ...all, ...Object.fromEntries(embedded.map((type) => [type, { ...all[type], merge: true }])) };
}

export const typePolicies: TypePolicies = /* @__PURE__ */ policies();
export { possibleTypes };
