/** Units that exchanges, inspections and the ledger move between stock and positions (docs/units.md). */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, sharedGateway } from "../world.js";

const gateway = await sharedGateway();

const tables = [
  "Component",
  "Unit",
  "UnitPeriod",
  "StockLevel",
  "StockMovement",
  "StockBatch",
  "StockAdjustment",
  "WorkOrder",
  "WorkOrderPart",
];

const state = (tenant: Caller) =>
  Promise.all(
    tables.map((table) =>
      gateway.database.query(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
        tenant.tenantId,
      ]),
    ),
  );

/** Calls, and expects the refusal to have changed nothing. Returns what the error says. */
async function refused(caller: Caller, call: Promise<GraphqlAnswer> | (() => Promise<GraphqlAnswer>)): Promise<any> {
  const before = await state(caller);
  const { errors } = await (typeof call === "function" ? call() : call);
  expect(errors, "it is refused").toHaveLength(1);
  expect(await state(caller)).toEqual(before);
  return { message: errors![0]!.message, ...errors![0]!.extensions };
}

const exchange = (caller: Caller, input: object) =>
  caller.graphql(
    `mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id serialNumber manufacturer model installDate } }`,
    { input },
  );

const swap = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: SwapUnitsInput!) { swapUnits(input: $input) { id serialNumber manufacturer installDate version } }`, {
    input,
  });

const moveUnit = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { whereabouts { state condition site notes } } }`, { input });

const done = async (call: Promise<GraphqlAnswer>): Promise<any> => {
  const { data, errors } = await call;
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data;
};

type Verb = "receiveStock" | "issueStock" | "returnStock" | "reserveStock";

const stock = (caller: Caller, verb: Verb, partId: string, input: object) =>
  caller.graphql(`mutation ($p: ID!, $input: MoveStockInput!) { moved: ${verb}(partId: $p, input: $input) { id performedAt } }`, {
    p: partId,
    input: { site: "North", ...input },
  });

const newPart = async (caller: Caller, fields: object = {}): Promise<string> =>
  (
    await caller.ask("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { partNumber: randomUUID(), name: "Bearing", tracksSerials: true, ...fields },
    })
  ).createPart.id;

const newOrder = async (caller: Caller, assetId: string): Promise<string> =>
  (
    await caller.ask(
      `mutation ($assetId: ID!) { createWorkOrder(input: { title: "Bearing", assetId: $assetId, type: CORRECTIVE, priority: HIGH }) { id } }`,
      { assetId },
    )
  ).createWorkOrder.id;

const unitOf = async (caller: Caller, partId: string, serialNumber: string): Promise<any> =>
  (
    await caller.ask(
      `query ($partId: ID!, $serialNumber: String!) { units(filter: { partId: $partId, serialNumber: $serialNumber }) {
         nodes { id manufacturer model part { id } periods { nodes { state condition site componentId workOrderId startedAt endedAt removalReason } } } } }`,
      { partId, serialNumber },
    )
  ).units.nodes[0];

/** State, condition and place of each period, oldest first. Each begins when the one before ends. */
async function story(caller: Caller, partId: string, serialNumber: string): Promise<string[]> {
  const { periods } = await unitOf(caller, partId, serialNumber);
  const nodes = periods.nodes.toReversed();
  expect(nodes.slice(1).map(({ startedAt }: any) => startedAt)).toEqual(nodes.slice(0, -1).map(({ endedAt }: any) => endedAt));
  expect(nodes.at(-1).endedAt).toBeNull();
  return nodes.map(({ state, condition, site }: any) => [state, condition, site].filter(Boolean).join(" "));
}

const levelOf = async (caller: Caller, partId: string, site = "North") =>
  (
    await caller.ask(
      "query ($p: ID!, $site: String) { part(id: $p) { stockAt(site: $site) { quantity totalValue blockedStock availableStock } } }",
      {
        p: partId,
        site,
      },
    )
  ).part.stockAt;

/** The books agree with themselves and with the units in stock. */
async function agrees(tenant: Caller): Promise<void> {
  const { verifyLedger } = await tenant.ask("{ verifyLedger { balanced faults { __typename } } }");
  expect(verifyLedger).toEqual({ balanced: true, faults: [] });
  const differing = await gateway.database.query(
    `select s."partId", s.site, s.quantity from "StockLevel" s where s."tenantId" = $1 and s.quantity <> (
       select count(*) from "Unit" u join "UnitPeriod" p on p."tenantId" = u."tenantId" and p."unitId" = u.id and p."endedAt" is null and p.state = 'in_stock' and p.site = s.site
       where u."tenantId" = s."tenantId" and u."partId" = s."partId")`,
    [tenant.tenantId],
  );
  expect(differing).toEqual([]);
}

const serialNumberOf = async (caller: Caller, id: string) => (await caller.rest("GET", `/components/${id}`)).body.serialNumber;

/** Pump P-1 at North with an empty position, and two bearings 6309 in the stock of North at 100 each. */
async function plant() {
  const tenant = await gateway.newTenant();
  const asset = (await tenant.createAsset({ name: "P-1", site: "North" })).id as string;
  const bearing = (await tenant.createComponent({ name: "Bearing", type: "bearing", assetId: asset })).id as string;
  const part = await newPart(tenant, { coreValue: 40, manufacturer: "SKF", manufacturerPartNumber: "6309" });
  const { moved } = await done(stock(tenant, "receiveStock", part, { quantity: 2, unitCost: 100, serialNumbers: ["A", "B"] }));
  return { tenant, asset, bearing, part, received: moved.performedAt as string };
}

const now = () => new Date().toISOString();

test("a unit goes from stock into a pump, out of it, through its inspection back to stock, and to another site", async () => {
  const { tenant, asset, bearing, part, received } = await plant();
  const order = await newOrder(tenant, asset);
  const { id: a } = await unitOf(tenant, part, "A");
  const technician = await tenant.as("technician");

  const installed = now();
  const first = { componentId: bearing, unit: { id: a }, at: installed, workOrderId: order };
  expect((await done(exchange(technician, first))).exchangeUnit).toEqual({
    id: bearing,
    serialNumber: "A",
    manufacturer: "SKF",
    model: "6309",
    installDate: installed,
  });
  expect(await levelOf(tenant, part)).toMatchObject({ quantity: 1, totalValue: 100 });
  const removed = now();
  await done(
    exchange(technician, {
      componentId: bearing,
      unit: { partId: part, serialNumber: "B" },
      reason: "FAILURE",
      at: removed,
      workOrderId: order,
    }),
  );
  expect(await levelOf(tenant, part)).toMatchObject({ quantity: 0, totalValue: 0 });
  const { workOrder } = await tenant.ask(
    "query ($id: ID!) { workOrder(id: $id) { materialCost requiredParts { issuedQuantity returnedQuantity status } } }",
    { id: order },
  );
  expect(workOrder).toEqual({ materialCost: 200, requiredParts: [{ issuedQuantity: 2, returnedQuantity: 0, status: "ISSUED" }] });

  await done(moveUnit(technician, { unitId: a, state: "IN_REPAIR", notes: "Acme Repairs" }));
  const released = now();
  expect((await done(moveUnit(technician, { unitId: a, state: "IN_STOCK", condition: "SERVICEABLE", at: released }))).moveUnit).toEqual({
    whereabouts: { state: "IN_STOCK", condition: "SERVICEABLE", site: "North", notes: null },
  });
  // At the core value of the part, and available: it had left this stock by an issue.
  expect(await levelOf(tenant, part)).toEqual({ quantity: 1, totalValue: 40, blockedStock: 0, availableStock: 1 });
  await agrees(tenant);

  const { startTransfer } = await tenant.ask(
    `mutation ($p: ID!) { startTransfer(partId: $p, input: { fromSite: "North", toSite: "South", quantity: 1, serialNumbers: ["A"] }) { id } }`,
    { p: part },
  );
  await tenant.ask("mutation ($id: ID!) { shipTransfer(id: $id) { id } }", { id: startTransfer.id });
  expect((await refused(technician, exchange(technician, { componentId: bearing, unit: { id: a }, reason: "FAILURE" }))).state).toBe(
    "in_transit",
  );
  expect((await refused(technician, moveUnit(technician, { unitId: a, state: "LOST" }))).state).toBe("in_transit");
  await tenant.ask("mutation ($id: ID!) { receiveTransfer(id: $id) { id } }", { id: startTransfer.id });
  expect(await levelOf(tenant, part, "South")).toMatchObject({ quantity: 1, totalValue: 40 });
  expect(await story(tenant, part, "A")).toEqual([
    "IN_STOCK NEW North",
    "INSTALLED NEW",
    "REMOVED UNSERVICEABLE North",
    "IN_REPAIR UNSERVICEABLE North",
    "IN_STOCK SERVICEABLE North",
    "IN_TRANSIT SERVICEABLE North",
    "IN_STOCK SERVICEABLE South",
  ]);
  const times = (await unitOf(tenant, part, "A")).periods.nodes.toReversed();
  expect([0, 1, 2, 4].map((i) => times[i].startedAt)).toEqual([received, installed, removed, released]);
  expect(times[1]).toMatchObject({ componentId: bearing, workOrderId: order, removalReason: "FAILURE" });
  await agrees(tenant);
  // The stock of another site has to be sent first.
  expect(await refused(technician, exchange(technician, { componentId: bearing, unit: { id: a }, reason: "FAILURE" }))).toMatchObject({
    code: "CONFLICT",
    site: "South",
  });
});

test("an exchange without a work order issues the unit by its serial number, and is recorded afterwards", async () => {
  const { tenant, bearing, part, received } = await plant();
  const early = await refused(
    tenant,
    exchange(tenant, { componentId: bearing, unit: { serialNumber: "A" }, at: "2026-01-01T00:00:00.000Z" }),
  );
  expect(early).toMatchObject({ code: "CONFLICT", since: received });
  const at = now();
  await done(exchange(tenant, { componentId: bearing, unit: { serialNumber: "A" }, at, notes: "Spare" }));
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North", "INSTALLED NEW"]);
  const { part: found } = await tenant.ask(
    "query ($p: ID!) { part(id: $p) { movements { nodes { type quantity serialNumbers reason notes occurredAt workOrderId } } } }",
    { p: part },
  );
  expect(found.movements.nodes.at(-1)).toEqual({
    type: "ISSUE",
    quantity: -1,
    serialNumbers: ["A"],
    reason: "Installed in a component",
    notes: "Spare",
    occurredAt: at,
    workOrderId: null,
  });
  // An installed unit does not come into stock, neither by a return nor by taking its issue back.
  const back = await refused(tenant, stock(tenant, "returnStock", part, { quantity: 1, serialNumbers: ["A"] }));
  expect(back).toMatchObject({ code: "CONFLICT", serialNumbers: ["A"] });
  const [{ id: issue }] = (await gateway.database.query(`select id from "StockMovement" where "tenantId" = $1 and type = 'issue'`, [
    tenant.tenantId,
  ])) as any;
  const reverse = `mutation ($id: ID!) { reverseMovement(id: $id, reason: "wrong") { id } }`;
  expect((await refused(tenant, tenant.graphql(reverse, { id: issue }))).serialNumbers).toEqual(["A"]);
  await agrees(tenant);
});

test("reserved, blocked and expired stock, and stock of finished orders, is not installed", async () => {
  const { tenant, asset, bearing, part } = await plant();
  const order = await newOrder(tenant, asset);
  const other = await newOrder(tenant, asset);
  const input = { componentId: bearing, unit: { partId: part, serialNumber: "A" } };
  await tenant.ask(`mutation ($p: ID!) { reserveStock(partId: $p, input: { quantity: 2, site: "North" }) { id } }`, { p: part });
  const lack = { code: "CONFLICT", available: 0, requested: 1 };
  expect(await refused(tenant, exchange(tenant, input))).toMatchObject(lack);
  expect(await refused(tenant, exchange(tenant, { ...input, workOrderId: order }))).toMatchObject(lack);
  await tenant.ask(`mutation ($p: ID!) { unreserveStock(partId: $p, input: { quantity: 2, site: "North" }) { id } }`, { p: part });
  await tenant.ask('mutation ($id: ID!) { cancelWorkOrder(id: $id, reason: "None") { id } }', { id: other });
  expect(await refused(tenant, exchange(tenant, { ...input, workOrderId: other }))).toMatchObject({
    code: "CONFLICT",
    status: "CANCELLED",
  });

  const expiring = await newPart(tenant);
  await done(
    stock(tenant, "receiveStock", expiring, { quantity: 1, serialNumbers: ["E"], batchNumber: "X", expiryDate: "2026-01-01T00:00:00Z" }),
  );
  expect(await refused(tenant, exchange(tenant, { componentId: bearing, unit: { serialNumber: "E" } }))).toMatchObject({
    code: "CONFLICT",
  });
  const gained = await newPart(tenant);
  await tenant.ask(
    `mutation ($p: ID!) { adjustStock(partId: $p, input: { adjustmentType: CORRECTION, quantity: 1, site: "North", serialNumbers: ["G"], reason: "Found" }) { id } }`,
    { p: gained },
  );
  expect(await refused(tenant, exchange(tenant, { componentId: bearing, unit: { serialNumber: "G" } }))).toMatchObject(lack);
});

test("an exchange for a work order issues what the order has reserved", async () => {
  const { tenant, asset, bearing, part } = await plant();
  const { createWorkOrder: order } = await tenant.ask(
    `mutation ($input: CreateWorkOrderInput!) { createWorkOrder(input: $input) { id } }`,
    { input: { title: "Bearing", assetId: asset, type: "CORRECTIVE", priority: "HIGH", parts: [{ partId: part, quantity: 2 }] } },
  );
  expect(await levelOf(tenant, part)).toMatchObject({ availableStock: 0 });
  await done(exchange(tenant, { componentId: bearing, unit: { serialNumber: "A" }, workOrderId: order.id }));
  const { workOrder } = await tenant.ask(
    "query ($id: ID!) { workOrder(id: $id) { materialCost requiredParts { reserved issuedQuantity } } }",
    {
      id: order.id,
    },
  );
  expect(workOrder).toEqual({ materialCost: 100, requiredParts: [{ reserved: 1, issuedQuantity: 1 }] });
  await agrees(tenant);
});

test("only serviceable units of parts are released to stock", async () => {
  const { tenant, bearing, part } = await plant();
  const { id: a } = await unitOf(tenant, part, "A");
  const release = { unitId: a, state: "IN_STOCK", condition: "SERVICEABLE" };
  expect(await refused(tenant, moveUnit(tenant, release))).toMatchObject({ code: "CONFLICT", state: "in_stock", site: "North" });
  // Only movements take units out of stock.
  expect(await refused(tenant, moveUnit(tenant, { unitId: a, state: "SCRAPPED" }))).toMatchObject({ code: "CONFLICT", state: "in_stock" });
  await done(exchange(tenant, { componentId: bearing, unit: { id: a } }));
  expect(await refused(tenant, moveUnit(tenant, release))).toMatchObject({ code: "CONFLICT", componentId: bearing });
  await done(exchange(tenant, { componentId: bearing, unit: { serialNumber: "X-1" }, reason: "FAILURE" }));
  const unfit = { code: "BAD_USER_INPUT", details: { condition: "must be SERVICEABLE to release the unit to stock" } };
  expect(await refused(tenant, moveUnit(tenant, { unitId: a, state: "IN_STOCK" }))).toMatchObject(unfit);
  expect(await refused(tenant, moveUnit(tenant, { ...release, condition: "NEW" }))).toMatchObject(unfit);
  expect(await refused(tenant, moveUnit(tenant, { ...release, at: "2026-01-01T00:00:00Z" }))).toMatchObject({ code: "CONFLICT" });
  for (const state of ["IN_TRANSIT", "WITH_WORK_ORDER"])
    expect(await refused(tenant, moveUnit(tenant, { unitId: a, state }))).toMatchObject({
      details: { state: "must be REMOVED, IN_REPAIR, IN_STOCK, SCRAPPED or LOST; stock movements set the others" },
    });
  const { component } = await tenant.ask("query ($id: ID!) { component(id: $id) { unitAt { id } } }", { id: bearing });
  await done(exchange(tenant, { componentId: bearing, reason: "PREVENTIVE" }));
  expect(await refused(tenant, moveUnit(tenant, { ...release, unitId: component.unitAt.id }))).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { state: "must not be IN_STOCK, because the unit has no part; use REMOVED, from where exchangeUnit installs it" },
  });
  for (const state of ["SCRAPPED", "LOST"]) {
    await done(moveUnit(tenant, { unitId: a, state }));
    expect(await refused(tenant, moveUnit(tenant, release))).toMatchObject({ code: "CONFLICT", state: state.toLowerCase() });
  }
});

test("the release of a unit that was never in stock waits for another person, whose rejection sends it back to inspection", async () => {
  const { tenant, bearing } = await plant();
  const part = await newPart(tenant, { manufacturer: "FAG" });
  const technician = await tenant.as("technician");
  const declared = { componentId: bearing, unit: { partId: part, serialNumber: "C" } };
  expect((await done(exchange(technician, declared))).exchangeUnit).toMatchObject({ serialNumber: "C", manufacturer: "FAG" });
  const { id: c } = await unitOf(tenant, part, "C");
  await done(exchange(technician, { componentId: bearing, reason: "PREVENTIVE" }));
  await done(moveUnit(technician, { unitId: c, state: "IN_STOCK", condition: "SERVICEABLE" }));
  expect(await levelOf(tenant, part)).toEqual({ quantity: 1, totalValue: 0, blockedStock: 1, availableStock: 0 });
  const { stockAdjustments } = await tenant.ask("{ stockAdjustments(filter: { pending: true }) { nodes { id quantity } } }");
  expect(stockAdjustments.nodes).toEqual([{ id: expect.any(String), quantity: 1 }]);
  const [{ id }] = stockAdjustments.nodes;
  await tenant.ask("mutation ($id: ID!) { rejectAdjustment(id: $id) { id } }", { id });
  expect(await story(tenant, part, "C")).toEqual([
    "INSTALLED SERVICEABLE",
    "REMOVED UNSERVICEABLE North",
    "IN_STOCK SERVICEABLE North",
    "REMOVED UNSERVICEABLE North",
  ]);
  await agrees(tenant);
  await done(moveUnit(technician, { unitId: c, state: "IN_STOCK", condition: "SERVICEABLE" }));
  const { stockAdjustments: again } = await tenant.ask("{ stockAdjustments(filter: { pending: true }) { nodes { id } } }");
  await tenant.ask("mutation ($id: ID!) { approveAdjustment(id: $id) { id } }", { id: again.nodes[0].id });
  expect(await levelOf(tenant, part)).toMatchObject({ availableStock: 1 });
  await done(exchange(technician, { componentId: bearing, unit: { id: c } }));
  await agrees(tenant);
});

test("a component with parts accepts units of these parts, or what a manager installs with notes", async () => {
  const { tenant, bearing, part } = await plant();
  const technician = await tenant.as("technician");
  const other = await newPart(tenant, { componentIds: [bearing] });
  const { component } = await tenant.ask("query ($id: ID!) { component(id: $id) { parts { id } } }", { id: bearing });
  expect(component.parts).toEqual([{ id: other }]);
  const wrong = { componentId: bearing, unit: { serialNumber: "A" }, notes: "No other one" };
  const refusal = { code: "CONFLICT", componentId: bearing, partId: part };
  expect(await refused(technician, exchange(technician, wrong))).toMatchObject({
    ...refusal,
    message: "The component accepts other parts, listed as its parts; let a manager install the unit with notes",
  });
  const declared = { componentId: bearing, unit: { partId: part, serialNumber: "New" } };
  expect(await refused(technician, exchange(technician, declared))).toMatchObject(refusal);
  expect(await refused(tenant, exchange(tenant, { ...wrong, notes: " " }))).toMatchObject(refusal);
  expect(await refused(tenant, exchange(tenant, { ...wrong, unit: { partId: "x", serialNumber: "A" } }))).toMatchObject({
    details: { "unit.partId": "names no part" },
  });
  // A unit without a part is not checked.
  await done(exchange(technician, { componentId: bearing, unit: { serialNumber: "Unknown" } }));
  const manager = await tenant.as("manager");
  await done(exchange(manager, { ...wrong, reason: "PREVENTIVE" }));
  expect(await serialNumberOf(tenant, bearing)).toBe("A");
  // A deactivated part does not limit the component.
  await tenant.ask("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id: other });
  await done(exchange(technician, { componentId: bearing, unit: { serialNumber: "B" }, reason: "PREVENTIVE" }));
  await agrees(tenant);
});

test("a serial number of several units at the site needs the part", async () => {
  const { tenant, bearing, part } = await plant();
  const other = await newPart(tenant);
  await done(stock(tenant, "receiveStock", other, { quantity: 1, serialNumbers: ["A"] }));
  const ids = [(await unitOf(tenant, part, "A")).id, (await unitOf(tenant, other, "A")).id].sort();
  expect(await refused(tenant, exchange(tenant, { componentId: bearing, unit: { serialNumber: "A" } }))).toMatchObject({
    code: "CONFLICT",
    unitIds: ids,
  });
  await done(exchange(tenant, { componentId: bearing, unit: { partId: other, serialNumber: "A" } }));
  expect(await story(tenant, other, "A")).toEqual(["IN_STOCK NEW North", "INSTALLED NEW"]);
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North"]);
  await agrees(tenant);
});

test("two exchanges at once for the last unit: one wins, with or without a work order", async () => {
  const { tenant, asset, bearing, part } = await plant();
  const workOrderId = await newOrder(tenant, asset);
  const positions = await Promise.all(
    Array.from({ length: 7 }, async () => (await tenant.createComponent({ assetId: asset })).id as string),
  );
  const race = async (serialNumber: string, components: string[], order?: string) => {
    const answers = await Promise.all(
      components.map((componentId) => exchange(tenant, { componentId, unit: { partId: part, serialNumber }, workOrderId: order })),
    );
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code);
    expect(codes.toSorted()).toEqual(["CONFLICT", "CONFLICT", "CONFLICT", undefined]);
  };
  await race("A", [bearing, ...positions.slice(0, 3)]);
  await race("B", positions.slice(3), workOrderId);
  expect(await levelOf(tenant, part)).toMatchObject({ quantity: 0 });
  await agrees(tenant);
});

test("keys limited to sites install and release the stock of their sites", async () => {
  const { tenant, bearing, part } = await plant();
  const { id: assetId } = await tenant.createAsset({ name: "P-2", site: "South" });
  const there = (await tenant.createComponent({ assetId })).id;
  const south = await tenant.as("technician", ["South"], false);
  const { id: a } = await unitOf(tenant, part, "A");
  const ofNorth = { componentId: there, unit: { id: a } };
  const both = { componentIds: [bearing, there], reason: "UNKNOWN" };
  // Not even that it is empty.
  expect((await refused(south, swap(south, both))).code).toBe("FORBIDDEN");
  expect((await refused(south, exchange(south, ofNorth))).code).toBe("FORBIDDEN");
  expect((await refused(south, exchange(south, { ...ofNorth, unit: { partId: part, serialNumber: "A" } }))).code).toBe("FORBIDDEN");
  expect((await refused(south, exchange(south, { ...ofNorth, componentId: bearing }))).code).toBe("FORBIDDEN");
  await done(stock(tenant, "receiveStock", part, { quantity: 1, serialNumbers: ["S"], site: "South", unitCost: 10 }));
  await done(exchange(south, { componentId: there, unit: { partId: part, serialNumber: "S" } }));
  await done(exchange(tenant, { componentId: bearing, unit: { id: a } }));
  // Not even where it is installed.
  expect((await refused(south, moveUnit(south, { unitId: a, state: "LOST" }))).code).toBe("FORBIDDEN");
  expect((await refused(south, swap(south, both))).code).toBe("FORBIDDEN");
  await done(exchange(south, { componentId: there, reason: "FAILURE" }));
  await done(exchange(tenant, { componentId: bearing, reason: "FAILURE" }));
  const released = { state: "IN_STOCK", condition: "SERVICEABLE" };
  expect((await refused(south, moveUnit(south, { unitId: a, ...released }))).code).toBe("FORBIDDEN");
  const { id: s } = await unitOf(tenant, part, "S");
  await done(moveUnit(south, { unitId: s, ...released }));
  expect(await levelOf(tenant, part, "South")).toMatchObject({ quantity: 1, totalValue: 40 });
  await agrees(tenant);
});

test("two machines swap their units in one call", async () => {
  const { tenant, asset, bearing, part } = await plant();
  const other = (await tenant.createComponent({ assetId: asset, serialNumber: "Old", manufacturer: "FAG" })).id;
  const workOrderId = await newOrder(tenant, asset);
  const componentIds = [bearing, other];
  const empty = { componentIds, reason: "UNKNOWN" };
  expect(await refused(tenant, swap(tenant, empty))).toMatchObject({ code: "CONFLICT", componentId: bearing });
  await done(exchange(tenant, { componentId: bearing, unit: { serialNumber: "A" } }));
  const at = now();
  const { swapUnits } = await done(swap(tenant, { ...empty, at, workOrderId, notes: "Follows the fault?" }));
  expect(swapUnits).toEqual([
    { id: bearing, serialNumber: "Old", manufacturer: "FAG", installDate: at, version: 3 },
    { id: other, serialNumber: "A", manufacturer: "SKF", installDate: at, version: 2 },
  ]);
  expect((await unitOf(tenant, part, "A")).periods.nodes.slice(0, 2)).toMatchObject([
    { state: "INSTALLED", condition: "NEW", componentId: other, startedAt: at, endedAt: null, workOrderId },
    { state: "INSTALLED", condition: "NEW", componentId: bearing, endedAt: at, removalReason: "UNKNOWN" },
  ]);
  const bad = (input: object) => refused(tenant, swap(tenant, { ...empty, ...input }));
  expect(await bad({ componentIds: [bearing] })).toMatchObject({ details: { componentIds: "must name two components" } });
  expect(await bad({ componentIds: [bearing, bearing] })).toMatchObject({ details: { componentIds: "must name two components" } });
  expect(await bad({ componentIds: [bearing, "x"] })).toMatchObject({ code: "NOT_FOUND", componentId: "x" });
  expect(await bad({ workOrderId: "x" })).toMatchObject({ details: { workOrderId: "names no work order of the asset" } });
  expect(await bad({ at })).toMatchObject({ code: "CONFLICT", since: at });
  expect(await bad({ at: "2126-01-01T00:00:00Z" })).toMatchObject({ code: "BAD_USER_INPUT" });
  // A is of a part that the bearing does not list.
  const listed = await newPart(tenant, { componentIds: [bearing] });
  const technician = await tenant.as("technician");
  expect(await refused(technician, swap(technician, { ...empty, notes: "x" }))).toMatchObject({ componentId: bearing, partId: part });
  await tenant.ask("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id: listed });

  // An unserviceable unit needs a manager with notes.
  await done(exchange(tenant, { componentId: bearing, reason: "FAILURE" }));
  await done(exchange(tenant, { componentId: bearing, unit: { serialNumber: "Old" }, notes: "Until Friday" }));
  expect(await refused(technician, swap(technician, { ...empty, notes: "x" }))).toMatchObject({ condition: "unserviceable" });
  await done(swap(tenant, { ...empty, notes: "x" }));

  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      swap(tenant, { ...empty, notes: "x", componentIds: i % 2 ? componentIds : componentIds.toReversed() }),
    ),
  );
  expect(new Set(answers.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code))).not.toContain(
    "SERVICE_UNAVAILABLE",
  );
  const shown = await Promise.all(componentIds.map((id) => serialNumberOf(tenant, id)));
  expect(shown.toSorted()).toEqual(["A", "Old"]);
  const { a, b } = await tenant.ask(
    "query ($a: ID!, $b: ID!) { a: component(id: $a) { unitAt { serialNumber } } b: component(id: $b) { unitAt { serialNumber } } }",
    { a: bearing, b: other },
  );
  expect([a.unitAt.serialNumber, b.unitAt.serialNumber]).toEqual(shown);
  await agrees(tenant);
});

test("a write-off scraps a unit, and its reversal brings it back", async () => {
  const { tenant, part } = await plant();
  const { adjustStock } = await tenant.ask(
    `mutation ($p: ID!) { adjustStock(partId: $p, input: { adjustmentType: DAMAGE, quantity: -1, site: "North", serialNumbers: ["A"], reason: "Fell" }) { id } }`,
    { p: part },
  );
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North", "SCRAPPED UNSERVICEABLE North"]);
  await agrees(tenant);
  const manager = await tenant.as("manager");
  await manager.ask("mutation ($id: ID!) { rejectAdjustment(id: $id) { id } }", { id: adjustStock.id });
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North", "SCRAPPED UNSERVICEABLE North", "IN_STOCK SERVICEABLE North"]);
  await agrees(tenant);
});

test("a documented serial number installs the unit that a work order has", async () => {
  const { tenant, asset, bearing, part } = await plant();
  const order = await newOrder(tenant, asset);
  await tenant.ask(
    `mutation ($id: ID!, $p: ID!) { issueToWorkOrder(id: $id, input: { partId: $p, quantity: 1, site: "North", serialNumbers: ["A"] }) { id } }`,
    { id: order, p: part },
  );
  expect((await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: "A" })).status).toBe(200);
  const { component } = await tenant.ask("query ($id: ID!) { component(id: $id) { unitAt { serialNumber part { id } } } }", {
    id: bearing,
  });
  expect(component.unitAt).toEqual({ serialNumber: "A", part: { id: part } });
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North", "WITH_WORK_ORDER NEW North", "INSTALLED SERVICEABLE"]);
  // The number of a unit in stock is not that of the stock: the position has another unit.
  await tenant.rest("PUT", `/components/${bearing}`, { serialNumber: "B" });
  const { component: later } = await tenant.ask("query ($id: ID!) { component(id: $id) { unitAt { part { id } } } }", { id: bearing });
  expect(later.unitAt).toEqual({ part: null });
  await agrees(tenant);
});

test("an exchange installs the unit that a work order has without another issue", async () => {
  const { tenant, asset, bearing, part } = await plant();
  const order = await newOrder(tenant, asset);
  await tenant.ask(
    `mutation ($id: ID!, $p: ID!) { issueToWorkOrder(id: $id, input: { partId: $p, quantity: 1, site: "North", serialNumbers: ["A"] }) { id } }`,
    { id: order, p: part },
  );
  const { id: a } = await unitOf(tenant, part, "A");
  const back = { unitId: a, state: "IN_STOCK", condition: "SERVICEABLE" };
  expect(await refused(tenant, moveUnit(tenant, back))).toMatchObject({ code: "CONFLICT", state: "with_work_order" });
  await done(exchange(tenant, { componentId: bearing, unit: { id: a }, workOrderId: order }));
  expect(await levelOf(tenant, part)).toMatchObject({ quantity: 1 });
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North", "WITH_WORK_ORDER NEW North", "INSTALLED NEW"]);
  await agrees(tenant);
});

test("the previous release moves units through the view StockSerial", async () => {
  const { tenant, asset, part } = await plant();
  const order = await newOrder(tenant, asset);
  const [receipt] = (await gateway.database.query(`select id from "StockMovement" where "tenantId" = $1 and "partId" = $2`, [
    tenant.tenantId,
    part,
  ])) as [{ id: string }];
  const movement = async (fields: Record<string, unknown>): Promise<string> => {
    const id = randomUUID();
    await gateway.database.query(
      `insert into "StockMovement" select (jsonb_populate_record(m, $3::jsonb)).* from "StockMovement" m where m."tenantId" = $1 and m.id = $2`,
      [tenant.tenantId, receipt.id, JSON.stringify({ id, ...fields })],
    );
    return id;
  };
  // As the previous release receives pieces.
  const receive = (numbers: string[], site: string, movementId: string, at: string) =>
    gateway.database.query(
      `insert into "StockSerial" as s ("tenantId", "partId", "serialNumber", site, "batchNumber", "expiryDate", "movementId", "movedAt")
       select $1, $2, n.number, $3, null, null, $4, $5::timestamptz from unnest($6::text[]) n(number) order by n.number
       on conflict ("tenantId", "partId", "serialNumber") do update set site = excluded.site, "movementId" = excluded."movementId", "movedAt" = excluded."movedAt"
       where s.site is null returning "serialNumber"`,
      [tenant.tenantId, part, site, movementId, at, numbers],
    );
  const later = (ms: number) => new Date(Date.now() + ms).toISOString();
  const times = [1, 2, 3].map((i) => later(i * 10_000));
  const issue = await movement({
    sequence: 2,
    type: "issue",
    quantity: -1,
    previousBalance: 2,
    newBalance: 1,
    workOrderId: order,
    serialNumbers: ["A"],
  });
  await gateway.database.query(
    `update "StockSerial" set site = null, "movementId" = $4, "movedAt" = $5 where "tenantId" = $1 and "partId" = $2 and "serialNumber" = any($3)`,
    [tenant.tenantId, part, ["A"], issue, times[0]],
  );
  expect(await story(tenant, part, "A")).toEqual(["IN_STOCK NEW North", "WITH_WORK_ORDER NEW North"]);
  const back = await movement({
    sequence: 3,
    type: "return",
    quantity: 2,
    previousBalance: 1,
    newBalance: 3,
    workOrderId: order,
    serialNumbers: ["A", "Z"],
  });
  expect(await receive(["A", "Z"], "North", back, times[1]!)).toEqual([{ serialNumber: "A" }, { serialNumber: "Z" }]);
  // In stock already, so not received again.
  expect(await receive(["B"], "South", back, times[2]!)).toEqual([]);
  const { periods } = await unitOf(tenant, part, "A");
  expect(periods.nodes.map(({ state, startedAt, endedAt, site }: any) => ({ state, startedAt, endedAt, site })).slice(0, 2)).toEqual([
    { state: "IN_STOCK", startedAt: times[1], endedAt: null, site: "North" },
    { state: "WITH_WORK_ORDER", startedAt: times[0], endedAt: times[1], site: "North" },
  ]);
  expect(await story(tenant, part, "Z")).toEqual(["IN_STOCK SERVICEABLE North"]);
});

test("a repair names its supplier, and no other state does", async () => {
  const { tenant, bearing, part } = await plant();
  const { id } = await unitOf(tenant, part, "A");
  await done(exchange(tenant, { componentId: bearing, unit: { id } }));
  await done(exchange(tenant, { componentId: bearing, reason: "FAILURE" }));
  const refusal = await refused(tenant, moveUnit(tenant, { unitId: id, state: "SCRAPPED", supplier: "Acme" }));
  expect(refusal.details).toEqual({ supplier: "is for the state IN_REPAIR; leave it out" });
  await done(moveUnit(tenant, { unitId: id, state: "IN_REPAIR", supplier: "Acme" }));
  await done(moveUnit(tenant, { unitId: id, state: "REMOVED", condition: "SERVICEABLE" }));
  const { unit } = await tenant.ask("query ($id: ID!) { unit(id: $id) { periods(first: 2) { nodes { state supplier } } } }", { id });
  expect(unit.periods.nodes).toEqual([
    { state: "REMOVED", supplier: null },
    { state: "IN_REPAIR", supplier: "Acme" },
  ]);
});

test("a reservation holds a quantity and no piece: any available one is issued", async () => {
  const { tenant, part } = await plant();
  await done(stock(tenant, "reserveStock", part, { quantity: 1 }));
  const states = async () =>
    (await Promise.all(["A", "B"].map((n) => unitOf(tenant, part, n)))).map(({ periods }) => periods.nodes[0].state);
  expect(await states()).toEqual(["IN_STOCK", "IN_STOCK"]);
  await done(stock(tenant, "issueStock", part, { quantity: 1, serialNumbers: ["A"] }));
  expect(await refused(tenant, stock(tenant, "issueStock", part, { quantity: 1, serialNumbers: ["B"] }))).toMatchObject({
    code: "CONFLICT",
    available: 0,
  });
  expect(await states()).toEqual(["LOST", "IN_STOCK"]);
});
