/** Order proposals: computed reorder points and offers of suppliers, with figures worked out by hand (docs/supply.md, "Reorder"). */
import { describe, expect, test } from "vitest";
import { procedure, workOrder } from "../../maintenance/work-orders/orders.js";
import { type Caller, sharedGateway } from "../../world.js";
import { move, newPart } from "../stock/stock.js";
import { newPerson, orderOk, stepOk } from "../supply/purchases.js";
import { kept, proposal, proposals, setSupplier, sourceOf } from "./proposals.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const day = (n: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + n * dayMs).toISOString();

/** To 3 decimal places: the stock is some seconds older than in the computation by hand. */
const near = (value: number) => expect.closeTo(value, 3);

/** A part with 30 received `since` days ago, and issues on later days, the last one yesterday. */
async function used(tenant: Caller, fields: object, since: number, issues: number[], received = 30): Promise<string> {
  const partId = await newPart(tenant, { site: "N", ...fields });
  await move(tenant, "receiveStock", partId, { quantity: received, performedAt: day(-since) });
  for (const [i, quantity] of issues.entries())
    await move(tenant, "issueStock", partId, { quantity, performedAt: day(2 * (i - issues.length) + 1) });
  return partId;
}

describe("the computed reorder point", () => {
  test.each([
    [0.5, 0],
    [0.95, 1.6449],
    [0.98, 2.0537],
    [0.99, 2.3263],
    [0.9999, 3.719],
    [0.01, -2.3263],
  ])("the normal quantile of %d is %d, as in tables", async (p, z) => {
    const { rows } = await tableValues(`select normal_quantile($1) as z`, [p]);
    expect(rows[0].z).toBeCloseTo(z, 4);
  });

  test.each([
    // P(N ≤ 2) of the mean 1 is 0.9197, and P(N ≤ 3) is 0.9810. Above 100, 200 + 1.6449 × 14.1421 = 223.26.
    [1, 0.95, 3],
    [1, 0.91, 2],
    [0, 0.99, 0],
    [200, 0.95, 224],
  ])("the Poisson quantile of the mean %d at %d is %d", async (mean, p, k) => {
    const { rows } = await tableValues(`select poisson_quantile($1, $2) as k`, [mean, p]);
    expect(rows[0].k).toBe(k);
  });

  const tableValues = async (sql: string, values: unknown[]) => ({ rows: await gateway.database.query<any>(sql, values) });

  test("covers the demand of the lead time and its deviation, and names its sources", async () => {
    const tenant = await gateway.newTenant();
    // 20 in 100 days: 0.2 a day. Four days with 5: variance 4 × 25 ÷ 100 − 0.2² = 0.96. 25 days: 5 + 1.6449 × √24 = 5 + 8.0581.
    await used(tenant, { partNumber: "A", leadTime: 25 }, 100, [5, 5, 5, 5]);
    // 13.0581 + 0.2 × 25 − 10 = 8.0581, rounded up.
    expect(await proposals(tenant)).toEqual([
      {
        part: { partNumber: "A" },
        site: "N",
        projectedStock: 10,
        inDrafts: 0,
        expiringStock: 0,
        reorderPoint: null,
        computedReorderPoint: near(13.0581),
        effectiveReorderPoint: near(13.0581),
        safetyStock: near(8.0581),
        leadTime: 25,
        averageDailyUse: near(0.2),
        plannedDemand: 0,
        quantity: 9,
        offer: null,
        sources: [
          { figure: "AVERAGE_DAILY_USE", value: near(0.2), source: "LEDGER" },
          { figure: "UNPLANNED_DAILY_USE", value: near(0.2), source: "LEDGER" },
          { figure: "DAILY_DEVIATION", value: near(0.9798), source: "LEDGER" },
          { figure: "LEAD_TIME", value: 25, source: "PART" },
          { figure: "SERVICE_LEVEL", value: 95, source: "DEFAULT" },
          { figure: "PLANNED_DEMAND", value: 0, source: "PLANS" },
          { figure: "SAFETY_STOCK", value: near(8.0581), source: "NORMAL_DISTRIBUTION" },
          { figure: "COMPUTED_REORDER_POINT", value: near(13.0581), source: "NORMAL_DISTRIBUTION" },
          { figure: "EFFECTIVE_REORDER_POINT", value: near(13.0581), source: "NORMAL_DISTRIBUTION" },
          { figure: "IN_DRAFTS", value: 0, source: "PURCHASE_ORDERS" },
          { figure: "EXPIRING_STOCK", value: 0, source: "BATCHES" },
        ],
      },
    ]);
    // At 99 %: 5 + 2.3263 × 4.8990.
    await tenant.ask("mutation { updateStockSettings(input: { serviceLevel: 99 }) { id } }");
    const found = await proposal(tenant);
    expect(found.computedReorderPoint).toBeCloseTo(16.3968, 3);
    expect(sourceOf(found, "SERVICE_LEVEL")).toBe("STOCK_SETTINGS");
  });

  test("of a critical part has the higher service level", async () => {
    const tenant = await gateway.newTenant();
    await used(tenant, { leadTime: 25, isCritical: true }, 100, [5, 5, 5, 5]);
    // 98 %: 5 + 2.0537 × 4.8990 = 15.0613; 15.0613 + 5 − 10.
    expect(await proposal(tenant)).toMatchObject({ computedReorderPoint: near(15.0613), quantity: 11 });
  });

  test("of a young part blends use and deviation with the entered usage", async () => {
    const tenant = await gateway.newTenant();
    await used(tenant, { leadTime: 9, averageUsage: 1, usageUnit: "day" }, 10, [1, 1], 5);
    // A ninth of 0.2 a day, and eight ninths of 1: 0.9111. Variance: 0.16 ÷ 9 + 1 × 8 ÷ 9 = 0.9067. 8.2 + 1.6449 × √8.16 = 12.8986.
    const found = await proposal(tenant);
    expect(found).toMatchObject({ averageDailyUse: near(0.9111), quantity: 19 });
    expect(found.computedReorderPoint).toBeCloseTo(12.8986, 2);
    expect(sourceOf(found, "UNPLANNED_DAILY_USE")).toBe("LEDGER_AND_PART");
  });

  test("of a slow mover is the smallest number of issues with a sufficient probability", async () => {
    const tenant = await gateway.newTenant();
    // 3 issues of 2 a year, 60 days: 0.4932 issues. P(N ≤ 1) = 0.9119, P(N ≤ 2) = 0.9861. Two issues of 2.
    await used(tenant, { leadTime: 60 }, 400, [2, 2, 2], 10);
    const found = await proposal(tenant);
    // 4 + 6 ÷ 365 × 60 − 4 = 0.9863.
    expect(found).toMatchObject({ projectedStock: 4, computedReorderPoint: 4, safetyStock: near(3.0137), quantity: 1 });
    expect(sourceOf(found, "COMPUTED_REORDER_POINT")).toBe("POISSON_DISTRIBUTION");
  });

  test("adds the due dates of plans within the lead time, and leaves out what their work used", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 6, { leadTime: 14 });
    const asset = await tenant.createAsset({ site: "N" });
    const plan = { assetId: asset.id, frequency: "weekly", anchor: day(-4), parts: [{ partId, quantity: 2 }] };
    const { id: pmId } = await procedure(tenant, plan);
    const id = await workOrder(tenant, pmId, { scheduledDate: day(-4) });
    await tenant.ask("mutation ($id: ID!, $part: ID!) { issueToWorkOrder(id: $id, input: { partId: $part, quantity: 2 }) { id } }", {
      id,
      part: partId,
    });
    // Due in 3 and 10 days, and again in 17. The issue to the order of 4 days ago is use, but not unplanned use.
    const found = await proposal(tenant);
    expect(found).toMatchObject({ projectedStock: 4, plannedDemand: 4, computedReorderPoint: 4, safetyStock: 0, averageDailyUse: 2 });
    expect(found.sources).toContainEqual({ figure: "UNPLANNED_DAILY_USE", value: 0, source: "LEDGER" });
    expect(found.sources).toContainEqual({ figure: "PLANNED_DEMAND", value: 4, source: "PLANS" });
    await tenant.rest("PUT", `/pms/${pmId}`, { status: "inactive" });
    expect(await proposals(tenant)).toEqual([]);
  });

  test("covers the deviation of measured lead times", async () => {
    const tenant = await gateway.newTenant();
    const partId = await used(tenant, {}, 100, [5, 5, 5, 5]);
    const supplierId = await setSupplier(tenant, partId, { priceBreaks: [{ quantity: 0, price: 2 }] });
    const { caller: clerk } = await newPerson(tenant, "Clerk");
    // Without a lead time nothing is computed.
    expect(await proposals(tenant)).toEqual([]);
    for (const days of [20, 30, 40]) {
      const order = await orderOk(tenant, { supplierId, site: "N", lines: [{ partId, quantity: 1 }] });
      await stepOk(tenant, "submit", order.id);
      await stepOk(tenant, "send", order.id);
      await clerk.ask("mutation ($id: ID!) { receivePurchaseOrderLine(id: $id, input: { accepted: 1 }) { id } }", {
        id: order.lines[0].id,
      });
      await gateway.database.query(
        `update "PurchaseOrder" o set "sentAt" = g."receivedAt" - make_interval(days => $2) from "GoodsReceipt" g where g."orderId" = o.id and o.id = $1`,
        [order.id, days],
      );
    }
    // Mean 30, deviation 10: 6 + 1.6449 × √(30 × 0.96 + 0.2² × 100) = 6 + 1.6449 × 5.7271 = 15.4203; 15.4203 + 6 − 13.
    const found = await proposal(tenant);
    expect(found).toMatchObject({ projectedStock: 13, leadTime: 30, computedReorderPoint: near(15.4203), quantity: 9 });
    expect(sourceOf(found, "LEAD_TIME")).toBe("PURCHASE_ORDERS");
    expect(found.sources).toContainEqual({ figure: "LEAD_TIME_DEVIATION", value: 10, source: "PURCHASE_ORDERS" });
  });

  test("stands back behind an entered one, which is somebody's decision", async () => {
    const tenant = await gateway.newTenant();
    // As above, 13.0581 would be computed.
    await used(tenant, { partNumber: "low", leadTime: 25, reorderPoint: 8 }, 100, [5, 5, 5, 5]);
    await used(tenant, { partNumber: "high", leadTime: 25, reorderPoint: 12 }, 100, [5, 5, 5, 5]);
    await used(tenant, { partNumber: "least", leadTime: 25, minimumStock: 14 }, 100, [5, 5, 5, 5]);
    const [high, least, ...others] = await proposals(tenant);
    expect(others).toEqual([]);
    const shown = { reorderPoint: 12, computedReorderPoint: near(13.0581), effectiveReorderPoint: 12, quantity: 7 };
    expect(high).toMatchObject({ part: { partNumber: "high" }, ...shown });
    expect(sourceOf(high, "EFFECTIVE_REORDER_POINT")).toBe("PART");
    expect(least).toMatchObject({ reorderPoint: null, effectiveReorderPoint: 14, quantity: 9 });
    expect(sourceOf(least, "EFFECTIVE_REORDER_POINT")).toBe("MINIMUM_STOCK");
  });

  test("is not reached by stock that expires within the lead time", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, { site: "N", reorderPoint: 5, leadTime: 30 });
    await move(tenant, "receiveStock", partId, { quantity: 5, batchNumber: "1", expiryDate: day(20) });
    expect(await proposal(tenant)).toMatchObject({ projectedStock: 5, expiringStock: 5, quantity: 5 });
    await move(tenant, "receiveStock", partId, { quantity: 4, batchNumber: "2", expiryDate: day(40) });
    // 9 − 5 = 4; 5 − 4.
    expect(await proposal(tenant)).toMatchObject({ projectedStock: 9, expiringStock: 5, quantity: 1 });
  });

  test("applies per site", async () => {
    const tenant = await gateway.newTenant();
    const partId = await kept(tenant, 4, { reorderPoint: 10 });
    await move(tenant, "receiveStock", partId, { quantity: 5, site: "S" });
    const setPoint = (reorderPoint: number) =>
      tenant.ask("mutation ($id: ID!, $input: UpdateInventoryInput!) { updateInventory(partId: $id, input: $input) { site } }", {
        id: partId,
        input: { site: "S", reorderPoint },
      });
    await setPoint(4);
    expect((await proposals(tenant)).map(({ site, quantity }) => [site, quantity])).toEqual([["N", 6]]);
    await setPoint(5);
    const both = await proposals(tenant);
    expect(both.map((one) => [one.site, one.quantity, sourceOf(one, "EFFECTIVE_REORDER_POINT")])).toEqual([
      ["N", 6, "PART"],
      ["S", 1, "SITE"],
    ]);
  });

  test("of a service level outside 50 to 99.99 % is refused", async () => {
    const tenant = await gateway.newTenant();
    for (const level of ["serviceLevel", "criticalServiceLevel"])
      for (const percent of [49.9, 100]) {
        const { errors } = await tenant.graphql(`mutation { updateStockSettings(input: { ${level}: ${percent} }) { id } }`);
        expect(errors![0]!.extensions).toMatchObject({ details: { [level]: "must be a percentage from 50 to 99.99" } });
      }
    const { stockSettings } = await tenant.ask("{ stockSettings { serviceLevel criticalServiceLevel version } }");
    expect(stockSettings).toEqual({ serviceLevel: 95, criticalServiceLevel: 98, version: 0 });
  });
});
