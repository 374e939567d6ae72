/** The five inventory reports (docs/interface.md 4.3, rules 6 to 9) on an example small enough to check by hand. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const requestId = expect.any(String);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

type Line = [date: string, type: string, quantity: number, cost: number, occurred?: string];

interface Level {
  part: string;
  site: string;
  location?: string;
  /** The moving average cost after all movements. */
  average: number;
  lines: Line[];
}

/**
 * Inserts movements with past dates, as the ledger would have written them, in order and for a single part and site. The running balances
 * are newBalance and valueBalance, and the value is quantity × cost.
 */
async function insertMovements(
  tenant: Caller,
  ids: Record<string, string>,
  { part, site, location, average, lines }: Level,
): Promise<void> {
  const query = (sql: string, ...values: unknown[]) => gateway.database.query<any>(sql, [tenant.tenantId, ids[part], site, ...values]);
  const total = lines.reduce((sum, [, , quantity]) => sum + quantity, 0);
  await query(
    `insert into "StockLevel" ("tenantId", "partId", site, quantity, sequence, "valuedSequence", "unitCost", value, location) values ($1, $2, $3, $4, $5, $5, $6, $7, $8)`,
    total,
    lines.length,
    average,
    total * average,
    location ?? null,
  );
  let balance = 0;
  let value = 0;
  for (const [i, [date, type, quantity, cost, occurred]] of lines.entries()) {
    await query(
      `insert into "StockMovement" ("tenantId", "partId", site, id, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance",
         "unitCost", "totalValue", value, "valueBalance", "performedBy", "performedByName", "performedAt", "occurredAt")
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $11, $12, 'k', 'K', $13, $14)`,
      randomUUID(),
      i + 1,
      type,
      quantity,
      balance,
      (balance += quantity),
      cost,
      quantity * cost,
      (value += quantity * cost),
      new Date(date),
      occurred ? new Date(occurred) : null,
    );
  }
}

async function parts(tenant: Caller, fields: Record<string, object>): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [partNumber, rest] of Object.entries(fields)) {
    const { status, body } = await tenant.rest("POST", "/parts", { partNumber, name: partNumber, ...rest });
    expect(status, JSON.stringify(body)).toBe(201);
    ids[partNumber] = body.partId;
  }
  return ids;
}

async function report(tenant: Caller, reportType: string, query: Record<string, string> = {}): Promise<any> {
  const { status, body } = await tenant.rest("GET", `/inventory/reports?${new URLSearchParams({ reportType, ...query })}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ reportType, generatedAt: time });
  const { reportType: _type, generatedAt: _at, ...content } = body;
  return content;
}

let tenant: Caller;
let ids: Record<string, string>;

/**
 * Four parts at two sites:
 *
 *   A North  2024-01-10 receipt +100 at 2     value 200
 *                  2025-02-01 issue    -40 at 2          -80   → 60 at 2     = 120
 *   A South        2025-03-01 receipt  +10 at 3           30   → 10 at 3     =  30
 *   B North (B-1)  2024-06-01 receipt  +20 at 5          100
 *                  2024-12-01 receipt  +20 at 10         200   (20×5 + 20×10) / 40 = 7.5
 *                  2025-04-01 issue    -30 at 7.5       -225
 *                  2025-05-01 return    +2 at 7.5         15   → 12 at 7.5   =  90
 *   C North        2025-01-15 receipt   +4 at 2.5         10
 *                  2025-06-01 write_off -4 at 2.5        -10   →  0
 *   D South        2025-06-20 receipt  +50 at 0.25     12.5
 *                  2025-06-25 issue    -10 at 0.25      -2.5   → 40 at 0.25  =  10
 *
 * The period is 2025-01-01 to 2025-07-01: 181 days.
 */
const year = { startDate: "2025-01-01", endDate: "2025-07-01" };
/** A whole year with the same issues. */
const whole = { startDate: "2024-07-01", endDate: "2025-07-01" };

beforeAll(async () => {
  tenant = await gateway.newTenant();
  ids = await parts(tenant, {
    A: { category: "Bearings", reorderPoint: 11 },
    B: { category: "Bearings", maximumStock: 11 },
    C: { category: "Seals" },
    D: {},
  });
  const levels: Level[] = [
    {
      part: "A",
      site: "North",
      location: "A-1",
      average: 2,
      lines: [
        ["2024-01-10", "receipt", 100, 2],
        ["2025-02-01", "issue", -40, 2],
      ],
    },
    { part: "A", site: "South", average: 3, lines: [["2025-03-01", "receipt", 10, 3]] },
    {
      part: "B",
      site: "North",
      location: "B-1",
      average: 7.5,
      lines: [
        ["2024-06-01", "receipt", 20, 5],
        ["2024-12-01", "receipt", 20, 10],
        ["2025-04-01", "issue", -30, 7.5],
        ["2025-05-01", "return", 2, 7.5],
      ],
    },
    {
      part: "C",
      site: "North",
      average: 2.5,
      lines: [
        ["2025-01-15", "receipt", 4, 2.5],
        ["2025-06-01", "write_off", -4, 2.5],
      ],
    },
    {
      part: "D",
      site: "South",
      average: 0.25,
      lines: [
        ["2025-06-20", "receipt", 50, 0.25],
        ["2025-06-25", "issue", -10, 0.25],
      ],
    },
  ];
  for (const level of levels) await insertMovements(tenant, ids, level);
  // Instants in every month, each checked for quantity and value.
  const { verifyLedger } = await tenant.ask(
    "{ verifyLedger(instants: 40) { balanced totalQuantity totalValue faults { problem } instants { at problem } } }",
  );
  // 60 + 10 + 12 + 0 + 40 = 122; 120 + 30 + 90 + 0 + 10 = 250
  const at: string[] = verifyLedger.instants.map((instant: { at: string }) => instant.at);
  expect([at.length, at]).toEqual([40, [...at].sort()]);
  const instants = at.map((at) => ({ at, problem: null }));
  expect(verifyLedger).toEqual({ balanced: true, totalQuantity: 122, totalValue: 250, faults: [], instants });
});

describe("summary", () => {
  test("returns totals, stock status and categories", async () => {
    expect(await report(tenant, "summary", year)).toEqual({
      summary: {
        totalParts: 4,
        // 120 + 30 + 90 + 0 + 10
        totalValue: 250,
        // In the period: A 2, B 2, C 2, D 2.
        totalMovements: 8,
        // Used 80 + (225 − 15) + 2.5 = 292.5, value times days 64,092.5 (see turnover); 292.5 × 365 / 64,092.5 = 1.66575…
        averageTurnover: 1.6658,
      },
      // A South 10 < 11 is low, B 12 > 11 excess, C out, A North and D adequate.
      stockStatus: { adequate: 2, lowStock: 1, outOfStock: 1, excessStock: 1 },
      categoryBreakdown: [
        // (120 + 30 + 90) / 250 = 96 %, 10 / 250 = 4 %
        { category: "Bearings", partCount: 2, totalValue: 240, percentage: 96 },
        { category: "", partCount: 1, totalValue: 10, percentage: 4 },
        { category: "Seals", partCount: 1, totalValue: 0, percentage: 0 },
      ],
    });
  });

  test("can be filtered by category", async () => {
    expect(await report(tenant, "summary", { ...year, category: "Bearings" })).toEqual({
      // Used 290; value times days 27,860 + 34,740 = 62,600; 290 × 365 / 62,600 = 1.69089…
      summary: { totalParts: 2, totalValue: 240, totalMovements: 4, averageTurnover: 1.6909 },
      stockStatus: { adequate: 1, lowStock: 1, outOfStock: 0, excessStock: 1 },
      categoryBreakdown: [{ category: "Bearings", partCount: 2, totalValue: 240, percentage: 100 }],
    });
  });

  test("can be filtered by site and by storage location", async () => {
    // South: A 30 and D 10; used 2.5; value times days 3,660 + 122.5; 2.5 × 365 / 3,782.5 = 0.24124…; 30 / 40 = 75 %
    expect(await report(tenant, "summary", { ...year, location: "South" })).toEqual({
      summary: { totalParts: 2, totalValue: 40, totalMovements: 3, averageTurnover: 0.2412 },
      stockStatus: { adequate: 1, lowStock: 1, outOfStock: 0, excessStock: 0 },
      categoryBreakdown: [
        { category: "Bearings", partCount: 1, totalValue: 30, percentage: 75 },
        { category: "", partCount: 1, totalValue: 10, percentage: 25 },
      ],
    });
    // used 80; value times days 200 × 31 + 120 × 150 = 24,200; 80 × 365 / 24,200 = 1.20661…
    expect((await report(tenant, "summary", { ...year, location: "A-1" })).summary).toEqual({
      totalParts: 1,
      totalValue: 120,
      totalMovements: 1,
      averageTurnover: 1.2066,
    });
  });

  test("with a past endDate reports the stock at that time", async () => {
    // On 2025-01-01: A North 100 (200), B 40 (300). South, C and D had no stock and no records yet.
    expect(await report(tenant, "summary", { startDate: "2024-11-01", endDate: "2025-01-01" })).toEqual({
      // In the period: B's second receipt. Nothing was used.
      summary: { totalParts: 2, totalValue: 500, totalMovements: 1, averageTurnover: 0 },
      // B 40 > 11
      stockStatus: { adequate: 1, lowStock: 0, outOfStock: 0, excessStock: 1 },
      categoryBreakdown: [{ category: "Bearings", partCount: 2, totalValue: 500, percentage: 100 }],
    });
    // On 2025-02-15: A North 60 (120), B 40 (300), C 4 (10).
    const later = await report(tenant, "summary", { startDate: "2025-01-01", endDate: "2025-02-15", location: "North" });
    expect(later.stockStatus).toEqual({ adequate: 2, lowStock: 0, outOfStock: 0, excessStock: 1 });
    expect(later.categoryBreakdown.map((item: any) => [item.category, item.totalValue])).toEqual([
      ["Bearings", 420],
      ["Seals", 10],
    ]);
  });

  test("counts a deleted record only before its deletion", async () => {
    const other = await gateway.newTenant();
    const { P } = await parts(other, { P: { stockLevel: 4, unitCost: 3 } });
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await other.rest("DELETE", `/inventory/${P}`)).status).toBe(200);
    expect((await report(other, "summary")).summary).toMatchObject({ totalParts: 0, totalValue: 0 });
    expect((await report(other, "summary", { endDate: before })).summary).toMatchObject({ totalParts: 1, totalValue: 12 });
  });

  test("works for a tenant without stock", async () => {
    expect(await report(await gateway.newTenant(), "summary")).toEqual({
      summary: { totalParts: 0, totalValue: 0, totalMovements: 0, averageTurnover: 0 },
      stockStatus: { adequate: 0, lowStock: 0, outOfStock: 0, excessStock: 0 },
      categoryBreakdown: [],
    });
  });
});

describe("movements", () => {
  const addsUp = ({ opening, movements, closing }: any) => {
    const sum = (of: (item: any) => number) => movements.reduce((total: number, item: any) => total + of(item), 0);
    expect(opening.quantity + sum((item) => item.in - item.out)).toBeCloseTo(closing.quantity, 4);
    expect(opening.value + sum((item) => item.value)).toBeCloseTo(closing.value, 4);
  };

  test("opening values plus movements by type equal closing values", async () => {
    const content = await report(tenant, "movements", year);
    expect(content).toEqual({
      startDate: "2025-01-01T00:00:00.000Z",
      endDate: "2025-07-01T00:00:00.000Z",
      // A 100 + B 40; 200 + 300
      opening: { quantity: 140, value: 500 },
      movements: [
        // 40 + 30 + 10; 80 + 225 + 2.5
        { type: "issue", count: 3, in: 0, out: 80, value: -307.5 },
        // A South 10, C 4, D 50; 30 + 10 + 12.5
        { type: "receipt", count: 3, in: 64, out: 0, value: 52.5 },
        { type: "return", count: 1, in: 2, out: 0, value: 15 },
        { type: "write_off", count: 1, in: 0, out: 4, value: -10 },
      ],
      // 140 − 80 + 64 + 2 − 4 = 122; 500 − 307.5 + 52.5 + 15 − 10 = 250
      closing: { quantity: 122, value: 250 },
    });
    addsUp(content);
  });

  test("the period includes startDate and endDate", async () => {
    const content = await report(tenant, "movements", { startDate: "2025-02-01", endDate: "2025-04-01" });
    expect(content).toMatchObject({
      // 140 + C 4; 500 + 10
      opening: { quantity: 144, value: 510 },
      movements: [
        { type: "issue", count: 2, in: 0, out: 70, value: -305 },
        { type: "receipt", count: 1, in: 10, out: 0, value: 30 },
      ],
      // 144 − 70 + 10; 510 − 305 + 30
      closing: { quantity: 84, value: 235 },
    });
    addsUp(content);
    const after = await report(tenant, "movements", { startDate: "2025-02-01T00:00:00.001Z", endDate: "2025-03-31T23:59:59.999Z" });
    expect(after).toMatchObject({ opening: { quantity: 104 }, movements: [{ type: "receipt", count: 1 }], closing: { quantity: 114 } });
  });

  test("can be filtered by category and location", async () => {
    const bearings = await report(tenant, "movements", { ...year, category: "Bearings", location: "North" });
    // A and B at North: 140 − 70 + 2 = 72; 500 − 305 + 15 = 210
    expect(bearings).toMatchObject({
      opening: { quantity: 140, value: 500 },
      movements: [
        { type: "issue", count: 2, out: 70, value: -305 },
        { type: "return", count: 1, in: 2, value: 15 },
      ],
      closing: { quantity: 72, value: 210 },
    });
    addsUp(bearings);
    const none = { opening: { quantity: 0, value: 0 }, movements: [], closing: { quantity: 0, value: 0 } };
    expect(await report(tenant, "movements", { ...year, category: "Belts" })).toMatchObject(none);
    const shelf = await report(tenant, "movements", { ...year, location: "B-1" });
    expect(shelf).toMatchObject({ opening: { quantity: 40, value: 300 }, closing: { quantity: 12, value: 90 } });
  });

  test("reservations are not counted; a transfer counts out and in", async () => {
    const other = await gateway.newTenant();
    const { P } = await parts(other, { P: { site: "N", stockLevel: 10, unitCost: 3 } });
    await other.ask(
      `mutation ($p: ID!) {
        reserveStock(partId: $p, input: { quantity: 4 }) { id }
        transferStock(partId: $p, input: { fromSite: "N", toSite: "S", quantity: 5 }) { id }
      }`,
      { p: P },
    );
    const { movements, closing } = await report(other, "movements");
    expect(movements).toEqual([
      { type: "receipt", count: 1, in: 10, out: 0, value: 30 },
      { type: "transfer", count: 2, in: 5, out: 5, value: 0 },
    ]);
    expect(closing).toEqual({ quantity: 10, value: 30 });
  });
});

describe("abc_analysis", () => {
  test("classifies parts by issued value", async () => {
    // B 225 − 15 of 292.5 = 71.79 %, A 80 = 27.35 %, D 2.5 = 0.85 %, C 0.
    // Before B is 0 % < 80: A. Before A is 71.79 % < 80: A. Before D is 99.15 %: C. C was not used: C.
    const part = (partNumber: string, cls: string, annualUsageValue: number, percentage: number) => ({
      partId: ids[partNumber],
      partNumber,
      class: cls,
      annualUsageValue,
      percentage,
    });
    expect(await report(tenant, "abc_analysis", whole)).toEqual({
      analysis: {
        // 290 / 292.5 = 99.15 %
        classA: { partCount: 2, valuePercentage: 99.15, totalValue: 290 },
        classB: { partCount: 0, valuePercentage: 0, totalValue: 0 },
        classC: { partCount: 2, valuePercentage: 0.85, totalValue: 2.5 },
      },
      parts: [part("B", "A", 210, 71.79), part("A", "A", 80, 27.35), part("D", "C", 2.5, 0.85), part("C", "C", 0, 0)],
    });
  });

  test("with a location counts only what was issued there", async () => {
    const { parts: found } = await report(tenant, "abc_analysis", { ...whole, location: "South" });
    expect(found.map((part: any) => [part.partNumber, part.class, part.annualUsageValue, part.percentage])).toEqual([
      ["D", "A", 2.5, 100],
      ["A", "C", 0, 0],
    ]);
    const { parts: bearings } = await report(tenant, "abc_analysis", {
      startDate: "2025-03-01",
      endDate: "2025-07-01",
      category: "Bearings",
    });
    expect(bearings.map((part: any) => [part.partNumber, part.annualUsageValue])).toEqual([
      // Over 122 days: 210 × 365 / 122
      ["B", 628.2787],
      ["A", 0],
    ]);
  });

  test("values of a shorter period are projected to a year", async () => {
    const { analysis, parts: found } = await report(tenant, "abc_analysis", year);
    // Over 181 days: 210, 80 and 2.5 times 365 / 181; the shares are the same.
    expect(found.map((part: any) => [part.partNumber, part.annualUsageValue, part.percentage])).toEqual([
      ["B", 423.4807, 71.79],
      ["A", 161.326, 27.35],
      ["D", 5.0414, 0.85],
      ["C", 0, 0],
    ]);
    expect(analysis.classA).toEqual({ partCount: 2, valuePercentage: 99.15, totalValue: 584.8067 });
  });

  test("classes cover 80, 15 and 5 percent; ties are sorted by partNumber", async () => {
    const other = await gateway.newTenant();
    // The total is 100: 50 and 30 reach 80 (A), two of 7.5 reach 95 (B), two of 2.5 make up the rest (C).
    const usage: [string, number][] = [
      ["P6", 50],
      ["P5", 30],
      ["P4", 7.5],
      ["P2", 7.5],
      ["P3", 2.5],
      ["P1", 2.5],
    ];
    const partIds = await parts(other, Object.fromEntries(usage.map(([name]) => [name, {}])));
    for (const [name, used] of usage)
      await insertMovements(other, partIds, {
        part: name,
        site: "N",
        average: 1,
        lines: [
          ["2025-02-01", "receipt", 60, 1],
          ["2025-03-01", "issue", -used, 1],
        ],
      });
    const { analysis, parts: found } = await report(other, "abc_analysis", whole);
    expect(found.map((part: any) => [part.partNumber, part.class, part.percentage])).toEqual([
      ["P6", "A", 50],
      ["P5", "A", 30],
      ["P2", "B", 7.5],
      ["P4", "B", 7.5],
      ["P1", "C", 2.5],
      ["P3", "C", 2.5],
    ]);
    expect(analysis).toEqual({
      classA: { partCount: 2, valuePercentage: 80, totalValue: 80 },
      classB: { partCount: 2, valuePercentage: 15, totalValue: 15 },
      classC: { partCount: 2, valuePercentage: 5, totalValue: 5 },
    });
  });

  test("works for a tenant without stock", async () => {
    const none = { partCount: 0, valuePercentage: 0, totalValue: 0 };
    const empty = { analysis: { classA: none, classB: none, classC: none }, parts: [] };
    expect(await report(await gateway.newTenant(), "abc_analysis")).toEqual(empty);
  });
});

describe("turnover", () => {
  test("returns issues minus returns of a year divided by the average value over the days with stock, and the days of supply", async () => {
    const part = (
      partNumber: string,
      issuedValue: number,
      averageStockValue: number,
      basisDays: number,
      turnover: number | null,
      daysOnHand: number | null,
    ) => ({
      partId: ids[partNumber],
      partNumber,
      issuedValue,
      averageStockValue,
      basisDays,
      turnover,
      daysOnHand,
    });
    expect(await report(tenant, "turnover", year)).toEqual({
      startDate: "2025-01-01T00:00:00.000Z",
      endDate: "2025-07-01T00:00:00.000Z",
      // 292.5; (27,860 + 34,740 + 1,370 + 122.5) / 181 = 64,092.5 / 181; 292.5 × 365 / 64,092.5 = 1.66575…; 64,092.5 / 292.5 = 219.119…
      turnover: { issuedValue: 292.5, averageStockValue: 354.1022, basisDays: 181, turnover: 1.6658, daysOnHand: 219.12 },
      parts: [
        // A: North 200 × 31 + 120 × 150 days, South 30 × 122 = 27,860; / 181 = 153.92265…; 80 × 365 / 27,860 = 1.04809…; 27,860 / 80 =
        // 348.25
        part("A", 80, 153.9227, 181, 1.0481, 348.25),
        // B: 300 × 90 + 75 × 30 + 90 × 61 = 34,740; / 181 = 191.93370…; (225 − 15) × 365 / 34,740 = 2.20639…; 34,740 / 210 = 165.428…
        part("B", 210, 191.9337, 181, 2.2064, 165.43),
        // C, from 15 January: 10 × 137 = 1,370; / 167 = 8.20359…. Nothing was used, so the stock would last forever.
        part("C", 0, 8.2036, 167, 0, null),
        // D, from 20 June: 12.5 × 5 + 10 × 6 = 122.5; / 11 = 11.13636…; 122.5 / 2.5 = 49. 11 days are too short for an annual figure.
        part("D", 2.5, 11.1364, 11, null, 49),
      ],
    });
  });

  test("can be filtered by category", async () => {
    const { turnover, parts: found } = await report(tenant, "turnover", { ...year, category: "Seals" });
    expect(turnover).toEqual({ issuedValue: 0, averageStockValue: 8.2036, basisDays: 167, turnover: 0, daysOnHand: null });
    expect(found.map((part: any) => part.partNumber)).toEqual(["C"]);
  });

  test("counts usage at its time, without reversed movements", async () => {
    const other = await gateway.newTenant();
    const partIds = await parts(other, { P: {} });
    const lines: Line[] = [
      ["2025-01-01", "receipt", 10, 4],
      ["2025-04-02", "issue", -2, 4, "2025-03-31"],
      ["2025-04-04", "issue", -1, 4],
    ];
    await insertMovements(other, partIds, { part: "P", site: "N", average: 4, lines });
    const quarter = async (startDate: string, endDate: string) => (await report(other, "turnover", { startDate, endDate })).turnover;
    // Until 2025-04-01: 40 × 90 days, all of it worth 40. From then on: 40 × 1 + 32 × 2 + 28 × 7 = 300 in 10 days.
    expect(await quarter("2025-01-01", "2025-04-01")).toEqual({
      issuedValue: 8,
      averageStockValue: 40,
      basisDays: 90,
      // 8 × 365 / 3,600 = 0.81111…
      turnover: 0.8111,
      daysOnHand: 450,
    });
    expect(await quarter("2025-04-01", "2025-04-11")).toEqual({
      issuedValue: 4,
      averageStockValue: 30,
      basisDays: 10,
      turnover: null,
      daysOnHand: 75,
    });
    // At a single instant, the average is the value at that instant.
    expect(await quarter("2025-04-04", "2025-04-04")).toEqual({
      issuedValue: 4,
      averageStockValue: 28,
      basisDays: 0,
      turnover: null,
      daysOnHand: 7,
    });
    const { issueStock } = await other.ask(`mutation ($p: ID!) { issueStock(partId: $p, input: { site: "N", quantity: 3 }) { id } }`, {
      p: partIds.P,
    });
    await gateway.database.query(
      `with m as (update "StockLevel" set quantity = quantity + 3, value = value + 12, sequence = sequence + 1, "valuedSequence" = sequence + 1 where "tenantId" = $1 returning *)
       insert into "StockMovement" ("tenantId", "partId", site, id, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", value, "valueBalance", "performedBy",
         "performedByName", "reversalOf") select "tenantId", "partId", site, $2 || '-', sequence, 'adjustment', 3, quantity - 3, quantity, 0, 12, value, 'k', 'K', $2 from m`,
      [other.tenantId, issueStock.id],
    );
    expect((await report(other, "turnover", { startDate: "2025-04-11" })).turnover).toMatchObject({
      issuedValue: 0,
      averageStockValue: 28,
      turnover: 0,
    });
    expect((await report(other, "abc_analysis", whole)).parts).toMatchObject([{ annualUsageValue: 12 }]);
  });

  test("gives no annual figure from fewer than 30 days of stock, in any period", async () => {
    const young = await gateway.newTenant();
    const partIds = await parts(young, { P: {} });
    const lines: Line[] = [
      ["2025-01-01", "receipt", 10, 4],
      ["2025-01-06", "issue", -2, 4],
    ];
    await insertMovements(young, partIds, { part: "P", site: "N", average: 4, lines });
    const until = async (endDate: string) => {
      const { turnover } = await report(young, "turnover", { startDate: "2024-07-01", endDate });
      const { summary } = await report(young, "summary", { startDate: "2024-07-01", endDate });
      return { ...turnover, averageTurnover: summary.averageTurnover };
    };
    // 40 × 5 + 32 × 5 = 360 in 10 days; 360 / 8 = 45.
    expect(await until("2025-01-11")).toEqual({
      issuedValue: 8,
      averageStockValue: 36,
      basisDays: 10,
      turnover: null,
      daysOnHand: 45,
      averageTurnover: null,
    });
    // 40 × 5 + 32 × 25 = 1,000 in 30 days; 8 × 365 / 1,000 = 2.92; 1,000 / 8 = 125.
    expect(await until("2025-01-31")).toEqual({
      issuedValue: 8,
      averageStockValue: 33.3333,
      basisDays: 30,
      turnover: 2.92,
      daysOnHand: 125,
      averageTurnover: 2.92,
    });
  });

  test("works for a tenant without stock", async () => {
    expect(await report(await gateway.newTenant(), "turnover", year)).toMatchObject({
      turnover: { issuedValue: 0, averageStockValue: 0, basisDays: 0, turnover: null, daysOnHand: null },
      parts: [],
    });
  });
});

describe("aging", () => {
  const buckets = (content: any) => Object.fromEntries(content.aging.map((item: any) => [item.days, [item.quantity, item.value]]));

  test("current stock is from the latest receipts, at its share of the value", async () => {
    const content = await report(tenant, "aging", { endDate: "2025-07-01" });
    expect(content.asOf).toBe("2025-07-01T00:00:00.000Z");
    expect(content.aging.map((item: any) => item.days)).toEqual(["0-30", "31-60", "61-90", "91-180", "181-365", ">365"]);
    // A North 60 of 2024-01-10 (538 days) at 2 = 120; A South 10 of 2025-03-01 (122 days) at 3 = 30;
    // B 12 worth 90: 2 of 2025-05-01 (61 days) = 15, and 10 of 2024-12-01 (212 days) = 75; D 40 of 2025-06-20 (11 days) at 0.25 = 10.
    expect(buckets(content)).toEqual({
      "0-30": [40, 10],
      "31-60": [0, 0],
      "61-90": [2, 15],
      "91-180": [10, 30],
      "181-365": [10, 75],
      ">365": [60, 120],
    });
  });

  test("can be of a past day, and filtered by category and location", async () => {
    // On 2025-01-01 A had 100 of 2024-01-10 (357 days); B 20 of 2024-06-01 (214 days) and 20 of 2024-12-01 (31 days), each worth 150.
    expect(buckets(await report(tenant, "aging", { endDate: "2025-01-01" }))).toEqual({
      "0-30": [0, 0],
      "31-60": [20, 150],
      "61-90": [0, 0],
      "91-180": [0, 0],
      "181-365": [120, 350],
      ">365": [0, 0],
    });
    expect(buckets(await report(tenant, "aging", { endDate: "2024-12-31", category: "Bearings" }))["0-30"]).toEqual([20, 150]);
    const south = buckets(await report(tenant, "aging", { endDate: "2025-07-01", location: "South" }));
    expect([south["0-30"], south["91-180"], south[">365"]]).toEqual([
      [40, 10],
      [10, 30],
      [0, 0],
    ]);
  });

  test("age continues at the destination of a transfer, where the oldest leave first too", async () => {
    const other = await gateway.newTenant();
    const partIds = await parts(other, { P: {} });
    await insertMovements(other, partIds, { part: "P", site: "N", average: 2, lines: [["2020-01-01", "receipt", 10, 2]] });
    // South has 10 from 2020 and 2 from today, and issues 3 from 2020. North has 4 from today.
    await other.ask(
      `mutation ($p: ID!) {
        receiveStock(partId: $p, input: { site: "N", quantity: 6, unitCost: 2 }) { id }
        transferStock(partId: $p, input: { fromSite: "N", toSite: "S", quantity: 12 }) { id }
        issueStock(partId: $p, input: { site: "S", quantity: 3 }) { id }
      }`,
      { p: partIds.P },
    );
    const { "0-30": young, ">365": old } = buckets(await report(other, "aging"));
    expect([young, old]).toEqual([
      [6, 12],
      [7, 14],
    ]);
  });

  test("an age on a boundary belongs to the younger group", async () => {
    const other = await gateway.newTenant();
    const partIds = await parts(other, { P: {} });
    const days = [366, 365, 181, 180, 91, 90, 61, 60, 31, 30, 0];
    const end = Date.parse("2025-07-01");
    const lines = days.map((age): Line => [new Date(end - age * 86_400_000).toISOString(), "receipt", 1, 1]);
    await insertMovements(other, partIds, { part: "P", site: "N", average: 1, lines });
    expect(Object.values(buckets(await report(other, "aging", { endDate: "2025-07-01" })))).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
  });
});

describe("parameters", () => {
  const expectRejected = async (query: string, field: string) => {
    const { status, body } = await tenant.rest("GET", `/inventory/reports${query}`);
    const details = { [field]: expect.any(String) };
    expect({ status, body }).toEqual({ status: 400, body: { error: "Invalid input", details, code: "BAD_USER_INPUT", requestId } });
  };

  test.each([
    ["", "reportType"],
    ["?reportType=", "reportType"],
    ["?reportType=profit", "reportType"],
    ["?reportType=summary&startDate=soon", "startDate"],
    ["?reportType=summary&endDate=2025-02-30", "endDate"],
    ["?reportType=aging&startDate=2025-02-02&endDate=2025-02-01", "endDate"],
    ["?reportType=movements&startDate=2999-01-01", "startDate"],
  ])("%s is 400 naming %s", expectRejected);

  test("startDate can be equal to endDate", async () => {
    const { movements } = await report(tenant, "movements", { startDate: "2025-02-01", endDate: "2025-02-01" });
    expect(movements).toEqual([{ type: "issue", count: 1, in: 0, out: 40, value: -80 }]);
  });

  test.each(["summary", "movements", "abc_analysis", "turnover", "aging"])(
    "%s covers only the caller's tenant, and GraphQL returns the same",
    async (type) => {
      const stranger = await gateway.newTenant();
      expect(JSON.stringify(await report(stranger, type, year))).not.toContain(ids.A);
      const filter = { startDate: "2025-01-01", endDate: "2025-07-01", category: "Bearings", location: "North" };
      const { inventoryReport } = await tenant.ask(
        `query ($filter: ReportFilter) { inventoryReport(reportType: ${type.toUpperCase()}, filter: $filter) { content } }`,
        { filter },
      );
      expect(JSON.parse(JSON.stringify(inventoryReport.content))).toEqual(await report(tenant, type, filter));
    },
  );
});
