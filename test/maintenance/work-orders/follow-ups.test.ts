/** Work orders that follow up another one, linked in both directions. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { failed, procedure } from "./orders.js";

const gateway = await sharedGateway();

const create = `mutation ($procedure: ID, $input: CreateWorkOrderInput!) {
  createWorkOrder(procedureId: $procedure, input: $input) { id title origin description followUpOfId followUpOfStep followUpOf { id title } followUps { id } }
}`;
const linksOf = "query ($id: ID!) { workOrder(id: $id) { followUpOf { id } followUps { id title followUpOfStep } comments { text } } }";
const unknown = { code: "BAD_USER_INPUT", details: { followUpOf: "names no work order; use the id of an existing one" } };

const order = async (caller: Caller, input: object): Promise<any> =>
  (await caller.ask(create, { input: { title: "Seal", ...input } })).createWorkOrder;

test("a follow-up is created for any asset, by hand or from a procedure, and linked in both directions", async () => {
  const tenant = await gateway.newTenant();
  const [pump, motor] = [await tenant.createAsset(), await tenant.createAsset()];
  const first = await order(tenant, { assetId: pump.id });
  expect(first).toMatchObject({ followUpOfId: null, followUpOfStep: null, followUpOf: null, followUps: [] });
  const second = await order(tenant, { assetId: motor.id, title: "Align", followUpOf: first.id });
  expect(second).toEqual({
    id: second.id,
    title: "Align",
    origin: "MANUAL",
    description: null,
    followUpOfId: first.id,
    followUpOfStep: null,
    followUpOf: { id: first.id, title: "Seal" },
    followUps: [],
  });
  // A finished order can be followed up, several times.
  await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", { id: first.id });
  const { id: plan } = await procedure(tenant);
  const { createWorkOrder: third } = await tenant.ask(create, { procedure: plan, input: { title: "Check", followUpOf: first.id } });
  expect((await tenant.ask(linksOf, { id: first.id })).workOrder).toEqual({
    followUpOf: null,
    followUps: [
      { id: second.id, title: "Align", followUpOfStep: null },
      { id: third.id, title: "Check", followUpOfStep: null },
    ],
    comments: [],
  });
  expect((await tenant.ask(linksOf, { id: third.id })).workOrder).toEqual({ followUpOf: { id: first.id }, followUps: [], comments: [] });
});

test("only an order that the caller reads is followed up", async () => {
  const tenant = await gateway.newTenant();
  const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
  const atNorth = await order(tenant, { assetId: north.id });
  const foreign = await gateway.newTenant();
  const elsewhere = await order(foreign, { assetId: (await foreign.createAsset()).id });
  const limited = await tenant.as("technician", ["South"], false);
  const input = { assetId: south.id, title: "T" };
  for (const [caller, followUpOf] of [
    [tenant, "none"],
    [tenant, elsewhere.id],
    [limited, atNorth.id],
  ] as const)
    await failed(tenant, () => caller.graphql(create, { input: { ...input, followUpOf } }), unknown);
  // A key that reads all sites follows up an order of another site, with work at its own.
  const reader = await tenant.as("technician", ["South"]);
  const made = await order(reader, { ...input, followUpOf: atNorth.id });
  expect(made.followUpOf).toEqual({ id: atNorth.id, title: "Seal" });
  await failed(tenant, () => reader.graphql(create, { input: { ...input, assetId: north.id, followUpOf: made.id } }), {
    code: "FORBIDDEN",
  });
  // The other site is hidden from a key that reads only its own.
  expect((await limited.ask(linksOf, { id: made.id })).workOrder.followUpOf).toBeNull();
  const ofNorth = await tenant.as("technician", ["North"], false);
  expect((await ofNorth.ask(linksOf, { id: atNorth.id })).workOrder.followUps).toEqual([]);
  expect((await tenant.ask(linksOf, { id: atNorth.id })).workOrder.followUps).toEqual([{ id: made.id, title: "T", followUpOfStep: null }]);
});

test("the documented interface ignores the field", async () => {
  const tenant = await gateway.newTenant();
  const { id, assetId } = await procedure(tenant);
  const first = await order(tenant, { assetId });
  const made = await tenant.rest("POST", `/pms/${id}/createworkorder`, { followUpOf: first.id });
  expect([made.status, made.headers.get("warning")]).toEqual([201, '299 - "Unknown fields ignored: followUpOf"']);
  expect((await tenant.ask(linksOf, { id: first.id })).workOrder.followUps).toEqual([]);
});
