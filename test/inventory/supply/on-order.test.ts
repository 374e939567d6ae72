/** Purchase orders in `onOrder`, projected stock, shortages and proposals (docs/supply.md, "On order"). */
import { describe, expect, test } from "vitest";
import { part, procedure, workOrder } from "../../maintenance/work-orders/orders.js";
import { type Caller, sharedGateway } from "../../world.js";
import { orderOk, stepOk } from "./purchases.js";
import { receiveOk, reverse, sentOrder, verified } from "./receipts.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const start = Math.floor(Date.now() / 1_000) * 1_000;
const day = (n: number) => new Date(start + n * dayMs).toISOString();

const figures = async (tenant: Caller, id: string) =>
  (
    await tenant.ask(
      "query ($id: ID!) { part(id: $id) { onOrder projectedStock stockStatus stockLevels { site quantity onOrder projectedStock stockStatus } } }",
      { id },
    )
  ).part;

const onOrder = async (tenant: Caller, id: string): Promise<number> => (await figures(tenant, id)).onOrder;

const updatePart = (tenant: Caller, id: string, input: object) =>
  tenant.ask("mutation ($id: ID!, $input: UpdatePartInput!) { updatePart(id: $id, input: $input) { id } }", { id, input });

const stock = (tenant: Caller, id: string, site: string, quantity: number, fields: object = {}) =>
  tenant.rest("PUT", `/inventory/${id}`, { site, currentStock: quantity, ...fields });

const repromise = (tenant: Caller, id: string, at: string) =>
  tenant.ask("mutation ($id: ID!, $at: DateTime!) { repromisePurchaseOrderLine(id: $id, repromisedAt: $at) { id } }", { id, at });

const each = { unit: "each", price: 5 };

/** A further sent order of the tenant's admin. */
async function sendAnother(tenant: Caller, supplierId: string, lines: object[]): Promise<any> {
  const order = await orderOk(tenant, { supplierId, site: "North", lines });
  await stepOk(tenant, "submit", order.id);
  await stepOk(tenant, "send", order.id);
  return order;
}

describe("on order", () => {
  test("is the sum of what is open of the lines of several sent orders at each site", async () => {
    const tenant = await gateway.newTenant();
    const { clerk, line, partId, supplierId, order } = await sentOrder(tenant, ({ partId }) => [
      { partId, quantity: 5 },
      { partId, quantity: 7, site: "South", ...each },
    ]);
    await stock(tenant, partId, "North", 3);
    await stock(tenant, partId, "South", 1);
    // Five boxes of 12, and seven pieces.
    const levels = (north: number, south: number) => [
      expect.objectContaining({ site: "North", onOrder: north, projectedStock: 3 + north }),
      expect.objectContaining({ site: "South", onOrder: south, projectedStock: 1 + south }),
    ];
    expect(await figures(tenant, partId)).toMatchObject({ onOrder: 67, projectedStock: 71, stockLevels: levels(60, 7) });
    const second = await sendAnother(tenant, supplierId, [
      { partId, quantity: 10, ...each },
      { partId, quantity: 100, site: "Elsewhere", ...each },
      { description: "Crane", quantity: 1, price: 1 },
    ]);
    // Without stock there, a site counts only for the part.
    expect(await figures(tenant, partId)).toMatchObject({ onOrder: 177, stockLevels: levels(70, 7) });
    // Drafts and approved orders are not on order.
    const draft = await orderOk(tenant, { supplierId, site: "North", lines: [{ partId, quantity: 1000, ...each }] });
    await stepOk(tenant, "submit", draft.id);
    expect(await onOrder(tenant, partId)).toBe(177);

    const { movement } = await receiveOk(clerk, line, { accepted: 20, rejected: 5, rejectionReason: "Rust" });
    expect(await figures(tenant, partId)).toMatchObject({ onOrder: 157, projectedStock: 181 });
    await reverse(tenant, movement.id);
    expect(await onOrder(tenant, partId)).toBe(177);
    await receiveOk(clerk, line, { accepted: 60 });
    expect(await onOrder(tenant, partId)).toBe(117);
    await stepOk(tenant, "close", order.id);
    expect(await onOrder(tenant, partId)).toBe(110);
    await stepOk(tenant, "cancelLine", second.lines[1].id, { reason: "Moved" });
    expect(await onOrder(tenant, partId)).toBe(10);
    await stepOk(tenant, "cancel", second.id, { reason: "Late" });
    expect(await figures(tenant, partId)).toMatchObject({ onOrder: 0, projectedStock: 64 });
    await verified(tenant);
  });

  test("a part is on order by a line alone, and a line lifts it above the reorder point", async () => {
    const tenant = await gateway.newTenant();
    const { partId } = await sentOrder(tenant, ({ partId }) => [{ partId, quantity: 8, ...each }]);
    await stock(tenant, partId, "North", 4);
    const low = async () => (await tenant.rest("GET", "/inventory?lowStock=true")).body.map((level: any) => level.partId);
    expect(await figures(tenant, partId)).toMatchObject({ projectedStock: 12, stockStatus: "ON_ORDER" });
    await updatePart(tenant, partId, { reorderPoint: 11 });
    expect(await figures(tenant, partId)).toMatchObject({ projectedStock: 12, stockStatus: "ON_ORDER" });
    expect(await low()).toEqual([]);
    await updatePart(tenant, partId, { reorderPoint: 13 });
    expect(await figures(tenant, partId)).toMatchObject({ stockStatus: "LOW_STOCK", stockLevels: [{ stockStatus: "LOW" }] });
    expect(await low()).toEqual([partId]);
  });
});

describe("the order recorded on a part", () => {
  test("does not count with a purchase order that is open, or was written since", async () => {
    const tenant = await gateway.newTenant();
    const { clerk, line, partId, supplierId } = await sentOrder(tenant, ({ partId }) => [{ partId, quantity: 5 }]);
    await updatePart(tenant, partId, { lastOrderDate: "2026-01-01", lastOrderQuantity: 95 });
    expect(await onOrder(tenant, partId)).toBe(60);
    await receiveOk(clerk, line, { accepted: 10 });
    expect(await onOrder(tenant, partId)).toBe(50);
    await receiveOk(clerk, line, { accepted: 50 });
    expect(await onOrder(tenant, partId)).toBe(0);
    const draft = await orderOk(tenant, { supplierId, site: "North", lines: [{ partId, quantity: 1 }] });
    // A later record of an order counts again, with drafts.
    await updatePart(tenant, partId, { lastOrderDate: new Date().toISOString(), lastOrderQuantity: 95 });
    expect(await onOrder(tenant, partId)).toBe(95);
    await stepOk(tenant, "submit", draft.id);
    await stepOk(tenant, "send", draft.id);
    expect(await onOrder(tenant, partId)).toBe(12);
    await stepOk(tenant, "cancel", draft.id, { reason: "Double" });
    expect(await onOrder(tenant, partId)).toBe(95);
    await tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
      id: partId,
      input: { site: "North", quantity: 20 },
    });
    expect(await onOrder(tenant, partId)).toBe(75);
    const { lastOrderQuantity } = (await tenant.rest("GET", `/parts/${partId}`)).body;
    expect(lastOrderQuantity).toBe(20);
  });

  test("is not reduced by a receipt of a purchase order", async () => {
    const tenant = await gateway.newTenant();
    const { clerk, line, partId } = await sentOrder(tenant, ({ partId }) => [{ partId, quantity: 5 }]);
    await updatePart(tenant, partId, { lastOrderDate: new Date().toISOString(), lastOrderQuantity: 95 });
    await receiveOk(clerk, line, { accepted: 60 });
    expect(await onOrder(tenant, partId)).toBe(95);
  });

  test("covers a technician's receipt, and a line does not: it is received as such", async () => {
    const tenant = await gateway.newTenant();
    const { clerk, partId } = await sentOrder(tenant, ({ partId }) => [{ partId, quantity: 5 }]);
    const receiveStock = () =>
      clerk.ask("mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }", {
        id: partId,
        input: { site: "North", quantity: 60 },
      });
    await receiveStock();
    const level = async () =>
      (
        await tenant.ask(
          `query ($id: ID!) { part(id: $id) { stockAt(site: "North") { quantity } stockLevels { blockedStock onOrder projectedStock } } }`,
          { id: partId },
        )
      ).part;
    expect(await level()).toEqual({ stockAt: { quantity: 60 }, stockLevels: [{ blockedStock: 60, onOrder: 60, projectedStock: 60 }] });
  });
});

describe("a late line", () => {
  test("stays on order, and counts again with a new date", async () => {
    const tenant = await gateway.newTenant();
    const { line, partId } = await sentOrder(tenant, ({ partId }) => [{ partId, quantity: 8, ...each, promisedAt: day(-1) }]);
    await stock(tenant, partId, "North", 4, { reorderPoint: 10 });
    await updatePart(tenant, partId, { reorderPoint: 10 });
    const late = { onOrder: 8, projectedStock: 4 };
    const proposals = async () => (await tenant.ask("{ reorderProposals { onOrder projectedStock } }")).reorderProposals;
    expect(await figures(tenant, partId)).toEqual({
      ...late,
      stockStatus: "LOW_STOCK",
      stockLevels: [{ site: "North", quantity: 4, ...late, stockStatus: "LOW" }],
    });
    expect(await proposals()).toEqual([late]);
    const { purchaseOrderLines } = await tenant.ask("{ purchaseOrderLines(filter: { late: true }) { nodes { id } } }");
    expect(purchaseOrderLines.nodes).toEqual([{ id: line }]);
    await repromise(tenant, line, day(30));
    expect(await figures(tenant, partId)).toMatchObject({
      onOrder: 8,
      projectedStock: 12,
      stockStatus: "ON_ORDER",
      stockLevels: [{ projectedStock: 12, stockStatus: "ADEQUATE" }],
    });
    expect(await proposals()).toEqual([]);
  });
});

describe("shortages", () => {
  const shortages = async (caller: Caller) =>
    (
      await caller.ask(`{ shortages { site date missing expected
        orders { quantity orderedAt expectedAt counts isLate purchaseOrder { number } purchaseOrderLine { id } } } }`)
    ).shortages;

  test("list the lines by date; late ones and those without a date do not count", async () => {
    const tenant = await gateway.newTenant();
    const { order, partId } = await sentOrder(tenant, ({ partId }) => [
      { partId, quantity: 1, ...each, promisedAt: day(3) },
      { partId, quantity: 2, ...each, promisedAt: day(6) },
      { partId, quantity: 3, ...each },
      { partId, quantity: 4, ...each, promisedAt: day(-2) },
      { partId, quantity: 5, ...each, site: "South", promisedAt: day(1) },
    ]);
    await stock(tenant, partId, "North", 5);
    const assetId = (await tenant.createAsset({ site: "North" })).id;
    const { id } = await procedure(tenant, { assetId, parts: [{ partId, quantity: 10 }], anchor: day(5) });
    await workOrder(tenant, id, { scheduledDate: day(5) });
    const listed = (at: number, quantity: number, expectedAt: string | null, rest: object = {}) => ({
      quantity,
      orderedAt: expect.any(String),
      expectedAt,
      counts: false,
      isLate: false,
      purchaseOrder: { number: order.number },
      purchaseOrderLine: { id: order.lines[at].id },
      ...rest,
    });
    const row = (missing: number, expected: number, second: object) => ({
      site: "North",
      date: day(5),
      missing,
      expected,
      orders: [listed(3, 4, day(-2), { isLate: true }), listed(0, 1, day(3), { counts: true }), second, listed(2, 3, null)],
    });
    // 10 needed, 5 there, 1 to come.
    expect(await shortages(tenant)).toEqual([row(4, 1, listed(1, 2, day(6)))]);
    const north = await tenant.as("viewer", ["North"], false);
    expect(await shortages(north)).toEqual([row(4, 1, listed(1, 2, day(6)))]);
    await repromise(tenant, order.lines[1].id, day(4));
    expect(await shortages(tenant)).toEqual([row(2, 3, listed(1, 2, day(4), { counts: true }))]);
  });

  test("list the order recorded on the part without a purchase order", async () => {
    const tenant = await gateway.newTenant();
    const id = await part(tenant, { site: "North", stockLevel: 1, leadTime: 4, lastOrderDate: day(1), lastOrderQuantity: 9 });
    await tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { reserveStock(partId: $id, input: $input) { id } }", {
      id,
      input: { site: "North", quantity: 1 },
    });
    const assetId = (await tenant.createAsset({ site: "North" })).id;
    const made = await procedure(tenant, { assetId, parts: [{ partId: id, quantity: 2 }], anchor: day(3) });
    await workOrder(tenant, made.id, { scheduledDate: day(3) });
    expect(await shortages(tenant)).toMatchObject([
      { orders: [{ quantity: 9, expectedAt: day(5), counts: false, isLate: false, purchaseOrder: null, purchaseOrderLine: null }] },
    ]);
  });
});
