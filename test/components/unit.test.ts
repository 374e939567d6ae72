/** Units and where they were, over GraphQL and through documented writes of components (docs/units.md). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = ["Component", "Unit", "UnitPeriod"];

const installationsOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(
      `query ($id: ID!) { component(id: $id) { installations { nodes { unit { serialNumber manufacturer } state startedAt endedAt removalReason } } } }`,
      { id },
    )
  ).component.installations.nodes.map(({ unit, ...period }: any) => ({ serialNumber: unit.serialNumber, ...period }));

const unitAt = async (caller: Caller, id: string, at?: string) =>
  (await caller.ask(`query ($id: ID!, $at: DateTime) { component(id: $id) { unitAt(at: $at) { id serialNumber } } }`, { id, at })).component
    .unitAt;

const periodsOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(
      `query ($id: ID!) { unit(id: $id) { periods { nodes { state condition componentId site startedAt endedAt removalReason workOrderId notes } } } }`,
      { id },
    )
  ).unit.periods.nodes;

const exchange = (caller: Caller, input: object, expectedVersion?: number) =>
  caller.graphql(
    `mutation ($input: ExchangeUnitInput!, $expectedVersion: Int) {
       exchangeUnit(input: $input, expectedVersion: $expectedVersion) { id serialNumber manufacturer model installDate version } }`,
    { input, expectedVersion },
  );

const move = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { whereabouts { state condition site notes } } }`, { input });

async function refuses(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object) {
  const before = await caller.snapshot(...tables);
  const { errors } = await call();
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await caller.snapshot(...tables)).toEqual(before);
}

/** P-1 at North has the position Bearing with 4711 of SKF, installed on 1 March 2026. */
async function plant() {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ name: "P-1", site: "North" });
  const bearing = await tenant.createComponent({
    name: "Bearing",
    type: "bearing",
    assetId: asset.id,
    serialNumber: "4711",
    manufacturer: "SKF",
    model: "6309",
    installDate: "2026-03-01T08:00:00Z",
  });
  const first = (await unitAt(tenant, bearing.id)).id as string;
  return { tenant, asset, bearing: bearing.id as string, first };
}

test("records the unit of a documented write, and keeps what was there before", async () => {
  const { tenant, bearing, first } = await plant();
  expect(await installationsOf(tenant, bearing)).toEqual([
    { serialNumber: "4711", state: "INSTALLED", startedAt: "2026-03-01T08:00:00.000Z", endedAt: null, removalReason: null },
  ]);
  // The same number changes nothing.
  await tenant.rest("PUT", `/components/${bearing}`, { name: "Bearing DE", serialNumber: "4711" });
  expect(await installationsOf(tenant, bearing)).toHaveLength(1);
  const { body } = await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: "4712" });
  expect(body).toMatchObject({ serialNumber: "4712", manufacturer: "SKF", installDate: "2026-03-01T08:00:00.000Z" });
  const [present, former] = await installationsOf(tenant, bearing);
  expect(present).toMatchObject({ serialNumber: "4712", endedAt: null });
  expect(former).toEqual({
    serialNumber: "4711",
    state: "INSTALLED",
    startedAt: "2026-03-01T08:00:00.000Z",
    endedAt: present.startedAt,
    removalReason: "UNKNOWN",
  });
  expect(await unitAt(tenant, bearing, "2026-03-01T08:00:00Z")).toMatchObject({ serialNumber: "4711" });
  expect(await unitAt(tenant, bearing, "2026-03-01T07:59:59.999Z")).toBeNull();
  expect(await unitAt(tenant, bearing)).toMatchObject({ serialNumber: "4712" });
  expect((await periodsOf(tenant, first))[0]).toMatchObject({
    state: "REMOVED",
    condition: "UNSERVICEABLE",
    site: "North",
    startedAt: present.startedAt,
    endedAt: null,
  });
  await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: null });
  expect(await unitAt(tenant, bearing)).toBeNull();
});

test("follows a unit that documented clients put elsewhere, and that is deleted and restored with its component", async () => {
  const { tenant, asset, bearing, first } = await plant();
  await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: null });
  const other = await tenant.createComponent({ assetId: asset.id, serialNumber: "4711" });
  expect(await unitAt(tenant, other.id)).toMatchObject({ id: first });
  await tenant.rest("DELETE", `/components/${other.id}`);
  expect((await periodsOf(tenant, first)).map(({ state, componentId }: any) => [state, componentId])).toEqual([
    ["REMOVED", null],
    ["INSTALLED", other.id],
    ["REMOVED", null],
    ["INSTALLED", bearing],
  ]);
  await tenant.ask("mutation ($id: ID!) { restoreComponent(id: $id) { id } }", { id: other.id });
  expect(await unitAt(tenant, other.id)).toMatchObject({ id: first });
  // The number of a unit that is installed belongs to another one.
  await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: "4711" });
  expect((await unitAt(tenant, bearing)).id).not.toBe(first);
  const { units } = await tenant.ask(`{ units(filter: { serialNumber: "4711" }) { nodes { id } } }`);
  expect(units.nodes).toHaveLength(2);
});

test("does not follow a number to another site", async () => {
  const { tenant, bearing, first } = await plant();
  await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: null });
  const { id: assetId } = await tenant.createAsset({ name: "P-2", site: "South" });
  const other = await tenant.createComponent({ assetId, serialNumber: "4711" });
  expect((await unitAt(tenant, other.id)).id).not.toBe(first);
});

test("corrects the date of installation of the first unit only", async () => {
  const { tenant, bearing } = await plant();
  await tenant.rest("PUT", `/components/${bearing}`, { installDate: "2026-02-01T00:00:00Z" });
  expect(await installationsOf(tenant, bearing)).toMatchObject([{ startedAt: "2026-02-01T00:00:00.000Z" }]);
  await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: "4712", installDate: "2026-04-01T00:00:00Z" });
  const before = await installationsOf(tenant, bearing);
  // The former one ended when its successor was recorded.
  expect(before[0].startedAt).toBe(before[1].endedAt);
  await tenant.rest("PUT", `/components/${bearing}`, { installDate: "2026-01-01T00:00:00Z" });
  expect(await installationsOf(tenant, bearing)).toEqual(before);
});

test("exchanges a unit afterwards, in one transaction", async () => {
  const { tenant, asset, bearing, first } = await plant();
  const { createWorkOrder: order } = await tenant.ask(
    `mutation ($assetId: ID!) { createWorkOrder(input: { title: "Bearing", assetId: $assetId, type: CORRECTIVE, priority: HIGH }) { id } }`,
    { assetId: asset.id },
  );
  const at = "2026-05-03T10:00:00.000Z";
  const { data } = await exchange(tenant, {
    componentId: bearing,
    unit: { serialNumber: "B7-1", manufacturer: "FAG" },
    reason: "FAILURE",
    at,
    workOrderId: order.id,
    notes: "Outer race",
  });
  expect(data.exchangeUnit).toEqual({
    id: bearing,
    serialNumber: "B7-1",
    manufacturer: "FAG",
    model: "6309",
    installDate: at,
    version: 2,
  });
  expect(await installationsOf(tenant, bearing)).toEqual([
    { serialNumber: "B7-1", state: "INSTALLED", startedAt: at, endedAt: null, removalReason: null },
    { serialNumber: "4711", state: "INSTALLED", startedAt: "2026-03-01T08:00:00.000Z", endedAt: at, removalReason: "FAILURE" },
  ]);
  expect((await periodsOf(tenant, first))[0]).toEqual({
    state: "REMOVED",
    condition: "UNSERVICEABLE",
    componentId: null,
    site: "North",
    startedAt: at,
    endedAt: null,
    removalReason: null,
    workOrderId: order.id,
    notes: "Outer race",
  });
  expect(await unitAt(tenant, bearing, "2026-05-03T09:59:59.999Z")).toMatchObject({ id: first });
  expect(await unitAt(tenant, bearing, at)).toMatchObject({ serialNumber: "B7-1" });
  expect((await tenant.rest("GET", `/components/${bearing}`)).body).toMatchObject({ serialNumber: "B7-1", installDate: at });

  // It takes the unit out, and puts it back after its inspection.
  const technician = await tenant.as("technician");
  const back = { componentId: bearing, unit: { id: first }, reason: "WRONG_ITEM", at: "2026-05-04T10:00:00.000Z" };
  await refuses(technician, () => exchange(technician, { ...back, notes: "No other one" }), "CONFLICT", {
    state: "removed",
    condition: "unserviceable",
  });
  const inspected = await move(tenant, { unitId: first, state: "IN_REPAIR", at: "2026-05-03T12:00:00.000Z", notes: "Acme Repairs" });
  expect(inspected.data.moveUnit.whereabouts).toEqual({
    state: "IN_REPAIR",
    condition: "UNSERVICEABLE",
    site: "North",
    notes: "Acme Repairs",
  });
  await move(tenant, { unitId: first, state: "REMOVED", condition: "SERVICEABLE", at: "2026-05-04T09:00:00.000Z" });
  expect((await exchange(technician, back)).data.exchangeUnit).toMatchObject({ serialNumber: "4711", manufacturer: "SKF", version: 3 });
  expect((await periodsOf(tenant, first)).map(({ state, condition }: any) => `${state} ${condition}`)).toEqual([
    "INSTALLED SERVICEABLE",
    "REMOVED SERVICEABLE",
    "IN_REPAIR UNSERVICEABLE",
    "REMOVED UNSERVICEABLE",
    "INSTALLED SERVICEABLE",
  ]);
});

test("lets a manager install an unserviceable unit with notes", async () => {
  const { tenant, bearing, first } = await plant();
  await exchange(tenant, { componentId: bearing, reason: "FAILURE" });
  expect(await unitAt(tenant, bearing)).toBeNull();
  const { body } = await tenant.rest("GET", `/components/${bearing}`);
  expect([body.serialNumber, body.manufacturer, body.installDate]).toEqual([undefined, "SKF", undefined]);
  const manager = await tenant.as("manager");
  await refuses(manager, () => exchange(manager, { componentId: bearing, unit: { id: first } }), "CONFLICT", {
    condition: "unserviceable",
  });
  const { data } = await exchange(manager, { componentId: bearing, unit: { serialNumber: "4711" }, notes: "Until Friday" });
  expect(data.exchangeUnit).toMatchObject({ serialNumber: "4711" });
  expect(await unitAt(tenant, bearing)).toMatchObject({ id: first });
});

test("lists units by their present state, condition and site", async () => {
  const { tenant, bearing, first } = await plant();
  const { id: assetId } = await tenant.createAsset({ name: "P-2", site: "South" });
  await tenant.createComponent({ assetId, serialNumber: "9000" });
  const serialNumbers = async (caller: Caller, filter: object) =>
    (
      await caller.ask(
        "query ($filter: UnitFilter) { units(filter: $filter, orderBy: { field: SERIAL_NUMBER }) { nodes { serialNumber } } }",
        {
          filter,
        },
      )
    ).units.nodes.map((node: any) => node.serialNumber);
  const at = (time: string) => `2026-05-03T${time}:00Z`;
  await exchange(tenant, { componentId: bearing, unit: { serialNumber: "4712" }, reason: "FAILURE", at: at("10:00") });
  expect(await serialNumbers(tenant, { state: "INSTALLED" })).toEqual(["4712", "9000"]);
  expect(await serialNumbers(tenant, { state: "INSTALLED", site: "South" })).toEqual(["9000"]);
  expect(await serialNumbers(tenant, { site: "North" })).toEqual(["4711", "4712"]);
  const toInspect = { state: "REMOVED", condition: "UNSERVICEABLE" };
  const serviceable = { state: "REMOVED", not: { condition: "UNSERVICEABLE" }, site: "North" };
  expect(await serialNumbers(tenant, toInspect)).toEqual(["4711"]);
  expect(await serialNumbers(tenant, { ...toInspect, site: "South" })).toEqual([]);
  expect(await serialNumbers(tenant, serviceable)).toEqual([]);
  await move(tenant, { unitId: first, state: "IN_REPAIR", at: at("11:00") });
  expect(await serialNumbers(tenant, { state: "IN_REPAIR" })).toEqual(["4711"]);
  await move(tenant, { unitId: first, state: "REMOVED", condition: "SERVICEABLE", at: at("12:00") });
  expect(await serialNumbers(tenant, toInspect)).toEqual([]);
  expect(await serialNumbers(tenant, serviceable)).toEqual(["4711"]);
  const south = await tenant.as("technician", ["South"], false);
  expect(await serialNumbers(south, {})).toEqual(["9000"]);
  expect(await serialNumbers(south, { state: "REMOVED" })).toEqual([]);
  expect(await serialNumbers(south, { site: "South" })).toEqual(["9000"]);
});

test("refuses what cannot have been, and writes nothing then", async () => {
  const { tenant, asset, bearing, first } = await plant();
  const empty = (await tenant.createComponent({ assetId: asset.id })).id;
  const unit = { serialNumber: "4712" };
  const out = { componentId: bearing, unit, reason: "FAILURE" };
  const details = (fields: object) => ({ details: fields });
  await refuses(tenant, () => exchange(tenant, { ...out, componentId: "x" }), "NOT_FOUND", { componentId: "x" });
  await refuses(
    tenant,
    () => exchange(tenant, { componentId: bearing, unit }),
    "BAD_USER_INPUT",
    details({ reason: "is required, because a unit comes out" }),
  );
  await refuses(
    tenant,
    () => exchange(tenant, { ...out, unit: {} }),
    "BAD_USER_INPUT",
    details({ unit: "must hold either id or serialNumber" }),
  );
  await refuses(tenant, () => exchange(tenant, { ...out, unit: { id: "x" } }), "BAD_USER_INPUT", details({ "unit.id": "names no unit" }));
  await refuses(
    tenant,
    () => exchange(tenant, { ...out, at: "2126-01-01T00:00:00Z" }),
    "BAD_USER_INPUT",
    details({ at: "must not be in the future" }),
  );
  await refuses(
    tenant,
    () => exchange(tenant, { ...out, workOrderId: "x" }),
    "BAD_USER_INPUT",
    details({ workOrderId: "names no work order of the asset" }),
  );
  await refuses(tenant, () => exchange(tenant, { ...out, at: "2026-03-01T08:00:00Z" }), "CONFLICT", { since: "2026-03-01T08:00:00.000Z" });
  await refuses(tenant, () => exchange(tenant, out, 7), "CONFLICT", { expectedVersion: 7, version: 1 });
  await refuses(tenant, () => exchange(tenant, { componentId: empty }), "CONFLICT", { componentId: empty });
  await refuses(tenant, () => exchange(tenant, { componentId: empty, unit: { id: first } }), "CONFLICT", { componentId: bearing });
  await refuses(tenant, () => move(tenant, { unitId: first, state: "LOST" }), "CONFLICT", { componentId: bearing });
  await refuses(
    tenant,
    () => move(tenant, { unitId: first, state: "INSTALLED" }),
    "BAD_USER_INPUT",
    details({ state: "must not be INSTALLED; use exchangeUnit" }),
  );
  await refuses(tenant, () => move(tenant, { unitId: "x", state: "LOST" }), "NOT_FOUND", { unitId: "x" });
  // The position was occupied after that time, although it is empty now.
  await exchange(tenant, { componentId: bearing, reason: "PREVENTIVE", at: "2026-06-01T00:00:00Z" });
  await refuses(tenant, () => exchange(tenant, { componentId: bearing, unit, at: "2026-05-01T00:00:00Z" }), "CONFLICT", {
    componentId: bearing,
  });
  const viewer = await tenant.as("viewer");
  await refuses(viewer, () => exchange(viewer, out), "FORBIDDEN", {});
});

test("keys limited to sites see and change the units of their sites", async () => {
  const { tenant, bearing, first } = await plant();
  const { id: assetId } = await tenant.createAsset({ name: "P-2", site: "South" });
  const there = (await tenant.createComponent({ assetId, serialNumber: "9000" })).id;
  const south = await tenant.as("technician", ["South"], false);
  const { units } = await south.ask("{ units { nodes { serialNumber periods { nodes { state } } } } }");
  expect(units.nodes).toEqual([{ serialNumber: "9000", periods: { nodes: [{ state: "INSTALLED" }] } }]);
  expect((await south.graphql("query ($id: ID!) { unit(id: $id) { id } }", { id: first })).errors?.[0]?.extensions.code).toBe("NOT_FOUND");
  await refuses(south, () => exchange(south, { componentId: bearing, reason: "FAILURE" }), "FORBIDDEN", {});
  await exchange(tenant, { componentId: bearing, reason: "FAILURE" });
  await refuses(south, () => exchange(south, { componentId: there, unit: { id: first }, reason: "FAILURE" }), "FORBIDDEN", {});
  await refuses(south, () => move(south, { unitId: first, state: "SCRAPPED" }), "FORBIDDEN", {});
  const { data } = await exchange(south, { componentId: there, unit: { serialNumber: "4711" }, reason: "FAILURE" });
  expect(data.exchangeUnit).toMatchObject({ serialNumber: "4711" });
  expect((await unitAt(tenant, there)).id).not.toBe(first);
  expect((await south.rest("PUT", `/components/${there}`, { serialNumber: "9000" })).status).toBe(200);
});

test("exchanges of the same component and unit at once leave one place each", async () => {
  const { tenant, asset, bearing, first } = await plant();
  const other = (await tenant.createComponent({ assetId: asset.id })).id;
  await exchange(tenant, { componentId: bearing, reason: "PREVENTIVE" });
  await move(tenant, { unitId: first, state: "REMOVED", condition: "SERVICEABLE" });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => exchange(tenant, { componentId: i % 2 ? bearing : other, unit: { id: first } })),
  );
  expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
  const writes = await Promise.all(
    Array.from({ length: 20 }, (_, i) => tenant.rest("PUT", `/components/${i % 2 ? bearing : other}`, { serialNumber: `N-${i % 3}` })),
  );
  expect(writes.map(({ status }) => status)).toEqual(writes.map(() => 200));
  const overlapping = await gateway.database.query(
    `select 1 from "UnitPeriod" a join "UnitPeriod" b on b."tenantId" = a."tenantId" and b.id > a.id and (b."unitId" = a."unitId" or b."componentId" = a."componentId")
     and tstzrange(a."startedAt", a."endedAt") && tstzrange(b."startedAt", b."endedAt") where a."tenantId" = $1`,
    [tenant.tenantId],
  );
  expect(overlapping).toEqual([]);
  for (const id of [bearing, other]) {
    const { body } = await tenant.rest("GET", `/components/${id}`);
    expect((await unitAt(tenant, id)).serialNumber).toBe(body.serialNumber);
  }
});
