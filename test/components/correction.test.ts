/** Corrections of installations (docs/units.md): another unit, other times, another reason. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = ["Component", "Unit", "UnitPeriod", "InstallationCorrection"];

const exchange = (caller: Caller, input: object) =>
  caller.ask("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", { input });
const moveUnit = (caller: Caller, input: object) =>
  caller.ask("mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }", { input });
const correct = (caller: Caller, input: object) =>
  caller.graphql(
    `mutation ($input: CorrectInstallationInput!) { correctInstallation(input: $input) {
       id startedAt endedAt removalReason unit { serialNumber }
       corrections { periodId unit { serialNumber } startedAt endedAt removalReason notes recordedBy } } }`,
    { input },
  );

async function refuses(caller: Caller, input: object, code: string, details: object) {
  const before = await caller.snapshot(...tables);
  const { errors } = await correct(caller, input);
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await caller.snapshot(...tables)).toEqual(before);
}

const day = (date: string) => `2026-${date}T08:00:00.000Z`;

/** Periods as text, oldest first: "INSTALLED 03-01 – 04-01 in Bearing". */
async function story(caller: Caller, unitId: string): Promise<string[]> {
  const { unit } = await caller.ask(
    `query ($id: ID!) { unit(id: $id) { periods(orderBy: { field: STARTED_AT }) { nodes { state startedAt endedAt component { name } } } } }`,
    { id: unitId },
  );
  const short = (time: string | null) => (time ? time.slice(5, 10) : "");
  return unit.periods.nodes.map(
    ({ state, startedAt, endedAt, component }: any) =>
      `${state} ${short(startedAt)} – ${short(endedAt)}${component ? ` in ${component.name}` : ""}`,
  );
}

const installations = async (caller: Caller, id: string) =>
  (await caller.ask("query ($id: ID!) { component(id: $id) { installations { nodes { id unit { id serialNumber } } } } }", { id }))
    .component.installations.nodes as { id: string; unit: { id: string; serialNumber: string } }[];

/** A is in Bearing from 1 March to 1 April, and B since then. C was taken out of Spare on 1 February, and is serviceable since 2 February. */
async function plant() {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ name: "P-1", site: "North" });
  const { id: bearing } = await tenant.createComponent({ name: "Bearing", assetId, serialNumber: "A", installDate: day("03-01") });
  const { id: spare } = await tenant.createComponent({ name: "Spare", assetId, serialNumber: "C", installDate: day("01-01") });
  const [ofC] = await installations(tenant, spare);
  await exchange(tenant, { componentId: spare, reason: "PREVENTIVE", at: day("02-01") });
  await moveUnit(tenant, { unitId: ofC!.unit.id, state: "REMOVED", condition: "SERVICEABLE", at: day("02-02") });
  await exchange(tenant, { componentId: bearing, unit: { serialNumber: "B" }, reason: "FAILURE", at: day("04-01") });
  const [ofB, ofA] = await installations(tenant, bearing);
  return { tenant, assetId, bearing, spare, a: ofA!, b: ofB!, c: ofC! };
}

test("names the unit that was there, and keeps the number that was entered first", async () => {
  const { tenant, bearing, b, c } = await plant();
  const { data } = await correct(tenant, { periodId: b.id, unitId: c.unit.id, notes: "misread" });
  expect(data.correctInstallation).toEqual({
    id: b.id,
    startedAt: day("04-01"),
    endedAt: null,
    removalReason: null,
    unit: { serialNumber: "C" },
    corrections: [
      {
        periodId: b.id,
        unit: { serialNumber: "B" },
        startedAt: day("04-01"),
        endedAt: null,
        removalReason: null,
        notes: "misread",
        recordedBy: expect.any(String),
      },
    ],
  });
  expect(await story(tenant, c.unit.id)).toEqual([
    "INSTALLED 01-01 – 02-01 in Spare",
    "REMOVED 02-01 – 02-02",
    "REMOVED 02-02 – 04-01",
    "INSTALLED 04-01 –  in Bearing",
  ]);
  expect(await story(tenant, b.unit.id)).toEqual([]);
  const { body } = await tenant.rest("GET", `/components/${bearing}`);
  expect(body).toMatchObject({ serialNumber: "C", installDate: day("04-01") });
});

test("names another unit of an installation that has ended: its removal is that of the other unit", async () => {
  const { tenant, bearing, a, c } = await plant();
  const before = (await tenant.rest("GET", `/components/${bearing}`)).body;
  expect((await correct(tenant, { periodId: a.id, unitId: c.unit.id })).errors).toBeUndefined();
  expect(await story(tenant, c.unit.id)).toEqual([
    "INSTALLED 01-01 – 02-01 in Spare",
    "REMOVED 02-01 – 02-02",
    "REMOVED 02-02 – 03-01",
    "INSTALLED 03-01 – 04-01 in Bearing",
    "REMOVED 04-01 – ",
  ]);
  // Nothing else is known of A.
  expect(await story(tenant, a.unit.id)).toEqual([]);
  expect((await tenant.rest("GET", `/components/${bearing}`)).body).toEqual(before);
  // And back: C stays where it was before.
  expect((await correct(tenant, { periodId: a.id, unitId: a.unit.id })).errors).toBeUndefined();
  expect(await story(tenant, a.unit.id)).toEqual(["INSTALLED 03-01 – 04-01 in Bearing", "REMOVED 04-01 – "]);
  expect(await story(tenant, c.unit.id)).toEqual(["INSTALLED 01-01 – 02-01 in Spare", "REMOVED 02-01 – 02-02", "REMOVED 02-02 – "]);
});

test("moves an exchange in time, with the unit that came out and the place that the other came from", async () => {
  const { tenant, bearing, a, b, c } = await plant();
  expect((await correct(tenant, { periodId: b.id, startedAt: day("03-20") })).errors).toBeUndefined();
  expect(await story(tenant, a.unit.id)).toEqual(["INSTALLED 03-01 – 03-20 in Bearing", "REMOVED 03-20 – "]);
  expect(await story(tenant, b.unit.id)).toEqual(["INSTALLED 03-20 –  in Bearing"]);
  expect((await tenant.rest("GET", `/components/${bearing}`)).body.installDate).toBe(day("03-20"));
  // Its end is the start of the next one.
  expect((await correct(tenant, { periodId: a.id, endedAt: day("04-10") })).errors).toBeUndefined();
  expect(await story(tenant, a.unit.id)).toEqual(["INSTALLED 03-01 – 04-10 in Bearing", "REMOVED 04-10 – "]);
  expect(await story(tenant, b.unit.id)).toEqual(["INSTALLED 04-10 –  in Bearing"]);
  // Both ends at once, past each other, with another unit.
  const { data } = await correct(tenant, { periodId: a.id, startedAt: day("04-15"), endedAt: day("04-20"), unitId: c.unit.id });
  expect(data.correctInstallation.corrections).toHaveLength(2);
  expect((await story(tenant, c.unit.id)).slice(2)).toEqual([
    "REMOVED 02-02 – 04-15",
    "INSTALLED 04-15 – 04-20 in Bearing",
    "REMOVED 04-20 – ",
  ]);
  expect(await story(tenant, b.unit.id)).toEqual(["INSTALLED 04-20 –  in Bearing"]);
  expect((await correct(tenant, { periodId: a.id, startedAt: day("02-10"), endedAt: day("02-20") })).errors).toBeUndefined();
  expect((await story(tenant, c.unit.id)).slice(2)).toEqual([
    "REMOVED 02-02 – 02-10",
    "INSTALLED 02-10 – 02-20 in Bearing",
    "REMOVED 02-20 – ",
  ]);
});

test("corrects the reason of a removal, and writes nothing if nothing changes", async () => {
  const { tenant, a } = await plant();
  const { data } = await correct(tenant, { periodId: a.id, reason: "WRONG_ITEM" });
  expect(data.correctInstallation).toMatchObject({ removalReason: "WRONG_ITEM", corrections: [{ removalReason: "FAILURE", notes: null }] });
  const before = await tenant.snapshot(...tables);
  expect((await correct(tenant, { periodId: a.id, reason: "WRONG_ITEM", startedAt: day("03-01") })).errors).toBeUndefined();
  expect(await tenant.snapshot(...tables)).toEqual(before);
});

test("a unit that was not installed after all is with the work order to which the stock issued it", async () => {
  const { tenant, assetId, bearing, c } = await plant();
  const { createPart } = await tenant.ask(
    `mutation { createPart(input: { partNumber: "B-7", name: "Bearing", tracksSerials: true }) { id } }`,
  );
  const partId = createPart.id;
  const { createWorkOrder: order } = await tenant.ask(
    "mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }",
    { input: { assetId, title: "Exchange" } },
  );
  const moved = { quantity: 1, serialNumbers: ["S-1"] };
  await tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
    id: partId,
    input: { quantity: 2, serialNumbers: ["S-1", "S-2"], site: "North" },
  });
  await tenant.ask("mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }", {
    id: order.id,
    input: { ...moved, partId, site: "North" },
  });
  const { units } = await tenant.ask(`{ units(filter: { serialNumber: "S-1" }) { nodes { id } } }`);
  const unitId = units.nodes[0].id;
  await exchange(tenant, { componentId: bearing, unit: { id: unitId }, reason: "FAILURE", workOrderId: order.id });
  const [installed] = await installations(tenant, bearing);
  expect((await correct(tenant, { periodId: installed!.id, unitId: c.unit.id })).errors).toBeUndefined();
  const states = (await story(tenant, unitId)).map((line) => line.split(" ")[0]);
  expect(states).toEqual(["IN_STOCK", "WITH_WORK_ORDER"]);
  const { unit } = await tenant.ask("query ($id: ID!) { unit(id: $id) { whereabouts { state workOrderId } } }", { id: unitId });
  expect(unit.whereabouts).toEqual({ state: "WITH_WORK_ORDER", workOrderId: order.id });
  const { units: others } = await tenant.ask(`{ units(filter: { serialNumber: "S-2" }) { nodes { id } } }`);
  await refuses(tenant, { periodId: installed!.id, unitId: others.nodes[0].id, notes: "seen" }, "CONFLICT", { state: "in_stock" });
});

test("refuses corrections that overlap other periods, and writes nothing then", async () => {
  const { tenant, spare, a, b, c } = await plant();
  const overlap = "The correction overlaps another period of the unit or of the component";
  const refusesOverlap = async (input: { periodId: string; startedAt?: string; endedAt?: string }) => {
    const { errors } = await correct(tenant, input);
    expect(errors?.[0]).toMatchObject({ message: overlap });
    await refuses(tenant, input, "CONFLICT", { periodId: input.periodId });
  };
  await refusesOverlap({ periodId: b.id, startedAt: day("03-01") });
  await refusesOverlap({ periodId: b.id, startedAt: day("02-10") });
  await exchange(tenant, { componentId: spare, unit: { id: c.unit.id }, at: day("03-10") });
  await refuses(tenant, { periodId: a.id, unitId: c.unit.id }, "CONFLICT", { since: day("02-02") });
  await refuses(tenant, { periodId: b.id, unitId: c.unit.id }, "CONFLICT", { state: "installed", componentId: spare });
  const [present, former] = await installations(tenant, spare);
  await refusesOverlap({ periodId: present!.id, startedAt: day("01-20") });
  await refusesOverlap({ periodId: former!.id, endedAt: day("02-02") });
  // B is known from 1 April only, and A came out as unserviceable then.
  await exchange(tenant, { componentId: spare, reason: "FAILURE", at: day("04-10") });
  await exchange(tenant, { componentId: spare, unit: { serialNumber: "D" }, at: day("04-20") });
  const [ofD] = await installations(tenant, spare);
  const technician = await tenant.as("technician");
  await refuses(technician, { periodId: ofD!.id, unitId: a.unit.id, notes: "seen" }, "CONFLICT", { condition: "unserviceable" });
  await refuses(tenant, { periodId: ofD!.id, unitId: a.unit.id }, "CONFLICT", { condition: "unserviceable" });
  expect((await correct(tenant, { periodId: ofD!.id, unitId: a.unit.id, notes: "seen" })).errors).toBeUndefined();
});

test("refuses wrong input", async () => {
  const { tenant, a, b } = await plant();
  const details = (fields: object) => ({ details: fields });
  const future = "2126-01-01T00:00:00Z";
  await refuses(tenant, { periodId: "x" }, "NOT_FOUND", { periodId: "x" });
  const { unit } = await tenant.ask("query ($id: ID!) { unit(id: $id) { whereabouts { id } } }", { id: a.unit.id });
  await refuses(tenant, { periodId: unit.whereabouts.id }, "BAD_USER_INPUT", details({ periodId: "must name an installation" }));
  await refuses(
    tenant,
    { periodId: a.id, startedAt: future, endedAt: future },
    "BAD_USER_INPUT",
    details({ startedAt: "must not be in the future", endedAt: "must not be in the future" }),
  );
  await refuses(tenant, { periodId: a.id, startedAt: day("04-01") }, "BAD_USER_INPUT", details({ startedAt: "must be before endedAt" }));
  await refuses(tenant, { periodId: a.id, endedAt: day("03-01") }, "BAD_USER_INPUT", details({ endedAt: "must be after startedAt" }));
  await refuses(
    tenant,
    { periodId: b.id, endedAt: day("05-01"), reason: "FAILURE" },
    "BAD_USER_INPUT",
    details({
      endedAt: "must be left out, because the unit is installed; use exchangeUnit",
      reason: "must be left out, because the unit is installed",
    }),
  );
  await refuses(tenant, { periodId: a.id, unitId: "x" }, "BAD_USER_INPUT", details({ unitId: "names no unit" }));
  const viewer = await tenant.as("viewer");
  await refuses(viewer, { periodId: a.id, reason: "UNKNOWN" }, "FORBIDDEN", {});
});

test("keys limited to sites correct the installations of their sites, with units of their sites", async () => {
  const { tenant, a, b } = await plant();
  const { id: assetId } = await tenant.createAsset({ name: "P-2", site: "South" });
  const { id: there } = await tenant.createComponent({ name: "There", assetId, serialNumber: "Z", installDate: day("03-01") });
  const [ofZ] = await installations(tenant, there);
  for (const readsAll of [true, false]) {
    const south = await tenant.as("technician", ["South"], readsAll);
    await refuses(south, { periodId: b.id, startedAt: day("04-02") }, "FORBIDDEN", {});
    await refuses(south, { periodId: ofZ!.id, unitId: b.unit.id }, "FORBIDDEN", {});
  }
  const south = await tenant.as("technician", ["South"], false);
  expect((await correct(south, { periodId: ofZ!.id, startedAt: day("03-02") })).data.correctInstallation.corrections).toHaveLength(1);
  // A neighbouring period of another site is not changed.
  await moveUnit(tenant, { unitId: a.unit.id, state: "REMOVED", condition: "SERVICEABLE", at: day("04-05") });
  await exchange(tenant, { componentId: there, unit: { id: a.unit.id }, reason: "FAILURE", at: day("05-01") });
  const [ofA] = await installations(tenant, there);
  await refuses(south, { periodId: ofA!.id, startedAt: day("05-02") }, "FORBIDDEN", {});
});

test("corrections of an installation at once leave units in one place each", async () => {
  const { tenant, bearing, a, b, c } = await plant();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      correct(tenant, { periodId: b.id, ...(i % 2 ? { unitId: c.unit.id } : { startedAt: day(`03-1${i % 10}`) }) }),
    ),
  );
  // A busy machine may refuse some of them.
  for (const { errors } of answers) expect([undefined, "SERVICE_UNAVAILABLE"]).toContain(errors?.[0]?.extensions.code);
  expect((await correct(tenant, { periodId: b.id, unitId: c.unit.id })).errors).toBeUndefined();
  expect((await installations(tenant, bearing))[0]!.unit.serialNumber).toBe("C");
  const [, , , last] = await story(tenant, c.unit.id);
  const [, removed] = await story(tenant, a.unit.id);
  expect(last!.slice(10, 15)).toBe(removed!.slice(8, 13));
});
