/**
 * Mostly invalid requests generated from /openapi.json and the schema: each response must be a documented one. HOSTILE_RUNS sets the number
 * of requests.
 */
import fc from "fast-check";
import {
  astFromValue,
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
} from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { hostilePlant, ids } from "./plant.js";
import { send } from "./wire.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
const runs = Number(process.env.HOSTILE_RUNS ?? (gateway.database.kind === "postgresql" ? 1_500 : 1_000));
const description: any = await (await fetch(`${gateway.url}/openapi.json`)).json();
const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
let caller: Caller;

beforeAll(async () => {
  caller = await hostilePlant(gateway);
});

/** Statuses that every route may return. */
const always = ["401", "403", "405", "406", "408", "413", "415", "429", "431", "503"];

const odd = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\0",
  "\ud800",
  "__proto__",
  "a1",
  "x".repeat(300),
  "2026-02-30",
  "2026-01-01",
  "NaN",
  "-0",
  "🙂",
  [],
  {},
  [null],
  [[]],
  { __proto__: 1 },
  { a: { b: [1] } },
  "1e400",
  "null",
  "%00",
  "../..",
  "';--",
);
const json = fc.oneof(odd, fc.jsonValue({ maxDepth: 3 }));

const resolved = (part: any): any =>
  part?.$ref
    ? part.$ref
        .slice(2)
        .split("/")
        .reduce((at: any, name: string) => at[name], description)
    : part;

/** A value for a schema of the description: mostly a valid value, sometimes any. */
function valueFor(part: any, depth = 0): fc.Arbitrary<unknown> {
  const found = resolved(part) ?? {};
  const one = found.anyOf?.[0] ?? found.oneOf?.[0];
  if (one && depth < 4) return valueFor(one, depth + 1);
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  const fitting = (): fc.Arbitrary<unknown> => {
    if (found.enum) return fc.constantFrom(...found.enum);
    if (type === "integer") return fc.integer({ min: -2, max: 600 });
    if (type === "number") return fc.double({ noNaN: true });
    if (type === "boolean") return fc.boolean();
    if (type === "array") return fc.array(valueFor(found.items, depth + 1), { maxLength: 3 });
    if (found.format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    if (type === "object" && depth < 4)
      return fc.record(Object.fromEntries(Object.entries(found.properties ?? {}).map(([name, sub]) => [name, valueFor(sub, depth + 1)])), {
        requiredKeys: [],
      });
    return fc.oneof(fc.constantFrom("a1", "deep-1", "p1", "Pump"), fc.string({ unit: "binary", maxLength: 20 }));
  };
  return fc.oneof({ weight: 6, arbitrary: fitting() }, { weight: 1, arbitrary: json });
}

interface Operation {
  method: string;
  path: string;
  described: any;
}

const operations: Operation[] = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods)
    // Excludes /graphql, uploads and files, which take other bodies.
    .filter(([method]) => ["get", "post", "put", "patch", "delete"].includes(method) && !/^\/(graphql|uploads|files)/.test(path))
    .map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
);

const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed());
const textOf = (value: unknown) => wellFormed(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const restRequest = fc.constantFrom(...operations).chain(({ method, path, described }) => {
  const inQuery = (described.parameters ?? []).map(resolved).filter((parameter: any) => parameter.in === "query");
  const bodySchema = resolved(described.requestBody)?.content?.["application/json"]?.schema;
  return fc.record({
    operation: fc.constant({ method, path, described }),
    ids: fc.array(fc.oneof(fc.constantFrom(...Object.values(ids), "none"), odd.map(String)), { minLength: 4, maxLength: 4 }),
    query: fc.record(Object.fromEntries(inQuery.map((parameter: any) => [parameter.name, valueFor(parameter.schema)])), {
      requiredKeys: [],
    }),
    body: bodySchema ? fc.oneof({ weight: 8, arbitrary: valueFor(bodySchema) }, { weight: 1, arbitrary: json }) : fc.constant(undefined),
  });
});

/** A literal or text for an argument. */
function argumentFor({ type }: Pick<GraphQLArgument, "type">, depth = 0): fc.Arbitrary<string> {
  const inner = isNonNullType(type) ? type.ofType : type;
  const fitting = (): fc.Arbitrary<string> => {
    if (isListType(inner))
      return fc.array(argumentFor({ type: inner.ofType as never }, depth + 1), { maxLength: 3 }).map((items) => `[${items}]`);
    if (isEnumType(inner)) return fc.constantFrom(...inner.getValues().map(({ name }) => name));
    if (isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields()).filter((field) => depth < 2 || isNonNullType(field.type));
      const required = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
      const model = Object.fromEntries(fields.map((field) => [field.name, argumentFor(field, depth + 1)]));
      return fc.tuple(fc.record(model, { requiredKeys: required }), fc.nat()).map(([values, chosen]) => {
        const kept = Object.entries(values).filter(([name], i) => required.includes(name) || (i + chosen) % 7 === 0);
        return `{${kept.map(([name, value]) => `${name}: ${value}`)}}`;
      });
    }
    if (inner.toString() === "Int") return fc.integer({ min: -1, max: 600 }).map(String);
    if (inner.toString() === "Float")
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => print(astFromValue(value, inner as never)!));
    if (inner.toString() === "Boolean") return fc.boolean().map(String);
    return fc
      .oneof(fc.constantFrom("a1", "deep-1", "p1", "2026-01-01T00:00:00Z"), fc.string({ maxLength: 12 }))
      .map((text) => JSON.stringify(text));
  };
  const wrong = fc.constantFrom("null", "-1", '""', '"\\u0000"', "[]", "{}", "9999999999", "1e300", "true", "NOPE", "{__proto__: 1}");
  return fc.oneof({ weight: 12, arbitrary: fitting() }, { weight: 1, arbitrary: wrong });
}

function selectionOf(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type);
  if (isLeafType(named)) return fc.constant("");
  if (!isObjectType(named)) return fc.constant(" { __typename }");
  const fields = Object.values(named.getFields()).filter((field) => depth > 0 || isLeafType(getNamedType(field.type)));
  if (!fields.length) return fc.constant(" { __typename }");
  return fc
    .uniqueArray(fc.constantFrom(...fields), { maxLength: 4, selector: ({ name }) => name })
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldText(field, depth - 1))))
    .map((texts) => ` { __typename ${texts.join(" ")} }`);
}

function fieldText(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<string> {
  const chosen = field.args.map((argument) =>
    fc.tuple(fc.constant(argument), argumentFor(argument), isNonNullType(argument.type) ? fc.constant(true) : fc.boolean()),
  );
  return fc.tuple(fc.tuple(...chosen), selectionOf(field.type, depth)).map(([values, selection]) => {
    const texts = values.filter(([, , isGiven]) => isGiven).map(([{ name }, text]) => `${name}: ${text}`);
    return `${field.name}${texts.length ? `(${texts.join(", ")})` : ""}${selection}`;
  });
}

const rootText = (kind: "query" | "mutation", type: GraphQLObjectType) =>
  fc
    .constantFrom(...Object.values(type.getFields()))
    .chain((field) => fieldText(field, 3))
    .map((text) => `${kind} { ${text} }`);
const document = fc.oneof(rootText("query", schema.getQueryType()!), rootText("mutation", schema.getMutationType()!));

const inside = /node_modules|\.[tj]s:\d|select \*|insert into|INTERNAL_SERVER_ERROR|syntax error at or near/;
/** A request without a response after this time hangs. */
const hangMs = 60_000;
const settings = { seed: 14, endOnFailure: true, timeout: hangMs };

describe("a generated request", () => {
  test("to REST gets a documented status, and JSON", { timeout: 300_000 + runs * 100 }, async () => {
    const statuses = new Map<number | undefined, number>();
    await fc.assert(
      fc.asyncProperty(restRequest, async ({ operation: { method, path, described }, ids: parts, query, body }) => {
        const at = path.replace(/\{\w+\}/g, () => wellFormed(parts.pop()!) || "x");
        const search = Object.entries(query).map(([name, value]) => `${name}=${textOf(value)}`);
        const sent = body === undefined ? {} : { body: JSON.stringify(body) ?? "null" };
        const answer = await send(caller, { method, path: search.length ? `${at}?${search.join("&")}` : at, ...sent });
        const said = `${method} ${at} ${answer.status} ${answer.body.slice(0, 500)}`;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect([...Object.keys(described.responses), ...always], said).toContain(String(answer.status));
        expect(answer.status, said).not.toBe(500);
        expect(answer.body).not.toMatch(inside);
        // A path segment of dots leads to another path.
        if (answer.body && answer.status !== 304) JSON.parse(answer.body);
      }),
      { ...settings, numRuns: Math.ceil(runs / 2) },
    );
    console.log(`statuses ${JSON.stringify([...statuses])}`);
    // Guards against testing only nonsense. Most of the records are soon deleted.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(Math.min(runs / 40, 25));
  });

  test("of GraphQL gets data or errors", { timeout: 300_000 + runs * 100 }, async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(document, async (query) => {
        const { status, body } = await send(caller, { body: JSON.stringify({ query }) });
        const said = `${query} ${status} ${body.slice(0, 500)}`;
        expect(status, said).toBeOneOf([200, 400, 413, 429, 503]);
        const answer = JSON.parse(body);
        expect("data" in answer || answer.errors?.length > 0, said).toBe(true);
        expect(body, said).not.toMatch(inside);
        if (answer.data) answered++;
      }),
      { ...settings, numRuns: Math.floor(runs / 2) },
    );
    expect(answered).toBeGreaterThan(Math.min(runs / 20, 200));
  });
});
