/** Recalls of units, over GraphQL (docs/units.md, "Recalls"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { exchange, issue, newOrder, recalledPlant, receive, serials, unitOf } from "./recalled-plant.js";

const gateway = await sharedGateway();

const plant = async () => recalledPlant(await gateway.newTenant());

const tables = ["Recall", "RecallUnit", "WorkOrder", "Unit", "UnitPeriod", "StockMovement"];

const open = (caller: Caller, input: object) =>
  caller.graphql(`mutation ($input: OpenRecallInput!) { openRecall(input: $input) { id } }`, { input });

const order = (caller: Caller, input: object) =>
  caller.graphql(
    `mutation ($input: CreateRecallOrdersInput!) { createRecallOrders(input: $input) {
       id title description priority type scheduledDate component { id } recallUnit { serialNumber recall { reason } } } }`,
    { input },
  );

const close = (caller: Caller, id: string) =>
  caller.graphql("mutation ($id: ID!) { closeRecall(id: $id) { id closedAt closedByPrincipal { name } } }", { id });

const countsOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(
      `query ($id: ID!) { recall(id: $id) { counts { total installed inStock inTransit withWorkOrder removed inRepair scrapped lost elsewhere toReplace replaced ordered } } }`,
      { id },
    )
  ).recall.counts;

const none = {
  total: 0,
  installed: 0,
  inStock: 0,
  inTransit: 0,
  withWorkOrder: 0,
  removed: 0,
  inRepair: 0,
  scrapped: 0,
  lost: 0,
  elsewhere: 0,
  toReplace: 0,
  replaced: 0,
  ordered: 0,
};

const numbersOf = async (caller: Caller, id: string, filter: object = {}): Promise<string[]> =>
  (
    await caller.ask(
      `query ($id: ID!, $filter: RecallUnitFilter) { recall(id: $id) { units(filter: $filter) { nodes { serialNumber } } } }`,
      {
        id,
        filter,
      },
    )
  ).recall.units.nodes.map((node: any) => node.serialNumber);

async function refuses(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object = {}) {
  const before = await caller.snapshot(...tables);
  const { errors } = await call();
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await caller.snapshot(...tables)).toEqual(before);
}

const details = (fields: object) => ({ details: fields });

const evidence = `query ($id: ID!, $filter: RecallUnitFilter) { recall(id: $id) {
  closedAt stock { site quantity withoutSerialNumbers }
  units(filter: $filter) { totalCount nodes {
    serialNumber
    located { state site component { name asset { name } } }
    unit { whereabouts { state } workOrders { title } periods(filter: { state: INSTALLED }) { nodes { component { name } neighbours { unit { serialNumber } } } } }
    workOrder { id status }
    replacement { installation { endedAt removalReason } removal { state workOrderId recordedByPrincipal { name } } successor { startedAt unit { serialNumber } } }
  } } } }`;

test("finds 14 units of a bad batch, orders the replacement of three, and keeps the evidence", async () => {
  const { tenant, part, bearings, orders } = await plant();
  const { data } = await open(tenant, { partId: part, batchNumber: "B7", reason: "Cage fractures" });
  const id = data.openRecall.id as string;
  const found = { ...none, total: 14, installed: 3, inStock: 10, scrapped: 1, toReplace: 3 };
  expect(await countsOf(tenant, id)).toEqual(found);
  expect(await numbersOf(tenant, id)).toEqual(serials("B7", 14));
  expect(await numbersOf(tenant, id, { state: "INSTALLED" })).toEqual(["B7-0001", "B7-0002", "B7-0014"]);
  const at = async (serialNumber: string) => (await tenant.ask(evidence, { id, filter: { serialNumber } })).recall.units.nodes[0];
  const first = {
    serialNumber: "B7-0001",
    located: { state: "INSTALLED", site: null, component: { name: "Bearing DE", asset: { name: "P-1" } } },
    unit: {
      whereabouts: { state: "INSTALLED" },
      workOrders: [{ title: "Bearings" }],
      periods: { nodes: [{ component: { name: "Bearing DE" }, neighbours: [{ unit: { serialNumber: "B7-0002" } }] }] },
    },
    workOrder: null,
    replacement: null,
  };
  expect(await at("B7-0001")).toEqual(first);
  expect((await tenant.ask(evidence, { id })).recall).toMatchObject({
    closedAt: null,
    stock: [{ site: "North", quantity: 12.5, withoutSerialNumbers: 2.5 }],
    units: { totalCount: 14 },
  });

  const ordered = await order(tenant, {
    recallId: id,
    title: "Replace bearing",
    priority: "CRITICAL",
    scheduledDate: "2026-12-01T06:00:00Z",
  });
  expect(ordered.data.createRecallOrders).toEqual(
    ["B7-0001", "B7-0002", "B7-0014"].map((serialNumber, i) => ({
      id: expect.any(String),
      title: `Replace bearing: ${serialNumber}`,
      description: "Cage fractures",
      priority: "CRITICAL",
      type: "PREVENTIVE",
      scheduledDate: "2026-12-01T06:00:00.000Z",
      component: { id: bearings[i] },
      recallUnit: { serialNumber, recall: { reason: "Cage fractures" } },
    })),
  );
  const made = ordered.data.createRecallOrders.map((one: any) => one.id) as string[];
  expect((await order(tenant, { recallId: id })).data.createRecallOrders).toEqual([]);
  expect(await countsOf(tenant, id)).toEqual({ ...found, ordered: 3 });
  await refuses(tenant, () => close(tenant, id), "CONFLICT", { recallId: id, installed: 3 });

  // Neither a recalled piece from stock nor a unit that a work order still has replaces them.
  await refuses(tenant, () => issue(tenant, made[0]!, { partId: part, quantity: 1, serialNumbers: ["B7-0005"] }), "CONFLICT", {
    recallId: id,
  });
  await refuses(tenant, () => issue(tenant, made[0]!, { partId: part, quantity: 1, batchNumber: "B7" }), "CONFLICT", { recallId: id });
  expect((await issue(tenant, made[2]!, { partId: part, quantity: 1, serialNumbers: ["B8-0003"] })).errors).toBeUndefined();
  const technician = await tenant.as("technician");
  const replace = async (i: number, serialNumber: string) =>
    exchange(technician, {
      componentId: bearings[i],
      unit: { id: await unitOf(tenant, serialNumber) },
      reason: "PREVENTIVE",
      workOrderId: made[i],
    });
  expect((await replace(0, "B8-0001")).errors).toBeUndefined();
  expect((await replace(1, "B8-0002")).errors).toBeUndefined();
  expect(await countsOf(tenant, id)).toEqual({ ...found, installed: 1, removed: 2, replaced: 2, ordered: 3 });
  await refuses(tenant, () => close(tenant, id), "CONFLICT", { installed: 1 });
  // A removed unit is not put back, not even after its inspection.
  await tenant.ask(`mutation ($unitId: ID!) { moveUnit(input: { unitId: $unitId, state: REMOVED, condition: SERVICEABLE }) { id } }`, {
    unitId: await unitOf(tenant, "B7-0001"),
  });
  await refuses(technician, () => replace(2, "B7-0001"), "CONFLICT", { recallId: id });
  expect((await replace(2, "B8-0003")).errors).toBeUndefined();
  expect(await countsOf(tenant, id)).toEqual({ ...found, installed: 0, removed: 3, replaced: 3, ordered: 3 });

  const after = await at("B7-0001");
  expect(after).toEqual({
    ...first,
    unit: {
      whereabouts: { state: "REMOVED" },
      workOrders: [{ title: "Replace bearing: B7-0001" }, { title: "Bearings" }],
      periods: first.unit.periods,
    },
    workOrder: { id: made[0], status: "SCHEDULED" },
    replacement: {
      installation: { endedAt: expect.any(String), removalReason: "PREVENTIVE" },
      removal: { state: "REMOVED", workOrderId: made[0], recordedByPrincipal: { name: "technician" } },
      successor: { startedAt: after.replacement.installation.endedAt, unit: { serialNumber: "B8-0001" } },
    },
  });
  expect(await at("B7-0003")).toMatchObject({
    located: { state: "SCRAPPED" },
    unit: { workOrders: [{ title: "Bearings" }] },
    replacement: null,
  });
  expect(await at("B7-0010")).toEqual({
    serialNumber: "B7-0010",
    located: { state: "IN_STOCK", site: "North", component: null },
    unit: { whereabouts: { state: "IN_STOCK" }, workOrders: [], periods: { nodes: [] } },
    workOrder: null,
    replacement: null,
  });
  expect((await close(tenant, id)).data.closeRecall).toEqual({
    id,
    closedAt: expect.any(String),
    closedByPrincipal: { name: expect.any(String) },
  });
  const { recalls } = await tenant.ask(
    `query ($partId: ID) { open: recalls(filter: { partId: $partId, isNull: [CLOSED_AT] }) { nodes { id } }
    recalls(filter: { partId: $partId }) { nodes { id part { partNumber } batchNumber } } }`,
    { partId: part },
  );
  expect(recalls.nodes).toEqual([{ id, part: { partNumber: "6309" }, batchNumber: "B7" }]);
  await refuses(tenant, () => close(tenant, id), "CONFLICT", { recallId: id, closedAt: expect.any(String) });
  await refuses(tenant, () => order(tenant, { recallId: id }), "CONFLICT", { recallId: id });
  expect((await issue(tenant, orders[0], { partId: part, quantity: 1, serialNumbers: ["B7-0005"] })).errors).toBeUndefined();
});

test("chooses units by serial numbers or by a range of them, and adds those that are received later", async () => {
  const { tenant, part } = await plant();
  const recall = async (input: object) => (await open(tenant, { partId: part, reason: "Cracks", ...input })).data.openRecall.id as string;
  const byList = await recall({ serialNumbers: ["B7-0002", "B7-0099", "B8-0001", "B7-0002"] });
  const byRange = await recall({ serialFrom: "B7-0013", serialTo: "B7-00100" });
  expect(await numbersOf(tenant, byList)).toEqual(["B7-0002", "B8-0001"]);
  expect(await numbersOf(tenant, byRange)).toEqual(["B7-0013", "B7-0014"]);
  await receive(tenant, part, { quantity: 5, serialNumbers: ["B7-100", "B7-0099", "B7-101", "B7-X", "B9-0050"] });
  expect(await numbersOf(tenant, byList)).toEqual(["B7-0002", "B7-0099", "B8-0001"]);
  expect(await numbersOf(tenant, byRange)).toEqual(["B7-0013", "B7-0014", "B7-0099", "B7-100"]);
  const byBatch = await recall({ batchNumber: "B9" });
  expect(await countsOf(tenant, byBatch)).toEqual(none);
  await receive(tenant, part, { quantity: 1, serialNumbers: ["B9-1"], batchNumber: "B9" });
  expect(await countsOf(tenant, byBatch)).toEqual({ ...none, total: 1, inStock: 1 });
  await close(tenant, byBatch);
  await receive(tenant, part, { quantity: 1, serialNumbers: ["B9-2"], batchNumber: "B9" });
  expect(await numbersOf(tenant, byBatch)).toEqual(["B9-1"]);
  const pages = await tenant.ask(
    `query ($id: ID!) { recall(id: $id) { units(first: 2) { nodes { serialNumber } pageInfo { hasNextPage endCursor } } } }`,
    { id: byList },
  );
  const { endCursor } = pages.recall.units.pageInfo;
  const next = await tenant.ask(
    `query ($id: ID!, $after: String) { recall(id: $id) { units(first: 2, after: $after) { nodes { serialNumber } } } }`,
    {
      id: byList,
      after: endCursor,
    },
  );
  expect(next.recall.units.nodes).toEqual([{ serialNumber: "B8-0001" }]);
});

test("refuses recalls that choose no units, or in two ways", async () => {
  const { tenant, part } = await plant();
  const refuse = (input: object, fields: object) =>
    refuses(tenant, () => open(tenant, { partId: part, reason: "Cracks", ...input }), "BAD_USER_INPUT", details(fields));
  const either = { batchNumber: "must be set, or serialNumbers, or serialFrom and serialTo; only one of them" };
  await refuse({}, either);
  await refuse({ serialNumbers: [] }, either);
  await refuse({ batchNumber: "B7", serialNumbers: ["B7-0001"] }, either);
  await refuse({ serialFrom: "B7-1" }, { serialTo: "is required with serialFrom" });
  await refuse({ serialTo: "B7-1" }, { serialFrom: "is required with serialTo" });
  await refuse({ serialFrom: "B7-", serialTo: "B7-1" }, { serialFrom: "must end with a digit" });
  await refuse({ serialFrom: "B7-1", serialTo: "B7-" }, { serialTo: "must end with a digit" });
  await refuse({ serialFrom: "B7-1", serialTo: "B8-2" }, { serialTo: "must have the same text as serialFrom before its last digits" });
  await refuse({ serialFrom: "B7-10", serialTo: "B7-9" }, { serialTo: "must not be less than serialFrom" });
  await refuse({ partId: "x", batchNumber: "B7" }, { partId: "names no part; use the id of an existing one" });
  await refuses(tenant, () => order(tenant, { recallId: "x" }), "NOT_FOUND", { recallId: "x" });
  await refuses(tenant, () => close(tenant, "x"), "NOT_FOUND", { recallId: "x" });
  const technician = await tenant.as("technician");
  await refuses(technician, () => open(technician, { partId: part, batchNumber: "B7", reason: "Cracks" }), "FORBIDDEN");
  const stranger = await gateway.newTenant();
  const id = (await open(tenant, { partId: part, batchNumber: "B7", reason: "Cracks" })).data.openRecall.id;
  await refuses(stranger, () => close(stranger, id), "NOT_FOUND");
  expect((await stranger.graphql("query ($id: ID!) { recall(id: $id) { id } }", { id })).errors?.[0]?.extensions.code).toBe("NOT_FOUND");
});

test("concurrent calls create one order per unit, and another one only after the first has ended", async () => {
  const { tenant, part, assets, bearings } = await plant();
  const id = (await open(tenant, { partId: part, batchNumber: "B7", reason: "Cracks" })).data.openRecall.id;
  const answers = await Promise.all(Array.from({ length: 6 }, () => order(tenant, { recallId: id })));
  expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
  const created = answers.flatMap(({ data }) => data.createRecallOrders);
  expect(created.map(({ title, description, priority }: any) => [title, description, priority])).toEqual([
    ["Ball bearing: B7-0001", "Cracks", "HIGH"],
    ["Ball bearing: B7-0002", "Cracks", "HIGH"],
    ["Ball bearing: B7-0014", "Cracks", "HIGH"],
  ]);
  await tenant.ask(`mutation ($id: ID!) { cancelWorkOrder(id: $id, reason: "Wrong date") { id } }`, { id: created[1].id });
  expect(await countsOf(tenant, id)).toMatchObject({ ordered: 2 });
  expect((await order(tenant, { recallId: id, title: "T".repeat(255) })).data.createRecallOrders).toMatchObject([
    { title: `${"T".repeat(246)}: B7-0002`, component: { id: bearings[1] } },
  ]);
  // Units in a decommissioned asset get no order.
  await tenant.ask(`mutation ($id: ID!) { cancelWorkOrder(id: $id, reason: "Scrapped") { id } }`, { id: created[2].id });
  await tenant.rest("PUT", `/assets/${assets[1]}`, { status: "decommissioned" });
  expect((await order(tenant, { recallId: id })).data.createRecallOrders).toEqual([]);
});

test("keys limited to sites see and order the units of their sites, and open and close nothing", async () => {
  const { tenant, part, assets } = await plant();
  const { id: south } = await tenant.createAsset({ name: "P-3", site: "South" });
  const { id: bearing } = await tenant.createComponent({ name: "Bearing", assetId: south });
  const workOrderId = await newOrder(tenant, south);
  await issue(tenant, workOrderId, { partId: part, quantity: 1, serialNumbers: ["B7-0009"], site: "North" });
  expect((await exchange(tenant, { componentId: bearing, unit: { id: await unitOf(tenant, "B7-0009") } })).errors).toBeUndefined();
  const id = (await open(tenant, { partId: part, batchNumber: "B7", reason: "Cracks" })).data.openRecall.id;
  const manager = await tenant.as("manager", ["South"], false);
  expect(await countsOf(manager, id)).toEqual({ ...none, total: 1, installed: 1, toReplace: 1 });
  expect(await numbersOf(manager, id)).toEqual(["B7-0009"]);
  expect((await manager.ask(`query ($id: ID!) { recall(id: $id) { stock { site } } }`, { id })).recall.stock).toEqual([]);
  await refuses(manager, () => open(manager, { partId: part, batchNumber: "B8", reason: "Cracks" }), "FORBIDDEN");
  expect((await order(manager, { recallId: id })).data.createRecallOrders).toMatchObject([{ title: "Ball bearing: B7-0009" }]);
  expect((await order(manager, { recallId: id })).data.createRecallOrders).toEqual([]);
  expect((await order(tenant, { recallId: id })).data.createRecallOrders).toHaveLength(3);
  await exchange(tenant, { componentId: bearing, reason: "PREVENTIVE" });
  expect(await countsOf(manager, id)).toMatchObject({ installed: 0, removed: 1, replaced: 1 });
  await refuses(manager, () => close(manager, id), "FORBIDDEN");
  expect(assets).toHaveLength(2);
});
