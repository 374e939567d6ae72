/** Stock figures agree wherever they are shown (docs/stock.md, "Reports"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { monthsAgo, move, newPart, refusedMove, reverse } from "../stock/stock.js";

const gateway = await sharedGateway();

const deleteInventory = (tenant: Caller, partId: string) =>
  tenant.ask("mutation ($partId: ID!) { deleteInventory(partId: $partId) { finalStock } }", { partId });
const listed = async (tenant: Caller) => (await tenant.ask("{ inventory { nodes { partId site } } }")).inventory.nodes;

test("figures of parts and sums of groups have exact twins", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { category: "C", lastOrderDate: new Date().toISOString(), lastOrderQuantity: 2.5 });
  const figures = `stockLevel stockLevelExact reservedStock reservedStockExact onOrder onOrderExact projectedStock projectedStockExact
    averageUsage averageUsageExact lastOrderQuantity lastOrderQuantityExact`;
  const see = async () => (await tenant.ask(`query ($partId: ID!) { part(id: $partId) { ${figures} } }`, { partId })).part;
  expect(await see()).toEqual({
    stockLevel: 0,
    stockLevelExact: "0",
    reservedStock: 0,
    reservedStockExact: "0",
    onOrder: 2.5,
    onOrderExact: "2.5",
    projectedStock: 2.5,
    projectedStockExact: "2.5",
    averageUsage: null,
    averageUsageExact: null,
    lastOrderQuantity: 2.5,
    lastOrderQuantityExact: "2.5",
  });
  // The sum of two levels has more digits than a number can hold.
  await move(tenant, "receiveStock", partId, { quantity: 99_999_999_999.9999, unitCost: 1 });
  await move(tenant, "receiveStock", partId, { quantity: 99_999_999_999.9998, unitCost: 1, site: "S" });
  await move(tenant, "receiveStock", partId, { quantity: 99_999_999_999.9999, unitCost: 1, site: "T" });
  await move(tenant, "reserveStock", partId, { quantity: 0.5 });
  await move(tenant, "issueStock", partId, { quantity: 1, site: "S" });
  expect(await see()).toMatchObject({
    stockLevelExact: "299999999998.9996",
    reservedStockExact: "0.5",
    onOrderExact: "0",
    projectedStockExact: "299999999998.4996",
    averageUsage: 0.0833,
    averageUsageExact: "0.0833",
    lastOrderQuantityExact: "99999999999.9999",
  });
  const { inventoryGroups, workOrderGroups } = await tenant.ask(
    `{ inventoryGroups(by: [STOCK_STATUS]) { count quantityExact reservedStockExact totalValue totalValueExact belowReorderPointExact }
       workOrderGroups(by: [STATUS]) { laborCostExact partsCostExact } }`,
  );
  expect(inventoryGroups).toEqual([
    {
      count: 3,
      quantityExact: "299999999998.9996",
      reservedStockExact: "0.5",
      totalValue: 299999999998.9996,
      totalValueExact: "299999999998.9996",
      belowReorderPointExact: "0",
    },
  ]);
  expect(workOrderGroups).toEqual([]);
});

test("average usage is issues less returns, by the time of use, without reversed movements", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { averageUsage: 7, usageUnit: "week" });
  const see = async () => (await tenant.ask("query ($partId: ID!) { part(id: $partId) { averageUsage usageUnit } }", { partId })).part;
  await move(tenant, "receiveStock", partId, { quantity: 100, unitCost: 1 });
  // Posted now, but used two years ago.
  await move(tenant, "issueStock", partId, { quantity: 10, occurredAt: monthsAgo(24).at(5) });
  expect(await see()).toEqual({ averageUsage: 7, usageUnit: "week" });
  const wrong = await move(tenant, "issueStock", partId, { quantity: 48 });
  expect(await see()).toEqual({ averageUsage: 4, usageUnit: "month" });
  await reverse(tenant, wrong.id);
  expect(await see()).toEqual({ averageUsage: 7, usageUnit: "week" });
  await move(tenant, "issueStock", partId, { quantity: 36 });
  const back = await move(tenant, "returnStock", partId, { quantity: 12 });
  expect(await see()).toEqual({ averageUsage: 2, usageUnit: "month" });
  await reverse(tenant, back.id);
  expect(await see()).toEqual({ averageUsage: 3, usageUnit: "month" });
});

test("totals equal those of the reports, including stock of deactivated parts; the list has it on request", async () => {
  const tenant = await gateway.newTenant();
  const kept = await newPart(tenant);
  const given = await newPart(tenant);
  await move(tenant, "receiveStock", kept, { quantity: 2, unitCost: 3 });
  await move(tenant, "receiveStock", given, { quantity: 5, unitCost: 4 });
  await tenant.ask("mutation ($id: ID!) { deactivatePart(id: $id) { id } }", { id: given });
  const { inventoryTotals, inventoryReport, active } = await tenant.ask(
    `{ inventoryTotals { stockLevels quantityExact totalValueExact } inventoryReport(reportType: SUMMARY) { content }
       active: inventoryTotals(filter: { part: { active: true } }) { stockLevels quantityExact totalValueExact } }`,
  );
  expect(inventoryTotals).toEqual({ stockLevels: 2, quantityExact: "7", totalValueExact: "26" });
  expect(inventoryReport.content.summary).toMatchObject({ totalParts: 2, totalValue: 26 });
  expect(active).toEqual({ stockLevels: 1, quantityExact: "2", totalValueExact: "6" });
  expect(await listed(tenant)).toEqual([{ partId: kept, site: "N" }]);
  const { all, gone, groups } = await tenant.ask(
    `{ all: inventory(filter: { part: { all: true } }) { nodes { partId } } gone: inventory(filter: { part: { active: false } }) { nodes { partId } }
       groups: inventoryGroups(by: [SITE], filter: { part: { all: true } }) { totalValueExact } }`,
  );
  expect([all, gone, groups]).toEqual([
    { nodes: [{ partId: kept }, { partId: given }] },
    { nodes: [{ partId: given }] },
    [{ totalValueExact: "26" }],
  ]);
  // REST lists active parts only, as documented.
  expect((await tenant.rest("GET", "/inventory")).body).toHaveLength(1);
});

test("releasing stock of a deleted record does not restore the record", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 5, unitCost: 1 });
  await move(tenant, "reserveStock", partId, { quantity: 3 });
  await deleteInventory(tenant, partId);
  expect(await listed(tenant)).toEqual([]);
  await move(tenant, "unreserveStock", partId, { quantity: 3 });
  expect(await listed(tenant)).toEqual([]);
  expect((await tenant.ask("{ verifyLedger { balanced } }")).verifyLedger).toEqual({ balanced: true });
  await move(tenant, "receiveStock", partId, { quantity: 1, unitCost: 1 });
  expect(await listed(tenant)).toEqual([{ partId, site: "N" }]);
});

test("usage counts in the ABC analysis even if the record was deleted since, as in the turnover", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 5, unitCost: 2 });
  await move(tenant, "issueStock", partId, { quantity: 5 });
  await deleteInventory(tenant, partId);
  const { abc, turnover } = await tenant.ask(
    "{ abc: inventoryReport(reportType: ABC_ANALYSIS) { content } turnover: inventoryReport(reportType: TURNOVER) { content } }",
  );
  expect(turnover.content.turnover.issuedValue).toBe(10);
  expect(abc.content.parts).toEqual([expect.objectContaining({ partId, class: "A", annualUsageValue: 10, percentage: 100 })]);
});

test("quantities awaiting approval have exact twins", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  const adjust = (quantity: number) =>
    tenant.ask(
      'mutation ($partId: ID!, $quantity: NonZero!) { adjustStock(partId: $partId, input: { site: "N", adjustmentType: CORRECTION, quantity: $quantity, unitCost: 1.5 }) { id } }',
      { partId, quantity },
    );
  await adjust(99_999_999_999.9999);
  await adjust(99_999_999_999.9997);
  await adjust(-1);
  expect((await tenant.ask("{ pendingApprovals { gainsExact lossesExact } }")).pendingApprovals).toEqual({
    gainsExact: "299999999999.9995",
    lossesExact: "1.5",
  });
});

test("a rejected operation creates no stock record", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  // Closes the month, so that nothing is posted into it.
  const { month, at } = monthsAgo(1);
  await tenant.ask("mutation ($month: String!) { closeStockPeriod(month: $month) { id } }", { month });
  const refused = [
    { quantity: 1, performedAt: at(5) },
    { quantity: 999_999_999_999, unitCost: 999_999_999_999 },
    { quantity: 1, expectedBalance: 2 },
  ];
  for (const input of refused) await refusedMove(tenant, "receiveStock", partId, input);
  await refusedMove(tenant, "issueStock", partId, { quantity: 1 });
  expect(await listed(tenant)).toEqual([]);
  expect((await tenant.ask("query ($partId: ID!) { part(id: $partId) { stockLevels { site } } }", { partId })).part.stockLevels).toEqual(
    [],
  );
});

test("a reversed receipt leaves its order open", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { lastOrderDate: monthsAgo(1).at(5), lastOrderQuantity: 8, reorderPoint: 2 });
  const see = async () =>
    (
      await tenant.ask(
        "query ($partId: ID!) { part(id: $partId) { onOrder lastOrderQuantity lastOrderDate stockLevels { onOrder projectedStock } } }",
        {
          partId,
        },
      )
    ).part;
  const open = { onOrder: 8, lastOrderQuantity: 8, lastOrderDate: monthsAgo(1).at(5) };
  expect(await see()).toEqual({ ...open, stockLevels: [] });
  const receipt = await move(tenant, "receiveStock", partId, { quantity: 5, unitCost: 1 });
  expect(await see()).toMatchObject({ onOrder: 3, lastOrderQuantity: 5, stockLevels: [{ onOrder: 3, projectedStock: 8 }] });
  await reverse(tenant, receipt.id);
  expect(await see()).toEqual({ ...open, stockLevels: [{ onOrder: 8, projectedStock: 8 }] });
});
