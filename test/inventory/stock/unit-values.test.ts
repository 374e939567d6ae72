/** Parts that are valued by unit, and fixed assets (docs/stock.md, "Valuation by unit"). Expected figures are worked out by hand. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, sharedGateway } from "../../world.js";
import { discrepancies, level, move, movements, newPart, refusedMove, refusedReversal, reverse } from "./stock.js";

const gateway = await sharedGateway();
let tenant: Caller;

/** The ledger and every view of it agree after each test. */
afterEach(async () => {
  expect(await discrepancies(gateway, tenant)).toEqual([]);
  const { verifyLedger } = await tenant.ask("{ verifyLedger { balanced faults { site problem } } }");
  expect(verifyLedger).toEqual({ balanced: true, faults: [] });
});

const repairable = (input: object = {}) => newPart(tenant, { tracksSerials: true, isRepairable: true, ...input });

const receive = (partId: string, serialNumber: string, unitCost?: number, input: object = {}) =>
  move(tenant, "receiveStock", partId, { quantity: 1, unitCost, serialNumbers: [serialNumber], ...input });
const issue = (partId: string, ...serialNumbers: string[]) =>
  move(tenant, "issueStock", partId, { quantity: serialNumbers.length, serialNumbers });

const returnIssued = async (partId: string, issueId: string, input: object) =>
  (
    await tenant.ask(
      "mutation ($p: ID!, $issueId: ID!, $input: MoveStockInput!) { returnStock(partId: $p, issueId: $issueId, input: $input) { valueExact } }",
      { p: partId, issueId, input },
    )
  ).returnStock;

/** Values of units by serial number, as exact text. Those in stock are marked by their site. */
const units = async (partId: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (
      await tenant.ask(
        "query ($partId: ID!) { units(filter: { partId: $partId }, orderBy: { field: SERIAL_NUMBER }) { nodes { serialNumber valueExact whereabouts { state site } } } }",
        { partId },
      )
    ).units.nodes.map(({ serialNumber, valueExact, whereabouts }: any) => [
      serialNumber,
      `${valueExact}${whereabouts.state === "IN_STOCK" ? ` ${whereabouts.site}` : ""}`,
    ]),
  );
const values = async (partId: string): Promise<string[]> =>
  (await movements(tenant, partId)).map(({ type, site, valueExact }) => `${type} ${site} ${valueExact}`);

const tables = ["Part", "StockLevel", "StockMovement", "StockAdjustment", "StockTransfer", "Unit", "UnitPeriod", "StockCount"];
const state = () =>
  Promise.all(
    tables.map((table) =>
      gateway.database.query(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
        tenant.tenantId,
      ]),
    ),
  );

/** Calls, and expects the refusal to have changed nothing. Returns what the error says. */
async function refused(call: () => Promise<GraphqlAnswer>): Promise<any> {
  const before = await state();
  const { errors } = await call();
  expect(errors, "it is refused").toHaveLength(1);
  expect(await state()).toEqual(before);
  return { message: errors![0]!.message, ...errors![0]!.extensions };
}

async function done(call: Promise<GraphqlAnswer>): Promise<any> {
  const { data, errors } = await call;
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data;
}

const unitId = async (partId: string, serialNumber: string): Promise<string> =>
  (
    await tenant.ask("query ($p: ID!, $n: String!) { units(filter: { partId: $p, serialNumber: $n }) { nodes { id } } }", {
      p: partId,
      n: serialNumber,
    })
  ).units.nodes[0].id;
const moveUnit = (input: object, caller = tenant) =>
  caller.graphql("mutation ($input: MoveUnitInput!) { moveUnit(input: $input) { id } }", { input });
const exchange = (input: object) =>
  done(tenant.graphql("mutation ($input: ExchangeUnitInput!) { exchangeUnit(input: $input) { id } }", { input }));
const updatePart = (id: string, input: object) =>
  tenant.graphql("mutation ($id: ID!, $input: UpdatePartInput!) { updatePart(id: $id, input: $input) { isRepairable isCapital } }", {
    id,
    input,
  });
const newPosition = async (): Promise<string> => {
  const asset = await tenant.createAsset({ name: "Pump", site: "N" });
  return (await tenant.createComponent({ name: "Seal", assetId: asset.id })).id;
};
const adjust = (partId: string, input: object) =>
  tenant.graphql(`mutation ($id: ID!, $input: AdjustStockInput!) { adjustStock(partId: $id, input: $input) { id totalValueExact } }`, {
    id: partId,
    input: { site: "N", reason: "Found", ...input },
  });

test("each unit keeps its own cost, from its receipt over a repair to its transfer and its loss", async () => {
  tenant = await gateway.newTenant();
  const position = await newPosition();
  const partId = await repairable({ coreValue: 30 });
  await receive(partId, "A", 100);
  await receive(partId, "B", 200);
  await receive(partId, "C", 400);
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "3", totalValueExact: "700", unitCostExact: "233.3333" });
  // Issued at its own cost, not at the average.
  await exchange({ componentId: position, unit: { partId, serialNumber: "B" } });
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "2", totalValueExact: "500", unitCostExact: "250" });
  // Comes out unserviceable, and goes to a repair for 50: 30 + 50.
  await exchange({ componentId: position, reason: "FAILURE" });
  const B = await unitId(partId, "B");
  await done(moveUnit({ unitId: B, state: "IN_REPAIR" }));
  await done(moveUnit({ unitId: B, state: "IN_STOCK", condition: "SERVICEABLE", repairCost: 50 }));
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "3", totalValueExact: "580" });
  expect(await units(partId)).toEqual({ A: "100 N", B: "80 N", C: "400 N" });
  // A cost needs another person, as every gain.
  const { stockAdjustments } = await tenant.ask("{ stockAdjustments(filter: { pending: true }) { nodes { id quantity totalValue } } }");
  expect(stockAdjustments.nodes).toEqual([{ id: expect.any(String), quantity: 1, totalValue: 80 }]);
  const other = await tenant.as("manager");
  await other.ask("mutation ($id: ID!) { approveAdjustment(id: $id) { id } }", { id: stockAdjustments.nodes[0].id });
  // A transfer takes exactly this unit's value.
  await tenant.ask("mutation ($id: ID!, $input: TransferStockInput!) { transferStock(partId: $id, input: $input) { id } }", {
    id: partId,
    input: { fromSite: "N", toSite: "S", quantity: 1, serialNumbers: ["C"] },
  });
  expect(await level(tenant, partId)).toMatchObject({ totalValueExact: "180", unitCostExact: "90" });
  expect(await level(tenant, partId, "S")).toMatchObject({ totalValueExact: "400" });
  // So does a loss, and its reversal brings it back.
  const lost = (await done(adjust(partId, { adjustmentType: "LOSS", quantity: -1, serialNumbers: ["A"] }))).adjustStock;
  expect(lost.totalValueExact).toBe("-100");
  expect(await units(partId)).toEqual({ A: "100", B: "80 N", C: "400 S" });
  await other.ask('mutation ($id: ID!) { rejectAdjustment(id: $id, reason: "It was there") { id } }', { id: lost.id });
  expect(await units(partId)).toEqual({ A: "100 N", B: "80 N", C: "400 S" });
  expect(await values(partId)).toEqual([
    "RECEIPT N 100",
    "RECEIPT N 200",
    "RECEIPT N 400",
    "ISSUE N -200",
    "RETURN N 80",
    "TRANSFER N -400",
    "TRANSFER S 400",
    "WRITE_OFF N -100",
    "ADJUSTMENT N 100",
  ]);
  // The views agree with the units: 100 + 80 + 400.
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const { inventoryTotals } = await tenant.ask("{ inventoryTotals { totalValueExact } }");
  expect(inventoryTotals.totalValueExact).toBe("580");
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const report = async (reportType: string) =>
    (await tenant.rest("GET", `/inventory/reports?${new URLSearchParams({ reportType, startDate: from, endDate: until })}`)).body;
  expect((await report("summary")).summary).toMatchObject({ totalValue: 580, totalMovements: 9 });
  expect((await report("aging")).aging[0]).toEqual({ days: "0-30", quantity: 3, value: 580 });
  // Issued 200, returned 80.
  expect((await report("turnover")).turnover).toMatchObject({ issuedValue: 120 });
});

test("a unit returns at the value with which it left, and at the core value once it was used", async () => {
  tenant = await gateway.newTenant();
  const position = await newPosition();
  const partId = await repairable({ coreValue: 30 });
  await receive(partId, "A", 100);
  await receive(partId, "B", 200);
  // Unused, by its issue and without it.
  const out = await issue(partId, "A", "B");
  expect(out.valueExact).toBe("-300");
  expect((await move(tenant, "returnStock", partId, { quantity: 1, serialNumbers: ["B"] })).valueExact).toBe("200");
  expect((await returnIssued(partId, out.id, { quantity: 1, serialNumbers: ["A"] })).valueExact).toBe("100");
  // Used and then found serviceable.
  await exchange({ componentId: position, unit: { partId, serialNumber: "B" } });
  await exchange({ componentId: position, reason: "PREVENTIVE" });
  await done(moveUnit({ unitId: await unitId(partId, "B"), state: "REMOVED", condition: "SERVICEABLE" }));
  expect((await move(tenant, "returnStock", partId, { quantity: 1, serialNumbers: ["B"] })).valueExact).toBe("30");
  expect(await units(partId)).toEqual({ A: "100 N", B: "30 N" });
  // Issued again it takes the value that it has now. Not used, it needs no repair to return at it.
  expect((await issue(partId, "B")).valueExact).toBe("-30");
  await done(moveUnit({ unitId: await unitId(partId, "B"), state: "REMOVED" }));
  await done(moveUnit({ unitId: await unitId(partId, "B"), state: "IN_STOCK" }));
  expect(await units(partId)).toEqual({ A: "100 N", B: "30 N" });
});

test("without a cost, a new unit is worth the price of its part, and units of one receipt share its cost", async () => {
  tenant = await gateway.newTenant();
  const [priced, unknown] = [await repairable({ unitCost: 70 }), await repairable()];
  expect((await receive(priced, "A", 10)).valueExact).toBe("10");
  // Not at the average of the others.
  expect(await receive(priced, "B")).toMatchObject({ valueExact: "70", costMissing: false });
  await move(tenant, "receiveStock", priced, { quantity: 2, unitCost: 12.3456, serialNumbers: ["C", "D"] });
  expect(await units(priced)).toEqual({ A: "10 N", B: "70 N", C: "12.3456 N", D: "12.3456 N" });
  expect(await receive(unknown, "A")).toMatchObject({ valueExact: "0", costMissing: true });
  await receive(unknown, "B", 5);
  expect(await receive(unknown, "C")).toMatchObject({ valueExact: "0", costMissing: true });
  expect(await level(tenant, unknown)).toMatchObject({ totalValueExact: "5", unitCostExact: "1.6667" });
  expect((await issue(unknown, "A", "C")).valueExact).toBe("0");
});

test("a transfer in two steps carries the values of its units, whatever arrives first", async () => {
  tenant = await gateway.newTenant();
  const partId = await repairable();
  for (const [serialNumber, cost] of [
    ["A", 100],
    ["B", 200],
    ["C", 400],
  ] as const)
    await receive(partId, serialNumber, cost);
  const started = await tenant.ask("mutation ($p: ID!, $input: StartTransferInput!) { startTransfer(partId: $p, input: $input) { id } }", {
    p: partId,
    input: { fromSite: "N", toSite: "S", quantity: 3 },
  });
  const { id } = started.startTransfer;
  const fields = "inTransit inTransitValueExact";
  const ship = await tenant.ask(`mutation ($id: ID!) { shipTransfer(id: $id, serialNumbers: ["A", "B", "C"]) { ${fields} } }`, { id });
  expect(ship.shipTransfer).toEqual({ inTransit: 3, inTransitValueExact: "700" });
  const arrived = await tenant.ask(`mutation ($id: ID!) { receiveTransfer(id: $id, quantity: 1, serialNumbers: ["C"]) { ${fields} } }`, {
    id,
  });
  expect(arrived.receiveTransfer).toEqual({ inTransit: 2, inTransitValueExact: "300" });
  expect(await refused(() => updatePart(partId, { isRepairable: false }))).toMatchObject({
    code: "CONFLICT",
    message: "Stock of the part is in transit; receive it first",
    transferId: id,
  });
  const rest = await tenant.ask(`mutation ($id: ID!) { cancelTransfer(id: $id) { ${fields} } }`, { id });
  expect(rest.cancelTransfer).toEqual({ inTransit: 0, inTransitValueExact: "0" });
  expect(await units(partId)).toEqual({ A: "100 N", B: "200 N", C: "400 S" });
});

test("a corrected cost goes to the units that are still there; the reversal of the receipt takes what they are worth", async () => {
  tenant = await gateway.newTenant();
  const partId = await repairable();
  const receipt = await move(tenant, "receiveStock", partId, { quantity: 3, unitCost: 100, serialNumbers: ["A", "B", "C"] });
  await receive(partId, "D", 500);
  await issue(partId, "A");
  const correct = (unitCost: number) =>
    tenant.graphql(
      `mutation ($id: ID!, $unitCost: NonNegative!) { correctReceiptCost(movementId: $id, unitCost: $unitCost, reason: "Invoice") { id valueExact expensedExact } }`,
      { id: receipt.id, unitCost },
    );
  // 20 each: two are in stock, one has gone.
  const corrected = (await done(correct(120))).correctReceiptCost;
  expect(corrected).toMatchObject({ valueExact: "40", expensedExact: "20" });
  expect(await units(partId)).toEqual({ A: "100", B: "120 N", C: "120 N", D: "500 N" });
  expect(await refused(() => correct(120))).toMatchObject({ details: { unitCost: "is the cost that the receipt has" } });
  expect((await done(correct(90))).correctReceiptCost).toMatchObject({ valueExact: "-60", expensedExact: "-30" });
  expect(await units(partId)).toEqual({ A: "100", B: "90 N", C: "90 N", D: "500 N" });
  expect(await refusedReversal(tenant, corrected.id)).toMatchObject({
    code: "CONFLICT",
    message: "The part is valued by unit; correct the cost of the receipt again",
    type: "REVALUATION",
  });
  // A receipt of one unit, corrected and then reversed: the difference is expensed.
  const other = await receive(partId, "E", 60);
  await done(
    tenant.graphql(`mutation ($id: ID!) { correctReceiptCost(movementId: $id, unitCost: 75, reason: "Invoice") { id } }`, { id: other.id }),
  );
  await reverse(tenant, other.id);
  expect((await values(partId)).slice(-4)).toEqual(["RECEIPT N 60", "REVALUATION N 15", "PRICE_DIFFERENCE N -15", "ADJUSTMENT N -60"]);
  // 90 + 90 + 500.
  expect(await level(tenant, partId)).toMatchObject({ totalValueExact: "680" });
});

test("stock moves by serial number only; all of it may be written off, and come back", async () => {
  tenant = await gateway.newTenant();
  const partId = await repairable();
  await receive(partId, "A", 100);
  await receive(partId, "B", 250);
  expect(await refusedMove(tenant, "issueStock", partId, { quantity: 1 })).toMatchObject({
    code: "BAD_USER_INPUT",
    details: { serialNumbers: "is required, because the part tracks serial numbers" },
  });
  const put = (input: object) => tenant.rest("PUT", `/inventory/${partId}`, { site: "N", ...input });
  let before = await state();
  expect((await put({ currentStock: 1 })).body).toMatchObject({
    error: "The part is valued by unit; move its units by serial number",
  });
  expect((await put({ unitCost: 50 })).body).toMatchObject({
    error: "The part is valued by unit; correct the cost of its receipts with correctReceiptCost",
  });
  expect(await state()).toEqual(before);
  // A client may send back what it read.
  expect((await put({ currentStock: 2, unitCost: 175 })).status).toBe(200);
  // A count that differs needs the units.
  const { createStockCount: count } = await tenant.ask('mutation { createStockCount(input: { site: "N" }) { id } }');
  await tenant.ask("mutation ($id: ID!, $lines: [CountedLineInput!]!) { recordCount(id: $id, lines: $lines) { id } }", {
    id: count.id,
    lines: [{ partId, counted: 1 }],
  });
  const post = () => tenant.graphql("mutation ($id: ID!) { postStockCount(id: $id) { status } }", { id: count.id });
  expect(await refused(post)).toMatchObject({
    code: "CONFLICT",
    message: "The part is valued by unit; move its units by serial number",
    partId,
    site: "N",
  });
  // The deletion of the record takes all units, and its reversal brings them back with their values.
  const deleted = await tenant.rest("DELETE", `/inventory/${partId}?site=N`);
  expect(deleted.status).toBe(200);
  expect(await units(partId)).toEqual({ A: "100", B: "250" });
  const writeOff = (await movements(tenant, partId)).at(-1)!;
  expect(writeOff).toMatchObject({ type: "WRITE_OFF", valueExact: "-350" });
  await reverse(tenant, writeOff.id);
  expect(await units(partId)).toEqual({ A: "100 N", B: "250 N" });
  before = await state();
  expect(await level(tenant, partId)).toMatchObject({ totalValueExact: "350" });
});

test("a part with stock can be marked: its units share the value, and give it back to the average", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { tracksSerials: true });
  await move(tenant, "receiveStock", partId, { quantity: 3, unitCost: 33.3333, serialNumbers: ["A", "B", "C"] });
  await receive(partId, "D", 0.0002);
  const sold = await issue(partId, "D");
  expect(sold.valueExact).toBe("-25");
  // 75.0001 are shared: 25, 25 and 25.0001.
  expect((await done(updatePart(partId, { isRepairable: true }))).updatePart).toEqual({ isRepairable: true, isCapital: false });
  expect(await units(partId)).toEqual({ A: "25 N", B: "25 N", C: "25.0001 N", D: "null" });
  // A unit that left before returns at its share of the issue.
  expect((await returnIssued(partId, sold.id, { quantity: 1, serialNumbers: ["D"] })).valueExact).toBe("25");
  await issue(partId, "C");
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "3", totalValueExact: "75" });
  await done(updatePart(partId, { isRepairable: false }));
  expect(await units(partId)).toEqual({ A: "null N", B: "null N", C: "null", D: "null N" });
  // Stock without numbers cannot be valued by unit.
  expect((await tenant.rest("PUT", `/inventory/${partId}`, { site: "N", currentStock: 4 })).status).toBe(200);
  expect(await refused(() => updatePart(partId, { isRepairable: true }))).toMatchObject({
    code: "CONFLICT",
    message: "Some of the stock has no serial numbers; adjust it until each piece has one",
    site: "N",
    quantity: 4,
    serialNumbers: 3,
  });
});

test("flags that exclude each other are refused, each with the field to change", async () => {
  tenant = await gateway.newTenant();
  const create = (input: object) =>
    tenant.graphql("mutation ($input: CreatePartInput!) { createPart(input: $input) { id } }", {
      input: { partNumber: randomUUID(), name: "Seal", ...input },
    });
  expect((await refused(() => create({ isRepairable: true }))).details).toEqual({
    isRepairable: "needs tracksSerials, because the part is valued by unit",
  });
  expect((await refused(() => create({ isRepairable: true, isCapital: true, tracksSerials: true }))).details).toEqual({
    isCapital: "must be false, because the part is repairable",
  });
  const partId = await repairable();
  expect((await refused(() => updatePart(partId, { tracksSerials: false }))).details).toEqual({
    tracksSerials: "must be true, because the part is valued by unit",
  });
  const capital = await newPart(tenant, { isCapital: true, tracksSerials: true });
  expect((await refused(() => updatePart(capital, { isRepairable: true }))).details).toEqual({
    isRepairable: "must be false, because the part is a fixed asset",
  });
});

test("the stock of a fixed asset has no value, whatever moves", async () => {
  tenant = await gateway.newTenant();
  const partId = await newPart(tenant, { unitCost: 9000 });
  const receipt = await move(tenant, "receiveStock", partId, { quantity: 2, unitCost: 5000 });
  expect(await refused(() => updatePart(partId, { isCapital: true }))).toMatchObject({
    code: "CONFLICT",
    message: "The stock has a value; set the unit cost of its inventory record to 0 first",
    site: "N",
    value: 10_000,
  });
  await move(tenant, "issueStock", partId, { quantity: 2 });
  await done(updatePart(partId, { isCapital: true }));
  expect(await move(tenant, "receiveStock", partId, { quantity: 3, unitCost: 5000 })).toMatchObject({
    valueExact: "0",
    costMissing: false,
  });
  expect(await move(tenant, "receiveStock", partId, { quantity: 1 })).toMatchObject({ valueExact: "0", costMissing: false });
  const issued = await move(tenant, "issueStock", partId, { quantity: 1 });
  await returnIssued(partId, issued.id, { quantity: 1 });
  await tenant.ask("mutation ($id: ID!, $input: TransferStockInput!) { transferStock(partId: $id, input: $input) { id } }", {
    id: partId,
    input: { fromSite: "N", toSite: "S", quantity: 2 },
  });
  const lost = (await done(adjust(partId, { adjustmentType: "LOSS", quantity: -1 }))).adjustStock;
  await reverse(tenant, (await move(tenant, "issueStock", partId, { quantity: 1 })).id);
  const other = await tenant.as("manager");
  await other.ask('mutation ($id: ID!) { rejectAdjustment(id: $id, reason: "Found") { id } }', { id: lost.id });
  expect((await values(partId)).slice(2)).toEqual([
    "RECEIPT N 0",
    "RECEIPT N 0",
    "ISSUE N 0",
    "RETURN N 0",
    "TRANSFER N 0",
    "TRANSFER S 0",
    "WRITE_OFF N 0",
    "ISSUE N 0",
    "ADJUSTMENT N 0",
    "ADJUSTMENT N 0",
  ]);
  expect(await level(tenant, partId)).toMatchObject({ quantityExact: "2", totalValueExact: "0" });
  const put = await tenant.rest("PUT", `/inventory/${partId}`, { site: "N", unitCost: 100 });
  expect(put.body).toMatchObject({ error: "The part is a fixed asset, whose stock has no value" });
  expect(
    await refused(() =>
      tenant.graphql('mutation ($id: ID!) { correctReceiptCost(movementId: $id, unitCost: 1, reason: "Invoice") { id } }', {
        id: receipt.id,
      }),
    ),
  ).toMatchObject({ code: "CONFLICT", message: "The part is a fixed asset, whose stock has no value" });
  const { inventoryTotals } = await tenant.ask("{ inventoryTotals { totalValueExact } }");
  expect(inventoryTotals.totalValueExact).toBe("0");
});

test("a repair has a cost only when it is released, and only for a repairable part", async () => {
  tenant = await gateway.newTenant();
  const position = await newPosition();
  const partId = await newPart(tenant, { tracksSerials: true, coreValue: 30 });
  await receive(partId, "A", 100);
  await exchange({ componentId: position, unit: { partId, serialNumber: "A" } });
  await exchange({ componentId: position, reason: "FAILURE" });
  const id = await unitId(partId, "A");
  expect((await refused(() => moveUnit({ unitId: id, state: "IN_REPAIR", repairCost: 5 }))).details).toEqual({
    repairCost: "is for the state IN_STOCK; give it when the unit is released",
  });
  expect((await refused(() => moveUnit({ unitId: id, state: "IN_STOCK", condition: "SERVICEABLE", repairCost: 5 }))).details).toEqual({
    repairCost: "needs a part with isRepairable, whose units have values of their own",
  });
});

test("the database refuses stock that differs from its units", async () => {
  tenant = await gateway.newTenant();
  const partId = await repairable();
  await receive(partId, "A", 100);
  const before = await state();
  const run = (text: string) => gateway.database.query(text, [tenant.tenantId, partId]);
  const where = `where "tenantId" = $1 and "partId" = $2`;
  await expect(run(`update "Unit" set value = 90 ${where}`)).rejects.toThrow("Others are writing");
  await expect(run(`update "Unit" set site = null ${where}`)).rejects.toThrow("Others are writing");
  await expect(run(`update "StockLevel" set value = 90 ${where}`)).rejects.toThrow("Others are writing");
  expect(await state()).toEqual(before);
});

/** Repeatable random numbers (mulberry32). */
function randomsOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test.each([1, 2])("random movements leave each level worth its units (seed %i)", async (seed) => {
  tenant = await gateway.newTenant();
  const partId = await repairable({ unitCost: 11 });
  const random = randomsOf(seed);
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
  /** Values in ten-thousandths and sites by serial number. No site: out of stock. */
  const model = new Map<string, { value: number; site: string | null }>();
  /** Issue and site of units that can be returned. */
  const issues = new Map<string, string>();
  for (let n = 0; n < 40; n++) {
    const inStock = [...model].filter(([, { site }]) => site);
    const out = [...model].filter(([serial]) => issues.has(serial));
    const act = pick(["receive", "receive", "issue", "issue", "return", "undo", "transfer", "lose"]);
    if (act === "receive") {
      const serials = [`S${n}`, ...(random() < 0.4 ? [`T${n}`] : [])];
      const cost = random() < 0.2 ? undefined : Math.floor(random() * 1_000_000);
      const site = pick(["N", "S"]);
      const unitCost = cost === undefined ? undefined : cost / 10_000;
      await move(tenant, "receiveStock", partId, { quantity: serials.length, unitCost, serialNumbers: serials, site });
      for (const serial of serials) model.set(serial, { value: cost ?? 110_000, site });
    } else if (act === "return" || act === "undo") {
      if (!out.length) continue;
      const [serial, unit] = pick(out);
      const issueId = issues.get(serial)!;
      const site = act === "undo" ? issueId.split(" ")[1]! : pick(["N", "S"]);
      if (act === "undo") await reverse(tenant, issueId.split(" ")[0]!);
      else await move(tenant, "returnStock", partId, { quantity: 1, serialNumbers: [serial], site });
      unit.site = site;
      issues.delete(serial);
    } else if (inStock.length) {
      const [serial, unit] = pick(inStock);
      const site = unit.site!;
      if (act === "issue") {
        const { id } = await move(tenant, "issueStock", partId, { quantity: 1, serialNumbers: [serial], site });
        issues.set(serial, `${id} ${site}`);
        unit.site = null;
      } else if (act === "lose") {
        await done(adjust(partId, { adjustmentType: "LOSS", quantity: -1, serialNumbers: [serial], site }));
        unit.site = null;
      } else {
        unit.site = site === "N" ? "S" : "N";
        await tenant.ask("mutation ($id: ID!, $input: TransferStockInput!) { transferStock(partId: $id, input: $input) { id } }", {
          id: partId,
          input: { fromSite: site, toSite: unit.site, quantity: 1, serialNumbers: [serial] },
        });
      }
    }
    for (const site of ["N", "S"]) {
      const held = [...model.values()].filter((unit) => unit.site === site);
      const { quantityExact, totalValueExact } = await level(tenant, partId, site);
      const value = held.reduce((sum, unit) => sum + unit.value, 0);
      expect([act, site, Number(quantityExact), Math.round(Number(totalValueExact) * 10_000)]).toEqual([act, site, held.length, value]);
    }
  }
});
