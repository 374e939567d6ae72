/** Manual returns (docs/stock.md, "Corrections"). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { discrepancies, level, move, newPart, refusal, refusedMove, reverse } from "./stock.js";

const gateway = await sharedGateway();

const returning = `mutation ($partId: ID!, $issueId: ID, $input: MoveStockInput!) {
  done: returnStock(partId: $partId, issueId: $issueId, input: $input) { id type valueExact originId site } }`;

/** 3 of a part at the site N, worth 10, all issued. Afterwards 7 others worth 70 are received. */
async function issued() {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { quantity: 3, unitCost: 3.3333 });
  await tenant.ask('mutation ($partId: ID!) { updateInventory(partId: $partId, input: { site: "N", unitCost: 3.3334 }) { quantity } }', {
    partId,
  });
  const issue = await move(tenant, "issueStock", partId, { quantity: 3 });
  await move(tenant, "receiveStock", partId, { quantity: 7, unitCost: 10 });
  const back = async (input: object): Promise<any> => (await tenant.ask(returning, { partId, issueId: issue.id, input })).done;
  const refused = (input: object, issueId = issue.id) => refusal(tenant, returning, { partId, issueId, input });
  return { tenant, partId, issue, back, refused };
}

const movementsOf = (tenant: Caller) => tenant.snapshot("StockMovement");

test("issued stock comes back at the value it left with, and no more of it", async () => {
  const { tenant, partId, issue, back, refused } = await issued();
  expect(issue.valueExact).toBe("-10.0002");
  expect(await back({ quantity: 1 })).toMatchObject({ type: "RETURN", valueExact: "3.3334", originId: issue.id, site: "N" });
  // Returned to another site, if the input names it.
  const second = await back({ quantity: 1, site: "S" });
  expect(second).toMatchObject({ valueExact: "3.3334", site: "S" });
  const before = await movementsOf(tenant);
  expect(await refused({ quantity: 1.0001 })).toEqual({
    message: "Quantity exceeds what was issued and not returned",
    code: "CONFLICT",
    available: 1,
    requested: 1.0001,
  });
  expect(await refused({ quantity: 1, unitCost: 4 })).toMatchObject({ code: "BAD_USER_INPUT", details: { unitCost: expect.any(String) } });
  expect(await refused({ quantity: 1 }, second.id)).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { issueId: "must be an issue of the part" },
  });
  expect(await refused({ quantity: 1 }, "none")).toMatchObject({ code: "NOT_FOUND" });
  const other = await newPart(tenant);
  expect(await refusal(tenant, returning, { partId: other, issueId: issue.id, input: { quantity: 1 } })).toMatchObject({
    code: "BAD_USER_INPUT",
  });
  expect(await movementsOf(tenant)).toEqual(before);
  // A reversed return can be returned again. The last return takes the remaining value.
  await reverse(tenant, second.id);
  expect(await back({ quantity: 2 })).toMatchObject({ valueExact: "6.6668" });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "10", totalValueExact: "80.0002" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("nothing comes back from a reversed issue, in either order", async () => {
  const { tenant, issue, refused } = await issued();
  const reversal = await reverse(tenant, issue.id);
  expect(await refused({ quantity: 1 })).toEqual({ message: "The issue is already reversed", code: "CONFLICT", reversedBy: reversal.id });
});

test("concurrent returns do not exceed the issued quantity", async () => {
  const { tenant, partId, issue } = await issued();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      tenant.graphql(returning, { partId, issueId: issue.id, input: { quantity: 1, ...(i % 2 && { site: "S" }) } }),
    ),
  );
  expect(answers.filter(({ errors }) => !errors)).toHaveLength(3);
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

test("a key of one site returns neither to another nor from another", async () => {
  const { tenant, partId, issue } = await issued();
  const limited = await tenant.as("technician", ["S"]);
  const before = await tenant.snapshot("StockMovement");
  for (const input of [{ quantity: 1 }, { quantity: 1, site: "S" }])
    expect(await refusal(limited, returning, { partId, issueId: issue.id, input })).toMatchObject({ code: "FORBIDDEN" });
  expect(await tenant.snapshot("StockMovement")).toEqual(before);
});

/** The rows of the stock, as texts. */
const stockRows = async (tenant: Caller): Promise<unknown[]> =>
  Promise.all(
    ["StockLevel", "StockMovement", "StockBatch", "StockSerial", "StockAdjustment", "StockHold", "StockTransfer"].map((table) =>
      gateway.database.query(`select to_jsonb(t)::text as row from "${table}" t where "tenantId" = $1 order by 1`, [tenant.tenantId]),
    ),
  );

describe("without an issue", () => {
  const figures = async (tenant: Caller, partId: string) => {
    const query = `query ($partId: ID!) { part(id: $partId) { stockAt(site: "N") { quantity blockedStock availableStock totalValue } }
      pendingApprovals { adjustments gains } stockAdjustments(filter: { pending: true }) { nodes { id adjustmentType quantity } } }`;
    const { part, pendingApprovals, stockAdjustments } = await tenant.ask(query, { partId });
    return { ...part.stockAt, pending: pendingApprovals, waiting: stockAdjustments.nodes };
  };
  const decide = (manager: Caller, verb: "approve" | "reject", id: string) =>
    manager.ask(`mutation ($id: ID!) { done: ${verb}Adjustment(id: $id) { id } }`, { id });

  test("stock that was never issued is a gain, blocked until another person approves it", async () => {
    const tenant = await gateway.newTenant();
    const manager = await tenant.as("manager");
    const partId = await newPart(tenant);
    await move(tenant, "receiveStock", partId, { quantity: 10, unitCost: 4 });
    await move(tenant, "issueStock", partId, { quantity: 3 });
    // 3 are outstanding and return normally.
    await move(tenant, "returnStock", partId, { quantity: 3 });
    const whole = { quantity: 10, blockedStock: 0, availableStock: 10, totalValue: 40, pending: { adjustments: 0, gains: 0 }, waiting: [] };
    expect(await figures(tenant, partId)).toEqual(whole);

    // Nothing is outstanding. 2 more count as a gain at the average cost, which may be rejected.
    await move(tenant, "returnStock", partId, { quantity: 2 });
    const gain = await figures(tenant, partId);
    expect(gain).toEqual({
      quantity: 12,
      blockedStock: 2,
      availableStock: 10,
      totalValue: 48,
      pending: { adjustments: 1, gains: 8 },
      waiting: [{ id: expect.any(String), adjustmentType: "CORRECTION", quantity: 2 }],
    });
    expect(await refusedMove(tenant, "issueStock", partId, { quantity: 11 })).toMatchObject({ code: "CONFLICT", available: 10 });
    await decide(manager, "reject", gain.waiting[0].id);
    expect(await figures(tenant, partId)).toEqual(whole);

    // A return with an explicit cost is a gain too. It becomes available once approved.
    await move(tenant, "issueStock", partId, { quantity: 1 });
    await move(tenant, "returnStock", partId, { quantity: 1, unitCost: 1_000_000 });
    const priced = await figures(tenant, partId);
    expect(priced).toMatchObject({ quantity: 10, blockedStock: 1, availableStock: 9, pending: { adjustments: 1, gains: 1_000_000 } });
    await decide(manager, "approve", priced.waiting[0].id);
    expect(await figures(tenant, partId)).toMatchObject({ quantity: 10, blockedStock: 0, availableStock: 10, totalValue: 1_000_036 });
    expect(await discrepancies(gateway, tenant)).toEqual([]);
  });

  test("a serial number that was never issued is rejected, and nothing is added", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, { tracksSerials: true, unitCost: 100 });
    await move(tenant, "receiveStock", partId, { quantity: 1, serialNumbers: ["A"] });
    const issue = await move(tenant, "issueStock", partId, { quantity: 1, serialNumbers: ["A"] });
    const before = await stockRows(tenant);
    const never = { code: "CONFLICT", serialNumbers: ["X"] };
    expect(await refusedMove(tenant, "returnStock", partId, { quantity: 2, serialNumbers: ["A", "X"] })).toMatchObject(never);
    const input = { quantity: 1, serialNumbers: ["X"] };
    expect(await refusal(tenant, returning, { partId, issueId: issue.id, input })).toMatchObject(never);
    expect(await stockRows(tenant)).toEqual(before);
    await move(tenant, "returnStock", partId, { quantity: 1, serialNumbers: ["A"] });
    expect(await figures(tenant, partId)).toMatchObject({ quantity: 1, blockedStock: 0, availableStock: 1 });
  });

  test("of returns at the same time no more than was issued is available immediately", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant);
    await move(tenant, "receiveStock", partId, { quantity: 6 });
    await move(tenant, "issueStock", partId, { quantity: 3 });
    await Promise.all(Array.from({ length: 6 }, (_, i) => move(tenant, "returnStock", partId, { quantity: 1, site: i % 2 ? "N" : "S" })));
    const blocked = await gateway.database.query<{ blocked: number }>(
      `select sum(blocked)::int as blocked from "StockLevel" where "tenantId" = $1`,
      [tenant.tenantId],
    );
    expect(blocked).toEqual([{ blocked: 3 }]);
  });
});

describe("a technician's receipt without an order", () => {
  const blocked = async (tenant: Caller, partId: string) => {
    const query = `query ($partId: ID!) { part(id: $partId) { onOrder stockAt(site: "N") { quantity blockedStock } } }`;
    const { part } = await tenant.ask(query, { partId });
    return [part.stockAt.quantity, part.stockAt.blockedStock, part.onOrder];
  };
  const settings = async (tenant: Caller) => (await tenant.ask("{ stockSettings { receiptApproval version } }")).stockSettings;
  const setApproval = (tenant: Caller, receiptApproval: boolean | null) =>
    tenant.ask("mutation ($input: UpdateStockSettingsInput!) { updateStockSettings(input: $input) { receiptApproval } }", {
      input: { receiptApproval },
    });

  test("is blocked until another person approves it, at any price; an open order covers its quantity", async () => {
    const tenant = await gateway.newTenant();
    const technician = await tenant.as("technician");
    const partId = await newPart(tenant, { site: "N" });
    const lastOrderDate = new Date().toISOString();
    expect(await settings(tenant)).toEqual({ receiptApproval: true, version: 0 });
    await move(technician, "receiveStock", partId, { quantity: 5, unitCost: 1_000_000 });
    expect(await blocked(tenant, partId)).toEqual([5, 5, 0]);
    expect((await tenant.ask("{ pendingApprovals { adjustments gains } }")).pendingApprovals).toEqual({ adjustments: 1, gains: 5_000_000 });

    const order = (lastOrderQuantity: number | null) => tenant.rest("PUT", `/parts/${partId}`, { lastOrderDate, lastOrderQuantity });
    // 5 have been received since, so 4 are open.
    expect((await order(9)).status).toBe(200);
    await move(technician, "receiveStock", partId, { quantity: 4 });
    expect(await blocked(tenant, partId)).toEqual([9, 5, 0]);
    await move(technician, "receiveStock", partId, { quantity: 1 });
    expect(await blocked(tenant, partId)).toEqual([10, 6, 0]);
    // A receipt beyond the open quantity is not covered.
    await order(13);
    await move(technician, "receiveStock", partId, { quantity: 4 });
    expect(await blocked(tenant, partId)).toEqual([14, 10, 0]);
    // A manager's receipt needs no approval.
    await move(await tenant.as("manager"), "receiveStock", partId, { quantity: 1 });
    expect(await blocked(tenant, partId)).toEqual([15, 10, 0]);
    expect(await discrepancies(gateway, tenant)).toEqual([]);
  });

  test("of several at once no more than the open quantity is available", async () => {
    const tenant = await gateway.newTenant();
    const technician = await tenant.as("technician");
    const partId = await newPart(tenant, { site: "N", lastOrderDate: new Date(Date.now() - 1_000).toISOString(), lastOrderQuantity: 3 });
    await Promise.all(
      Array.from({ length: 6 }, (_, i) => move(technician, "receiveStock", partId, { quantity: 1, site: i % 2 ? "N" : "S" })),
    );
    const levels = await gateway.database.query(
      `select sum(quantity)::int as quantity, sum(blocked)::int as blocked from "StockLevel" where "tenantId" = $1`,
      [tenant.tenantId],
    );
    expect(levels).toEqual([{ quantity: 6, blocked: 3 }]);
  });

  test("is immediately available in a tenant that predates the rule, and if the settings allow it", async () => {
    const tenant = await gateway.newTenant();
    const technician = await tenant.as("technician");
    const partId = await newPart(tenant, { site: "N" });
    await gateway.database.query(`update "Tenant" set "receiptApproval" = default where "tenantId" = $1`, [tenant.tenantId]);
    expect(await settings(tenant)).toEqual({ receiptApproval: false, version: 0 });
    await move(technician, "receiveStock", partId, { quantity: 1 });
    expect(await blocked(tenant, partId)).toEqual([1, 0, 0]);
    await setApproval(tenant, true);
    expect(await settings(tenant)).toEqual({ receiptApproval: true, version: 1 });
    await move(technician, "receiveStock", partId, { quantity: 1 });
    expect(await blocked(tenant, partId)).toEqual([2, 1, 0]);
    await setApproval(tenant, false);
    await move(technician, "receiveStock", partId, { quantity: 1 });
    expect(await blocked(tenant, partId)).toEqual([3, 1, 0]);
    await setApproval(tenant, null);
    expect((await settings(tenant)).receiptApproval).toBe(false);
  });
});
