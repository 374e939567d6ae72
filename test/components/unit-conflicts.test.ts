/** Units without a part whose serial number units of parts have too (docs/units.md, "Conflicts of serial numbers"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = ["Unit", "UnitPeriod", "Component"];

const conflictsOf = async (caller: Caller) =>
  (
    await caller.ask("{ unitConflicts { totalCount nodes { id serialNumber sameNumber { id part { partNumber } } } } }")
  ).unitConflicts.nodes.map(({ id, sameNumber }: any) => [id, sameNumber.map((one: any) => one.id)]);

const periodsOf = async (caller: Caller, id: string): Promise<string[]> =>
  (await caller.ask("query ($id: ID!) { unit(id: $id) { periods { nodes { state startedAt endedAt } } } }", { id })).unit.periods.nodes
    .map(({ state, startedAt, endedAt }: any) => `${state} ${startedAt.slice(0, 10)} ${endedAt?.slice(0, 10) ?? ""}`.trim())
    .reverse();

const resolve = (caller: Caller, input: object) =>
  caller.graphql("mutation ($input: ResolveUnitConflictInput!) { resolveUnitConflict(input: $input) { id serialNumber } }", { input });

async function refuses(caller: Caller, input: object, details: object) {
  const before = await caller.snapshot(...tables);
  const { errors } = await resolve(caller, input);
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining(details)]);
  expect(await caller.snapshot(...tables)).toEqual(before);
}

/** 4711 of part B7 in the stock of North, and a component with the number 4711 since March. */
async function plant() {
  const tenant = await gateway.newTenant();
  const part = (await tenant.ask('mutation { createPart(input: { partNumber: "B7", name: "Bearing", tracksSerials: true }) { id } }'))
    .createPart.id;
  await tenant.ask(
    'mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "North", quantity: 2, serialNumbers: ["4711", "4712"] }) { id } }',
    { id: part },
  );
  const asset = await tenant.createAsset({ name: "P-1", site: "North" });
  const component = await tenant.createComponent({
    name: "DE",
    assetId: asset.id,
    serialNumber: "4711",
    installDate: "2026-03-01T00:00:00Z",
  });
  const { units } = await tenant.ask('{ units(filter: { serialNumber: "4711" }) { nodes { id partId } } }');
  const known = units.nodes.find(({ partId }: any) => partId).id as string;
  const unknown = units.nodes.find(({ partId }: any) => !partId).id as string;
  const manager = await tenant.as("manager");
  return { tenant, manager, part, component: component.id as string, known, unknown };
}

test("a unit without a part is merged into the unit of a part with its number", async () => {
  const { tenant, manager, part, component, known, unknown } = await plant();
  expect(await conflictsOf(tenant)).toEqual([[unknown, [known]]]);
  // The stock has it, so the books come first.
  await refuses(
    manager,
    { keepId: known, mergeId: unknown },
    {
      code: "CONFLICT",
      overlaps: [{ startedAt: expect.any(String), endedAt: null, states: ["IN_STOCK", "INSTALLED"] }],
    },
  );
  await refuses(tenant, { keepId: unknown, mergeId: known }, { code: "BAD_USER_INPUT", details: { keepId: "must name a unit of a part" } });
  await refuses(
    tenant,
    { keepId: known, mergeId: known },
    { code: "BAD_USER_INPUT", details: { mergeId: "must name a unit without a part" } },
  );
  await tenant.ask(
    'mutation ($id: ID!) { adjustStock(partId: $id, input: { site: "North", adjustmentType: LOSS, quantity: -1, serialNumbers: ["4711"], reason: "is installed" }) { id } }',
    { id: part },
  );
  const technician = await tenant.as("technician");
  await refuses(technician, { keepId: known, mergeId: unknown }, { code: "FORBIDDEN" });
  const { body: before } = await tenant.rest("GET", `/components/${component}`);
  expect((await resolve(manager, { keepId: known, mergeId: unknown, reason: "read on site" })).data).toEqual({
    resolveUnitConflict: { id: known, serialNumber: "4711" },
  });
  // Received today, but installed since March: the stock, and the loss that corrected it, had no time of their own.
  expect(await periodsOf(tenant, known)).toEqual(["INSTALLED 2026-03-01"]);
  expect((await tenant.rest("GET", `/components/${component}`)).body).toEqual(before);
  expect(await conflictsOf(tenant)).toEqual([]);
  const { unit, component: position } = await tenant.ask(
    "query ($unit: ID!, $component: ID!) { unit(id: $unit) { part { partNumber } changes(first: 1) { nodes { reason } } } component(id: $component) { unitAt { id } } }",
    { unit: known, component },
  );
  expect(unit.part).toEqual({ partNumber: "B7" });
  expect(position.unitAt.id).toBe(known);
  const { errors } = await tenant.graphql("query ($id: ID!) { unit(id: $id) { id } }", { id: unknown });
  expect(errors![0]!.extensions.code).toBe("NOT_FOUND");
});

test("periods of waiting give way, installations do not", async () => {
  const { tenant, manager, part, component, known, unknown } = await plant();
  const exchange = (input: object) =>
    manager.ask("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", { input });
  // The unknown one was there from 1 March to 1 May, and waits since. The known one is installed elsewhere by now.
  await exchange({ componentId: component, reason: "FAILURE", at: "2026-05-01T00:00:00Z" });
  const other = await tenant.createComponent({ name: "NDE" });
  expect(other.id).toBeTruthy();
  // Books of today: received, then issued into the other end.
  const second = await tenant.createComponent({
    name: "NDE",
    assetId: (await tenant.ask("{ assets { nodes { id } } }")).assets.nodes[0].id,
  });
  await exchange({ componentId: second.id, unit: { partId: part, serialNumber: "4711" } });
  expect((await resolve(manager, { keepId: known, mergeId: unknown })).errors).toBeUndefined();
  const today = new Date().toISOString().slice(0, 10);
  expect(await periodsOf(tenant, known)).toEqual([
    "INSTALLED 2026-03-01 2026-05-01",
    `REMOVED 2026-05-01 ${today}`,
    `IN_STOCK ${today} ${today}`,
    `INSTALLED ${today}`,
  ]);
  // Another one is entered for a time at which it was installed.
  const { body } = await tenant.rest("POST", "/components", {
    name: "Third",
    type: "bearing",
    serialNumber: "4711",
    installDate: "2026-04-01T00:00:00Z",
  });
  const [[twin]] = await conflictsOf(tenant);
  await refuses(
    manager,
    { keepId: known, mergeId: twin },
    {
      code: "CONFLICT",
      overlaps: [
        { startedAt: "2026-04-01T00:00:00.000Z", endedAt: "2026-05-01T00:00:00.000Z", states: ["INSTALLED", "INSTALLED"] },
        { startedAt: expect.any(String), endedAt: null, states: ["INSTALLED", "INSTALLED"] },
      ],
    },
  );
  expect(body.serialNumber).toBe("4711");
});

test("units of two makers are told apart, and listed again if another one comes", async () => {
  const { tenant, manager, known, unknown } = await plant();
  await resolve(manager, { keepId: known, mergeId: unknown, distinct: true });
  expect(await conflictsOf(tenant)).toEqual([]);
  const { unit } = await tenant.ask(
    "query ($id: ID!) { unit(id: $id) { distinctSince sameNumber { id } changes(first: 1) { nodes { fields { field } } } } }",
    { id: unknown },
  );
  expect(unit).toEqual({
    distinctSince: expect.any(String),
    sameNumber: [],
    changes: { nodes: [{ fields: [{ field: "distinctSince" }] }] },
  });
  const part = (await tenant.ask('mutation { createPart(input: { partNumber: "B8", name: "Bearing" }) { id } }')).createPart.id;
  await tenant.ask(
    'mutation ($id: ID!) { receiveStock(partId: $id, input: { site: "North", quantity: 1, serialNumbers: ["4711"] }) { id } }',
    {
      id: part,
    },
  );
  const [[id, others]] = await conflictsOf(tenant);
  expect([id, others.length, others.includes(known)]).toEqual([unknown, 1, false]);
  const south = await tenant.as("manager", ["South"], false);
  expect(await conflictsOf(south)).toEqual([]);
  await refuses(south, { keepId: others[0], mergeId: unknown }, { code: "FORBIDDEN" });
});
