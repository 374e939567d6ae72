/** Receipts of order lines and their invoices over the API, for tests. */
import { expect } from "vitest";
import type { Caller } from "../../world.js";
import { newPerson, orderOk, stepOk, supplied } from "./purchases.js";

/** Submits and sends the caller's first draft, and receives half a unit of its first line as another person, who rejects the other half. */
export async function receiveFirstLine(caller: Caller, input: { rejectionReason?: string; deliveryNote?: string } = {}): Promise<void> {
  const { purchaseOrders } = await caller.ask("{ purchaseOrders(filter: { status: DRAFT }) { nodes { id lines { id } } } }");
  const [{ id, lines }] = purchaseOrders.nodes;
  const { status } = await stepOk(caller, "submit", id);
  const { caller: clerk } = await newPerson(caller, "Clerk");
  if (status === "AWAITING_APPROVAL") await stepOk(clerk, "approve", id);
  await stepOk(caller, "send", id);
  const words = { rejectionReason: "Rust", deliveryNote: "DN-1", ...input };
  const receipt = await receiveOk(clerk, lines[0].id, { accepted: 0.5, rejected: 0.5, ...words });
  await ok(release(clerk, receipt.id, { quantity: 0.125, reason: words.rejectionReason }));
  await ok(sendBack(clerk, receipt.id, 0.125, words));
}

export const receive = (caller: Caller, id: string, input: object) =>
  caller.graphql(
    `mutation ($id: ID!, $input: ReceiveOrderLineInput!) { receivePurchaseOrderLine(id: $id, input: $input) {
      id accepted rejected rejectionReason exchangeRate deliveryNote receivedBy reversedAt site
      movement { id type quantity value unitCost reference serialNumbers batchNumber }
      order { status } line { accepted openQuantity cancelled } } }`,
    { id, input },
  );

export async function receiveOk(caller: Caller, id: string, input: object): Promise<any> {
  const { data, errors } = await receive(caller, id, input);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.receivePurchaseOrderLine;
}

export const release = (caller: Caller, id: string, input: object) =>
  caller.graphql(
    `mutation ($id: ID!, $input: ReleaseRejectedGoodsInput!) { releaseRejectedGoods(id: $id, input: $input) {
      id accepted rejected exchangeRate releaseReason inQuarantine original { id rejected released returned inQuarantine }
      movement { id type quantity value unitCost reference reason serialNumbers batchNumber }
      order { status } line { accepted openQuantity cancelled } } }`,
    { id, input: { reason: "Polished", ...input } },
  );

export const sendBack = (
  caller: Caller,
  id: string,
  quantity: number,
  { rejectionReason, deliveryNote } = { rejectionReason: "Rust", deliveryNote: "RN-1" },
) =>
  caller.graphql(
    `mutation ($id: ID!, $quantity: Positive!, $reason: RequiredText!, $note: ShortText) {
      returnRejectedGoods(id: $id, quantity: $quantity, reason: $reason, returnNote: $note) {
      id rejected released returned inQuarantine returns { quantity reason returnNote returnedBy site }
      order { status } line { accepted openQuantity cancelled } } }`,
    { id, quantity, reason: rejectionReason, note: deliveryNote },
  );

/** The result of a mutation that succeeds. */
export async function ok(call: Promise<{ data?: any; errors?: any[] }>): Promise<any> {
  const { data, errors } = await call;
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return Object.values(data)[0];
}

export const reverse = (caller: Caller, id: string) =>
  caller.graphql(`mutation ($id: ID!) { reverseMovement(id: $id, reason: "Wrong part") { id } }`, { id });

/** A sent order of the tenant's admin, and a clerk who may receive it. */
export async function sentOrder(tenant: Caller, lines: (plant: { partId: string }) => object[], order: object = {}) {
  const plant = await supplied(tenant);
  const clerk = await newPerson(tenant, "Clerk", "TECHNICIAN");
  const created = await orderOk(tenant, { supplierId: plant.supplierId, site: "North", ...order, lines: lines(plant) });
  await stepOk(tenant, "submit", created.id);
  await stepOk(tenant, "send", created.id);
  return { tenant, clerk: clerk.caller, clerkId: clerk.id, ...plant, order: created, line: created.lines[0].id as string };
}

/** Calls that are refused and change nothing of orders and stock. */
export async function refused(caller: Caller, call: () => Promise<{ errors?: any[] }>, code: string, details: object = {}) {
  const state = () =>
    caller.snapshot("PurchaseOrder", "PurchaseOrderLine", "GoodsReceipt", "GoodsReturn", "StockMovement", "WorkOrderCost", "Unit");
  const before = await state();
  const { errors } = await call();
  expect(errors?.map(({ extensions }) => extensions)).toEqual([expect.objectContaining({ code, ...details })]);
  expect(await state()).toEqual(before);
}

export const verified = async (tenant: Caller) => {
  const { verifyLedger } = await tenant.ask("{ verifyLedger { balanced } }");
  expect(verifyLedger).toEqual({ balanced: true });
};

/** Invoices half a unit of the caller's first received line, and posts the invoice. */
export async function invoiceFirstLine(caller: Caller, input: object = {}): Promise<void> {
  const { goodsReceipts } = await caller.ask("{ goodsReceipts(first: 1) { nodes { site line { id price } order { supplierId } } } }");
  const [{ site, line, order }] = goodsReceipts.nodes;
  const { createSupplierInvoice } = await caller.ask(
    "mutation ($input: CreateSupplierInvoiceInput!) { createSupplierInvoice(input: $input) { id } }",
    {
      input: {
        supplierId: order.supplierId,
        number: "R-1",
        site,
        invoiceDate: "2026-11-01",
        lines: [{ orderLineId: line.id, quantity: 0.5, amount: line.price / 2 }],
        ...input,
      },
    },
  );
  await caller.ask("mutation ($id: ID!) { postSupplierInvoice(id: $id) { id } }", createSupplierInvoice);
}
