/** Units inside units: components that leave their position with a unit, and come below its next one (docs/units.md). */
import { expect, test } from "vitest";
import { hoursOf } from "../reliability/units.js";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = ["Component", "Unit", "UnitPeriod", "ComponentHold"];

/** Asset with a position for a gearbox. */
async function driveAt(tenant: Caller, name: string, site: string) {
  const asset = await tenant.createAsset({ name, site });
  const gearbox = await tenant.createComponent({ name: "Gearbox", type: "gearbox", assetId: asset.id });
  return { assetId: asset.id as string, gearbox: gearbox.id as string };
}

/** Below: bearings DE and NDE with L1 and L2, and a sensor without a unit below DE. All since 1 January. */
async function plant() {
  const tenant = await gateway.newTenant();
  const first = await driveAt(tenant, "P-1", "North");
  const second = await driveAt(tenant, "P-2", "South");
  const below = (name: string, parentId: string, serialNumber?: string) =>
    tenant.createComponent({ name, type: "part", parentId, ...(serialNumber && { serialNumber, installDate: "2026-01-01T00:00:00Z" }) });
  const de = (await below("DE", first.gearbox, "L1")).id as string;
  const nde = (await below("NDE", first.gearbox, "L2")).id as string;
  const sensor = (await below("Sensor", de)).id as string;
  await exchange(tenant, { componentId: first.gearbox, unit: { serialNumber: "G1" }, at: "2026-01-01T00:00:00Z" });
  const { units } = await tenant.ask("{ units(orderBy: { field: SERIAL_NUMBER }) { nodes { id } } }");
  const [g1, l1, l2] = units.nodes.map(({ id }: any) => id as string);
  return { tenant, first, second, de, nde, sensor, g1, l1, l2 };
}

const mutation = `mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id serialNumber unitAt { id } } }`;
const exchange = (caller: Caller, input: object) => caller.ask(mutation, { input });

const treeOf = async (caller: Caller, assetId: string, at?: string): Promise<string[]> =>
  (
    await caller.ask(
      `query ($id: ID!, $at: DateTime) { asset(id: $id) { components(scope: ALL, at: $at) {
         nodes { name serialNumber level position } } } }`,
      { id: assetId, at },
    )
  ).asset.components.nodes.map(({ name, serialNumber, level, position }: any) => `${level}.${position} ${name} ${serialNumber ?? "–"}`);

const contentsOf = async (caller: Caller, id: string): Promise<string[]> =>
  (await caller.ask("query ($id: ID!) { unit(id: $id) { components { name serialNumber } } }", { id })).unit.components.map(
    ({ name, serialNumber }: any) => `${name} ${serialNumber ?? "–"}`,
  );

const holderOf = async (caller: Caller, id: string, at?: string) =>
  (await caller.ask("query ($id: ID!, $at: DateTime) { component(id: $id) { heldBy(at: $at) { serialNumber } } }", { id, at })).component
    .heldBy?.serialNumber;

const childrenByRest = async (caller: Caller, id: string): Promise<string[]> =>
  (await caller.rest("GET", `/components/${id}/descendants`)).body.descendants.map(({ name }: any) => name);

async function refuses(caller: Caller, document: string, input: object, details: object) {
  const before = await caller.snapshot(...tables);
  const { errors } = await caller.graphql(document, { input });
  expect(errors?.map(({ message, extensions }) => ({ message, ...extensions }))).toEqual([expect.objectContaining(details)]);
  expect(await caller.snapshot(...tables)).toEqual(before);
}

test("a gearbox leaves with its bearings, and brings them below its next position in another asset", async () => {
  const { tenant, first, second, de, nde, sensor, g1, l1 } = await plant();
  const before = new Date().toISOString();
  await exchange(tenant, { componentId: first.gearbox, reason: "FAILURE" });
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox –"]);
  expect(await childrenByRest(tenant, first.gearbox)).toEqual([]);
  expect(await contentsOf(tenant, g1)).toEqual(["DE L1", "NDE L2"]);
  // The bearing is where it was, in the gearbox, and the gearbox awaits its inspection at North.
  const { unit } = await tenant.ask(
    `query ($id: ID!) { unit(id: $id) { whereabouts { state component { id parentId asset { id } heldBy { id whereabouts { state site } } } } } }`,
    { id: l1 },
  );
  expect(unit.whereabouts).toEqual({
    state: "INSTALLED",
    component: { id: de, parentId: null, asset: null, heldBy: { id: g1, whereabouts: { state: "REMOVED", site: "North" } } },
  });
  expect(await holderOf(tenant, sensor)).toBe("G1");
  expect(await holderOf(tenant, sensor, before)).toBeUndefined();
  expect((await tenant.ask('{ units(filter: { site: "North" }) { totalCount } }')).units.totalCount).toBe(3);

  const pump = await tenant.createComponent({ name: "Oil pump", type: "pump", parentId: second.gearbox });
  const away = new Date().toISOString();
  await tenant.ask(
    mutation
      .replace("exchangeUnit(input: $input) { id serialNumber unitAt { id } }", "moveUnit(input: $input) { id }")
      .replace("ExchangeUnitInput", "MoveUnitInput"),
    {
      input: { unitId: g1, state: "REMOVED", condition: "SERVICEABLE" },
    },
  );
  const log = await tenant.ask("query ($id: ID!) { component(id: $id) { version } }", { id: nde });
  await exchange(tenant, { componentId: second.gearbox, unit: { id: g1 } });
  expect(await treeOf(tenant, second.assetId)).toEqual(["0.0 Gearbox G1", "1.0 Oil pump –", "1.1 DE L1", "1.2 NDE L2", "2.0 Sensor –"]);
  expect(await contentsOf(tenant, g1)).toEqual([]);
  expect(await holderOf(tenant, sensor)).toBeUndefined();
  expect(await holderOf(tenant, sensor, away)).toBe("G1");
  expect((await tenant.ask("query ($id: ID!) { component(id: $id) { version } }", { id: nde })).component.version).toBe(
    log.component.version + 1,
  );
  expect(pump.id).toBeTruthy();
  // The past stays as it was.
  expect(await treeOf(tenant, first.assetId, before)).toEqual(["0.0 Gearbox G1", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"]);
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox –"]);
  expect(await treeOf(tenant, second.assetId, away)).toEqual(["0.0 Gearbox –", "1.0 Oil pump –"]);
});

test("hours of the bearings are those of the gearbox", async () => {
  const { tenant, first, second, g1, l1 } = await plant();
  const meter = async (assetId: string, value: number) => {
    const { createMeter } = await tenant.ask(
      'mutation ($id: ID!) { createMeter(input: { assetId: $id, name: "Run", kind: RUN_HOURS }) { id } }',
      { id: assetId },
    );
    await tenant.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", {
      readings: [
        { meterId: createMeter.id, value: 0, takenAt: "2026-01-01T00:00:00Z" },
        { meterId: createMeter.id, value, takenAt: "2026-01-31T00:00:00Z" },
      ],
    });
  };
  // 12 and 6 hours a day.
  await meter(first.assetId, 360);
  await meter(second.assetId, 180);
  expect(await hoursOf(tenant, l1, "2026-01-31T00:00:00Z")).toEqual({ total: 360, basis: "METER" });
  await exchange(tenant, { componentId: first.gearbox, reason: "PREVENTIVE", at: "2026-01-06T00:00:00Z" });
  expect(await hoursOf(tenant, l1, "2026-01-31T00:00:00Z")).toEqual({ total: 60, basis: "METER" });
  const manager = await tenant.as("manager");
  await exchange(manager, { componentId: second.gearbox, unit: { id: g1 }, at: "2026-01-21T00:00:00Z", notes: "checked on site" });
  // 5 days in the first one, 15 days away, 10 days in the second one.
  expect(await hoursOf(tenant, l1, "2026-01-31T00:00:00Z")).toEqual({ total: 5 * 12 + 10 * 6, basis: "METER" });
  expect(await hoursOf(tenant, l1, "2026-01-16T00:00:00Z")).toEqual({ total: 60, basis: "METER" });
  expect(await hoursOf(tenant, g1, "2026-01-31T00:00:00Z")).toEqual({ total: 120, basis: "METER" });
});

test("contents stay, or go without a unit in them, if the person says so", async () => {
  const { tenant, first, de, g1 } = await plant();
  await exchange(tenant, { componentId: first.gearbox, reason: "FAILURE", withContents: false });
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox –", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"]);
  expect(await contentsOf(tenant, g1)).toEqual([]);
  // Another one, of which only the sensor is below the position: it stays unless it is named.
  await exchange(tenant, { componentId: de, reason: "FAILURE" });
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox –", "1.0 DE –", "1.1 NDE L2", "2.0 Sensor –"]);
  await exchange(tenant, { componentId: de, unit: { serialNumber: "L3" } });
  await exchange(tenant, { componentId: de, reason: "FAILURE", withContents: true });
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox –", "1.0 DE –", "1.1 NDE L2"]);
});

test("a step of a work order takes the contents along, unless the technician says that they stay", async () => {
  for (const [withContents, tree, contents] of [
    [undefined, ["0.0 Gearbox –"], ["DE L1", "NDE L2"]],
    [false, ["0.0 Gearbox –", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"], []],
  ] as const) {
    const { tenant, first, g1 } = await plant();
    const { createWorkOrder } = await tenant.ask("mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }", {
      input: {
        title: "New gearbox",
        assetId: first.assetId,
        customSteps: [{ description: "Take it out", kind: "EXCHANGE", componentId: first.gearbox }],
      },
    });
    await tenant.ask("mutation ($id: ID!) { startWorkOrder(id: $id) { id } }", { id: createWorkOrder.id });
    await tenant.ask(
      "mutation ($id: ID!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: 1, input: $input) { status } }",
      {
        id: createWorkOrder.id,
        input: { status: "COMPLETED", exchange: { removed: { serialNumber: "G1" }, reason: "FAILURE", withContents } },
      },
    );
    expect(await treeOf(tenant, first.assetId)).toEqual(tree);
    expect(await contentsOf(tenant, g1)).toEqual(contents);
  }
});

test("refuses designations in use and a unit inside itself, and changes nothing", async () => {
  const { tenant, first, second, de, g1 } = await plant();
  const name = (id: string) =>
    tenant.ask('mutation ($id: ID!) { updateComponent(id: $id, input: { referenceDesignation: "=M1-B1" }) { id } }', { id });
  await name(de);
  await exchange(tenant, { componentId: first.gearbox, reason: "FAILURE" });
  const other = await tenant.createComponent({ name: "Bearing", type: "part", parentId: second.gearbox });
  await name(other.id);
  const manager = await tenant.as("manager");
  const input = { componentId: second.gearbox, unit: { id: g1 }, notes: "checked" };
  await refuses(manager, mutation, input, { code: "CONFLICT", message: "A component with this reference designation already exists" });
  await refuses(manager, mutation, { ...input, componentId: de, reason: "FAILURE" }, { code: "CONFLICT", componentId: de, unitId: g1 });
  await name(first.gearbox);
  // Its own asset has it too by now.
  await refuses(
    manager,
    mutation,
    { ...input, componentId: first.gearbox },
    { code: "CONFLICT", message: "A component with this reference designation already exists" },
  );
});

test("documented writes take nothing along, and a component that moves to an asset leaves its unit", async () => {
  const { tenant, first, de, nde, sensor, g1 } = await plant();
  const third = await driveAt(tenant, "P-3", "North");
  await tenant.rest("PUT", `/components/${first.gearbox}`, { serialNumber: "G2" });
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox G2", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"]);
  await exchange(tenant, { componentId: first.gearbox, reason: "FAILURE" });
  const { units } = await tenant.ask('{ units(filter: { serialNumber: "G2" }) { nodes { id } } }');
  const g2 = units.nodes[0].id;
  expect([await contentsOf(tenant, g1), await contentsOf(tenant, g2)]).toEqual([[], ["DE L1", "NDE L2"]]);
  // A documented number brings nothing.
  await tenant.rest("PUT", `/components/${third.gearbox}`, { serialNumber: "G2" });
  expect(await treeOf(tenant, third.assetId)).toEqual(["0.0 Gearbox G2"]);
  // New components below one of a unit belong to it, and those that move away from it do not.
  const seal = (await tenant.createComponent({ name: "Seal", type: "seal", parentId: nde })).id;
  expect(await holderOf(tenant, seal)).toBe("G2");
  await tenant.rest("PUT", `/components/${de}/move`, { newParentId: third.gearbox });
  expect([await holderOf(tenant, de), await holderOf(tenant, sensor), await holderOf(tenant, nde)]).toEqual([undefined, undefined, "G2"]);
  expect(await treeOf(tenant, third.assetId)).toEqual(["0.0 Gearbox G2", "1.0 DE L1", "2.0 Sensor –"]);
  // The number of a bearing in it is written: the former one is at the site of the gearbox.
  await tenant.rest("PUT", `/components/${nde}`, { serialNumber: "L9" });
  const { units: removed } = await tenant.ask('{ units(filter: { serialNumber: "L2" }) { nodes { whereabouts { state site } } } }');
  expect(removed.nodes).toEqual([{ whereabouts: { state: "REMOVED", site: "North" } }]);
  // Nor does a gearbox go into one of its own positions.
  await tenant.rest("PUT", `/components/${third.gearbox}`, { serialNumber: null });
  await tenant.rest("PUT", `/components/${nde}`, { serialNumber: "G2" });
  const { units: twins } = await tenant.ask('{ units(filter: { serialNumber: "G2" }) { nodes { id whereabouts { state } } } }');
  expect(twins.nodes).toEqual([
    { id: g2, whereabouts: { state: "REMOVED" } },
    { id: expect.not.stringMatching(g2), whereabouts: { state: "INSTALLED" } },
  ]);
  // Roots of no asset keep their own order.
  const loose = await tenant.createComponent({ name: "Loose", type: "part" });
  expect(loose.position).toBe(0);
});

test("a sub-assembly leaves a gearbox that is away, and its hold ends with its deletion from the plant", async () => {
  const { tenant, first, second, de, nde, sensor, g1, l1 } = await plant();
  await tenant.ask('mutation ($id: ID!) { updateComponent(id: $id, input: { serialNumber: "S1" }) { id } }', { id: sensor });
  await exchange(tenant, { componentId: first.gearbox, reason: "FAILURE" });
  // In the workshop, the bearing comes out of the gearbox with its sensor.
  await exchange(tenant, { componentId: de, reason: "PREVENTIVE" });
  expect([await contentsOf(tenant, g1), await contentsOf(tenant, l1)]).toEqual([["DE –", "NDE L2"], ["Sensor S1"]]);
  expect((await tenant.ask("query ($id: ID!) { unit(id: $id) { whereabouts { state site } } }", { id: l1 })).unit.whereabouts).toEqual({
    state: "REMOVED",
    site: "North",
  });
  const manager = await tenant.as("manager");
  await exchange(manager, { componentId: second.gearbox, unit: { id: g1 }, notes: "checked" });
  expect(await treeOf(tenant, second.assetId)).toEqual(["0.0 Gearbox G1", "1.0 DE –", "1.1 NDE L2"]);
  await exchange(manager, { componentId: nde, unit: { id: l1 }, reason: "FAILURE", notes: "checked" });
  expect(await treeOf(tenant, second.assetId)).toEqual(["0.0 Gearbox G1", "1.0 DE –", "1.1 NDE L1", "2.0 Sensor S1"]);
  await tenant.ask("mutation ($id: ID!) { deleteComponent(id: $id, removeUnits: true) { id } }", { id: second.gearbox });
  await tenant.ask("mutation ($id: ID!) { restoreComponent(id: $id) { id } }", { id: second.gearbox });
  expect(await treeOf(tenant, second.assetId)).toEqual(["0.0 Gearbox G1", "1.0 DE –", "1.1 NDE L1", "2.0 Sensor S1"]);
});

test("gearboxes that are swapped take their bearings along", async () => {
  const { tenant, first, second, de, g1 } = await plant();
  await exchange(tenant, { componentId: second.gearbox, unit: { serialNumber: "G2" }, at: "2026-01-01T00:00:00Z" });
  const swap = "mutation ($input: SwapUnitsInput!) { swapUnits(input: $input) { serialNumber } }";
  await refuses(
    tenant,
    swap,
    { componentIds: [first.gearbox, de], reason: "UNKNOWN", withContents: true },
    { code: "BAD_USER_INPUT", details: { withContents: "must not be set, because one component is below the other" } },
  );
  await tenant.ask(swap, { input: { componentIds: [first.gearbox, second.gearbox], reason: "UNKNOWN", at: "2026-01-11T00:00:00Z" } });
  expect(await treeOf(tenant, first.assetId)).toEqual(["0.0 Gearbox G2"]);
  expect(await treeOf(tenant, second.assetId)).toEqual(["0.0 Gearbox G1", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"]);
  expect(await contentsOf(tenant, g1)).toEqual([]);
  await tenant.ask(swap, { input: { componentIds: [first.gearbox, second.gearbox], reason: "UNKNOWN", withContents: false } });
  expect(await treeOf(tenant, second.assetId)).toEqual(["0.0 Gearbox G2", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"]);
});

test("keys of one site send a gearbox to another site with its bearings", async () => {
  const { tenant, first, second, de, l1 } = await plant();
  const part = (await tenant.ask('mutation { createPart(input: { partNumber: "GB", name: "Gearbox" }) { id } }')).createPart.id;
  const manager = await tenant.as("manager");
  await exchange(manager, {
    componentId: first.gearbox,
    unit: { partId: part, serialNumber: "GB-1" },
    reason: "UNKNOWN",
    withContents: false,
  });
  const north = await tenant.as("technician", ["North"], false);
  const south = await tenant.as("technician", ["South"], false);
  const seen = async (caller: Caller) => {
    const { components, units } = await caller.ask(
      '{ components { nodes { id heldBy { serialNumber } } } units(filter: { serialNumber: "L1" }) { nodes { id } } }',
    );
    return { components: components.nodes.filter(({ id }: any) => id === de), units: units.nodes };
  };
  await exchange(north, { componentId: first.gearbox, reason: "FAILURE" });
  expect(await seen(north)).toEqual({
    components: [{ id: de, heldBy: { serialNumber: "GB-1" } }],
    units: [{ id: l1 }],
  });
  expect(await seen(south)).toEqual({ components: [], units: [] });
  const { units } = await tenant.ask('{ units(filter: { serialNumber: "GB-1" }) { nodes { id } } }');
  const unitId = units.nodes[0].id;
  await refuses(south, mutation, { componentId: de, reason: "FAILURE" }, { code: "FORBIDDEN" });
  await tenant.ask("mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }", {
    input: { unitId, state: "IN_STOCK", condition: "SERVICEABLE" },
  });
  const { stockAdjustments } = await tenant.ask("{ stockAdjustments { nodes { id } } }");
  for (const { id } of stockAdjustments.nodes) await manager.ask("mutation ($id: ID!) { approveAdjustment(id: $id) { id } }", { id });
  await tenant.ask(
    `mutation ($id: ID!) { transferStock(partId: $id, input: { fromSite: "North", toSite: "South", quantity: 1, serialNumbers: ["GB-1"] }) { id } }`,
    { id: part },
  );
  expect(await seen(north)).toEqual({ components: [], units: [] });
  expect(await seen(south)).toEqual({
    components: [{ id: de, heldBy: { serialNumber: "GB-1" } }],
    units: [{ id: l1 }],
  });
  await exchange(south, { componentId: second.gearbox, unit: { id: unitId } });
  expect(await treeOf(south, second.assetId)).toEqual(["0.0 Gearbox GB-1", "1.0 DE L1", "1.1 NDE L2", "2.0 Sensor –"]);
  expect(await seen(south)).toEqual({ components: [{ id: de, heldBy: null }], units: [{ id: l1 }] });
});

test("concurrent swaps, exchanges and moves neither deadlock nor lose a component", async () => {
  const { tenant, first, second, de, nde } = await plant();
  await exchange(tenant, { componentId: second.gearbox, unit: { serialNumber: "G2" } });
  const swap = "mutation ($input: SwapUnitsInput!) { swapUnits(input: $input) { id } }";
  const componentIds = [first.gearbox, second.gearbox];
  const answers = await Promise.all(
    [0, 1, 2, 3].flatMap((i) => [
      tenant.graphql(swap, { input: { componentIds, reason: "UNKNOWN" } }),
      tenant.graphql(mutation, { input: { componentId: first.gearbox, unit: { serialNumber: `N-${i}` }, reason: "UNKNOWN" } }),
      tenant.graphql("mutation ($id: ID!, $to: ID!) { moveComponent(id: $id, newParentId: $to) { id } }", {
        id: i % 2 ? de : nde,
        to: second.gearbox,
      }),
    ]),
  );
  // A unit may have come to its place in the same millisecond.
  const codes = new Set(answers.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? []));
  expect([...codes].filter((code) => code !== "CONFLICT")).toEqual([]);
  const [lost] = await gateway.database.query<any>(
    `select count(*)::int as count from "Component" c where c."tenantId" = $1
       and (c."assetId" is null) <> exists (select from "ComponentHold" h where h."tenantId" = $1 and h."componentId" = c.id and h."endedAt" is null)`,
    [tenant.tenantId],
  );
  expect(lost.count).toBe(0);
});
