/** Binding of path, query and body to variables, and errors under the names the client sent (docs/decisions.md, "names on write"). */
import { buildSchema, type OperationDefinitionNode, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { plainMessage } from "../../src/execution/field-errors.js";
import { bind, needsBody, parametersOf, type RequestParts } from "../../src/rest-compat/bind.js";
import type { BodyRule, Route } from "../../src/rest-compat/route.js";

const schema = buildSchema(`
  input Step { title: String!, minutes: Int, parts: [ID!] }
  input Thing { title: String!, weight: Float, isSpare: Boolean, ownerId: ID, tags: [String!], steps: [Step!], first: Step }
  input Change { title: String, weight: Float }
  type Query {
    list(limit: Int, offset: Int, search: String, isSpare: Boolean, weight: Float, first: ID): Int
    one(id: ID!): Int
  }
  type Mutation {
    create(input: Thing!): Int
    update(id: ID!, dryRun: Boolean, input: Thing!): Int
    merge(input: Change): Int
    bulk(operation: String!, ids: [ID!]!): Int
    load(mode: String, file: ID!): Int
  }`);

const route = (method: Route["method"], path: string, operation: string, file?: "text/csv"): Route => ({
  method,
  path,
  operation,
  summary: "",
  ...(file && { file }),
});
const routes = {
  list: route(
    "GET",
    "/things",
    "query ($limit: Int = 50, $offset: Int = 0, $search: String, $isSpare: Boolean, $weight: Float) { list(limit: $limit, offset: $offset, search: $search, isSpare: $isSpare, weight: $weight) }",
  ),
  one: route("GET", "/things/:id", "query ($id: ID!) { one(id: $id) }"),
  create: route("POST", "/things", "mutation ($input: Thing!) { create(input: $input) }"),
  update: route(
    "PUT",
    "/things/:id",
    "mutation ($id: ID!, $dryRun: Boolean, $input: Thing!) { update(id: $id, dryRun: $dryRun, input: $input) }",
  ),
  merge: route("POST", "/things/merge", "mutation ($input: Change) { merge(input: $input) }"),
  bulk: route("POST", "/things/bulk", "mutation ($operation: String!, $ids: [ID!]!) { bulk(operation: $operation, ids: $ids) }"),
  load: route("POST", "/things/load", "mutation ($mode: String, $file: ID!) { load(mode: $mode, file: $file) }", "text/csv"),
};
const parametersFor = (name: keyof typeof routes) =>
  parametersOf(schema, parse(routes[name].operation).definitions[0] as OperationDefinitionNode, routes[name]);

const bound = (name: keyof typeof routes, request: Partial<RequestParts>, rule?: BodyRule) =>
  bind(parametersFor(name), { params: {}, query: {}, body: undefined, ...request }, rule);

function detailsOf(name: keyof typeof routes, request: Partial<RequestParts>, rule?: BodyRule): unknown {
  try {
    bound(name, request, rule);
  } catch (error) {
    expect((error as any).extensions?.code ?? (error as any).code).toBe("BAD_USER_INPUT");
    return (error as any).extensions?.details ?? (error as any).context.details;
  }
  return undefined;
}

describe("sources of a variable", () => {
  test.each<[keyof typeof routes, Record<string, string>]>([
    ["list", { limit: "query", offset: "query", search: "query", isSpare: "query", weight: "query" }],
    ["one", { id: "path" }],
    ["create", { input: "input" }],
    ["update", { id: "path", dryRun: "query", input: "input" }],
    ["bulk", { operation: "body", ids: "body" }],
    ["load", { mode: "query", file: "file" }],
  ])("%s", (name, places) => {
    expect(Object.fromEntries(parametersFor(name).map((parameter) => [parameter.name, parameter.in]))).toEqual(places);
  });

  test.each<[keyof typeof routes, boolean]>([
    ["list", false],
    ["one", false],
    ["create", true],
    ["merge", false],
    ["bulk", true],
    ["load", false],
  ])("%s needs a body: %s", (name, needed) => expect(needsBody(parametersFor(name))).toBe(needed));

  test("a variable's default is the parameter's", () => {
    expect(parametersFor("list").map((parameter) => parameter.default)).toEqual([50, 0, undefined, undefined, undefined]);
  });
});

describe("query strings are read by the type they are for", () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{}, {}],
    [
      { limit: "7", offset: "0" },
      { limit: 7, offset: 0 },
    ],
    [{ limit: "1" }, { limit: 1 }],
    [{ limit: "1000" }, { limit: 1000 }],
    [{ limit: " 7 " }, { limit: 7 }],
    [{ limit: "", search: "" }, {}],
    [{ search: "7" }, { search: "7" }],
    [{ search: "true" }, { search: "true" }],
    [
      { isSpare: "true", weight: "1.5e2" },
      { isSpare: true, weight: 150 },
    ],
    [
      { isSpare: "false", weight: "-0.25" },
      { isSpare: false, weight: -0.25 },
    ],
    [{ nobodyKnows: "x" }, {}],
  ])("%j", (query, variables) => expect(bound("list", { query }).variables).toEqual(variables));

  test.each<[Record<string, unknown>, Record<string, string>]>([
    [{ limit: "x" }, { limit: "must be an integer" }],
    [{ limit: "1.5" }, { limit: "must be an integer" }],
    [{ limit: " " }, { limit: "must be an integer" }],
    [{ limit: "Infinity" }, { limit: "must be an integer" }],
    [{ limit: "0" }, { limit: "must be an integer from 1 to 1000" }],
    [{ limit: "1001" }, { limit: "must be an integer from 1 to 1000" }],
    [{ offset: "-1" }, { offset: "must not be negative" }],
    [{ isSpare: "yes" }, { isSpare: "must be true or false" }],
    [{ isSpare: "TRUE" }, { isSpare: "must be true or false" }],
    [{ weight: "heavy" }, { weight: "must be a number" }],
    [{ search: ["a", "b"] }, { search: "must be given once" }],
    [
      { limit: "x", offset: "-1", isSpare: "1" },
      { limit: "must be an integer", offset: "must not be negative", isSpare: "must be true or false" },
    ],
  ])("%j is rejected", (query, details) => expect(detailsOf("list", { query })).toEqual(details));

  test("a path parameter stays text", () => expect(bound("one", { params: { id: "007" } }).variables).toEqual({ id: "007" }));
});

describe("bodies", () => {
  test("fields are taken unchanged, and unknown ones are noted with their path", () => {
    const { variables, unknown } = bound("create", {
      body: { title: "T", weight: 1, colour: "red", steps: [{ title: "S" }, { title: "U", tool: "x" }], first: { title: "F", extra: 1 } },
    });
    expect(variables).toEqual({ input: { title: "T", weight: 1, steps: [{ title: "S" }, { title: "U" }], first: { title: "F" } } });
    expect(unknown).toEqual(["colour", "steps.1.tool", "first.extra"]);
  });

  test("null is a value", () => {
    expect(bound("create", { body: { title: "T", weight: null, tags: null, first: null } }).variables).toEqual({
      input: { title: "T", weight: null, tags: null, first: null },
    });
  });

  test("variables without an input are the body's fields", () => {
    const { variables, unknown } = bound("bulk", { body: { operation: "delete", ids: ["a"], more: 1 } });
    expect([variables, unknown]).toEqual([{ operation: "delete", ids: ["a"] }, ["more"]]);
  });

  test("an input that may be null may be left out", () => {
    expect(bound("merge", {}).variables).toEqual({ input: {} });
    expect(bound("merge", { body: { weight: 2 } }).variables).toEqual({ input: { weight: 2 } });
    expect(detailsOf("merge", { body: [] })).toEqual({ body: "must be a JSON object" });
  });

  test.each<[keyof typeof routes, unknown, Record<string, string>]>([
    ["create", undefined, { body: "is required" }],
    ["create", null, { body: "must be a JSON object" }],
    ["create", [], { body: "must be a JSON object" }],
    ["create", "text", { body: "must be a JSON object" }],
    ["create", {}, { title: "is required" }],
    ["create", { title: null }, { title: "is required" }],
    ["create", { title: 1 }, { title: "must be a string" }],
    ["create", { title: "T", weight: "1" }, { weight: "must be a number" }],
    ["create", { title: "T", isSpare: "true" }, { isSpare: "must be true or false" }],
    ["create", { title: "T", ownerId: true }, { ownerId: "must be a string" }],
    ["create", { title: "T", tags: "one" }, { tags: "must be an array" }],
    ["create", { title: "T", tags: ["a", 2] }, { "tags.1": "must be a string" }],
    ["create", { title: "T", tags: [null] }, { "tags.0": "is required" }],
    ["create", { title: "T", first: "x" }, { first: "must be an object" }],
    [
      "create",
      { title: "T", steps: [{}, { title: "S", minutes: 1.5 }] },
      { "steps.0.title": "is required", "steps.1.minutes": "must be an integer" },
    ],
    ["create", { title: "T", steps: [{ title: "S", parts: "p" }] }, { "steps.0.parts": "must be an array" }],
    ["bulk", {}, { operation: "is required", ids: "is required" }],
    ["bulk", { operation: 1, ids: "a" }, { operation: "must be a string", ids: "must be an array" }],
  ])("%s of %j is rejected", (name, body, details) => expect(detailsOf(name, { body })).toEqual(details));
});

describe("the names a caller may use", () => {
  const rule: BodyRule = { names: { title: ["name", "label"], ownerId: ["assetId"] }, readOnly: ["id", "createdAt"] };

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ name: "N" }, { title: "N" }],
    [{ label: "L" }, { title: "L" }],
    [{ title: "T" }, { title: "T" }],
    [{ name: "N", label: "L" }, { title: "N" }],
    [{ label: "L", name: "N" }, { title: "N" }],
    [{ title: "T", name: "N" }, { title: "N" }],
    [{ name: "N", title: "T" }, { title: "N" }],
    [
      { name: "N", assetId: "a" },
      { title: "N", ownerId: "a" },
    ],
    [{ name: "N", id: "1", createdAt: "x" }, { title: "N" }],
  ])("%j", (body, input) => {
    const { variables, unknown } = bound("create", { body }, rule);
    expect([variables, unknown]).toEqual([{ input }, []]);
  });

  test.each<[Record<string, unknown>, Record<string, string>]>([
    [{ name: 1 }, { name: "must be a string" }],
    [{ label: 1 }, { label: "must be a string" }],
    [{ name: "N", assetId: false }, { assetId: "must be a string" }],
    [{ name: "N", steps: [{ name: 2 }] }, { "steps.0.name": "must be a string" }],
  ])("%j is rejected under the caller's name", (body, details) => expect(detailsOf("create", { body }, rule)).toEqual(details));

  test("the gateway's error names the field as the client sent it", () => {
    const { clientName } = bound("create", { body: { label: "L", assetId: "a" } }, rule);
    expect([clientName("title"), clientName("ownerId"), clientName("weight")]).toEqual(["label", "assetId", "weight"]);
  });
});

test.each([
  ['Field "title" of required type "String!" was not provided.', { field: "title", message: "is required" }],
  ["Int cannot represent non-integer value: 1.5", { message: "must be an integer" }],
  ["ID cannot represent value: true", { message: "must be a string" }],
  ['Expected non-nullable type "String!" not to be null.', { message: "is required" }],
  ['Expected type "Step" to be an object.', { message: "must be an object" }],
  ["must be before the end", { message: "must be before the end" }],
])("%s is reworded", (message, reworded) => expect(plainMessage(message)).toEqual(reworded));
