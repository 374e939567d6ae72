/** Issues that name no batch: first expired, first out (docs/stock.md, "Serial and batch numbers"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { move, newPart, refusal, refusedMove } from "./stock.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const inDays = (n: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + n * dayMs).toISOString();

/** A part with batches at the site N, received in this order: quantity, number, and days until it expires. */
async function stocked(...batches: [quantity: number, batchNumber: string, days?: number][]) {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { site: "N", unitCost: 2, tracksBatches: true });
  for (const [quantity, batchNumber, days] of batches)
    await move(tenant, "receiveStock", partId, { quantity, batchNumber, expiryDate: days && inDays(days) });
  return { tenant, partId };
}

const orderAt = async (tenant: Caller, site: string): Promise<string> => {
  const { id } = await tenant.createAsset({ site });
  const { createWorkOrder } = await tenant.ask(
    `mutation ($id: ID!) { createWorkOrder(input: { assetId: $id, title: "Grease", type: CORRECTIVE, customSteps: [{ description: "Grease" }] }) { id } }`,
    { id },
  );
  return createWorkOrder.id;
};
const onHand = async (tenant: Caller, partId: string) =>
  (await tenant.ask("query ($partId: ID!) { batches(partId: $partId) { batchNumber quantity } }", { partId })).batches.map(
    ({ batchNumber, quantity }: any) => [batchNumber, quantity],
  );
/** The batches of the issues, oldest first. */
const issued = async (tenant: Caller, partId: string) =>
  (
    await tenant.ask(
      `query ($partId: ID!) { part(id: $partId) { movements(filter: { type: ISSUE }) { nodes { quantity batchNumber } } } }`,
      { partId },
    )
  ).part.movements.nodes.map(({ quantity, batchNumber }: any) => [quantity, batchNumber]);

test("an issue takes the batch that expires first, and none that has expired or is recalled", async () => {
  const { tenant, partId } = await stocked(
    [5, "NONE"],
    [5, "LATE", 90],
    [1, "B-SOON", 30],
    [2, "A-SOON", 30],
    [3, "BAD", 10],
    [4, "OLD", -1],
  );
  await tenant.ask(`mutation ($partId: ID!) { openRecall(input: { partId: $partId, batchNumber: "BAD", reason: "Cracks" }) { id } }`, {
    partId,
  });
  for (const quantity of [2, 0.5, 0.5, 5, 4]) await move(tenant, "issueStock", partId, { quantity });
  // Two expire at the same time: the first by number.
  expect(await issued(tenant, partId)).toEqual([
    [-2, "A-SOON"],
    [-0.5, "B-SOON"],
    [-0.5, "B-SOON"],
    [-5, "LATE"],
    [-4, "NONE"],
  ]);
  expect(await onHand(tenant, partId)).toEqual([
    ["OLD", 4],
    ["BAD", 3],
    ["NONE", 1],
  ]);
});

test("an issue that needs several batches is refused with them, and one beyond the stock with what is available", async () => {
  const { tenant, partId } = await stocked([4, "LATE", 60], [3, "SOON", 30], [9, "NONE"]);
  const before = await onHand(tenant, partId);
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 5 })).toMatchObject({
    message: "The batch that expires first holds less; issue the batches one after another",
    code: "CONFLICT",
    site: "N",
    requested: 5,
    batches: [
      { batchNumber: "SOON", quantity: 3 },
      { batchNumber: "LATE", quantity: 4 },
    ],
  });
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 17 })).toMatchObject({
    code: "CONFLICT",
    available: 16,
    requested: 17,
  });
  expect([await onHand(tenant, partId), await issued(tenant, partId)]).toEqual([before, []]);
});

test("stock that is reserved, expired, recalled or in no batch is not available", async () => {
  const { tenant, partId } = await stocked([4, "LATE", 60], [3, "SOON", 30], [2, "OLD", -1]);
  const refused = (quantity: number) => refusedMove(tenant, "issueStock", partId, { quantity });
  await tenant.ask(`mutation ($partId: ID!) { reserveStock(partId: $partId, input: { site: "N", quantity: 6 }) { reservation { id } } }`, {
    partId,
  });
  expect(await refused(5)).toMatchObject({ message: "Insufficient stock", code: "CONFLICT", available: 1, requested: 5 });
  await move(tenant, "issueStock", partId, { quantity: 1 });
  expect(await refused(1)).toMatchObject({ message: "Insufficient stock", available: 0, requested: 1 });

  const { tenant: other, partId: recalled } = await stocked([5, "BAD"], [3, "GOOD"]);
  await other.ask(`mutation ($partId: ID!) { openRecall(input: { partId: $partId, batchNumber: "BAD", reason: "Cracks" }) { id } }`, {
    partId: recalled,
  });
  expect(await refusedMove(other, "issueStock", recalled, { quantity: 4 })).toMatchObject({ available: 3, requested: 4 });

  const unbatched = await gateway.newTenant();
  const later = await newPart(unbatched, { site: "N", stockLevel: 7 });
  await unbatched.ask(`mutation ($id: ID!) { updatePart(id: $id, input: { tracksBatches: true }) { id } }`, { id: later });
  await move(unbatched, "receiveStock", later, { quantity: 3, batchNumber: "X" });
  expect(await refusedMove(unbatched, "issueStock", later, { quantity: 5 })).toMatchObject({ available: 3, requested: 5 });
});

test("goods that await approval are not chosen", async () => {
  const { tenant, partId } = await stocked([5, "OK", 60]);
  await tenant.ask("mutation { updateStockSettings(input: { receiptApproval: true }) { id } }");
  const technician = await tenant.as("technician");
  await move(technician, "receiveStock", partId, { quantity: 5, batchNumber: "NEW", expiryDate: inDays(30) });
  await move(tenant, "issueStock", partId, { quantity: 4 });
  expect(await issued(tenant, partId)).toEqual([[-4, "OK"]]);
});

test("other movements need a batch to be named", async () => {
  const { tenant, partId } = await stocked();
  const required = { code: "BAD_USER_INPUT", details: { batchNumber: "is required, because the part tracks batches" } };
  expect(await refusedMove(tenant, "receiveStock", partId, { quantity: 1 })).toMatchObject(required);
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 1 })).toMatchObject({ available: 0, requested: 1 });
  await move(tenant, "receiveStock", partId, { quantity: 3, batchNumber: "A" });
  const adjust = "mutation ($partId: ID!, $input: AdjustStockInput!) { adjustStock(partId: $partId, input: $input) { id } }";
  expect(await refusal(tenant, adjust, { partId, input: { adjustmentType: "DAMAGE", quantity: -1 } })).toMatchObject(required);
  const { status, body } = await tenant.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "damage", quantity: -1 });
  expect([status, body.details]).toEqual([400, required.details]);
  expect(await onHand(tenant, partId)).toEqual([["A", 3]]);
});

test("a part that also tracks pieces needs them, and pieces leave with their batch", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { site: "N", tracksBatches: true, tracksSerials: true });
  await move(tenant, "receiveStock", partId, { quantity: 1, batchNumber: "A", serialNumbers: ["1"] });
  expect((await refusedMove(tenant, "issueStock", partId, { quantity: 1 })).details).toMatchObject({
    serialNumbers: "is required, because the part tracks serial numbers",
  });
  await move(tenant, "issueStock", partId, { quantity: 1, serialNumbers: ["1"] });
  expect(await onHand(tenant, partId)).toEqual([]);
});

test("work orders and reservations take the batch that expires first, and a return restores it", async () => {
  const { tenant, partId } = await stocked([4, "LATE", 60], [3, "SOON", 30]);
  const order = await orderAt(tenant, "N");
  const issue = "mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id batchNumber } }";
  const { issueToWorkOrder } = await tenant.ask(issue, { id: order, input: { partId, site: "N", quantity: 2 } });
  expect(issueToWorkOrder.batchNumber).toBe("SOON");
  expect(await refusal(tenant, issue, { id: order, input: { partId, site: "N", quantity: 2 } })).toMatchObject({
    code: "CONFLICT",
    batches: [
      { batchNumber: "SOON", quantity: 1 },
      { batchNumber: "LATE", quantity: 4 },
    ],
  });
  const found = { partId, site: "N", quantity: 9, bookDiscrepancy: true };
  expect(await refusal(tenant, issue, { id: order, input: found })).toMatchObject({ code: "BAD_USER_INPUT" });
  await tenant.ask(
    `mutation ($id: ID!, $movementId: ID!) { returnFromWorkOrder(id: $id, input: { movementId: $movementId, quantity: 1 }) { id } }`,
    { id: order, movementId: issueToWorkOrder.id },
  );
  expect(await onHand(tenant, partId)).toEqual([
    ["SOON", 2],
    ["LATE", 4],
  ]);
  const reserve = `mutation ($partId: ID!) { reserveStock(partId: $partId, input: { site: "N", quantity: 2 }) { reservation { id } } }`;
  const { reserveStock } = await tenant.ask(reserve, { partId });
  const { issueStock } = await tenant.ask(
    `mutation ($partId: ID!, $id: ID!) { issueStock(partId: $partId, reservationId: $id, input: { quantity: 2 }) { batchNumber } }`,
    { partId, id: reserveStock.reservation.id },
  );
  expect(issueStock.batchNumber).toBe("SOON");
  expect(await onHand(tenant, partId)).toEqual([["LATE", 4]]);
});

test("issues at the same time empty one batch after the other", async () => {
  const { tenant, partId } = await stocked([4, "LATE", 60], [4, "SOON", 30]);
  await Promise.all(Array.from({ length: 8 }, () => move(tenant, "issueStock", partId, { quantity: 1 })));
  expect(await issued(tenant, partId)).toEqual([...Array(4).fill([-1, "SOON"]), ...Array(4).fill([-1, "LATE"])]);
});

test("keys of another site learn nothing about the batches", async () => {
  const { tenant, partId } = await stocked([4, "LATE", 60], [3, "SOON", 30]);
  const order = await orderAt(tenant, "S");
  const limited = await tenant.as("technician", ["S"], false);
  const issue = "mutation ($id: ID!, $input: IssueToWorkOrderInput!) { issueToWorkOrder(id: $id, input: $input) { id } }";
  for (const refused of [
    await refusedMove(limited, "issueStock", partId, { quantity: 5 }),
    await refusal(limited, issue, { id: order, input: { partId, site: "N", quantity: 5 } }),
  ]) {
    expect(refused.code).toBe("FORBIDDEN");
    expect(JSON.stringify(refused)).not.toContain("SOON");
  }
});
