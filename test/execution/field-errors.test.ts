/** `extensions.fieldErrors`: each rejected value with its path in the arguments, for every source of the rejection and every transport. */
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it, test } from "vitest";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();

let tenant: Caller;
let assetId: string;
beforeAll(async () => {
  tenant = await gateway.newTenant();
  assetId = (await tenant.createAsset({ serialNumber: "S-1" })).id;
});

/** The field errors of a request that must be rejected and change nothing. */
async function refusedFields(query: string, variables?: Record<string, unknown>) {
  const before = await tenant.snapshot();
  const { errors } = await tenant.graphql(query, variables);
  expect(errors).toBeDefined();
  expect(await tenant.snapshot()).toEqual(before);
  return errors!.map(({ fieldErrors }) => fieldErrors);
}

/** For each message, the expected code and limits. */
const meant: [RegExp, string, object?][] = [
  [/^(is required|must not be null)/, "REQUIRED"],
  [/^must not be empty$/, "BLANK"],
  [/^must be from 1 to 500$/, "OUT_OF_RANGE", { min: 1, max: 500 }],
  [/^must be from 0 to 3660$/, "OUT_OF_RANGE", { min: 0, max: 3660 }],
  [/^names no asset/, "NOT_FOUND"],
  [/^An asset with this serial number already exists$/, "TAKEN"],
  [/^(Insufficient stock|Quantity exceeds|A component cannot|The balance)/, "CONFLICT"],
];
const at = (path: (string | number)[], message: string) => {
  const [, code, params] = meant.find(([pattern]) => pattern.test(message)) ?? [/./, "INVALID_FORMAT"];
  return { path, code, message, ...(params && { params }) };
};
const create = "mutation ($i: CreateAssetInput!) { createAsset(input: $i) { id } }";
const timestamp = "must be an ISO 8601 timestamp such as 2024-05-01T08:00:00Z";

describe("values that cannot be stored", () => {
  const nul = "must not contain NUL characters";
  it.each<[string, string, Record<string, unknown>, ReturnType<typeof at>[] | undefined]>([
    ["text with NUL", create, { i: { name: "a\0", type: "pump" } }, [at(["input", "name"], nul)]],
    ["a variable of its own", "query ($x: ID!) { asset(id: $x) { id } }", { x: "\0" }, [at(["id"], nul)]],
    [
      "an item of a list, below another name",
      'mutation ($s: [ProcedureStepInput!]) { createProcedure(input: { name: "x", assetId: "x", frequency: DAILY, steps: $s }) { id } }',
      { s: [{ description: "ok" }, { description: "\ud800" }] },
      [at(["input", "steps", 1, "description"], "must not contain unpaired surrogates")],
    ],
    [
      "a name in an object",
      create,
      { i: { name: "a", type: "pump", customFields: { "\0": "x" } } },
      [at(["input", "customFields"], `has a name that ${nul}`)],
    ],
    ["a variable that is not declared", "{ viewer { role } }", { unused: "\0" }, undefined],
  ])("%s", async (_, query, variables, expected) => {
    expect(await refusedFields(query, variables)).toEqual([expected]);
    // As a GET request, and by hash.
    const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", "apollo-require-preflight": "1" };
    const sha256Hash = createHash("sha256").update(query).digest("hex");
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const send = (body: object) => fetch(`${gateway.url}/graphql`, { method: "POST", headers, body: JSON.stringify(body) });
    await send({ query, extensions });
    const named: any = await (await send({ variables, extensions })).json();
    expect(named.errors.map((error: any) => error.extensions.fieldErrors)).toEqual([expected]);
    if (query.startsWith("mutation")) return;
    const asked = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    const got: any = await (await fetch(`${gateway.url}/graphql?${asked}`, { headers })).json();
    expect(got.errors.map((error: any) => error.extensions.fieldErrors)).toEqual([expected]);
  });
});

describe("literals that cannot be stored", () => {
  const nul = "must not contain NUL characters";
  it.each<[string, ReturnType<typeof at>]>([
    ['mutation { createAsset(input: { name: "a\\u0000", type: "pump" }) { id } }', at(["input", "name"], nul)],
    ['query ($x: ID! = "\\u0000") { asset(id: $x) { id } }', at(["id"], nul)],
    ['mutation { bulkComponents(operation: DELETE, componentIds: ["a", "\\u0000"]) { failed } }', at(["componentIds", 1], nul)],
    [
      'mutation { createComponent(input: { name: "x", type: "y", specifications: { a: { __proto__: 1 } } }) { id } }',
      at(["input", "specifications", "a", "__proto__"], "has a name that must not be __proto__"),
    ],
  ])("%s", async (query, expected) => expect(await refusedFields(query)).toEqual([[expected]]));
});

describe("values that the schema rejects", () => {
  it("names each value of a variable, by the argument it is used for", async () => {
    expect(await refusedFields(create, { i: { name: "", type: "pump", installationDate: "x", status: "x", criticality: 1 } })).toEqual([
      [
        at(["input", "criticality"], "must be a string"),
        at(["input", "status"], 'Value "x" does not exist in "AssetStatus" enum.'),
        at(["input", "installationDate"], timestamp),
        at(["input", "name"], "must not be empty"),
      ],
    ]);
  });

  it.each<[string, string, Record<string, unknown>, ReturnType<typeof at>]>([
    ["a required field", create, { i: { type: "pump" } }, at(["input", "name"], "is required")],
    ["a required variable", create, {}, at(["input"], "is required")],
    ["null for a required variable", create, { i: null }, at(["input"], "is required")],
    [
      "a variable within a literal",
      'mutation ($n: Name!) { createAsset(input: { name: $n, type: "pump" }) { id } }',
      { n: " " },
      at(["input", "name"], "must not be empty"),
    ],
    [
      "an item of a list",
      "mutation ($ids: [ID!]!) { bulkComponents(operation: DELETE, componentIds: $ids) { failed } }",
      { ids: ["a", {}] },
      at(["componentIds", 1], "must be a string"),
    ],
    [
      "a field of an item of a list",
      "mutation ($i: CreateProcedureInput!) { createProcedure(input: $i) { id } }",
      { i: { name: "x", assetId: "x", frequency: "DAILY", steps: [{ description: "ok" }, { description: "" }] } },
      at(["input", "steps", 1, "description"], "must not be empty"),
    ],
    [
      "a field that the input does not have",
      create,
      { i: { name: "x", type: "x", foo: 1 } },
      at(["input", "foo"], 'Field "foo" is not defined by type "CreateAssetInput".'),
    ],
    [
      "null for a variable with a default, within a literal",
      'mutation ($d: Name = "d") { createProcedure(input: { name: "x", assetId: 1, frequency: DAILY, steps: [{ description: "q" }, { description: $d }] }) { id } }',
      { d: null },
      at(["input", "steps", 1, "description"], "is required"),
    ],
    [
      "null for an argument with a default",
      "query ($f: Int) { groupedAssets(limit: $f) { nextToken } }",
      { f: null },
      at(["limit"], "is required"),
    ],
    [
      "the size of a page",
      "query ($f: Int!) { a: assets(first: $f) { totalCount } viewer { tenantId } }",
      { f: 501 },
      at(["first"], "must be from 1 to 500"),
    ],
  ])("variables: %s", async (_, query, variables, expected) => {
    expect((await refusedFields(query, variables)).flat()).toContainEqual(expected);
  });

  it.each<[string, string, ReturnType<typeof at>]>([
    ["a value", 'mutation { createAsset(input: { name: "", type: "pump" }) { id } }', at(["input", "name"], "must not be empty")],
    ["a required field", 'mutation { createAsset(input: { name: "x" }) { id } }', at(["input", "type"], "is required")],
    ["null", 'mutation { createAsset(input: { name: null, type: "x" }) { id } }', at(["input", "name"], "is required")],
    [
      "in a fragment, below another field",
      "query { asset(id: 1) { ...F } } fragment F on Asset { components(first: true) { totalCount } }",
      at(["first"], "must be an integer"),
    ],
    [
      "an item of a list",
      'mutation { bulkComponents(operation: DELETE, componentIds: ["a", true]) { failed } }',
      at(["componentIds", 1], "must be a string"),
    ],
    ["an argument that is missing", "mutation { createAsset { id } }", at(["input"], "is required")],
    [
      "in a variable's default",
      'mutation ($i: CreateAssetInput! = { name: "a", type: "" }) { createAsset(input: $i) { id } }',
      at(["input", "type"], "must not be empty"),
    ],
    [
      "a variable's default within a literal",
      'mutation ($d: Name = "") { createProcedure(input: { name: "x", assetId: 1, frequency: DAILY, steps: [{ description: $d }] }) { id } }',
      at(["input", "steps", 0, "description"], "must not be empty"),
    ],
    [
      "two fields where one is meant",
      'query { partByNumber(by: { partNumber: "a", barcode: "b" }) { id } }',
      at(["by"], 'OneOf Input Object "PartNumberInput" must specify exactly one key.'),
    ],
  ])("literals: %s", async (_, query, expected) => {
    expect(await refusedFields(query)).toEqual([[expected]]);
  });

  test("a variable of the operation that runs", async () => {
    const query = `query Q($n: String) { assets(filter: { site: $n }) { nodes { id } } }
      mutation M($n: Name!) { ...F } fragment F on Mutation { createAsset(input: { name: $n, type: "t" }) { id } }`;
    const { body } = await tenant.rest("POST", "/graphql", { query, operationName: "M", variables: { n: "" } });
    expect(body.errors[0].extensions.fieldErrors).toEqual([at(["input", "name"], "must not be empty")]);
  });

  test("errors of a document name no field", async () => {
    expect(await refusedFields("{ asset(id: 1, nothing: 2) { id } }")).toEqual([undefined]);
    expect(await refusedFields("{ nothing }")).toEqual([undefined]);
  });
});

describe("a mistake has the same code and limits as a literal and as a variable", () => {
  const long = "x".repeat(256);
  it.each<[string, string, string, unknown, string, object?]>([
    ['createAsset(input: { type: "p", name: $v }) { id }', "Name!", '""', "", "BLANK"],
    [
      'createAsset(input: { type: "p", name: $v }) { id }',
      "Name!",
      JSON.stringify(long),
      long,
      "TOO_LONG",
      { max: 255, unit: "characters" },
    ],
    ['createAsset(input: { type: "p", name: $v }) { id }', "Name!", "1", 1, "INVALID_FORMAT"],
    ['createAsset(input: { type: "p", name: $v }) { id }', "Name!", "null", null, "REQUIRED"],
    ['createAsset(input: { type: "p", name: "n", status: $v }) { id }', "AssetStatus", "NONE", "NONE", "INVALID_FORMAT"],
    ['createAsset(input: { type: "p", name: "n", installationDate: $v }) { id }', "DateTime", '"x"', "x", "INVALID_FORMAT"],
    ['createPart(input: { partNumber: "P", name: "n", unitCost: $v }) { id }', "Positive", "-1", -1, "OUT_OF_RANGE", { exclusiveMin: 0 }],
    ['createPart(input: { partNumber: "P", name: "n", minimumStock: $v }) { id }', "NonNegative", "-1", -1, "OUT_OF_RANGE", { min: 0 }],
    [
      'createPart(input: { partNumber: "P", name: "n", minimumStock: $v }) { id }',
      "NonNegative",
      "1e13",
      1e13,
      "OUT_OF_RANGE",
      { exclusiveMax: 1e12 },
    ],
    ['createComponent(input: { type: "p", name: "n", assetId: $v }) { id }', "ID", '"none"', "none", "NOT_FOUND"],
    ['createAsset(input: { type: "p", name: "n", serialNumber: $v }) { id }', "ShortText", '"S-1"', "S-1", "TAKEN"],
  ])("%s: %s, %s", async (field, type, literal, value, code, params) => {
    const [[asLiteral]] = (await refusedFields(`mutation { ${field.replace("$v", literal)} }`)) as [[any]];
    const [[asVariable]] = (await refusedFields(`mutation ($v: ${type}) { ${field} }`, { v: value })) as [[any]];
    expect(asVariable).toEqual(asLiteral);
    expect([asLiteral.code, asLiteral.params]).toEqual([code, params]);
  });
});

describe("values that the domain rejects", () => {
  it.each<[string, string, Record<string, unknown>, ReturnType<typeof at>[]]>([
    [
      "a reference in the input",
      "mutation ($i: CreateComponentInput!) { createComponent(input: $i) { id } }",
      { i: { name: "x", type: "x", assetId: "none" } },
      [at(["input", "assetId"], "names no asset; use the id of an existing one")],
    ],
    ["an argument", "{ upcoming(days: -1) { reason } }", {}, [at(["days"], "must be from 0 to 3660")]],
    [
      "a field that must not be null",
      "mutation ($id: ID!) { updateAsset(id: $id, input: { name: null }) { id } }",
      {},
      [at(["input", "name"], "must not be null")],
    ],
    [
      "an argument of a nested field",
      '{ assets(first: 1) { nodes { components(after: "x") { totalCount nodes { id } } } } }',
      {},
      [at(["after"], "is not a cursor of this list; use the endCursor of its page before")],
    ],
    [
      "a value in use",
      'mutation { createAsset(input: { name: "x", type: "x", serialNumber: "S-1" }) { id } }',
      {},
      [at(["input", "serialNumber"], "An asset with this serial number already exists")],
    ],
    [
      "below a node",
      'query ($id: ID!) { node(id: $id) { ... on Node { id } ... on Asset { components(before: "zzz") { nodes { id } } } } }',
      {},
      [at(["before"], "is not a cursor of this list; use the startCursor of its page after")],
    ],
  ])("%s", async (_, query, variables, expected) => {
    expect(await refusedFields(query, query.includes("$id") ? { id: assetId, ...variables } : variables)).toEqual([expected]);
  });

  test("missing stock is reported at the quantity, a cycle at the new parent, the site in the input that lacks it", async () => {
    const { id: part } = (await tenant.ask('mutation { createPart(input: { partNumber: "P-9", name: "Seal" }) { id } }')).createPart;
    for (const site of ["A", "B"])
      await tenant.ask("mutation ($id: ID!, $i: MoveStockInput!) { receiveStock(partId: $id, input: $i) { id } }", {
        id: part,
        i: { site, quantity: 1 },
      });
    const { id: component } = await tenant.createComponent({ name: "C" });
    const mutations: [string, ReturnType<typeof at>][] = [
      [`issueStock(partId: "${part}", input: { site: "A", quantity: 9 })`, at(["input", "quantity"], "Insufficient stock")],
      [
        `unreserveStock(partId: "${part}", input: { site: "A", quantity: 9 })`,
        at(["input", "quantity"], "Quantity exceeds the reservation"),
      ],
      [
        `transferStock(partId: "${part}", input: { fromSite: "A", toSite: "B", quantity: 9 })`,
        at(["input", "quantity"], "Insufficient stock"),
      ],
      [
        `adjustStock(partId: "${part}", input: { adjustmentType: LOSS, quantity: -1 })`,
        at(["input", "site"], "is required, because the part is kept at A, B"),
      ],
      [`moveComponent(id: "${component}", newParentId: "${component}")`, at(["newParentId"], "A component cannot be its own parent")],
      [
        `updateComponent(id: "${component}", input: { parentId: "${component}" })`,
        at(["input", "parentId"], "A component cannot be its own parent"),
      ],
    ];
    for (const [mutation, expected] of mutations)
      expect(await refusedFields(`mutation { ${mutation} { id } }`), mutation).toEqual([[expected]]);
  });

  test("a missing record is not a field error", async () => {
    expect(await refusedFields('mutation { deleteAsset(id: "none") { id } }')).toEqual([undefined]);
  });
});

test("REST bodies have only details", async () => {
  const { status, body } = await tenant.rest("POST", "/assets", { name: "x", type: "x", serialNumber: "S-1" });
  expect({ status, body }).toEqual({
    status: 409,
    body: {
      error: "An asset with this serial number already exists",
      serialNumber: "S-1",
      code: "CONFLICT",
      requestId: expect.any(String),
    },
  });
});

test("a rejected root field hides no other one", async () => {
  const partId = (await tenant.rest("POST", "/parts", { partNumber: "P", name: "Seal", stockLevel: 3 })).body.partId;
  const { data, errors } = await tenant.graphql(
    `mutation ($p: ID!) { a: updateInventory(partId: $p, input: { currentStock: 7 }) { quantity }
      b: updateInventory(partId: $p, input: { currentStock: 8, expectedBalance: 9999 }) { quantity } }`,
    { p: partId },
  );
  expect(data).toEqual({ a: { quantity: 7 }, b: null });
  expect(errors).toMatchObject([{ path: ["b"], extensions: { code: "CONFLICT", expectedBalance: 9999, currentBalance: 7 } }]);
  expect(errors![0]!.fieldErrors).toEqual([at(["input", "expectedBalance"], errors![0]!.message)]);
  const technician = await tenant.as("technician");
  const read = await technician.graphql("{ viewer { role } apiKeys { nodes { id } } assets(first: 1) { totalCount } }");
  expect(read.data).toEqual({ viewer: { role: "TECHNICIAN" }, apiKeys: null, assets: { totalCount: 1 } });
  expect(read.errors).toMatchObject([{ path: ["apiKeys"], extensions: { code: "FORBIDDEN" } }]);
});

test("introspection shows the schema of schema.graphql, without internal types", async () => {
  const { __schema, viewer } = await tenant.ask(
    "query ($with: Boolean!) { __schema { types { name } } viewer @include(if: $with) { role } }",
    {
      with: true,
    },
  );
  const { readFileSync } = await import("node:fs");
  const printed = readFileSync(new URL("../../src/schema/schema.graphql", import.meta.url), "utf8");
  const declared = [...printed.matchAll(/^(?:type|input|enum|scalar|interface|union) (\w+)/gm)].map(([, name]) => name);
  const builtIn = ["Boolean", "Float", "ID", "Int", "String"];
  const served = __schema.types.map(({ name }: any) => name).filter((name: string) => !name.startsWith("__") && !builtIn.includes(name));
  expect(served.sort()).toEqual(declared.sort());
  expect(viewer).toEqual({ role: "ADMIN" });
});
