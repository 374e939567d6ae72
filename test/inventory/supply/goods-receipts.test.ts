/** Receipts of order lines over GraphQL: quantities, values, states, reversals and services (docs/supply.md). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { newPerson, orderOk, step, stepOk, supplied } from "./purchases.js";
import { receive, receiveOk, refused, reverse, sentOrder as sentOrderOf, verified } from "./receipts.js";

const gateway = await sharedGateway();

const stateOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(
      `query ($id: ID!) { purchaseOrder(id: $id) { status closedBy version total lines { accepted cancelled openQuantity amount } } }`,
      { id },
    )
  ).purchaseOrder;

const sentOrder = async (lines: (plant: { partId: string }) => object[], order?: object) =>
  sentOrderOf(await gateway.newTenant(), lines, order);

describe("a receipt", () => {
  test("adds accepted goods to the stock at the line's price, and moves the order", async () => {
    const { clerk, clerkId, tenant, order, line, partId } = await sentOrder(({ partId }) => [{ partId, quantity: 5 }]);
    const first = await receiveOk(clerk, line, { accepted: 30, rejected: 6, rejectionReason: "Rust", deliveryNote: "DN-1" });
    // 30 of the box price 30 for 12.
    expect(first).toEqual({
      id: first.id,
      accepted: 30,
      rejected: 6,
      rejectionReason: "Rust",
      exchangeRate: null,
      deliveryNote: "DN-1",
      receivedBy: clerkId,
      reversedAt: null,
      site: "North",
      movement: {
        id: first.movement.id,
        type: "RECEIPT",
        quantity: 30,
        value: 75,
        unitCost: 2.5,
        reference: order.number,
        serialNumbers: [],
        batchNumber: null,
      },
      order: { status: "PARTLY_RECEIVED" },
      line: { accepted: 30, openQuantity: 30, cancelled: 0 },
    });
    expect(await receiveOk(clerk, line, { accepted: 30 })).toMatchObject({ order: { status: "RECEIVED" }, line: { openQuantity: 0 } });
    const { part } = await tenant.ask(`query ($id: ID!) { part(id: $id) { stockAt(site: "North") { quantity totalValue } } }`, {
      id: partId,
    });
    expect(part.stockAt).toEqual({ quantity: 60, totalValue: 150 });
    await refused(clerk, () => receive(clerk, line, { accepted: 1 }), "CONFLICT", { open: 0, requested: 1 });
    await verified(tenant);
  });

  test("keeps the sum of the price over parts of a box that do not divide it", async () => {
    const { clerk, line, tenant } = await sentOrder(({ partId }) => [{ partId, quantity: 1, unit: "set", unitFactor: 3, price: 10 }]);
    const values = [];
    for (const accepted of [1, 1, 1]) values.push((await receiveOk(clerk, line, { accepted })).movement.value);
    expect(values).toEqual([3.3333, 3.3334, 3.3333]);
    await verified(tenant);
  });

  test("uses the rate of the order, or that of the receipt", async () => {
    const { clerk, line, tenant } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 2 }], {
      currency: "USD",
    });
    await refused(clerk, () => receive(clerk, line, { accepted: 1 }), "BAD_USER_INPUT");
    expect(await receiveOk(clerk, line, { accepted: 4, exchangeRate: 0.92 })).toMatchObject({
      exchangeRate: 0.92,
      movement: { value: 7.36, unitCost: 1.84 },
    });
    const dear = await sentOrder(({ partId }) => [{ partId, quantity: 1e6, unit: "each", price: 1e7 }], { currency: "USD" });
    await refused(dear.clerk, () => receive(dear.clerk, dear.line, { accepted: 1e6, exchangeRate: 9e8 }), "BAD_USER_INPUT", {
      details: { exchangeRate: "gives a value of more than can be kept; use a smaller one" },
    });
    await verified(tenant);
    const euro = await sentOrder(({ partId }) => [{ partId, quantity: 1 }]);
    await refused(euro.clerk, () => receive(euro.clerk, euro.line, { accepted: 1, exchangeRate: 2 }), "BAD_USER_INPUT");
  });

  test("two clerks who receive the same line at once accept the open quantity once", async () => {
    const { clerk, tenant, line, order } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 5 }]);
    const other = (await newPerson(tenant, "Other", "TECHNICIAN")).caller;
    await receiveOk(clerk, line, { accepted: 4 });
    const answers = await Promise.all([clerk, other, clerk, other].map((one) => receive(one, line, { accepted: 6 })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers)
      for (const { extensions } of errors ?? []) expect(extensions).toMatchObject({ code: "CONFLICT", open: 0, requested: 6 });
    expect(await stateOf(tenant, order.id)).toMatchObject({ status: "RECEIVED", lines: [{ accepted: 10, openQuantity: 0 }] });
    await verified(tenant);
  });

  test("is refused for more than is open, by the orderer, before the order is sent, and with fields that do not fit", async () => {
    const { clerk, tenant, line, supplierId, partId } = await sentOrder(({ partId }) => [{ partId, quantity: 1 }]);
    await refused(clerk, () => receive(clerk, line, { accepted: 12.0001 }), "CONFLICT", { open: 12, requested: 12.0001 });
    await refused(tenant, () => receive(tenant, line, { accepted: 1 }), "FORBIDDEN");
    await refused(clerk, () => receive(clerk, "x", { accepted: 1 }), "NOT_FOUND");
    const draft = await orderOk(tenant, {
      supplierId,
      site: "North",
      lines: [
        { partId, quantity: 1 },
        { description: "Crane", quantity: 1, price: 1 },
      ],
    });
    await refused(clerk, () => receive(clerk, draft.lines[0].id, { accepted: 1 }), "CONFLICT", { status: "DRAFT" });
    for (const input of [
      { accepted: 0 },
      { accepted: 0, rejected: 1 },
      { accepted: 1, rejectionReason: "Rust" },
      { accepted: 2, serialNumbers: ["A"] },
    ])
      await refused(clerk, () => receive(clerk, line, input), "BAD_USER_INPUT");
    const rejected = { accepted: 0, rejected: 1, rejectionReason: "Rust", batchNumber: "B" };
    await refused(clerk, () => receive(clerk, line, rejected), "BAD_USER_INPUT", {
      details: { batchNumber: "is for accepted goods; leave it out" },
    });
    const expiring = { accepted: 1, batchNumber: "B", expiryDate: "2031-01-01" };
    const ofParts = "is for parts; leave it out for a service";
    await refused(clerk, () => receive(clerk, draft.lines[1].id, expiring), "BAD_USER_INPUT", {
      details: { batchNumber: ofParts, expiryDate: ofParts },
    });
  });

  test("takes serial numbers and batches, and only of accepted goods", async () => {
    const { clerk, line, tenant } = await sentOrder(({ partId }) => [{ partId, quantity: 2, unit: "each", price: 5 }]);
    const input = { accepted: 2, serialNumbers: ["A", "B"], batchNumber: "L1", expiryDate: "2031-01-01" };
    expect(await receiveOk(clerk, line, input)).toMatchObject({ movement: { serialNumbers: ["A", "B"], batchNumber: "L1", value: 10 } });
    await verified(tenant);
  });

  test("belongs to the site of its line: the key of another site is refused", async () => {
    const { tenant, order } = await sentOrder(({ partId }) => [
      { partId, quantity: 1, site: "South" },
      { partId, quantity: 1 },
    ]);
    const { key } = (await tenant.ask(`mutation { createApiKey(input: { name: "South", role: TECHNICIAN, sites: ["South"] }) { key } }`))
      .createApiKey;
    const south = new (tenant.constructor as any)(tenant.gateway, tenant.tenantId, key) as Caller;
    await refused(south, () => receive(south, order.lines[1].id, { accepted: 1 }), "FORBIDDEN");
    expect(await receiveOk(south, order.lines[0].id, { accepted: 12 })).toMatchObject({
      site: "South",
      order: { status: "PARTLY_RECEIVED" },
    });
  });
});

describe("a receipt of more than is open", () => {
  const tolerate = (tenant: Caller, overReceiptTolerance: number | null) =>
    tenant.graphql(`mutation ($input: UpdateStockSettingsInput!) { updateStockSettings(input: $input) { overReceiptTolerance } }`, {
      input: { overReceiptTolerance },
    });

  test("is accepted up to the tolerance of the ordered quantity, in one receipt or several", async () => {
    const { clerk, tenant, line, order, partId } = await sentOrder(({ partId }) => [{ partId, quantity: 60, unit: "each", price: 5 }]);
    const { stockSettings } = await tenant.ask("{ stockSettings { overReceiptTolerance } }");
    expect(stockSettings).toEqual({ overReceiptTolerance: 0 });
    await refused(clerk, () => receive(clerk, line, { accepted: 61 }), "CONFLICT", { open: 60, requested: 61 });
    expect((await tolerate(tenant, 5)).data.updateStockSettings).toEqual({ overReceiptTolerance: 5 });
    await receiveOk(clerk, line, { accepted: 50 });
    // Five per cent of 60 are three.
    await refused(clerk, () => receive(clerk, line, { accepted: 13.0001 }), "CONFLICT", { open: 10, requested: 13.0001 });
    expect(await receiveOk(clerk, line, { accepted: 11 })).toMatchObject({
      movement: { quantity: 11, value: 55 },
      order: { status: "RECEIVED" },
      line: { accepted: 61, openQuantity: 0 },
    });
    const over = await receiveOk(clerk, line, { accepted: 2 });
    expect(over).toMatchObject({ order: { status: "RECEIVED" }, line: { accepted: 63, openQuantity: 0, cancelled: 0 } });
    await refused(clerk, () => receive(clerk, line, { accepted: 0.5 }), "CONFLICT", { open: 0, requested: 0.5 });
    const { part } = await tenant.ask("query ($id: ID!) { part(id: $id) { onOrder projectedStock } }", { id: partId });
    expect(part).toEqual({ onOrder: 0, projectedStock: 63 });
    await stepOk(tenant, "close", order.id);
    await refused(clerk, () => receive(clerk, line, { accepted: 0.5 }), "CONFLICT", { status: "CLOSED" });
    // Nothing of the order is open or cancelled without the surplus.
    await reverse(tenant, over.movement.id);
    expect(await stateOf(tenant, order.id)).toMatchObject({ status: "CLOSED", lines: [{ accepted: 61, cancelled: 0, amount: 300 }] });
    await verified(tenant);
  });

  test("has no tolerance once something of the line is cancelled", async () => {
    const { clerk, tenant, line } = await sentOrder(({ partId }) => [
      { partId, quantity: 10, unit: "each", price: 5 },
      { partId, quantity: 1 },
    ]);
    await tolerate(tenant, 100);
    await receiveOk(clerk, line, { accepted: 4 });
    await stepOk(tenant, "cancelLine", line, { reason: "Enough" });
    await refused(clerk, () => receive(clerk, line, { accepted: 1 }), "CONFLICT", { open: 0, requested: 1 });
  });

  test("reversed at a closed order cancels what was ordered only", async () => {
    const { clerk, tenant, line, order } = await sentOrder(({ partId }) => [{ partId, quantity: 100, unit: "each", price: 5 }]);
    await tolerate(tenant, 3);
    const first = await receiveOk(clerk, line, { accepted: 60 });
    await receiveOk(clerk, line, { accepted: 43 });
    await stepOk(tenant, "close", order.id);
    await reverse(tenant, first.movement.id);
    expect(await stateOf(tenant, order.id)).toMatchObject({ lines: [{ accepted: 43, cancelled: 57, openQuantity: 0 }] });
  });

  test("of two clerks at once stays within the tolerance", async () => {
    const { clerk, tenant, line } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 5 }]);
    await tolerate(tenant, 10);
    const answers = await Promise.all([6, 6, 5, 5].map((accepted) => receive(clerk, line, { accepted })));
    const accepted = answers.flatMap(({ data, errors }) => (errors ? [] : data.receivePurchaseOrderLine.accepted));
    expect(accepted.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(11);
    expect(accepted).toHaveLength(2);
    await verified(tenant);
  });

  test("has a tolerance from 0 to 100 per cent", async () => {
    const tenant = await gateway.newTenant();
    expect((await tolerate(tenant, 100)).errors).toBeUndefined();
    const { errors } = await tolerate(tenant, 100.5);
    expect(errors![0]!.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { overReceiptTolerance: "must be from 0 to 100" } });
    expect((await tolerate(tenant, null)).data.updateStockSettings).toEqual({ overReceiptTolerance: 0 });
  });
});

describe("a reversal", () => {
  test("of the movement opens the line again and puts the order's state back", async () => {
    const { clerk, tenant, line, order } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 5 }]);
    const first = await receiveOk(clerk, line, { accepted: 4 });
    const second = await receiveOk(clerk, line, { accepted: 6 });
    expect((await reverse(tenant, second.movement.id)).errors).toBeUndefined();
    expect(await stateOf(tenant, order.id)).toMatchObject({ status: "PARTLY_RECEIVED", lines: [{ accepted: 4, openQuantity: 6 }] });
    expect((await reverse(tenant, first.movement.id)).errors).toBeUndefined();
    expect(await stateOf(tenant, order.id)).toMatchObject({ status: "SENT", lines: [{ accepted: 0, openQuantity: 10 }] });
    await refused(tenant, () => reverse(tenant, first.movement.id), "CONFLICT");
    const { goodsReceipts } = await tenant.ask("{ goodsReceipts { nodes { accepted reversedAt } } }");
    expect(goodsReceipts.nodes).toEqual([4, 6].map((accepted) => ({ accepted, reversedAt: expect.any(String) })));
    await receiveOk(clerk, line, { accepted: 10 });
    await verified(tenant);
  });

  test("at a closed order cancels the quantity: nothing of it is open", async () => {
    const { clerk, tenant, line, order } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 5 }]);
    await refused(tenant, () => step(tenant, "close", order.id), "CONFLICT", { status: "SENT" });
    const { movement } = await receiveOk(clerk, line, { accepted: 4 });
    await refused(tenant, () => step(tenant, "cancel", order.id, { reason: "Late" }), "CONFLICT", { status: "PARTLY_RECEIVED" });
    expect(await stepOk(tenant, "close", order.id)).toMatchObject({
      status: "CLOSED",
      total: 20,
      lines: [{ accepted: 4, cancelled: 6, openQuantity: 0 }],
    });
    await refused(clerk, () => receive(clerk, line, { accepted: 1 }), "CONFLICT", { status: "CLOSED" });
    const { version } = await stateOf(tenant, order.id);
    expect((await reverse(tenant, movement.id)).errors).toBeUndefined();
    expect(await stateOf(tenant, order.id)).toMatchObject({
      status: "CLOSED",
      total: 0,
      version: version + 1,
      lines: [{ accepted: 0, cancelled: 10, openQuantity: 0 }],
    });
  });
});

test("each receipt and reversal raises the order's version once, so that nobody closes an order without having seen it", async () => {
  const { clerk, tenant, line, order } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 5 }]);
  const seen = async () => {
    const { status, version } = await stateOf(tenant, order.id);
    return { status, version };
  };
  const { version } = await seen();
  const { movement } = await receiveOk(clerk, line, { accepted: 4 });
  expect(await seen()).toEqual({ status: "PARTLY_RECEIVED", version: version + 1 });
  const since = new Date().toISOString();
  await receiveOk(clerk, line, { accepted: 1 });
  expect(await seen()).toEqual({ status: "PARTLY_RECEIVED", version: version + 2 });
  const changed = "query ($since: DateTime) { purchaseOrders(filter: { updatedSince: $since }) { nodes { id } } }";
  expect((await tenant.ask(changed, { since })).purchaseOrders.nodes).toEqual([{ id: order.id }]);
  await refused(tenant, () => step(tenant, "close", order.id, { expectedVersion: version + 1 }), "CONFLICT", { version: version + 2 });
  await receiveOk(clerk, line, { accepted: 0, rejected: 2, rejectionReason: "Rust" });
  expect(await seen()).toEqual({ status: "PARTLY_RECEIVED", version: version + 3 });
  await tenant.ask(`mutation ($id: ID!) { reverseMovement(id: $id, reason: "Wrong") { id } }`, { id: movement.id });
  expect(await seen()).toEqual({ status: "PARTLY_RECEIVED", version: version + 4 });
  await stepOk(tenant, "cancelLine", line, { reason: "Enough" });
  expect(await seen()).toEqual({ status: "RECEIVED", version: version + 5 });
});

test("cancelling the rest of the last open line makes a partly received order received", async () => {
  const { clerk, tenant, line } = await sentOrder(({ partId }) => [{ partId, quantity: 10, unit: "each", price: 5 }]);
  await receiveOk(clerk, line, { accepted: 4 });
  expect(await stepOk(tenant, "cancelLine", line, { reason: "Enough" })).toMatchObject({ status: "RECEIVED", total: 20 });
});

test("an accepted service is a contractor cost of its work order", async () => {
  const tenant = await gateway.newTenant();
  const { supplierId } = await supplied(tenant);
  const clerk = (await newPerson(tenant, "Clerk", "TECHNICIAN")).caller;
  const asset = await tenant.createAsset({ site: "North" });
  const { createWorkOrder } = await tenant.ask(
    `mutation ($id: ID!) { createWorkOrder(input: { title: "Crane", assetId: $id, type: PREVENTIVE }) { id } }`,
    { id: asset.id },
  );
  const order = await orderOk(tenant, {
    supplierId,
    site: "North",
    lines: [
      { description: "Crane", quantity: 3, price: 100, workOrderId: createWorkOrder.id },
      { description: "Advice", quantity: 1, price: 50 },
    ],
  });
  await stepOk(tenant, "submit", order.id);
  await stepOk(tenant, "send", order.id);
  expect(await receiveOk(clerk, order.lines[0].id, { accepted: 1.5 })).toMatchObject({
    movement: null,
    order: { status: "PARTLY_RECEIVED" },
  });
  await receiveOk(clerk, order.lines[1].id, { accepted: 1 });
  const { workOrder } = await tenant.ask(`query ($id: ID!) { workOrder(id: $id) { totalCost costs { kind description amount } } }`, {
    id: createWorkOrder.id,
  });
  expect(workOrder).toEqual({ totalCost: 150, costs: [{ kind: "CONTRACTOR", description: `${order.number}: Crane`, amount: 150 }] });
});
