/** Reversed movements, and costs corrected after the receipt (docs/stock.md, "Corrections"). */
import { afterEach, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { discrepancies, level, move, movementFields, movements, newPart, refusal, refusedReversal, reverse } from "./stock.js";

const gateway = await sharedGateway();
let tenant: Caller;

afterEach(async () => {
  expect(await discrepancies(gateway, tenant)).toEqual([]);
});

/** A tenant with a part received at the site N. */
async function received(...receipts: [quantity: number, unitCost?: number][]) {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  const all: any[] = [];
  for (const [quantity, unitCost] of receipts) all.push(await move(tenant, "receiveStock", partId, { quantity, unitCost }));
  return { partId, receipts: all };
}

const correct = (movementId: string, unitCost: number, reason = "invoice 7") => ({
  query: `mutation ($movementId: ID!, $unitCost: NonNegative!, $reason: ShortText!) {
    correctReceiptCost(movementId: $movementId, unitCost: $unitCost, reason: $reason) { ${movementFields} } }`,
  variables: { movementId, unitCost, reason },
});
const corrected = async (...values: Parameters<typeof correct>): Promise<any> => {
  const { query, variables } = correct(...values);
  return (await tenant.ask(query, variables)).correctReceiptCost;
};

test("reverses quantity and value, once, linked both ways", async () => {
  const { partId, receipts } = await received([10, 3], [10, 5]);
  const taken = await reverse(tenant, receipts[1].id);
  expect(taken).toEqual({
    id: taken.id,
    type: "ADJUSTMENT",
    quantityExact: "-10",
    newBalanceExact: "10",
    valueExact: "-50",
    valueBalanceExact: "30",
    expensedExact: null,
    costMissing: false,
    reason: "wrong",
    originId: null,
    reversalOf: receipts[1].id,
    reversedBy: null,
  });
  expect((await movements(tenant, partId)).map(({ reversedBy }) => reversedBy)).toEqual([null, { id: taken.id }, null]);
  expect(await level(tenant, partId)).toEqual({ quantityExact: "10", totalValueExact: "30", unitCostExact: "3", reservedStockExact: "0" });
  expect(await refusedReversal(tenant, receipts[1].id)).toEqual({
    message: "The movement is already reversed",
    code: "CONFLICT",
    reversedBy: taken.id,
  });
  expect(await refusedReversal(tenant, taken.id)).toEqual({
    message: "Reversals and reservations cannot be reversed",
    code: "CONFLICT",
    type: "adjustment",
  });
  expect(await refusedReversal(tenant, "none")).toEqual({ message: "Movement not found", code: "NOT_FOUND", movementId: "none" });
  expect(await movements(tenant, partId)).toHaveLength(3);
});

test("an issue comes back at the value it left with, at any current average", async () => {
  const { partId } = await received([2, 0.3333], [1, 0.3335]);
  const issue = await move(tenant, "issueStock", partId, { quantity: 1 });
  expect(issue.valueExact).toBe("-0.3334");
  await move(tenant, "receiveStock", partId, { quantity: 5, unitCost: 9 });
  expect((await reverse(tenant, issue.id)).valueExact).toBe("0.3334");
  expect((await level(tenant, partId)).totalValueExact).toBe("46.0001");
});

test("value left on an empty shelf, or missing there, is a price difference", async () => {
  const { partId, receipts } = await received([10, 2], [10, 4]);
  // The average is 3. The remaining ten are worth 30, and the second receipt takes 40.
  await move(tenant, "issueStock", partId, { quantity: 10 });
  const taken = await reverse(tenant, receipts[1].id);
  const all = await movements(tenant, partId);
  expect(
    all
      .slice(3)
      .map(({ type, quantityExact, valueExact, valueBalanceExact, expensedExact, originId }) => [
        type,
        quantityExact,
        valueExact,
        valueBalanceExact,
        expensedExact,
        originId,
      ]),
  ).toEqual([
    ["PRICE_DIFFERENCE", "0", "10", "40", "-10", receipts[1].id],
    ["ADJUSTMENT", "-10", "-40", "0", null, null],
  ]);
  expect(taken.id).toBe(all[4].id);
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "0", totalValueExact: "0" });
  expect(await refusedReversal(tenant, all[3].id)).toEqual({
    message: "A price difference is not taken back; correct the cost that it comes from",
    code: "CONFLICT",
    type: "PRICE_DIFFERENCE",
  });
});

test("nothing is reversed that is gone, or that another movement follows from", async () => {
  const { partId, receipts } = await received([10, 2]);
  const issue = await move(tenant, "issueStock", partId, { quantity: 4 });
  expect(await refusedReversal(tenant, receipts[0].id)).toEqual({
    message: "Insufficient stock",
    code: "CONFLICT",
    available: 6,
    requested: 10,
  });
  expect(await refusedReversal(tenant, issue.id, " ")).toEqual({
    message: "Invalid input",
    code: "BAD_USER_INPUT",
    details: { reason: "must not be empty" },
  });
  const { transferStock } = await tenant.ask(
    `mutation ($partId: ID!) { transferStock(partId: $partId, input: { fromSite: "N", toSite: "S", quantity: 1 }) { id } }`,
    { partId },
  );
  expect(await refusedReversal(tenant, transferStock[1].id)).toMatchObject({ code: "CONFLICT", type: "TRANSFER" });
  const { adjustStock } = await tenant.ask(
    `mutation ($partId: ID!) { adjustStock(partId: $partId, input: { site: "N", adjustmentType: CORRECTION, quantity: 2 }) { id } }`,
    { partId },
  );
  const gain = (await movements(tenant, partId)).at(-1);
  expect(await refusedReversal(tenant, gain.id)).toMatchObject({ code: "CONFLICT", adjustmentId: adjustStock.id });
  const technician = await tenant.as("technician");
  expect(await refusedReversal(technician, issue.id)).toMatchObject({ code: "FORBIDDEN" });
  const elsewhere = await tenant.as("manager", ["S"]);
  expect(await refusedReversal(elsewhere, issue.id)).toMatchObject({ code: "FORBIDDEN" });
  const revaluation = await corrected(receipts[0].id, 3);
  expect(await refusedReversal(tenant, receipts[0].id)).toMatchObject({ code: "CONFLICT", followedBy: [revaluation.id] });
  expect(await movements(tenant, partId)).toHaveLength(6);
});

test("a corrected cost: the share on hand goes to the stock, the rest is expensed", async () => {
  const { partId, receipts } = await received([10, 2], [10, 4]);
  await move(tenant, "issueStock", partId, { quantity: 4 });
  // First in, first out: 6 of the first receipt remain.
  const first = await corrected(receipts[0].id, 2.5);
  expect(first).toEqual({
    id: first.id,
    type: "REVALUATION",
    quantityExact: "0",
    newBalanceExact: "16",
    valueExact: "3",
    valueBalanceExact: "51",
    expensedExact: "2",
    costMissing: false,
    reason: "invoice 7",
    originId: receipts[0].id,
    reversalOf: null,
    reversedBy: null,
  });
  expect((await corrected(receipts[1].id, 3)).valueExact).toBe("-10");
  expect(await refusal(tenant, correct(receipts[1].id, 3).query, correct(receipts[1].id, 3).variables)).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { unitCost: "is the cost that the receipt has" },
  });
  // Back to the first cost: 0.5 less per piece, and 3 of the 5 affect the stock.
  expect(await corrected(receipts[0].id, 2)).toMatchObject({ valueExact: "-3", expensedExact: "-2" });
  // Nothing remains, so the whole difference is expensed.
  await move(tenant, "issueStock", partId, { quantity: 16 });
  expect(await corrected(receipts[0].id, 7)).toMatchObject({ valueExact: "0", valueBalanceExact: "0", expensedExact: "50" });
  const issue = (await movements(tenant, partId))[2];
  expect(await refusal(tenant, correct(issue.id, 3).query, correct(issue.id, 3).variables)).toEqual({
    message: "Only a receipt has a cost to correct",
    code: "CONFLICT",
    type: "ISSUE",
  });
});

test("a revaluation whose stock has partly gone reverses the remaining share and expenses the rest", async () => {
  const setCost = (partId: string, unitCost: number) =>
    tenant.ask(
      'mutation ($partId: ID!, $unitCost: Positive!) { updateInventory(partId: $partId, input: { site: "N", unitCost: $unitCost }) { quantity } }',
      {
        partId,
        unitCost,
      },
    );
  const revalued = async (unitCost: number) => {
    const { partId } = await received([10, 2]);
    await setCost(partId, unitCost);
    const { id } = (await movements(tenant, partId)).at(-1);
    const { stockAdjustments } = await tenant.ask("{ stockAdjustments { nodes { id } } }");
    // A write-up requires approval by another person.
    for (const adjustment of stockAdjustments.nodes)
      await (await tenant.as("manager")).ask("mutation ($id: ID!) { approveAdjustment(id: $id) { id } }", adjustment);
    const issue = await move(tenant, "issueStock", partId, { quantity: 9 });
    return { partId, id, issue };
  };
  // After a write-up, the remaining stock is worth its original cost, not zero.
  const up = await revalued(5);
  expect(await level(tenant, up.partId)).toMatchObject({ quantityExact: "1", totalValueExact: "5" });
  expect(await reverse(tenant, up.id)).toMatchObject({
    type: "REVALUATION",
    valueExact: "-3",
    valueBalanceExact: "2",
    expensedExact: "-27",
  });
  // After a write-down, the stock is not worth more than its original cost.
  const down = await revalued(1);
  expect(await reverse(tenant, down.id)).toMatchObject({ valueExact: "1", valueBalanceExact: "2", expensedExact: "9" });
  // A returned quantity is included. Later receipts are not.
  const back = await revalued(5);
  await reverse(tenant, back.issue.id);
  await move(tenant, "receiveStock", back.partId, { quantity: 3, unitCost: 2 });
  expect(await reverse(tenant, back.id)).toMatchObject({ valueExact: "-30", valueBalanceExact: "26", expensedExact: null });
  const since = await revalued(5);
  await move(tenant, "receiveStock", since.partId, { quantity: 3, unitCost: 2 });
  expect(await reverse(tenant, since.id)).toMatchObject({ valueExact: "-3", valueBalanceExact: "8", expensedExact: "-27" });
  expect(await discrepancies(gateway, tenant)).toEqual([]);
  const faults = async () => (await tenant.ask("{ verifyLedger { faults { problem } } }")).verifyLedger.faults;
  expect(await faults()).toEqual([]);
  // The expensed value is part of the proof.
  await gateway.database.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await tx.query(
      `update "StockMovement" set expensed = expensed + 1 where "tenantId" = $1 and "reversalOf" is not null and expensed is not null`,
      [tenant.tenantId],
    );
  });
  expect(await faults()).toEqual([{ problem: "movement 5 is not the opposite of the one that it takes back" }]);
});

test("a revaluation is reversed; if its stock has gone everything is expensed", async () => {
  const { partId, receipts } = await received([10, 2]);
  const raised = await corrected(receipts[0].id, 3);
  expect(await reverse(tenant, raised.id)).toMatchObject({
    type: "REVALUATION",
    quantityExact: "0",
    valueExact: "-10",
    valueBalanceExact: "20",
  });
  const again = await corrected(receipts[0].id, 3);
  expect(again.valueExact).toBe("10");
  await move(tenant, "issueStock", partId, { quantity: 10 });
  expect(await reverse(tenant, again.id)).toMatchObject({
    valueExact: "0",
    valueBalanceExact: "0",
    expensedExact: "-10",
    reversalOf: again.id,
  });
});
