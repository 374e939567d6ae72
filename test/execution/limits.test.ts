/**
 * Limits on GraphQL requests. A request over a limit is rejected without SQL, and the error names the limit and its value. A request at the
 * limit passes.
 */
import { getIntrospectionQuery } from "graphql";
import { beforeAll, describe, expect, it } from "vitest";
import { type Caller, type GraphqlAnswer, startGateway } from "../world.js";

const gateway = await startGateway();
const narrow = await startGateway({
  MAX_QUERY_DEPTH: "5",
  MAX_QUERY_COST: "100",
  MAX_QUERY_SELECTIONS: "10",
  MAX_QUERY_ALIASES: "2",
  MAX_QUERY_ROOT_FIELDS: "3",
  MAX_QUERY_TOKENS: "100",
  MAX_INPUT_LIST: "4",
  MAX_PAGE_SIZE: "30",
  MAX_BODY_BYTES: "2048",
});
let caller: Caller;
let narrowly: Caller;

beforeAll(async () => {
  caller = await gateway.newTenant();
  narrowly = await narrow.newTenant();
});

const times = (count: number, text: (i: number) => string, between = " ") => Array.from({ length: count }, (_, i) => text(i)).join(between);

/** A query with this many levels. */
const deep = (levels: number) => `{ component(id: "x") ${times(levels - 2, () => "{ parent")} { id ${"}".repeat(levels)}`;
const paged = (outer: unknown, inner: unknown) => `assets(first: ${outer}) { nodes { components(first: ${inner}) { nodes { id } } } }`;
const aliased = (count: number) => `{ viewer { ${times(count, (i) => `a${i}: role`)} } }`;
const rooted = (count: number) => `{ ${times(count, () => "viewer { role }")} }`;
/** A mutation with exactly this many tokens: 20, plus eight for each list, plus the remainder. */
const long = (tokens: number) => {
  const lists = Math.floor((tokens - 20) / 8);
  const specifications = times(lists, (i) => `k${i}: [0 1 2 3]`);
  return `mutation { updateComponent(id: "x", input: { specifications: { ${specifications} } }) { id ${"id ".repeat((tokens - 20) % 8)}} }`;
};
const listed = (count: number) =>
  `mutation { bulkComponents(operation: DELETE, componentIds: [${times(count, (i) => `"${i}"`)}]) { failed } }`;
const bulk = "mutation ($ids: [ID!]!) { bulkComponents(operation: DELETE, componentIds: $ids) { failed } }";
const ids = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

/** The response and its number of SQL statements. The minimum of two runs, because looking up the key adds statements to some. */
async function costOf(
  of: Caller,
  query: string,
  variables?: Record<string, unknown>,
): Promise<{ response: GraphqlAnswer; statements: number }> {
  const run = async () => {
    await of.ask("{ viewer { role } }");
    const before = of.gateway.database.statements();
    const response = await of.graphql(query, variables);
    return { response, statements: of.gateway.database.statements() - before };
  };
  const runs = [await run(), await run()];
  return runs.sort((a, b) => a.statements - b.statements)[0]!;
}

async function expectRefusal(of: Caller, limit: RegExp, value: number, query: string, variables?: Record<string, unknown>) {
  const before = await of.snapshot();
  const { response, statements } = await costOf(of, query, variables);
  expect(response.status).toBe(200);
  expect(response).not.toHaveProperty("data");
  expect(response.errors).toHaveLength(1);
  const [{ message, extensions }] = response.errors as [{ message: string; extensions: Record<string, unknown> }];
  const reported = `${message} ${JSON.stringify(extensions.details ?? "")}`;
  expect(reported).toMatch(limit);
  expect(reported).toMatch(new RegExp(`\\b${value}\\b`));
  expect(extensions.code).toMatch(/^(BAD_USER_INPUT|GRAPHQL_PARSE_FAILED)$/);
  expect(statements).toBe(0);
  expect(await of.snapshot()).toEqual(before);
}

/** Expects the query to pass the limits. The resolvers may still return NOT_FOUND. */
async function expectPass(of: Caller, query: string, variables?: Record<string, unknown>) {
  const { data, errors } = await of.graphql(query, variables);
  expect(errors?.filter(({ extensions }) => extensions.code !== "NOT_FOUND") ?? []).toEqual([]);
  expect(data).toBeDefined();
}

describe("a GraphQL request", () => {
  it("has at most 20 levels", async () => {
    await expectRefusal(caller, /depth/, 20, deep(21));
    await expectRefusal(
      caller,
      /depth/,
      20,
      `${deep(19).replace("{ id }", "{ ...on Component { ...F } }")} fragment F on Component { parent { parent { id } } }`,
    );
    await expectRefusal(caller, /depth/, 20, deep(1000));
    await expectPass(caller, deep(20));
    await expectPass(caller, deep(20).replace("{ id }", "{ ...on Component { ...F } }").concat(" fragment F on Component { id }"));
  });

  it("costs at most 50,000 nodes, with page sizes as literals", async () => {
    await expectRefusal(caller, /cost/, 50_000, `{ ${paged(500, 98)} }`);
    await expectPass(caller, `{ ${paged(499, 98)} }`);
    await expectRefusal(caller, /cost/, 50_000, `{ ${paged(300, 98)} ${paged(300, 98)} }`);
    await expectRefusal(caller, /cost/, 50_000, `{ ...F } fragment F on Query { ${paged(500, 98)} }`);
    await expectRefusal(
      caller,
      /cost/,
      50_000,
      `{ groupedAssets(limit: 500) { items { areas { assets { components(first: 100) { nodes { id } } } } } } }`,
    );
  });

  it("costs at most 50,000 nodes, with page sizes as variables", async () => {
    const query = `query ($a: Int!, $b: Int) { ${paged("$a", "$b")} }`;
    await expectRefusal(caller, /cost/, 50_000, query, { a: 500, b: 98 });
    await expectPass(caller, query, { a: 499, b: 98 });
  });

  it("costs at most 50,000 nodes, with default page sizes", async () => {
    await expectRefusal(caller, /cost/, 50_000, `query ($a: Int! = 500, $b: Int = 98) { ${paged("$a", "$b")} }`);
    await expectPass(caller, `query ($a: Int! = 499, $b: Int = 98) { ${paged("$a", "$b")} }`);
    const unsaid = "assets { nodes { components { nodes { children { nodes { children { nodes { id } } } } } } } }";
    await expectRefusal(caller, /cost/, 50_000, `{ ${unsaid} }`);
    await expectPass(caller, "{ assets { nodes { components { nodes { children { nodes { id } } } } } } }");
  });

  it("pays for a replay of the ledger, and for each instant", async () => {
    const replays = (count: number, instants: number) =>
      `{ ${Array.from({ length: count }, (_, i) => `v${i}: verifyLedger(instants: ${instants}) { balanced }`).join(" ")} }`;
    await expectRefusal(caller, /cost/, 50_000, replays(5, 0));
    await expectPass(caller, replays(4, 0));
    await expectRefusal(caller, /cost/, 50_000, replays(3, 20));
    await expectRefusal(caller, /cost/, 50_000, replays(1, 45));
    await expectPass(caller, replays(1, 44));
  });

  it("counts lists without pagination", () =>
    expectRefusal(caller, /cost/, 50_000, "{ components(first: 500) { nodes { children(first: 2) { nodes { descendants { id } } } } } }"));

  it("does not count fields excluded by directives", () =>
    expectPass(caller, `query ($no: Boolean = false) { viewer { role } ${paged(500, 98).replace(" {", " @include(if: $no) {")} }`));

  it("has at most 30 aliases", async () => {
    await expectRefusal(caller, /aliases/, 30, aliased(31));
    await expectRefusal(
      caller,
      /aliases/,
      30,
      `{ viewer { ...F } again: viewer { ...F } } fragment F on Viewer { ${times(15, (i) => `a${i}: role`)} }`,
    );
    await expectPass(caller, aliased(30));
  });

  it("has at most 20 root fields", async () => {
    await expectRefusal(caller, /root fields/, 20, rooted(21));
    await expectRefusal(caller, /root fields/, 20, `{ ${"...F ".repeat(3)}} fragment F on Query { ${"viewer { role } ".repeat(7)}}`);
    await expectPass(caller, rooted(20));
  });

  it("has at most 5,000 tokens", async () => {
    await expectRefusal(caller, /tokens/, 5000, long(5001));
    // Both limits apply, and either may be reached first.
    const nested = await caller.graphql(`{${"a{".repeat(10_000)}`);
    expect(nested.errors?.[0]?.message).toMatch(/tokens|\(depth\)/);
    await expectPass(caller, long(5000));
  });

  it("can ask for pages of 1 to 500", async () => {
    for (const size of [0, -1, 501, 2147483647]) {
      await expectRefusal(caller, /first.*from 1 to/, 500, `{ assets(first: ${size}) { nodes { id } } }`);
      await expectRefusal(caller, /limit.*from 1 to/, 500, `{ groupedAssets(limit: ${size}) { nextToken } }`);
      await expectRefusal(caller, /first.*from 1 to/, 500, "query ($n: Int!) { sites { assets(first: $n) { nodes { id } } } }", {
        n: size,
      });
    }
    for (const size of [1, 500]) {
      await expectPass(caller, `{ assets(first: ${size}) { nodes { id } } groupedAssets(limit: ${size}) { nextToken } }`);
    }
  });

  it("can send lists of at most 1,000 items", async () => {
    await expectRefusal(caller, /list/, 1000, listed(1001));
    await expectRefusal(caller, /list/, 1000, bulk, { ids: ids(1001) });
    await expectRefusal(caller, /list/, 1000, bulk.replace("[ID!]!", `[ID!]! = [${times(1001, (i) => `"${i}"`)}]`));
    await expectRefusal(
      caller,
      /list/,
      1000,
      "mutation ($p: JSONObject) { updateComponent(id: 1, input: { specifications: $p }) { id } }",
      { p: { deep: [ids(1001)] } },
    );
    await expectPass(caller, listed(1000));
    await expectPass(caller, bulk, { ids: ids(1000) });
  });

  it("cannot multiply fields with nested fragments", async () => {
    const bomb = (levels: number) =>
      `{ viewer { ...F0 } } ${times(levels, (i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`)} fragment F${levels} on Viewer { role }`;
    await expectRefusal(caller, /selections/, 1_500, bomb(40));
    await expectRefusal(caller, /selections/, 1_500, bomb(400));
    await expectPass(caller, bomb(8));
    const tree = (levels: number) =>
      `{ component(id: "x") { ...F0 } } ${times(levels, (i) => `fragment F${i} on Component { parent { ...F${i + 1} } children { nodes { ...F${i + 1} } } }`)} fragment F${levels} on Component { id }`;
    await expectRefusal(caller, /selections/, 1_500, tree(10));
  });

  it("nests at most 40 inline fragments", async () => {
    const nested = (levels: number) => `${"{ ... ".repeat(levels)}{ viewer { role } }${" }".repeat(levels)}`;
    for (const levels of [41, 1000, 1600]) await expectRefusal(caller, /nested fragments/, 40, nested(levels));
    await expectPass(caller, nested(40));
  });

  it("has at most 200 directives, counting those of a fragment each time it is spread", async () => {
    const switched = (fields: number, spread: string) =>
      `query ($yes: Boolean = true) { viewer { ${spread} } } fragment F on Viewer { ${times(fields, () => "role @include(if: $yes)")} }`;
    await expectRefusal(caller, /directives/, 200, switched(101, "...F ...F"));
    await expectPass(caller, switched(100, "...F ...F"));
  });

  it("cannot be a batch", async () => {
    const { status, body } = await caller.rest("POST", "/graphql", [{ query: "{ viewer { role } }" }]);
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(/batch/i);
  });

  it("has a body of at most 1 MB", async () => {
    const query = "{ viewer { role } }";
    // A single text of this length would be rejected by its own limit.
    const sized = (bytes: number) => JSON.stringify({ query, pad: "" }).padEnd(bytes, " ");
    expect((await caller.rest("POST", "/graphql", sized(1_048_576))).status).toBe(200);
    const before = gateway.database.statements();
    const { status, body } = await caller.rest("POST", "/graphql", sized(1_048_577));
    expect(status).toBe(413);
    expect(body.errors[0].extensions).toMatchObject({ code: "PAYLOAD_TOO_LARGE", maxSize: "1048576 bytes", receivedSize: "1048577 bytes" });
    expect(gateway.database.statements() - before).toBeLessThanOrEqual(1);
  });

  it("can be an introspection query with every option", async () => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const { __schema } = await caller.ask(query);
    expect(__schema.queryType.name).toBe("Query");
  });

  it("gets status 400 over a limit if the client accepts application/graphql-response+json", async () => {
    for (const query of [deep(21), `{ ${paged(500, 98)} }`, aliased(31), rooted(21), long(5001), "{ assets(first: 0) { nodes { id } } }"]) {
      const { status } = await caller.rest("POST", "/graphql", { query }, { accept: "application/graphql-response+json" });
      expect(status, query.slice(0, 80)).toBe(400);
    }
  });
});

describe("limits can be configured", () => {
  it.each([
    ["MAX_QUERY_DEPTH", /depth/, 5, deep(6), deep(5)],
    ["MAX_QUERY_COST", /cost/, 100, `{ ${paged(10, 8)} }`, `{ ${paged(9, 8)} }`],
    ["MAX_QUERY_SELECTIONS", /selections/, 10, `{ viewer { ${"role ".repeat(10)} } }`, `{ viewer { ${"role ".repeat(9)} } }`],
    ["MAX_QUERY_ALIASES", /aliases/, 2, aliased(3), aliased(2)],
    ["MAX_QUERY_ROOT_FIELDS", /root fields/, 3, rooted(4), rooted(3)],
    ["MAX_QUERY_TOKENS", /tokens/, 100, long(101), long(100)],
    ["MAX_INPUT_LIST", /list/, 4, listed(5), listed(4)],
    ["MAX_PAGE_SIZE", /first/, 30, "{ assets(first: 31) { nodes { id } } }", "{ assets(first: 30) { nodes { id } } }"],
  ])("%s", async (_, limit, value, over, under) => {
    await expectRefusal(narrowly, limit, value, over);
    await expectPass(narrowly, under);
  });

  it("MAX_BODY_BYTES", async () => {
    expect((await narrowly.rest("POST", "/assets", { name: "Pump", type: "pump", description: "x".repeat(1900) })).status).toBe(201);
    const { status, body } = await narrowly.rest("POST", "/assets", { name: "Pump", type: "pump", description: "x".repeat(2100) });
    expect(status).toBe(413);
    expect(body.maxSize).toBe("2048 bytes");
  });
});
