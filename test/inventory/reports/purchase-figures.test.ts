/** Figures of suppliers, orders and critical stock, worked out by hand (docs/supply.md, "Figures"). */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { move, newPart, refusal } from "../stock/stock.js";
import { actOk, invoiceOk } from "../supply/invoices.js";
import { newPerson, orderOk, stepOk, supplied } from "../supply/purchases.js";
import { receiveOk, reverse } from "../supply/receipts.js";

const gateway = await sharedGateway();

const september = { from: "2026-09-01T00:00:00.000Z", to: "2026-10-01T00:00:00.000Z" };
const period = "from: $from, to: $to";

/**
 * SKF sells boxes of 12 at 30.00 EUR, so a piece costs 2.50. North is in Berlin, where a day of September ends at 22:00 UTC; South is in UTC.
 * The lines of SKF's order for North, sent on 1 September at 21:00 UTC:
 *
 * | line | promised | accepted |
 * |---|---|---|
 * | 1: 1 box | 10 September | 12 at 21:00 UTC that day: in time, after 9 days. Invoiced at 33.00 |
 * | 2: 1 box | 10 September | 12 at 23:00 UTC that day: late in Berlin, after 9.0833 days |
 * | 3: 1 box | 12 September | 6 on the 11th, 6 on the 21st at 21:00: late, after 20 days |
 * | 4: 1 box | 15 September | cancelled |
 * | 5: 1 box | 15 September, then 20 October | nothing: late now, but not due in September |
 * | 6: a crane for 900.00 | 20 September | 1 at 21:00 UTC that day: in time, after 19 days |
 * | 7: 2 boxes | 25 September | 24 on the 24th, but reversed: late |
 * | 8: 2 boxes | 31 March 2099 at 23:00 UTC, in Berlin in April | nothing |
 *
 * SKF's order for South, in USD at 0.90 EUR and sent on 1 September: 10 pieces at 2.00, promised on the 5th and accepted then, after 4 days,
 * and 10 pieces promised on 31 March 2099. NSK's order for South, 10 belts without category at 5.00 EUR and without a date: 4 accepted in
 * September, 1 in October.
 */
async function bought() {
  const tenant = await gateway.newTenant();
  const { supplierId: skf, partId: bearing } = await supplied(tenant);
  const { createSite, createSupplier } = await tenant.ask(
    `mutation { createSite(input: { name: "North", timeZone: "Europe/Berlin" }) { name } updateStockSettings(input: { invoiceTolerance: 10 }) { id }
       createSupplier(input: { name: "NSK", currency: "EUR" }) { id } }`,
  );
  expect(createSite.name).toBe("North");
  const belt = await newPart(tenant, { name: "Belt" });
  const nsk = createSupplier.id as string;
  const clerk = (await newPerson(tenant, "Clerk", "TECHNICIAN")).caller;
  const sent = async (sentAt: string, input: object): Promise<any> => {
    const order = await orderOk(tenant, input);
    await stepOk(tenant, "submit", order.id);
    await stepOk(tenant, "send", order.id);
    await gateway.database.query(`update "PurchaseOrder" set "sentAt" = $3 where "tenantId" = $1 and id = $2`, [
      tenant.tenantId,
      order.id,
      sentAt,
    ]);
    return order;
  };
  const accept = async (line: { id: string }, accepted: number, receivedAt: string): Promise<any> => {
    const receipt = await receiveOk(clerk, line.id, { accepted });
    await gateway.database.query(`update "GoodsReceipt" set "receivedAt" = $3 where "tenantId" = $1 and id = $2`, [
      tenant.tenantId,
      receipt.id,
      receivedAt,
    ]);
    return receipt;
  };
  const box = (promisedAt: string, quantity = 1) => ({ partId: bearing, quantity, promisedAt });
  const north = await sent("2026-09-01T21:00:00Z", {
    supplierId: skf,
    site: "North",
    lines: [
      box("2026-09-10T12:00:00Z"),
      box("2026-09-10T12:00:00Z"),
      box("2026-09-12T12:00:00Z"),
      box("2026-09-15T12:00:00Z"),
      box("2026-09-15T12:00:00Z"),
      { description: "Crane", quantity: 1, price: 900, promisedAt: "2026-09-20T12:00:00Z" },
      box("2026-09-25T12:00:00Z", 2),
      box("2099-03-31T23:00:00Z", 2),
    ],
  });
  await accept(north.lines[0], 12, "2026-09-10T21:00:00Z");
  await accept(north.lines[1], 12, "2026-09-10T23:00:00Z");
  await accept(north.lines[2], 6, "2026-09-11T09:00:00Z");
  await accept(north.lines[2], 6, "2026-09-21T21:00:00Z");
  await stepOk(tenant, "cancelLine", north.lines[3].id, { reason: "Not needed" });
  await tenant.ask(
    `mutation ($id: ID!) { repromisePurchaseOrderLine(id: $id, repromisedAt: "2026-10-20T12:00:00Z") { id } }`,
    north.lines[4],
  );
  await accept(north.lines[5], 1, "2026-09-20T21:00:00Z");
  const wrong = await accept(north.lines[6], 24, "2026-09-24T09:00:00Z");
  expect((await reverse(tenant, wrong.movement.id)).errors).toBeUndefined();
  const invoice = await invoiceOk(tenant, {
    supplierId: skf,
    number: "R-1",
    lines: [{ orderLineId: north.lines[0].id, quantity: 12, amount: 33 }],
  });
  expect((await actOk(tenant, "post", invoice.id)).lines[0].status).toBe("MATCHED");

  const each = (promisedAt: string) => ({ partId: bearing, quantity: 10, unit: "each", unitFactor: 1, price: 2, promisedAt });
  const south = await sent("2026-09-01T00:00:00Z", {
    supplierId: skf,
    site: "South",
    currency: "USD",
    exchangeRate: 0.9,
    lines: [each("2026-09-05T12:00:00Z"), each("2099-03-31T23:00:00Z")],
  });
  await accept(south.lines[0], 10, "2026-09-05T00:00:00Z");
  const belts = await sent("2026-09-02T00:00:00Z", { supplierId: nsk, site: "South", lines: [{ partId: belt, quantity: 10, price: 5 }] });
  await accept(belts.lines[0], 4, "2026-09-30T12:00:00Z");
  await accept(belts.lines[0], 1, "2026-10-02T12:00:00Z");
  return { tenant, skf, nsk, bearing, north, south };
}

const plant = await bought();

const performance = async (caller: Caller, args: object = {}): Promise<any[]> =>
  (
    await caller.ask(
      `query ($from: DateTime, $to: DateTime, $supplierId: ID, $site: String) { supplierPerformance(${period}, supplierId: $supplierId, site: $site) {
         supplier { name } linesDue linesOnTimeInFull onTimeInFull linesCompleted medianLeadTime leadTimeP90 spendExact } }`,
      { ...september, ...args },
    )
  ).supplierPerformance;

const spend = async (caller: Caller, by: string, args: object = {}): Promise<any[]> =>
  (
    await caller.ask(
      `query ($by: SpendGrouping!, $from: DateTime, $to: DateTime, $supplierId: ID, $site: String) { purchaseSpend(by: $by, ${period}, supplierId: $supplierId, site: $site) {
         supplier { name } category partsExact servicesExact total totalExact } }`,
      { by, ...september, ...args },
    )
  ).purchaseSpend;

const commitments = async (caller: Caller, args: object = {}): Promise<any[]> =>
  (
    await caller.ask(
      "query ($supplierId: ID, $site: String) { purchaseCommitments(supplierId: $supplierId, site: $site) { month isLate currency lines amount amountExact } }",
      args as Record<string, unknown>,
    )
  ).purchaseCommitments;

const skfInAll = {
  supplier: { name: "SKF" },
  // Lines 1, 2, 3, 6 and 7 of North, and one of South. In time: 1, 6 and that of South.
  linesDue: 6,
  linesOnTimeInFull: 3,
  onTimeInFull: 50,
  // 4, 9, 9.0833, 19 and 20 days. The 90th percentile is 0.6 of the way from the fourth to the fifth.
  linesCompleted: 5,
  medianLeadTime: 9.08,
  leadTimeP90: 19.6,
  // 33 as invoiced, 30, 30, 900 and 10 × 2.00 × 0.90.
  spendExact: "1011",
};
const nskInAll = {
  supplier: { name: "NSK" },
  linesDue: 0,
  linesOnTimeInFull: 0,
  onTimeInFull: null,
  linesCompleted: 0,
  medianLeadTime: null,
  leadTimeP90: null,
  spendExact: "20",
};
const skfInSouth = {
  ...skfInAll,
  linesDue: 1,
  linesOnTimeInFull: 1,
  onTimeInFull: 100,
  linesCompleted: 1,
  medianLeadTime: 4,
  leadTimeP90: 4,
  spendExact: "18",
};

describe("performance of suppliers", () => {
  test("counts lines accepted in full by the end of the promised day at their site", async () => {
    expect(await performance(plant.tenant)).toEqual([skfInAll, nskInAll]);
    expect(await performance(plant.tenant, { supplierId: plant.nsk })).toEqual([nskInAll]);
    // 4 of the 5 lines of North were completed: 9, 9.0833, 19 and 20 days; 0.7 of the way from the third to the fourth.
    const north = {
      ...skfInAll,
      linesDue: 5,
      linesOnTimeInFull: 2,
      onTimeInFull: 40,
      linesCompleted: 4,
      medianLeadTime: 14.04,
      leadTimeP90: 19.7,
      spendExact: "993",
    };
    expect(await performance(plant.tenant, { site: "North" })).toEqual([north]);
    expect(await performance(plant.tenant, { site: "South" })).toEqual([nskInAll, skfInSouth]);
  });

  test("counts a line in the period of its last promised date, and its lead time in that of its last receipt", async () => {
    // Until 20 September, line 3 is not completed and the crane is not there.
    expect(await performance(plant.tenant, { to: "2026-09-20T12:00:00.000Z", supplierId: plant.skf })).toMatchObject([
      { linesDue: 4, linesOnTimeInFull: 2, linesCompleted: 3, medianLeadTime: 9, spendExact: "96" },
    ]);
    const october = { from: september.to, to: "2026-11-01T00:00:00.000Z" };
    expect(await performance(plant.tenant, october)).toMatchObject([
      { supplier: { name: "NSK" }, linesDue: 0, spendExact: "5" },
      { supplier: { name: "SKF" }, linesDue: 1, linesOnTimeInFull: 0, onTimeInFull: 0, linesCompleted: 0, spendExact: "0" },
    ]);
    // A promised day that has not ended is not due.
    expect(await performance(plant.tenant, { from: "2099-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" })).toEqual([]);
  });
});

test("spend has the corrections of invoices, services and other currencies, without reversed receipts", async () => {
  const rest = { category: null, supplier: null };
  expect(await spend(plant.tenant, "SUPPLIER")).toEqual([
    { ...rest, supplier: { name: "SKF" }, partsExact: "111", servicesExact: "900", total: 1011, totalExact: "1011" },
    { ...rest, supplier: { name: "NSK" }, partsExact: "20", servicesExact: "0", total: 20, totalExact: "20" },
  ]);
  expect(await spend(plant.tenant, "CATEGORY")).toEqual([
    { ...rest, partsExact: "20", servicesExact: "900", total: 920, totalExact: "920" },
    { ...rest, category: "Bearings", partsExact: "111", servicesExact: "0", total: 111, totalExact: "111" },
  ]);
  expect(await spend(plant.tenant, "CATEGORY", { site: "South", supplierId: plant.skf })).toEqual([
    { ...rest, category: "Bearings", partsExact: "18", servicesExact: "0", total: 18, totalExact: "18" },
  ]);
});

test("spend has the price of fixed assets, and takes back the correction of a cancelled invoice", async () => {
  const tenant = await gateway.newTenant();
  const { supplierId, partId } = await supplied(tenant);
  const crane = await newPart(tenant, { name: "Crane", isCapital: true, category: "Machines" });
  const clerk = (await newPerson(tenant, "Clerk", "TECHNICIAN")).caller;
  const order = await orderOk(tenant, {
    supplierId,
    site: "North",
    lines: [
      { partId, quantity: 1 },
      { partId: crane, quantity: 1, price: 5000 },
    ],
  });
  await stepOk(tenant, "submit", order.id);
  await stepOk(tenant, "send", order.id);
  await receiveOk(clerk, order.lines[0].id, { accepted: 12 });
  await receiveOk(clerk, order.lines[1].id, { accepted: 1 });
  await tenant.ask("mutation { updateStockSettings(input: { invoiceTolerance: 10 }) { id } }");
  const invoice = await invoiceOk(tenant, {
    supplierId,
    number: "R-1",
    lines: [{ orderLineId: order.lines[0].id, quantity: 12, amount: 33 }],
  });
  const totals = async () =>
    (await spend(tenant, "CATEGORY", { from: null, to: null })).map(({ category, totalExact }) => [category, totalExact]);
  await actOk(tenant, "post", invoice.id);
  expect(await totals()).toEqual([
    ["Machines", "5000"],
    ["Bearings", "33"],
  ]);
  await actOk(tenant, "cancel", invoice.id);
  expect(await totals()).toEqual([
    ["Machines", "5000"],
    ["Bearings", "30"],
  ]);
});

test("commitments are what is open of sent orders, by month of the site, with late and undated ones apart", async () => {
  const row = { isLate: false, currency: "EUR", lines: 1 };
  const all = [
    // Line 5 and the reversed line 7.
    { ...row, month: null, isLate: true, lines: 2, amount: 90, amountExact: "90" },
    { ...row, month: "2099-03-01", currency: "USD", amount: 20, amountExact: "20" },
    { ...row, month: "2099-04-01", amount: 60, amountExact: "60" },
    // 5 of 10 belts.
    { ...row, month: null, amount: 25, amountExact: "25" },
  ];
  expect(await commitments(plant.tenant)).toEqual(all);
  expect(await commitments(plant.tenant, { supplierId: plant.nsk })).toEqual([all[3]]);
  expect(await commitments(plant.tenant, { site: "North" })).toEqual([all[0], all[2]]);
  await orderOk(plant.tenant, { supplierId: plant.nsk, site: "South", lines: [{ description: "Advice", quantity: 1, price: 7 }] });
  expect(await commitments(plant.tenant)).toEqual(all);
});

const history = `query ($partId: ID!, $first: Int!) { priceHistory(partId: $partId, first: $first) {
  lineId orderedAt quantity unitPrice unitPriceExact currency supplier { name } order { number } } }`;

test("the price history has the price of a piece in each line that was not cancelled, newest first", async () => {
  const { tenant, bearing, north, south } = plant;
  const { priceHistory } = await tenant.ask(history, { partId: bearing, first: 50 });
  const price = { unitPrice: 2.5, unitPriceExact: "2.5", currency: "EUR", supplier: { name: "SKF" }, order: { number: north.number } };
  expect(priceHistory).toEqual([
    ...[0, 1, 2, 4, 6, 7].map((i) => ({
      ...price,
      lineId: north.lines[i].id,
      orderedAt: "2026-09-01T21:00:00.000Z",
      quantity: i < 6 ? 12 : 24,
    })),
    ...[0, 1].map((i) => ({
      ...price,
      lineId: south.lines[i].id,
      orderedAt: "2026-09-01T00:00:00.000Z",
      quantity: 10,
      unitPrice: 2,
      unitPriceExact: "2",
      currency: "USD",
      order: { number: south.number },
    })),
  ]);
  const firstOnly = await tenant.ask(history, { partId: bearing, first: 1 });
  expect(firstOnly.priceHistory).toEqual([priceHistory[0]]);
});

const stockouts = async (caller: Caller, args: object): Promise<any[]> =>
  (
    await caller.ask(
      `query ($from: DateTime, $to: DateTime, $site: String) { criticalStockouts(${period}, site: $site) { part { name } site days stockouts isOut } }`,
      args as Record<string, unknown>,
    )
  ).criticalStockouts;

const march = { from: "2026-03-01T00:00:00.000Z", to: "2026-04-01T00:00:00.000Z" };

/** Seals, a belt and nuts with a history of February and March. The nuts are not critical. */
async function used() {
  const tenant = await gateway.newTenant();
  const moves = async (partId: string, quantities: number[], times: string[], site = "N") => {
    for (const [i, quantity] of quantities.entries())
      await move(tenant, quantity > 0 ? "receiveStock" : "issueStock", partId, {
        quantity: Math.abs(quantity),
        performedAt: times[i],
        site,
      });
  };
  const seal = await newPart(tenant, { name: "Seal", isCritical: true });
  // Out from 25 February to 5 March, from noon of 10 March to 13 March, and since 30 March.
  const times = ["02-10T00", "02-25T00", "03-05T00", "03-10T12", "03-13T00", "03-30T00"].map((time) => `2026-${time}:00:00Z`);
  await moves(seal, [5, -5, 3, -3, 1, -1], times);
  // Nobody expects stock before there is a level.
  await moves(seal, [2], ["2026-03-21T00:00:00Z"], "S");
  await moves(await newPart(tenant, { name: "Belt", isCritical: true }), [1, -1], ["2026-02-10T00:00:00Z", "2026-03-31T12:00:00Z"]);
  await moves(await newPart(tenant, { name: "Nut" }), [1, -1], ["2026-02-10T00:00:00Z", "2026-03-02T00:00:00Z"]);
  return tenant;
}

test("stock-outs of critical parts are the days without stock since there is a stock level", async () => {
  const tenant = await used();
  const rows = [
    // 4 days of March, 2.5 and 2.
    { part: { name: "Seal" }, site: "N", days: 8.5, stockouts: 3, isOut: true },
    { part: { name: "Belt" }, site: "N", days: 0.5, stockouts: 1, isOut: true },
  ];
  expect(await stockouts(tenant, march)).toEqual(rows);
  expect(await stockouts(tenant, { ...march, site: "S" })).toEqual([]);
  expect(await stockouts(tenant, { from: "2026-03-06T00:00:00Z", to: "2026-03-14T00:00:00Z" })).toEqual([
    { ...rows[0], days: 2.5, stockouts: 1, isOut: false },
  ]);
  expect(await stockouts(tenant, { from: "2026-02-10T00:00:00Z", to: "2026-02-25T00:00:00Z" })).toEqual([]);
  // Time in the future is not counted.
  const [now] = await stockouts(tenant, { from: march.from, to: null });
  const [future] = await stockouts(tenant, { from: march.from, to: "2040-01-01T00:00:00Z" });
  expect(future.days - now.days).toBeLessThan(1);
  const south = await tenant.as("viewer", ["S"], false);
  expect(await stockouts(south, march)).toEqual([]);
  expect(await stockouts(await tenant.as("viewer", ["N"], false), march)).toEqual(rows);
});

test("a key that reads only its sites sees their figures, and another tenant none", async () => {
  const south = await plant.tenant.as("viewer", ["South"], false);
  expect(await performance(south)).toEqual([nskInAll, skfInSouth]);
  expect((await spend(south, "SUPPLIER")).map(({ totalExact }) => totalExact)).toEqual(["20", "18"]);
  expect(await commitments(south)).toMatchObject([{ currency: "USD" }, { currency: "EUR", amountExact: "25" }]);
  const { priceHistory } = await south.ask(history, { partId: plant.bearing, first: 50 });
  expect(priceHistory.map((one: any) => one.lineId)).toEqual(plant.south.lines.map((one: any) => one.id));

  const other = await gateway.newTenant();
  for (const args of [{}, { supplierId: plant.skf }]) {
    expect(await performance(other, args)).toEqual([]);
    expect(await spend(other, "SUPPLIER", args)).toEqual([]);
    expect(await commitments(other, args)).toEqual([]);
  }
  expect(await stockouts(other, march)).toEqual([]);
  expect(await refusal(other, history, { partId: plant.bearing, first: 50 })).toMatchObject({ code: "NOT_FOUND" });
});

test("an empty period and too many prices are refused", async () => {
  const { tenant, bearing } = plant;
  const empty = { from: september.to, to: september.from };
  for (const query of [
    `query ($from: DateTime, $to: DateTime) { supplierPerformance(${period}) { linesDue } }`,
    `query ($from: DateTime, $to: DateTime) { purchaseSpend(by: SUPPLIER, ${period}) { total } }`,
    `query ($from: DateTime, $to: DateTime) { criticalStockouts(${period}) { days } }`,
  ])
    expect(await refusal(tenant, query, empty)).toMatchObject({ code: "BAD_USER_INPUT", details: { from: "must be before to" } });
  for (const first of [0, 1_001])
    expect(await refusal(tenant, history, { partId: bearing, first })).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { first: "must be from 1 to 1,000" },
    });
});

test("each figure sends one statement", async () => {
  const { tenant, bearing } = plant;
  const queries = [
    "{ supplierPerformance { linesDue spend } }",
    "{ purchaseSpend(by: CATEGORY) { category total } }",
    "{ purchaseCommitments { month amount } }",
    "{ criticalStockouts { days } }",
  ];
  /** Fewest statements of a repeated request: every few seconds one looks up the key again. */
  const statements = async (query: string, variables = {}): Promise<number> => {
    const counts: number[] = [];
    for (let use = 0; use < 4; use++) {
      const before = gateway.database.statements();
      await tenant.ask(query, variables);
      counts.push(gateway.database.statements() - before);
    }
    return Math.min(...counts);
  };
  for (const query of queries) expect(await statements(query)).toBe(1);
  expect(await statements(history, { partId: bearing, first: 50 })).toBe(await statements(history, { partId: bearing, first: 5 }));
});
