/** Serial and batch numbers carried by transfers, work orders and holds (docs/stock.md, "Serial and batch numbers"). */
import { expect, test } from "vitest";
import { act, balanced, procedure, workOrder } from "../../maintenance/work-orders/orders.js";
import { type Caller, sharedGateway } from "../../world.js";
import { newPart, refusal } from "./stock.js";

const gateway = await sharedGateway();

const moving = (verb: string) =>
  `mutation ($p: ID!, $input: MoveStockInput!, $hold: ID) { moved: ${verb}(partId: $p, input: $input${verb === "issueStock" ? ", reservationId: $hold" : ""}) { id reservation { id } } }`.replace(
    verb === "issueStock" ? "never" : ", $hold: ID",
    "",
  );
const received = "serialNumbers: $s, batchNumber: $b";
const carried = "id status inTransit serialNumbers batchNumber";
const starting = `mutation ($p: ID!, $input: StartTransferInput!) { done: startTransfer(partId: $p, input: $input) { ${carried} } }`;
const shipping = `mutation ($id: ID!, $s: [Name!], $b: Name) { done: shipTransfer(id: $id, ${received}) { ${carried} } }`;
const receiving = `mutation ($id: ID!, $q: Positive, $s: [Name!], $b: Name) { done: receiveTransfer(id: $id, quantity: $q, ${received}) { ${carried} } }`;
const cancelling = `mutation ($id: ID!) { done: cancelTransfer(id: $id) { ${carried} } }`;
const issuing =
  "mutation ($id: ID!, $input: IssueToWorkOrderInput!) { done: issueToWorkOrder(id: $id, input: $input) { id serialNumbers batchNumber } }";
const returning =
  "mutation ($id: ID!, $input: ReturnFromWorkOrderInput!) { done: returnFromWorkOrder(id: $id, input: $input) { quantity serialNumbers batchNumber } }";
const rejecting = "mutation ($id: ID!) { rejectAdjustment(id: $id) { id } }";

const done = async (caller: Caller, document: string, variables: object): Promise<any> =>
  (await caller.ask(document, variables as Record<string, unknown>)).done;
const receive = (caller: Caller, p: string, input: object) => caller.ask(moving("receiveStock"), { p, input: { site: "N", ...input } });

/** The site of each piece. */
async function sites(caller: Caller, p: string, ...numbers: string[]): Promise<(string | null)[]> {
  const found = numbers.map((n, i) => `s${i}: serialNumber(partId: $p, number: "${n}") { site }`);
  const data = await caller.ask(`query ($p: ID!) { ${found.join(" ")} }`, { p });
  return numbers.map((_, i) => data[`s${i}`].site);
}
const batches = async (caller: Caller, p: string): Promise<string[]> =>
  (await caller.ask("query ($p: ID!) { batches(partId: $p) { site batchNumber quantity } }", { p })).batches.map(
    (batch: any) => `${batch.site} ${batch.batchNumber} ${batch.quantity}`,
  );

const tables = [
  "StockLevel",
  "StockMovement",
  "StockSerial",
  "StockBatch",
  "StockTransfer",
  "StockHold",
  "WorkOrderPart",
  "StockAdjustment",
];
const state = (caller: Caller) =>
  Promise.all(
    tables.map((table) =>
      gateway.database.query(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
        caller.tenantId,
      ]),
    ),
  );

/** Code and details of a refusal that changes nothing. */
async function refused(caller: Caller, document: string, variables: object): Promise<any> {
  const before = await state(caller);
  const { code, details, serialNumbers, batchNumber, available, requested } = await refusal(caller, document, variables);
  expect(await state(caller)).toEqual(before);
  return JSON.parse(JSON.stringify({ code, details, serialNumbers, batchNumber, available, requested }));
}

async function orderFor(tenant: Caller, partId: string, quantity: number): Promise<string> {
  const order = await workOrder(tenant, (await procedure(tenant, { parts: [{ partId, quantity }] })).id);
  await act(tenant, "start", order);
  return order;
}

test("an issued hold names its pieces, and follows the rules of an issue", async () => {
  const admin = await gateway.newTenant();
  const technician = await admin.as("technician");
  const p = await newPart(admin, { tracksSerials: true });
  await receive(admin, p, { quantity: 2, serialNumbers: ["A", "B"] });
  const { moved } = await technician.ask(moving("reserveStock"), { p, input: { site: "N", quantity: 2 } });
  const issue = (input: object) => ({ p, hold: moved.reservation.id, input: { quantity: 1, ...input } });
  expect((await refused(technician, moving("issueStock"), issue({}))).details).toEqual({
    serialNumbers: "is required, because the part tracks serial numbers",
  });
  expect(await refused(technician, moving("issueStock"), issue({ serialNumbers: ["C"] }))).toEqual({
    code: "CONFLICT",
    serialNumbers: ["C"],
  });
  const past = new Date(Date.now() - 1_000).toISOString();
  expect((await refused(technician, moving("issueStock"), issue({ serialNumbers: ["A"], performedAt: past }))).code).toBe("FORBIDDEN");
  const future = { serialNumbers: ["A"], performedAt: "2999-01-01T00:00:00Z" };
  expect((await refused(admin, moving("issueStock"), issue(future))).code).toBe("BAD_USER_INPUT");
  expect((await refused(technician, moving("issueStock"), issue({ serialNumbers: ["A"], currency: "XXX" }))).code).toBe("BAD_USER_INPUT");
  await technician.ask(moving("issueStock"), issue({ serialNumbers: ["A"] }));
  expect(await sites(admin, p, "A", "B")).toEqual([null, "N"]);
  await balanced(admin);
});

test("a reservation has neither pieces nor its own time", async () => {
  const admin = await gateway.newTenant();
  const p = await newPart(admin);
  await receive(admin, p, { quantity: 5, serialNumbers: ["A", "B", "C", "D", "E"] });
  await admin.ask(moving("reserveStock"), { p, input: { site: "N", quantity: 1 } });
  for (const verb of ["reserveStock", "unreserveStock"])
    for (const [field, value] of Object.entries({
      serialNumbers: ["A"],
      batchNumber: "L",
      expiryDate: "2030-01-01",
      performedAt: "2999-01-01",
      occurredAt: "2020-01-01",
    }))
      expect(await refused(admin, moving(verb), { p, input: { site: "N", quantity: 1, [field]: value } })).toEqual({
        code: "BAD_USER_INPUT",
        details: { [field]: "is not kept of a reservation; leave it out" },
      });
});

test("a transfer carries pieces: chosen, shipped, received in parts, or brought back", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksSerials: true });
  await receive(tenant, p, { quantity: 4, serialNumbers: ["A", "B", "C", "D"], batchNumber: "L", expiryDate: "2030-01-01" });
  const input = { fromSite: "N", toSite: "S", quantity: 3 };
  expect(await refused(tenant, starting, { p, input: { ...input, serialNumbers: ["A", "B", "X"] } })).toEqual({
    code: "CONFLICT",
    serialNumbers: ["X"],
  });
  expect((await refused(tenant, starting, { p, input: { ...input, serialNumbers: ["A"] } })).details).toHaveProperty("serialNumbers");
  const plain = await done(tenant, starting, { p, input: { ...input, quantity: 1 } });
  expect((await refused(tenant, shipping, { id: plain.id })).details).toEqual({
    serialNumbers: "is required, because the part tracks serial numbers",
  });
  await done(tenant, cancelling, { id: plain.id });
  const { id } = await done(tenant, starting, { p, input: { ...input, serialNumbers: ["A", "B", "C"] } });
  expect(await done(tenant, shipping, { id, s: ["B", "C", "D"] })).toMatchObject({ status: "SHIPPED", serialNumbers: ["B", "C", "D"] });
  expect(await sites(tenant, p, "A", "B", "C", "D")).toEqual(["N", null, null, null]);
  expect((await refused(tenant, receiving, { id, q: 1 })).details).toHaveProperty("serialNumbers");
  expect(await refused(tenant, receiving, { id, q: 1, s: ["A"] })).toEqual({ code: "CONFLICT", serialNumbers: ["A"] });
  expect((await refused(tenant, receiving, { id, q: 2, s: ["B"] })).details).toHaveProperty("serialNumbers");
  await done(tenant, receiving, { id, q: 1, s: ["C"] });
  expect(await refused(tenant, receiving, { id, q: 1, s: ["C"] })).toEqual({ code: "CONFLICT", serialNumbers: ["C"] });
  expect(await batches(tenant, p)).toEqual(["N L 1", "S L 1"]);
  await done(tenant, cancelling, { id });
  expect(await sites(tenant, p, "A", "B", "C", "D")).toEqual(["N", "N", "S", "N"]);
  expect(await batches(tenant, p)).toEqual(["N L 3", "S L 1"]);
  const again = await done(tenant, starting, { p, input: { ...input, serialNumbers: ["A", "B", "D"] } });
  await done(tenant, shipping, { id: again.id });
  expect(await done(tenant, receiving, { id: again.id })).toMatchObject({ status: "RECEIVED", inTransit: 0 });
  expect(await sites(tenant, p, "A", "B", "C", "D")).toEqual(["S", "S", "S", "S"]);
  await balanced(tenant);
});

test("pieces of a part that also tracks batches take their batch along, without naming it", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksSerials: true, tracksBatches: true });
  await receive(tenant, p, { quantity: 2, serialNumbers: ["A", "B"], batchNumber: "L" });
  const { id } = await done(tenant, starting, { p, input: { fromSite: "N", toSite: "S", quantity: 1, serialNumbers: ["A"] } });
  expect(await done(tenant, shipping, { id })).toMatchObject({ serialNumbers: ["A"], batchNumber: null });
  expect(await done(tenant, receiving, { id })).toMatchObject({ status: "RECEIVED" });
  expect(await sites(tenant, p, "A", "B")).toEqual(["S", "N"]);
  expect(await batches(tenant, p)).toEqual(["N L 1", "S L 1"]);
  await balanced(tenant);
});

test("a transfer carries a batch", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksBatches: true });
  await receive(tenant, p, { quantity: 2.5, batchNumber: "L" });
  await receive(tenant, p, { quantity: 2.5, batchNumber: "K" });
  const input = { fromSite: "N", toSite: "S", quantity: 3 };
  expect(await refused(tenant, starting, { p, input: { ...input, batchNumber: "L" } })).toEqual({
    code: "CONFLICT",
    batchNumber: "L",
    requested: 3,
  });
  const { id } = await done(tenant, starting, { p, input: { ...input, quantity: 2 } });
  expect((await refused(tenant, shipping, { id })).details).toHaveProperty("batchNumber");
  await done(tenant, shipping, { id, b: "L" });
  expect(await refused(tenant, receiving, { id, b: "K" })).toEqual({ code: "CONFLICT", batchNumber: "L" });
  await done(tenant, receiving, { id, q: 0.5 });
  await done(tenant, receiving, { id, b: "L" });
  expect((await batches(tenant, p)).sort()).toEqual(["N K 2.5", "N L 0.5", "S L 2"]);
});

test("a work order takes and returns pieces, and can be found by piece", async () => {
  const tenant = await gateway.newTenant();
  const p = await newPart(tenant, { tracksSerials: true });
  await receive(tenant, p, { quantity: 3, serialNumbers: ["A", "B", "C"] });
  const order = await orderFor(tenant, p, 3);
  const issue = (input: object) => ({ id: order, input: { partId: p, quantity: 1, ...input } });
  expect((await refused(tenant, issuing, issue({}))).details).toEqual({
    serialNumbers: "is required, because the part tracks serial numbers",
  });
  expect(await refused(tenant, issuing, issue({ serialNumbers: ["X"] }))).toEqual({ code: "CONFLICT", serialNumbers: ["X"] });
  await done(tenant, issuing, issue({ quantity: 2, serialNumbers: ["A", "B"] }));
  await done(tenant, issuing, issue({ serialNumbers: ["C"] }));
  expect(await sites(tenant, p, "A", "B", "C")).toEqual([null, null, null]);
  const where = 'query ($p: ID!) { serialNumber(partId: $p, number: "A") { workOrders { id } } }';
  expect((await tenant.ask(where, { p })).serialNumber.workOrders).toEqual([{ id: order }]);
  expect((await refused(tenant, returning, { id: order, input: { partId: p, quantity: 2 } })).details).toHaveProperty("serialNumbers");
  const other = await orderFor(tenant, p, 1);
  expect(await refused(tenant, returning, { id: other, input: { partId: p, quantity: 1, serialNumbers: ["A"] } })).toEqual({
    code: "CONFLICT",
    serialNumbers: ["A"],
  });
  // One piece from each of two issues, in a single call.
  const back = await done(tenant, returning, { id: order, input: { partId: p, quantity: 2, serialNumbers: ["C", "A"] } });
  expect(back.map(({ serialNumbers }: any) => serialNumbers).sort()).toEqual([["A"], ["C"]]);
  expect(await sites(tenant, p, "A", "B", "C")).toEqual(["N", null, "N"]);
  expect(await refused(tenant, returning, { id: order, input: { partId: p, quantity: 1, serialNumbers: ["A"] } })).toEqual({
    code: "CONFLICT",
    serialNumbers: ["A"],
  });
  // All remaining pieces are returned, also on completion.
  await act(tenant, "complete", order, { usedParts: [{ partId: p, quantity: 0 }] });
  expect(await sites(tenant, p, "A", "B", "C")).toEqual(["N", "N", "N"]);
  await balanced(tenant);
});

test("stock found by a work order has pieces; a rejection reverses the use, whatever has become of the stock", async () => {
  const tenant = await gateway.newTenant();
  const manager = await tenant.as("manager");
  const p = await newPart(tenant, { tracksSerials: true, unitCost: 3 });
  await receive(tenant, p, { quantity: 1, serialNumbers: ["A"], unitCost: 2 });
  const order = await orderFor(tenant, p, 2);
  const input = { partId: p, quantity: 2, bookDiscrepancy: true };
  expect((await refused(tenant, issuing, { id: order, input: { ...input, serialNumbers: ["X", "Y"] } })).serialNumbers).toEqual(["Y"]);
  await done(tenant, issuing, { id: order, input: { ...input, serialNumbers: ["A", "X"] } });
  await act(tenant, "complete", order);
  await act(tenant, "close", order);
  const pending = "{ stockAdjustments(filter: { pending: true }) { nodes { id quantity } } }";
  const [gain] = (await tenant.ask(pending)).stockAdjustments.nodes;
  expect(gain.quantity).toBe(1);
  await manager.ask(rejecting, { id: gain.id });
  expect(await sites(tenant, p, "A", "X")).toEqual([null, null]);
  const cost =
    "query ($id: ID!) { workOrder(id: $id) { partsCost materialCost requiredParts { usedQuantity issuedQuantity returnedQuantity } } }";
  expect((await tenant.ask(cost, { id: order })).workOrder).toEqual({
    partsCost: 2,
    materialCost: 2,
    requiredParts: [{ usedQuantity: 1, issuedQuantity: 2, returnedQuantity: 1 }],
  });
  await balanced(tenant);
});

test("a write-off or a count to 0 removes all pieces and batches, and its rejection restores them", async () => {
  const tenant = await gateway.newTenant();
  const manager = await tenant.as("manager");
  await tenant.ask("mutation { updateStockSettings(input: { writeOffThreshold: 0, countThreshold: 0 }) { version } }");
  const p = await newPart(tenant, { unitCost: 1 });
  await receive(tenant, p, { quantity: 2, serialNumbers: ["A", "B"], batchNumber: "L" });
  await receive(tenant, p, { quantity: 1.5, batchNumber: "K" });
  const before = (await batches(tenant, p)).sort();
  for (const empty of [
    "deleteInventory(partId: $p) { finalStock }",
    "updateInventory(partId: $p, input: { currentStock: 0 }) { quantity }",
  ]) {
    await tenant.ask(`mutation ($p: ID!) { ${empty} }`, { p });
    expect([await sites(tenant, p, "A", "B"), await batches(tenant, p)]).toEqual([[null, null], []]);
    const [{ id }] = (await tenant.ask("{ stockAdjustments(filter: { pending: true }) { nodes { id } } }")).stockAdjustments.nodes;
    await manager.ask(rejecting, { id });
    expect([await sites(tenant, p, "A", "B"), (await batches(tenant, p)).sort()]).toEqual([["N", "N"], before]);
  }
  await balanced(tenant);
});
