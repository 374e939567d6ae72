/** Expired batches: on hand, but not available (docs/stock.md, "Serial and batch numbers"). */
import { expect, test } from "vitest";
import { procedure, workOrder } from "../../maintenance/work-orders/orders.js";
import { type Caller, sharedGateway } from "../../world.js";
import { move, newPart, refusal, refusedMove } from "./stock.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const day = (n: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + n * dayMs).toISOString();

/** Stock at the site N: 10 of a batch that expired yesterday, and 4 of a batch that expires in a month. */
async function stocked(fields: object = {}) {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { site: "N", unitCost: 2, reorderPoint: 5, maximumStock: 20, ...fields });
  await move(tenant, "receiveStock", partId, { quantity: 10, batchNumber: "OLD", expiryDate: day(-1) });
  await move(tenant, "receiveStock", partId, { quantity: 4, batchNumber: "NEW", expiryDate: day(30) });
  return { tenant, partId };
}

const seen = async (tenant: Caller, id: string) =>
  (
    await tenant.ask(
      `query ($id: ID!) { part(id: $id) { projectedStock stockStatus
        stockLevels { quantity expiredStock blockedStock availableStock projectedStock stockStatus belowReorderPoint } } }`,
      { id },
    )
  ).part;

/** The rows of the stock, as texts. */
const stockRows = async (tenant: Caller): Promise<unknown[]> =>
  Promise.all(
    ["StockLevel", "StockMovement", "StockBatch", "StockSerial", "StockAdjustment", "StockHold", "StockTransfer"].map((table) =>
      gateway.database.query(`select to_jsonb(t)::text as row from "${table}" t where "tenantId" = $1 order by 1`, [tenant.tenantId]),
    ),
  );

test("expired stock is on hand, but neither available nor counted on", async () => {
  const { tenant, partId } = await stocked();
  // 14 on hand, 10 of them expired. The remaining 4 are 1 below the reorder point of 5.
  expect(await seen(tenant, partId)).toEqual({
    projectedStock: 4,
    stockStatus: "LOW_STOCK",
    stockLevels: [
      {
        quantity: 14,
        expiredStock: 10,
        blockedStock: 0,
        availableStock: 4,
        projectedStock: 4,
        stockStatus: "LOW",
        belowReorderPoint: 1,
      },
    ],
  });
  const { body } = await tenant.rest("GET", "/inventory?lowStock=true");
  expect(body).toMatchObject([{ partId, quantity: 14 }]);
  // 20 − 4.
  const { reorderProposals } = await tenant.ask("{ reorderProposals { site projectedStock quantity } }");
  expect(reorderProposals).toEqual([{ site: "N", projectedStock: 4, quantity: 16 }]);
});

test("expired stock is not issued, reserved or transferred; it is written off", async () => {
  const { tenant, partId } = await stocked();
  const before = await stockRows(tenant);
  const short = { code: "CONFLICT", available: 4, requested: 5 };
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 5 })).toMatchObject(short);
  expect(await refusedMove(tenant, "reserveStock", partId, { quantity: 5 })).toMatchObject(short);
  const transfer = "mutation ($p: ID!, $input: TransferStockInput!) { transferStock(partId: $p, input: $input) { id } }";
  const input = { fromSite: "N", toSite: "S", quantity: 5 };
  expect(await refusal(tenant, transfer, { p: partId, input })).toMatchObject(short);
  // The expired batch cannot be issued by name either, although that quantity is available.
  const expired = { code: "CONFLICT", batchNumber: "OLD", site: "N", expiryDate: expect.any(String) };
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 1, batchNumber: "OLD" })).toMatchObject(expired);
  expect(await refusal(tenant, transfer, { p: partId, input: { ...input, quantity: 1, batchNumber: "OLD" } })).toMatchObject(expired);
  expect(await stockRows(tenant)).toEqual(before);

  await move(tenant, "issueStock", partId, { quantity: 1, batchNumber: "NEW" });
  const writeOff = { adjustmentType: "EXPIRY", quantity: -10, site: "N", batchNumber: "OLD" };
  await tenant.ask("mutation ($p: ID!, $input: AdjustStockInput!) { adjustStock(partId: $p, input: $input) { id } }", {
    p: partId,
    input: writeOff,
  });
  expect((await seen(tenant, partId)).stockLevels).toMatchObject([{ quantity: 3, expiredStock: 0, availableStock: 3 }]);
});

test("an expired batch consumed by unnamed issues counts only as far as it is there", async () => {
  const { tenant, partId } = await stocked();
  await tenant.rest("PUT", `/inventory/${partId}`, { site: "N", currentStock: 6 });
  expect((await seen(tenant, partId)).stockLevels).toMatchObject([{ quantity: 6, expiredStock: 6, availableStock: 0 }]);
});

test("a work order is allocated only unexpired stock, and shortages name the rest", async () => {
  const { tenant, partId } = await stocked();
  const { id: assetId } = await tenant.createAsset({ site: "N" });
  const { id } = await procedure(tenant, { assetId, parts: [{ partId, quantity: 6 }], anchor: day(3) });
  const order = await workOrder(tenant, id, { scheduledDate: day(3) });
  const { shortages, workOrder: made } = await tenant.ask(
    `query ($id: ID!) { shortages { site missing onHand blocked expired held demand expected }
      workOrder(id: $id) { requiredParts { reservation { quantity allocated short } } } }`,
    { id: order },
  );
  // 14 − 10 − 6.
  expect(shortages).toEqual([{ site: "N", missing: 2, onHand: 14, blocked: 0, expired: 10, held: 0, demand: 6, expected: 0 }]);
  expect(made.requiredParts).toEqual([{ reservation: { quantity: 6, allocated: 4, short: 2 } }]);
});
