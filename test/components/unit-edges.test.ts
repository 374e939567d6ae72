/** Rare cases of units: shared numbers, old installations, deleted positions, other sites and deactivated parts (docs/units.md). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const exchange = (caller: Caller, input: object) =>
  caller.graphql("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { serialNumber } }", { input });
const moveUnit = (caller: Caller, input: object) =>
  caller.ask("mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { whereabouts { state condition site } } }", { input });
const unitIn = async (caller: Caller, id: string, at?: string) =>
  (
    await caller.ask("query ($id: ID!, $at: DateTime) { component(id: $id) { unitAt(at: $at) { id serialNumber manufacturer } } }", {
      id,
      at,
    })
  ).component.unitAt;

async function plant() {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ name: "P-1", site: "North" });
  return { tenant, assetId, position: async (input: object = {}) => (await tenant.createComponent({ assetId, ...input })).id as string };
}

test("two makers use the same serial number", async () => {
  const { tenant, position } = await plant();
  const first = await position({ serialNumber: "100", manufacturer: "SKF" });
  const second = await position({ serialNumber: "100", manufacturer: "FAG" });
  const skf = await unitIn(tenant, first);
  const fag = await unitIn(tenant, second);
  expect([skf.manufacturer, fag.manufacturer]).toEqual(["SKF", "FAG"]);
  for (const [componentId, { id }] of [
    [first, skf],
    [second, fag],
  ] as const) {
    expect((await exchange(tenant, { componentId, reason: "PREVENTIVE" })).errors).toBeUndefined();
    await moveUnit(tenant, { unitId: id, state: "REMOVED", condition: "SERVICEABLE" });
  }
  // The manufacturer names one of both. Without one, the number is that of another unit.
  await exchange(tenant, { componentId: first, unit: { serialNumber: "100", manufacturer: "FAG" } });
  expect((await unitIn(tenant, first)).id).toBe(fag.id);
});

test("a unit was installed before its asset was entered", async () => {
  const { tenant, position } = await plant();
  const id = await position({ serialNumber: "7", installDate: "1998-05-01T00:00:00Z" });
  expect(await unitIn(tenant, id, "1998-05-01T00:00:00Z")).toMatchObject({ serialNumber: "7" });
  expect(await unitIn(tenant, id, "1998-04-30T23:59:59Z")).toBeNull();
  const empty = await position();
  await exchange(tenant, { componentId: empty, unit: { serialNumber: "8" }, at: "1997-01-01T00:00:00Z" });
  expect(await unitIn(tenant, empty, "1997-01-02T00:00:00Z")).toMatchObject({ serialNumber: "8" });
});

test("a deleted position is restored while its unit is elsewhere", async () => {
  const { tenant, position } = await plant();
  const deleted = await position({ serialNumber: "9" });
  const { id } = await unitIn(tenant, deleted);
  await tenant.rest("DELETE", `/components/${deleted}`);
  await moveUnit(tenant, { unitId: id, state: "REMOVED", condition: "SERVICEABLE" });
  const other = await position();
  await exchange(tenant, { componentId: other, unit: { id } });
  await tenant.ask("mutation ($id: ID!) { restoreComponent(id: $id) { id } }", { id: deleted });
  expect((await unitIn(tenant, other)).id).toBe(id);
  // The documented number stays, and names another unit.
  expect((await tenant.rest("GET", `/components/${deleted}`)).body.serialNumber).toBe("9");
  const present = await unitIn(tenant, deleted);
  expect(present).toMatchObject({ serialNumber: "9" });
  expect(present.id).not.toBe(id);
});

test("a key of one site works with a unit that came from another, and sees its time there only", async () => {
  const { tenant, position } = await plant();
  const north = await position({ serialNumber: "11" });
  const { id } = await unitIn(tenant, north);
  await exchange(tenant, { componentId: north, reason: "PREVENTIVE" });
  await moveUnit(tenant, { unitId: id, state: "REMOVED", condition: "SERVICEABLE" });
  const { id: assetId } = await tenant.createAsset({ name: "P-2", site: "South" });
  const south = (await tenant.createComponent({ assetId })).id;
  const key = await tenant.as("technician", ["South"], false);
  expect((await exchange(key, { componentId: south, unit: { id } })).errors?.[0]?.extensions.code).toBe("FORBIDDEN");
  await exchange(tenant, { componentId: south, unit: { id } });
  const { unit } = await key.ask("query ($id: ID!) { unit(id: $id) { periods { nodes { state componentId } } } }", { id });
  expect(unit.periods.nodes).toEqual([{ state: "INSTALLED", componentId: south }]);
  expect((await exchange(key, { componentId: south, reason: "FAILURE" })).errors).toBeUndefined();
  const { moveUnit: moved } = await moveUnit(key, { unitId: id, state: "IN_REPAIR" });
  expect(moved.whereabouts).toEqual({ state: "IN_REPAIR", condition: "UNSERVICEABLE", site: "South" });
});

test("a unit stays in repair when its part is deactivated, and can be released", async () => {
  const { tenant, assetId } = await plant();
  const { createPart } = await tenant.ask(
    `mutation { createPart(input: { partNumber: "B-7", name: "Bearing", tracksSerials: true }) { id } }`,
  );
  const { createWorkOrder: order } = await tenant.ask(
    "mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }",
    {
      input: { assetId, title: "Exchange" },
    },
  );
  const numbers = { quantity: 1, serialNumbers: ["S-1"], site: "North" };
  await tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
    id: createPart.id,
    input: numbers,
  });
  await tenant.ask("mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }", {
    id: order.id,
    input: { ...numbers, partId: createPart.id },
  });
  const { units } = await tenant.ask("{ units { nodes { id } } }");
  const unitId = units.nodes[0].id;
  await moveUnit(tenant, { unitId, state: "IN_REPAIR", condition: "UNSERVICEABLE" });
  await tenant.ask("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id: createPart.id });
  const { unit } = await tenant.ask("query ($id: ID!) { unit(id: $id) { whereabouts { state } part { isActive } } }", { id: unitId });
  expect(unit).toEqual({ whereabouts: { state: "IN_REPAIR" }, part: { isActive: false } });
  const { moveUnit: released } = await moveUnit(tenant, { unitId, state: "REMOVED", condition: "SERVICEABLE" });
  expect(released.whereabouts).toMatchObject({ state: "REMOVED", condition: "SERVICEABLE" });
});
