/** Material of work orders in progress (docs/stock.md, "Material of a work order"). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { act, attempt, balanced, failed, part, procedure, stock, stockOf, workOrder } from "./orders.js";

const gateway = await sharedGateway();

const movement = "id type site quantity valueExact originId workOrderId reason occurredAt";
const issuing = `mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { ${movement} } }`;
const returning = `mutation ($id: ID!, $input: ReturnFromWorkOrderInput!) { returnFromWorkOrder(id: $id, input: $input) { ${movement} } }`;
const tryIssue = (caller: Caller, id: string, input: object) => caller.graphql(issuing, { id, input });
const issue = async (caller: Caller, id: string, input: object) => (await caller.ask(issuing, { id, input })).issueToWorkOrder;
const tryReturn = (caller: Caller, id: string, input: object) => caller.graphql(returning, { id, input });
const back = async (caller: Caller, id: string, input: object): Promise<any[]> =>
  (await caller.ask(returning, { id, input })).returnFromWorkOrder;

const receive = (caller: Caller, partId: string, input: object) =>
  caller.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", { id: partId, input });
const line = "partId site quantity status usedQuantity reserved issuedQuantity returnedQuantity issuedValueExact substituteFor";
const orderOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(`query ($id: ID!) { workOrder(id: $id) { status materialCostExact partsCost otherCost requiredParts { ${line} } } }`, {
      id,
    })
  ).workOrder;

/** An order in progress that has reserved some of a part. */
async function started(tenant: Caller, partId: string, quantity: number): Promise<string> {
  const { id } = await procedure(tenant, { parts: [{ partId, quantity }] });
  const order = await workOrder(tenant, id);
  await act(tenant, "start", order);
  return order;
}

describe("issuing and returning", () => {
  test("in parts, at the value it left with; completing issues the rest", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { unitCost: 1 });
    await receive(tenant, partId, { quantity: 3, unitCost: 3.3333 });
    const order = await started(tenant, partId, 3);
    const out = await issue(tenant, order, { partId, quantity: 2, occurredAt: "2026-01-05T08:00:00Z" });
    expect(out).toMatchObject({
      type: "ISSUE",
      quantity: -2,
      valueExact: "-6.6666",
      workOrderId: order,
      occurredAt: "2026-01-05T08:00:00.000Z",
    });
    expect(await orderOf(tenant, order)).toMatchObject({
      materialCostExact: "6.6666",
      partsCost: null,
      requiredParts: [
        { status: "RESERVED", reserved: 1, issuedQuantity: 2, returnedQuantity: 0, issuedValueExact: "6.6666", usedQuantity: null },
      ],
    });
    expect(await stockOf(tenant, partId)).toEqual(stock(1, 1));
    // More expensive stock is received. Returns keep their original value.
    await receive(tenant, partId, { quantity: 9, unitCost: 100 });
    const [one] = await back(tenant, order, { movementId: out.id, quantity: 1 });
    expect(one).toMatchObject({ type: "RETURN", quantity: 1, valueExact: "3.3333", originId: out.id, workOrderId: order });
    await failed(tenant, () => tryReturn(tenant, order, { partId, quantity: 1.5 }), { code: "CONFLICT", available: 1, requested: 1.5 });
    await back(tenant, order, { partId, quantity: 1 });
    await failed(tenant, () => tryReturn(tenant, order, { movementId: out.id, quantity: 1 }), {
      code: "CONFLICT",
      available: 0,
      requested: 1,
    });
    await issue(tenant, order, { partId, quantity: 0.5 });
    const done = await act(tenant, "complete", order);
    expect(done.requiredParts).toEqual([{ partId, site: "main", quantity: 3, status: "ISSUED", usedQuantity: 1 }]);
    const { materialCostExact, partsCost } = await orderOf(tenant, order);
    expect(String(partsCost)).toBe(materialCostExact);
    expect(await stockOf(tenant, partId)).toEqual(stock(11, 0));
    await balanced(tenant);
    // A later return is deducted from the cost.
    await back(tenant, order, { partId, quantity: 1 });
    expect(await orderOf(tenant, order)).toMatchObject({ partsCost: 0, materialCostExact: "0", requiredParts: [{ usedQuantity: 0 }] });
    await act(tenant, "close", order);
    await failed(tenant, () => tryReturn(tenant, order, { partId, quantity: 1 }), { code: "CONFLICT", status: "CLOSED" });
    await failed(tenant, () => tryIssue(tenant, order, { partId, quantity: 1 }), { code: "CONFLICT", status: "CLOSED" });
    await balanced(tenant);
  });

  test("from another site, of unplanned parts, and in place of a planned part", async () => {
    const tenant = await gateway.newTenant();
    const substitute = await part(tenant, { stockLevel: 5, unitCost: 7 });
    const stranger = await part(tenant, { stockLevel: 5 });
    const partId = await part(tenant, { site: "main", stockLevel: 2, alternativeParts: [{ id: substitute }] });
    await receive(tenant, partId, { site: "South", quantity: 4, unitCost: 2 });
    const order = await started(tenant, partId, 4);
    expect(await issue(tenant, order, { partId, quantity: 1, site: "South" })).toMatchObject({ site: "South" });
    expect([await stockOf(tenant, partId), await stockOf(tenant, partId, "South")]).toEqual([stock(2, 3), stock(3, 0)]);
    for (const [input, field] of [
      [{ partId: stranger, substituteFor: partId }, "partId"],
      [{ partId: substitute, substituteFor: stranger }, "substituteFor"],
      [{ partId: "x" }, "partId"],
      [{ partId, occurredAt: "2999-01-01T00:00:00Z" }, "occurredAt"],
    ] as const)
      await failed(tenant, () => tryIssue(tenant, order, { quantity: 1, ...input }), {
        code: "BAD_USER_INPUT",
        details: { [field]: expect.any(String) },
      });
    await failed(tenant, () => tryReturn(tenant, order, { quantity: 1 }), { code: "BAD_USER_INPUT" });
    await failed(tenant, () => tryIssue(tenant, "x", { partId, quantity: 1 }), { code: "NOT_FOUND", workOrderId: "x" });
    await issue(tenant, order, { partId: substitute, quantity: 3, substituteFor: partId });
    await issue(tenant, order, { partId: stranger, quantity: 1 });
    const parts = Object.fromEntries((await orderOf(tenant, order)).requiredParts.map((one: any) => [one.partId, one]));
    expect(parts).toMatchObject({
      [partId]: { quantity: 4, status: "ISSUED", reserved: 0, issuedQuantity: 1, substituteFor: null },
      [substitute]: { quantity: 0, status: "ISSUED", reserved: 0, issuedQuantity: 3, issuedValueExact: "21", substituteFor: partId },
      [stranger]: { quantity: 0, status: "ISSUED", issuedQuantity: 1, substituteFor: null },
    });
    // The totals are 2 of the part and 1 of the substitute. The difference is issued and returned.
    const done = await act(tenant, "complete", order, {
      usedParts: [
        { partId, quantity: 2 },
        { partId: substitute, quantity: 1 },
      ],
    });
    expect(done).toMatchObject({ partsCost: 2 + 2 + 7 + 2 });
    expect([await stockOf(tenant, partId), await stockOf(tenant, substitute), await stockOf(tenant, stranger)]).toEqual([
      stock(1, 0),
      stock(4, 0),
      stock(4, 0),
    ]);
    await balanced(tenant);
  });

  test("several issues come back the latest first, also to one level", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10, unitCost: 1 });
    const order = await started(tenant, partId, 6);
    for (const quantity of [1, 2, 3]) await issue(tenant, order, { partId, quantity });
    expect((await back(tenant, order, { partId, quantity: 4 })).map(({ quantity }) => quantity)).toEqual([3, 1]);
    await act(tenant, "cancel", order);
    expect((await back(tenant, order, { partId, quantity: 2, site: "Depot" })).map(({ quantity, site }) => [quantity, site])).toEqual([
      [1, "Depot"],
      [1, "Depot"],
    ]);
    expect(await orderOf(tenant, order)).toMatchObject({ materialCostExact: "0", partsCost: null });
    await balanced(tenant);
  });

  test("parallel issues and returns never exceed the available quantity", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 5 });
    const orders = [await started(tenant, partId, 5), await started(tenant, partId, 5)];
    const issued = await Promise.all(Array.from({ length: 12 }, (_, i) => tryIssue(tenant, orders[i % 2]!, { partId, quantity: 1 })));
    // All stock is allocated to the first order.
    expect(issued.map(({ errors }) => !errors)).toEqual(issued.map((_, i) => i % 2 === 0 && !issued[i]!.errors));
    expect(issued.filter(({ errors }) => !errors)).toHaveLength(5);
    const returned = await Promise.all(Array.from({ length: 8 }, () => tryReturn(tenant, orders[0]!, { partId, quantity: 1 })));
    expect(returned.filter(({ errors }) => !errors)).toHaveLength(5);
    expect(await orderOf(tenant, orders[0]!)).toMatchObject({
      materialCostExact: "0",
      requiredParts: [{ issuedQuantity: 5, returnedQuantity: 5, issuedValueExact: "0" }],
    });
    expect(await stockOf(tenant, partId)).toEqual(stock(5, 5));
    await balanced(tenant);
  });
});

describe("stock that the books lack", () => {
  test("is found by a work order, waits for approval, and requests a recount", async () => {
    const tenant = await gateway.newTenant();
    const [partId, unstocked] = [await part(tenant, { stockLevel: 3, unitCost: 2 }), await part(tenant, { unitCost: 5 })];
    // All stock is allocated to an earlier order.
    const earlier = await started(tenant, partId, 3);
    const order = await started(tenant, partId, 2);
    await failed(tenant, () => attempt(tenant, "complete", order), { code: "CONFLICT", available: 0, requested: 2 });
    const usedParts = [
      { partId, quantity: 2, bookDiscrepancy: true },
      { partId: unstocked, quantity: 1, bookDiscrepancy: true },
    ];
    expect(await act(tenant, "complete", order, { usedParts })).toMatchObject({ status: "COMPLETED", partsCost: 9 });
    expect([await stockOf(tenant, partId), await stockOf(tenant, unstocked)]).toEqual([stock(3, 3), stock(0, 0)]);
    const { stockAdjustments, part: level } = await tenant.ask(
      `query ($id: ID!) { stockAdjustments { nodes { partId quantity adjustmentType approved } } part(id: $id) { stockAt(site: "main") { blockedStock recountRequestedAt } } }`,
      { id: partId },
    );
    expect(stockAdjustments.nodes).toHaveLength(2);
    expect(stockAdjustments.nodes).toContainEqual({ partId, quantity: 2, adjustmentType: "COUNT", approved: false });
    expect(level.stockAt).toEqual({ blockedStock: 0, recountRequestedAt: expect.any(String) });
    await tenant.rest("PUT", `/inventory/${partId}`, { currentStock: 3 });
    const recount = `query ($id: ID!) { part(id: $id) { stockAt(site: "main") { recountRequestedAt } } }`;
    expect((await tenant.ask(recount, { id: partId })).part.stockAt).toEqual({ recountRequestedAt: null });
    await act(tenant, "complete", earlier);
    expect(await stockOf(tenant, partId)).toEqual(stock(0, 0));
    await balanced(tenant);
  });

  test("the key's sites apply to found stock, and to quantities beyond the plan", async () => {
    const tenant = await gateway.newTenant();
    const north = await tenant.as("technician", ["North"]);
    const asset = await tenant.createAsset({ site: "North" });
    const partId = await part(tenant, { site: "South", stockLevel: 3 });
    const { id } = await procedure(tenant, { assetId: asset.id, parts: [{ partId, quantity: 2 }] });
    const order = await workOrder(north, id);
    await act(north, "start", order);
    await failed(tenant, () => tryIssue(north, order, { partId, quantity: 3 }), { code: "FORBIDDEN" });
    await issue(north, order, { partId, quantity: 1 });
    const [returned] = await back(north, order, { partId, quantity: 0.5 });
    expect(returned).toMatchObject({ site: "South" });
    await failed(tenant, () => tryReturn(north, order, { partId, quantity: 0.5, site: "West" }), { code: "FORBIDDEN" });
    await receive(tenant, partId, { site: "North", quantity: 1 });
    await issue(north, order, { partId, quantity: 1, site: "North" });
    await failed(tenant, () => tryIssue(north, order, { partId, quantity: 1, site: "South", bookDiscrepancy: true }), {
      code: "FORBIDDEN",
    });
    const south = await tenant.as("technician", ["South"]);
    await failed(tenant, () => tryIssue(south, order, { partId, quantity: 1 }), { code: "FORBIDDEN" });
    await failed(tenant, () => tryReturn(south, order, { partId, quantity: 1 }), { code: "FORBIDDEN" });
    await act(north, "complete", order);
    await balanced(tenant);
  });

  test("a key of the order's site returns material to the stock site that it was issued from, planned or not", async () => {
    const tenant = await gateway.newTenant();
    const north = await tenant.as("technician", ["North"]);
    const asset = await tenant.createAsset({ site: "North" });
    const partId = await part(tenant, { site: "South", stockLevel: 3 });
    const { id } = await procedure(tenant, { assetId: asset.id, parts: [{ partId, quantity: 1 }] });
    const order = await workOrder(north, id);
    await act(north, "start", order);
    await receive(tenant, partId, { site: "West", quantity: 2 });
    await issue(tenant, order, { partId, quantity: 2, site: "West" });
    const [returned] = await back(north, order, { partId, quantity: 2, site: "West" });
    expect(returned).toMatchObject({ site: "West" });
    await balanced(tenant);
  });
});

test("contractor and other costs are entered until the order is closed", async () => {
  const tenant = await gateway.newTenant();
  const order = await started(tenant, await part(tenant, { stockLevel: 1 }), 1);
  const adding =
    "mutation ($id: ID!, $input: WorkOrderCostInput!) { addWorkOrderCost(id: $id, input: $input) { otherCostExact costs { id kind description amount createdBy } } }";
  const removing = "mutation ($id: ID!) { removeWorkOrderCost(id: $id) { otherCost costs { id } } }";
  const add = (input: object) => tenant.graphql(adding, { id: order, input });
  await add({ kind: "CONTRACTOR", description: "Crane", amount: 120.5 });
  await act(tenant, "complete", order);
  const { data } = await add({ kind: "OTHER", description: "Permit", amount: 0.25 });
  expect(data.addWorkOrderCost).toEqual({
    otherCostExact: "120.75",
    costs: [
      { id: expect.any(String), kind: "CONTRACTOR", description: "Crane", amount: 120.5, createdBy: expect.any(String) },
      { id: expect.any(String), kind: "OTHER", description: "Permit", amount: 0.25, createdBy: expect.any(String) },
    ],
  });
  const [crane, permit] = data.addWorkOrderCost.costs;
  await failed(tenant, () => add({ kind: "OTHER", description: "x", amount: -1 }), { code: "BAD_USER_INPUT" });
  expect((await tenant.ask(removing, { id: crane.id })).removeWorkOrderCost).toEqual({ otherCost: 0.25, costs: [{ id: permit.id }] });
  await failed(tenant, () => tenant.graphql(removing, { id: crane.id }), { code: "NOT_FOUND", workOrderCostId: crane.id });
  await act(tenant, "close", order);
  await failed(tenant, () => add({ kind: "OTHER", description: "x", amount: 1 }), { code: "CONFLICT", status: "CLOSED" });
  await failed(tenant, () => tenant.graphql(removing, { id: permit.id }), { code: "CONFLICT", status: "CLOSED" });
});
