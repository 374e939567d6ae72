/** Settings of urql's graphcache: `cacheExchange({ schema, keys, resolvers })`. */
import type { CacheExchangeOpts, KeyingConfig, Resolver, ResolverConfig } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { connections, keyless, possibleTypes, roots, types } from "./generated/urql.js";

/** Types without an identity, which are kept within the object that shows them. */
export const keys: KeyingConfig = /* @__PURE__ */ Object.fromEntries(keyless.map((type) => [type, () => null]));

const joined = /* @__PURE__ */ relayPagination();
/** `relayPagination` finds no page that was asked for without any argument: such a page stays by itself. */
const connection: Resolver = (parent, args, cache, info) =>
  Object.keys(args).length ? joined(parent, args, cache, info) : cache.resolve(info.parentKey, info.fieldName);

/** Connections join their pages, one list for each filter and order. */
export const resolvers: ResolverConfig = /* @__PURE__ */ Object.fromEntries(
  Object.entries(connections).map(([type, fields]) => [type, Object.fromEntries(fields.map((name) => [name, connection]))]),
);

type Introspection = NonNullable<CacheExchangeOpts["schema"]>;

/** Unions have no fields. */
const kindOf = (name: string) => (name in possibleTypes ? (types[name] ? "INTERFACE" : "UNION") : name in types ? "OBJECT" : "SCALAR");
const named = (name: string) => ({ kind: kindOf(name), name });

function typeOf(text: string): unknown {
  if (text.endsWith("!")) return { kind: "NON_NULL", ofType: typeOf(text.slice(0, -1)) };
  if (text.startsWith("[")) return { kind: "LIST", ofType: typeOf(text.slice(1, -1)) };
  return named(text);
}

/** The part of the schema's introspection that graphcache reads. */
function introspection(): Introspection {
  const [query, mutation, subscription] = roots.map((name) => ({ name }));
  const composites = Object.entries(types).map(([name, text]) => {
    const [interfaces, fields] = text.split("|").map((part) => part.split(" ").filter(Boolean));
    return {
      ...named(name),
      interfaces: interfaces?.map(named),
      possibleTypes: possibleTypes[name]?.map(named),
      fields: fields?.map((field) => {
        const [fieldName, type] = field.split(":");
        return { name: fieldName, type: typeOf(type!), args: [] };
      }),
    };
  });
  return { __schema: { queryType: query, mutationType: mutation, subscriptionType: subscription, types: composites } } as Introspection;
}

export const schema: Introspection = /* @__PURE__ */ introspection();
