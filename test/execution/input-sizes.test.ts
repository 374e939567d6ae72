/** Size limits of input values: the same over GraphQL, REST and CSV. */
import { beforeAll, expect, it } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

let caller: Caller;
beforeAll(async () => {
  caller = await (await sharedGateway()).newTenant();
});

/** An object of `bytes` bytes as JSON. */
const map = (bytes: number) => ({ a: "x".repeat(bytes - 8) });
const kept = 65_536;
const tooLarge = "must be at most 65536 bytes of JSON";
const tooLong = "must have at most 65536 characters";

it("a JSON field has at most 64 KB: GraphQL", async () => {
  const create = "mutation ($input: CreateComponentInput!) { createComponent(input: $input) { id } }";
  const input = { name: "C", type: "part" };
  await caller.ask(create, { input: { ...input, specifications: map(kept) } });
  const { errors } = await caller.graphql(create, { input: { ...input, specifications: map(kept + 1) } });
  expect(errors![0]!.fieldErrors).toEqual([
    { path: ["input", "specifications"], code: "TOO_LONG", params: { max: 65536, unit: "bytes" }, message: tooLarge },
  ]);
  expect(errors![0]!.extensions.code).toBe("BAD_USER_INPUT");
  const umlauts = { a: "ü".repeat(kept / 2) };
  expect((await caller.graphql(create, { input: { ...input, specifications: umlauts } })).errors![0]!.fieldErrors![0]!.message).toBe(
    tooLarge,
  );
});

it("a JSON field has at most 64 KB: REST", async () => {
  const asset = { name: "Pump", type: "pump" };
  expect((await caller.rest("POST", "/assets", { ...asset, specifications: map(kept) })).status).toBe(201);
  for (const field of ["specifications", "customFields"]) {
    const { status, body } = await caller.rest("POST", "/assets", { ...asset, [field]: map(kept + 1) });
    expect({ status, details: body.details }).toEqual({ status: 400, details: { [field]: tooLarge } });
  }
});

it("a JSON field has at most 64 KB: CSV", async () => {
  const row = (value: object) => `Pump,pump,"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const send = (value: object) =>
    caller.rest("POST", "/assets/import", `name,type,customFields\n${row(value)}\n`, { "content-type": "text/csv" });
  expect((await send(map(kept))).body).toMatchObject({ imported: 1 });
  const { body } = await send(map(kept + 1));
  expect(body).toMatchObject({ imported: 0, errors: [{ field: "customFields", message: tooLarge }] });
});

it("a text without its own limit has at most 65,536 characters", async () => {
  const long = "x".repeat(kept + 1);
  const query = "query ($text: String) { assets(filter: { search: $text }) { nodes { id } } }";
  await caller.ask(query, { text: long.slice(1) });
  const { errors } = await caller.graphql(query, { text: long });
  expect(errors).toMatchObject([{ message: "Invalid input", extensions: { code: "BAD_USER_INPUT" } }]);
  expect(errors![0]!.fieldErrors).toEqual([
    { path: ["filter", "search"], code: "TOO_LONG", params: { max: 65536, unit: "characters" }, message: tooLong },
  ]);
  const literal = await caller.graphql(`{ assets(filter: { search: "${long}" }) { nodes { id } } }`);
  expect(literal.errors![0]!.fieldErrors).toEqual([
    { path: ["filter", "search"], code: "TOO_LONG", params: { max: 65536, unit: "characters" }, message: tooLong },
  ]);
  const { status, body } = await caller.rest("POST", "/components", { name: "C", type: "part", assetId: long });
  expect({ status, details: body.details }).toEqual({ status: 400, details: { assetId: tooLong } });
});

it("a reason has at most 10,000 characters", async () => {
  const raised = await caller.rest("POST", "/assets", { name: "Pump", type: "pump" });
  const hold = "mutation ($id: ID!, $reason: String) { cancelWorkOrder(id: $id, reason: $reason) { id } }";
  const { errors } = await caller.graphql(hold, { id: raised.body.id, reason: "x".repeat(10_001) });
  expect(errors).toMatchObject([
    { path: ["cancelWorkOrder"], extensions: { code: "BAD_USER_INPUT", details: { reason: "must have at most 10000 characters" } } },
  ]);
  expect(errors![0]!.fieldErrors).toEqual([
    { path: ["reason"], code: "TOO_LONG", params: { max: 10000, unit: "characters" }, message: "must have at most 10000 characters" },
  ]);
});
