/** Rejected goods over GraphQL: quarantine, releases and returns (docs/supply.md, "Quarantine"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { newPerson, step, stepOk } from "./purchases.js";
import { ok, receive, receiveOk, refused, release, reverse, sendBack, sentOrder, verified } from "./receipts.js";

const gateway = await sharedGateway();

const each = { unit: "each", price: 5 };

/** A sent order of 36 pieces for North and 24 for South, with a manager who did not order them. */
async function ordered(tenant?: Caller) {
  const sent = await sentOrder(tenant ?? (await gateway.newTenant()), ({ partId }) => [
    { partId, quantity: 36, ...each },
    { partId, quantity: 24, ...each, site: "South" },
  ]);
  return { ...sent, manager: (await newPerson(sent.tenant, "Manager")).caller };
}

const stockAt = async (tenant: Caller, id: string) =>
  (await tenant.ask(`query ($id: ID!) { part(id: $id) { onOrder stockAt(site: "North") { quantity totalValue } } }`, { id })).part;

const quarantined = async (tenant: Caller, isQuarantined = true) =>
  (
    await tenant.ask("query ($is: Boolean!) { goodsReceipts(filter: { quarantined: $is }) { nodes { id inQuarantine } } }", {
      is: isQuarantined,
    })
  ).goodsReceipts.nodes;

test("rejected goods are released at the line's price or sent back; the rest stays open", async () => {
  const { tenant, clerk, clerkId, manager, line, partId, order } = await ordered();
  const rejected = await receiveOk(clerk, line, { accepted: 30, rejected: 6, rejectionReason: "Rust", deliveryNote: "DN-1" });
  expect(await quarantined(tenant)).toEqual([{ id: rejected.id, inQuarantine: 6 }]);
  expect(await stockAt(tenant, partId)).toEqual({ onOrder: 30, stockAt: { quantity: 30, totalValue: 150 } });

  const released = await ok(release(manager, rejected.id, { quantity: 2 }));
  expect(released).toEqual({
    id: expect.any(String),
    accepted: 2,
    rejected: 0,
    exchangeRate: null,
    releaseReason: "Polished",
    inQuarantine: 0,
    original: { id: rejected.id, rejected: 6, released: 2, returned: 0, inQuarantine: 4 },
    movement: {
      id: expect.any(String),
      type: "RECEIPT",
      quantity: 2,
      value: 10,
      unitCost: 5,
      reference: order.number,
      reason: "Polished",
      serialNumbers: [],
      batchNumber: null,
    },
    order: { status: "PARTLY_RECEIVED" },
    line: { accepted: 32, openQuantity: 4, cancelled: 0 },
  });
  expect(await ok(sendBack(clerk, rejected.id, 3))).toEqual({
    id: rejected.id,
    rejected: 6,
    released: 2,
    returned: 3,
    inQuarantine: 1,
    returns: [{ quantity: 3, reason: "Rust", returnNote: "RN-1", returnedBy: clerkId, site: "North" }],
    order: { status: "PARTLY_RECEIVED" },
    line: { accepted: 32, openQuantity: 4, cancelled: 0 },
  });
  expect(await stockAt(tenant, partId)).toEqual({ onOrder: 28, stockAt: { quantity: 32, totalValue: 160 } });

  await refused(clerk, () => sendBack(clerk, rejected.id, 1.5), "CONFLICT", { inQuarantine: 1, requested: 1.5 });
  await refused(manager, () => release(manager, rejected.id, { quantity: 1.5 }), "CONFLICT", { inQuarantine: 1, requested: 1.5 });
  await ok(sendBack(clerk, rejected.id, 1));
  expect(await quarantined(tenant)).toEqual([]);
  expect(await quarantined(tenant, false)).toHaveLength(2);
  const { goodsReceipts } = await tenant.ask(
    "{ goodsReceipts(filter: { quarantined: false }) { nodes { releases { id } returns { quantity } original { id } } } }",
  );
  expect(goodsReceipts.nodes).toEqual([
    { releases: [{ id: released.id }], returns: [{ quantity: 3 }, { quantity: 1 }], original: null },
    { releases: [], returns: [], original: { id: rejected.id } },
  ]);

  // The goods of a reversed release wait again.
  await ok(reverse(tenant, released.movement.id));
  expect(await quarantined(tenant)).toEqual([{ id: rejected.id, inQuarantine: 2 }]);
  expect(await stockAt(tenant, partId)).toEqual({ onOrder: 30, stockAt: { quantity: 30, totalValue: 150 } });
  await verified(tenant);
});

test("a release takes from what is open, and a return needs nothing open", async () => {
  const { tenant, clerk, manager, line, order } = await ordered();
  const rejected = await receiveOk(clerk, line, { accepted: 0, rejected: 6, rejectionReason: "Rust" });
  expect(rejected).toMatchObject({ movement: null, order: { status: "SENT" }, line: { openQuantity: 36 } });
  // The supplier delivered the six again.
  await receiveOk(clerk, line, { accepted: 35 });
  await refused(manager, () => release(manager, rejected.id, { quantity: 2 }), "CONFLICT", { open: 1, requested: 2 });
  expect(await ok(release(manager, rejected.id, { quantity: 1 }))).toMatchObject({ line: { accepted: 36, openQuantity: 0 } });
  await stepOk(tenant, "close", order.id);
  await refused(manager, () => release(manager, rejected.id, { quantity: 1 }), "CONFLICT", { status: "CLOSED" });
  expect(await ok(sendBack(clerk, rejected.id, 5))).toMatchObject({ inQuarantine: 0, order: { status: "CLOSED" } });
  await verified(tenant);
});

test("two releases and a return at once share what is in quarantine", async () => {
  const { tenant, clerk, manager, line } = await ordered();
  const { id } = await receiveOk(clerk, line, { accepted: 0, rejected: 6, rejectionReason: "Rust" });
  const answers = await Promise.all([
    release(manager, id, { quantity: 4 }),
    release(manager, id, { quantity: 4 }),
    sendBack(clerk, id, 4),
    sendBack(clerk, id, 4),
  ]);
  expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
  for (const { errors } of answers)
    for (const { extensions } of errors ?? []) expect(extensions).toMatchObject({ code: "CONFLICT", inQuarantine: 2, requested: 4 });
  expect(await quarantined(tenant)).toEqual([{ id, inQuarantine: 2 }]);
  await verified(tenant);
});

test("a release takes serial numbers and the rate of the rejection", async () => {
  const sent = await sentOrder(await gateway.newTenant(), ({ partId }) => [{ partId, quantity: 4, ...each }], { currency: "USD" });
  const { tenant, clerk, line } = sent;
  const manager = (await newPerson(tenant, "Manager")).caller;
  const { id } = await receiveOk(clerk, line, { accepted: 0, rejected: 3, rejectionReason: "Rust", exchangeRate: 0.9 });
  const numbers = { serialNumbers: ["A", "B"], batchNumber: "L1", expiryDate: "2031-01-01" };
  await refused(manager, () => release(manager, id, { quantity: 3, ...numbers }), "BAD_USER_INPUT");
  expect(await ok(release(manager, id, { quantity: 2, ...numbers }))).toMatchObject({
    exchangeRate: 0.9,
    movement: { value: 9, serialNumbers: ["A", "B"], batchNumber: "L1" },
  });
  await verified(tenant);
});

test("are for managers other than the orderer, at their sites", async () => {
  const { tenant, clerk, line, order } = await ordered();
  const { id } = await receiveOk(clerk, line, { accepted: 0, rejected: 6, rejectionReason: "Rust" });
  await refused(tenant, () => release(tenant, id, { quantity: 1 }), "FORBIDDEN");
  await refused(clerk, () => release(clerk, id, { quantity: 1 }), "FORBIDDEN");
  const south = await tenant.as("manager", ["South"]);
  await refused(south, () => release(south, id, { quantity: 1 }), "FORBIDDEN");
  await refused(south, () => sendBack(south, id, 1), "FORBIDDEN");
  await refused(clerk, () => sendBack(clerk, "x", 1), "NOT_FOUND");
  const manager = (await newPerson(tenant, "Other")).caller;
  await refused(manager, () => release(manager, "x", { quantity: 1 }), "NOT_FOUND");
  await refused(manager, () => release(manager, id, { quantity: 1, reason: " " }), "BAD_USER_INPUT");
  expect((await step(tenant, "cancel", order.id, { reason: "Rust" })).errors).toBeUndefined();
  await refused(manager, () => release(manager, id, { quantity: 1 }), "CONFLICT", { status: "CANCELLED" });
});

test("a released service costs its work order", async () => {
  const { tenant, clerk, manager, supplierId } = await ordered();
  const asset = await tenant.createAsset({ site: "North" });
  const { createWorkOrder } = await tenant.ask(
    `mutation ($id: ID!) { createWorkOrder(input: { title: "Crane", assetId: $id, type: PREVENTIVE }) { id } }`,
    { id: asset.id },
  );
  const line = { description: "Crane", quantity: 2, price: 100, workOrderId: createWorkOrder.id };
  const { createPurchaseOrder } = await tenant.ask(
    "mutation ($input: CreatePurchaseOrderInput!) { createPurchaseOrder(input: $input) { id lines { id } } }",
    { input: { supplierId, site: "North", lines: [line] } },
  );
  await stepOk(tenant, "submit", createPurchaseOrder.id);
  await stepOk(tenant, "send", createPurchaseOrder.id);
  const { data } = await receive(clerk, createPurchaseOrder.lines[0].id, { accepted: 0, rejected: 2, rejectionReason: "Unsafe" });
  const { id } = data.receivePurchaseOrderLine;
  await refused(manager, () => release(manager, id, { quantity: 1, batchNumber: "B" }), "BAD_USER_INPUT");
  expect(await ok(release(manager, id, { quantity: 1.5 }))).toMatchObject({ movement: null, line: { accepted: 1.5, openQuantity: 0.5 } });
  const { workOrder } = await tenant.ask("query ($id: ID!) { workOrder(id: $id) { totalCost } }", { id: createWorkOrder.id });
  expect(workOrder).toEqual({ totalCost: 150 });
});
