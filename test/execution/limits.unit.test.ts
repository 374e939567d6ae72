/** Cost limits of a query and their computation, on a small schema. */
import { buildSchema, type GraphQLObjectType, type OperationDefinitionNode, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { enforceLimits, type Limits } from "../../src/execution/admission/limits.js";
import { listCost, pageCost } from "../../src/resolvers/cost.js";

const schema = buildSchema(`
  type Query { name: String, box: Box, boxes(first: Int = 10, offset: Int): [Box!], grouped(limit: Int = 10): [Box!], tags(of: [ID!]): Int }
  type Box { name: String, size: Int, inner: Box, boxes(first: Int = 10): [Box!], labels: [Label!] }
  type Label { text: String }`);
const estimate = (type: string, field: string, complexity: unknown) => {
  (schema.getType(type) as GraphQLObjectType).getFields()[field]!.extensions = { complexity };
};
for (const [type, field] of [
  ["Query", "boxes"],
  ["Query", "grouped"],
  ["Box", "boxes"],
])
  estimate(type!, field!, pageCost);
estimate("Box", "labels", listCost(5));

const wide: Limits = { depth: 100, cost: 1_000_000, selections: 1_500, aliases: 100, rootFields: 100, inputList: 1000, page: 500 };

/** The refusal. Undefined if the query may run. */
function refused(query: string, limits: Partial<Limits> = {}, variables: Record<string, unknown> = {}) {
  const document = parse(query);
  const operation = document.definitions.find(({ kind }) => kind === "OperationDefinition") as OperationDefinitionNode;
  try {
    enforceLimits({ ...wide, ...limits }, schema, document, operation, variables);
  } catch (error) {
    const { message, extensions } = error as { message: string; extensions: Record<string, unknown> };
    return { message, ...extensions };
  }
  return undefined;
}

describe("cost", () => {
  test.each<[string, number, Record<string, unknown>?]>([
    ["{ box { name } }", 1],
    ["{ box { name size } }", 1],
    ["{ box { inner { inner { name } } } }", 3],
    ["{ a: box { name } b: box { name } }", 2],
    // A page costs one point, plus its size times the cost of an item.
    ["{ boxes { name inner { name } } }", 11],
    ["{ boxes(first: 3) { inner { name } } }", 4],
    ["{ grouped(limit: 4) { inner { name } } }", 5],
    ["{ boxes(first: 3) { boxes(first: 5) { inner { name } } } }", 1 + 3 * (1 + 5)],
    ["query ($n: Int!) { boxes(first: $n) { inner { name } } }", 8, { n: 7 }],
    ["query ($n: Int = 6) { boxes(first: $n) { inner { name } } }", 7],
    // A plain list counts with its estimated length.
    ["{ box { labels { text } } }", 1 + 1 + 5],
    ["{ box { ...b } } fragment b on Box { inner { ...c } } fragment c on Box { labels { text } }", 1 + 1 + 6],
    ["{ box { ... on Box { inner { name } } } }", 2],
    ["query ($no: Boolean = false) { box { inner @include(if: $no) { name } } }", 1],
    ["query ($no: Boolean = true) { box { inner @skip(if: $no) { name } } }", 1],
  ])("%s costs %i", (query, cost, variables) => {
    // Each request costs one point.
    const total = 1 + cost;
    expect(refused(query, { cost: total }, variables)).toBeUndefined();
    expect(refused(query, { cost: cost }, variables)).toEqual({
      message: `The query may cost ${total} points (page sizes multiplied); ask for smaller pages or fewer levels; the limit is ${cost} (cost)`,
      code: "BAD_USER_INPUT",
      limit: "cost",
      value: cost,
    });
  });
});

describe("depth, aliases and root fields", () => {
  test.each<[string, Partial<Limits>, string, string]>([
    ["{ box { inner { name } } }", { depth: 2 }, "is 3 levels deep", "depth"],
    ["{ box { ...b } } fragment b on Box { inner { name } }", { depth: 2 }, "is 3 levels deep", "depth"],
    ["{ box { ... on Box { ... on Box { name } } } }", { depth: 1 }, "is 2 levels deep", "depth"],
    ["{ a: name b: name box { c: name } }", { aliases: 2 }, "has 3 aliases", "aliases"],
    ["{ box { ...b inner { ...b } } } fragment b on Box { a: name }", { aliases: 1 }, "has 2 aliases", "aliases"],
    ["{ name box { name } }", { rootFields: 1 }, "has 2 root fields", "root fields"],
    ["{ ...q ...q } fragment q on Query { name }", { rootFields: 1 }, "has 2 root fields", "root fields"],
    [
      "{ box { ...b ...b } } fragment b on Box { name }",
      { selections: 4 },
      "has more selections, fragments counted each time they are spread",
      "selections",
    ],
    ["{ tags(of: [1, 2, 3]) }", { inputList: 2 }, "has an input list of 3 items", "input list"],
  ])("%s against %j", (query, limits, what, limit) => {
    const [value] = Object.values(limits) as [number];
    expect(refused(query, limits)).toEqual({
      message: `The query ${what}; the limit is ${value} (${limit})`,
      code: "BAD_USER_INPUT",
      limit,
      value,
    });
    expect(refused(query, Object.fromEntries(Object.entries(limits).map(([name]) => [name, value + 2])))).toBeUndefined();
  });

  test("lists in variables count too, at any depth", () => {
    const variables = { of: ["a"], unused: { deep: [[1, 2, 3, 4]] } };
    expect(refused("query ($of: [ID!]) { tags(of: $of) }", { inputList: 4 }, variables)).toBeUndefined();
    expect(refused("query ($of: [ID!]) { tags(of: $of) }", { inputList: 3 }, variables)?.message).toMatch(/an input list of 4 items/);
  });

  test("fragments that multiply are not expanded completely", () => {
    const fragments = Array.from({ length: 20 }, (_, i) => `fragment f${i} on Box { ${i < 19 ? `...f${i + 1} ...f${i + 1}` : "name"} }`);
    expect(refused(`{ box { ...f0 } } ${fragments.join(" ")}`)).toMatchObject({ limit: "selections", value: 1_500 });
  });
});

describe("pages", () => {
  test.each<[string, Record<string, string>, Record<string, unknown>?]>([
    ["{ boxes(first: 0) { name } }", { first: "must be from 1 to 500" }],
    ["{ boxes(first: -1) { name } }", { first: "must be from 1 to 500" }],
    ["{ boxes(first: 501) { name } }", { first: "must be from 1 to 500" }],
    ["{ grouped(limit: 501) { name } }", { limit: "must be from 1 to 500" }],
    ["{ boxes(offset: -1) { name } }", { offset: "must not be negative" }],
    ["{ boxes(offset: 10001) { name } }", { offset: "must be at most 10000; go on with after" }],
    ["query ($n: Int) { boxes(offset: $n) { name } }", { offset: "must be at most 10000; go on with after" }, { n: 2_000_000 }],
    ["query ($n: Int) { boxes(first: $n) { name } }", { first: "must be from 1 to 500" }, { n: 501 }],
    ["{ box { boxes(first: 501) { name } } }", { first: "must be from 1 to 500" }],
  ])("%s is refused", (query, details, variables) => {
    expect(refused(query, {}, variables)).toMatchObject({ code: "BAD_USER_INPUT", details });
  });

  test.each(["{ boxes(first: 1) { name } }", "{ boxes(first: 500, offset: 10000) { name } }", "{ grouped(limit: 500) { name } }"])(
    "%s is accepted",
    (query) => expect(refused(query)).toBeUndefined(),
  );
});

test("all invalid variables are reported", () => {
  const query = "query ($a: Int!, $b: Int!) { boxes(first: $a, offset: $b) { name } }";
  const problem = refused(query, {}, { a: "x" });
  expect(problem).toMatchObject({ code: "BAD_USER_INPUT" });
  expect(problem!.message).toMatch(/"\$a".*; .*"\$b"/);
});
