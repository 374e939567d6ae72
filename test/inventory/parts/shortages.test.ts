/** Projected stock, shortages, future demand of maintenance, and reorder proposals (docs/stock.md, "Shortages"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { materialForecast } from "../../../src/domain/maintenance/procedures/material-forecast.js";
import { part, procedure, workOrder } from "../../maintenance/work-orders/orders.js";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
/** Whole seconds, so that the test and the service use the same times. */
const start = Math.floor(Date.now() / 1_000) * 1_000;
const day = (n: number) => new Date(start + n * dayMs).toISOString();

const figures = "quantity onOrder projectedStock stockStatus belowReorderPoint";
async function seen(tenant: Caller, id: string) {
  const query = `query ($id: ID!) { part(id: $id) { onOrder projectedStock stockStatus stockLevels { site ${figures} projectedStockExact } } }`;
  return (await tenant.ask(query, { id })).part;
}

const list = async (tenant: Caller, filter = "") =>
  (await tenant.rest("GET", `/inventory?lowStock=true${filter}`)).body.map(({ partId }: any) => partId);

const reserve = (tenant: Caller, id: string, quantity: number, site = "main") =>
  tenant.ask("mutation ($id: ID!, $input: MoveStockInput!) { reserveStock(partId: $id, input: $input) { id } }", {
    id,
    input: { quantity, site },
  });

/** An order for some of a part, for an asset at a site. */
async function orderFor(tenant: Caller, partId: string, quantity: number, at: number, site = "main"): Promise<string> {
  const assetId = (await tenant.createAsset({ site })).id;
  const { id } = await procedure(tenant, { assetId, parts: [{ partId, quantity }], anchor: day(at) });
  return workOrder(tenant, id, { scheduledDate: day(at) });
}

function expectBetween(time: string, from: number, until: number): void {
  expect(Date.parse(time)).toBeGreaterThanOrEqual(from);
  expect(Date.parse(time)).toBeLessThanOrEqual(until);
}

describe("projected stock", () => {
  test("is stock on hand less reservations and blocked stock, plus the open order; it shows whether stock is low", async () => {
    const tenant = await gateway.newTenant();
    const id = await part(tenant, { stockLevel: 10, minimumStock: 3, reorderPoint: 5, maximumStock: 12, leadTime: 4 });
    const level = { site: "main", quantity: 10, onOrder: 0, projectedStock: 10, projectedStockExact: "10" };
    const adequate = { ...level, stockStatus: "ADEQUATE", belowReorderPoint: 0 };
    expect(await seen(tenant, id)).toEqual({ onOrder: 0, projectedStock: 10, stockStatus: "IN_STOCK", stockLevels: [adequate] });
    expect(await list(tenant)).toEqual([]);

    await reserve(tenant, id, 6);
    const low = { ...level, projectedStock: 4, projectedStockExact: "4", stockStatus: "LOW", belowReorderPoint: 1 };
    expect(await seen(tenant, id)).toEqual({ onOrder: 0, projectedStock: 4, stockStatus: "LOW_STOCK", stockLevels: [low] });
    expect(await list(tenant)).toEqual([id]);

    // A gain that awaits approval changes nothing.
    await tenant.rest("POST", `/inventory/${id}/adjustments`, { adjustmentType: "count", quantity: 5 });
    expect((await seen(tenant, id)).stockLevels).toEqual([{ ...low, quantity: 15 }]);

    // An open order that does not reach the reorder point leaves the stock low. A sufficient order covers the shortage.
    const lastOrderDate = new Date(Date.now() + 60_000).toISOString();
    const put = (lastOrderQuantity: number | null) => tenant.rest("PUT", `/parts/${id}`, { lastOrderDate, lastOrderQuantity });
    expect((await put(1)).status).toBe(200);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 1, projectedStock: 5, stockStatus: "LOW_STOCK" });
    expect((await put(4)).status).toBe(200);
    expect(await seen(tenant, id)).toEqual({
      onOrder: 4,
      projectedStock: 8,
      stockStatus: "ON_ORDER",
      // The quantity on hand exceeds the maximum, although not all of it is available.
      stockLevels: [
        { ...low, quantity: 15, onOrder: 4, projectedStock: 8, projectedStockExact: "8", stockStatus: "EXCESS", belowReorderPoint: 0 },
      ],
    });
    expect(await list(tenant)).toEqual([]);

    // A receipt completes the order.
    await put(null);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 0, projectedStock: 4, stockStatus: "LOW_STOCK" });
    await tenant.rest("PUT", `/parts/${id}`, { lastOrderDate: "2020-01-01", lastOrderQuantity: 4 });
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 0, projectedStock: 4, stockStatus: "LOW_STOCK" });
  });

  test("an order is open until all of it has come or a person closes it", async () => {
    const tenant = await gateway.newTenant();
    const id = await part(tenant, { site: "main", reorderPoint: 20, maximumStock: 100, leadTime: 4 });
    // 5 on hand at a reorder point of 20: 95 fill the stock up to 100.
    await tenant.rest("PUT", `/inventory/${id}`, { site: "main", currentStock: 5 });
    const toOrder = async () => {
      const { reorderProposals } = await tenant.ask("{ reorderProposals { part { id } onOrder projectedStock quantity } }");
      return reorderProposals;
    };
    expect(await toOrder()).toEqual([{ part: { id }, onOrder: 0, projectedStock: 5, quantity: 95 }]);
    const lastOrderDate = new Date(Date.now() - 60_000).toISOString();
    expect((await tenant.rest("PUT", `/parts/${id}`, { lastOrderDate, lastOrderQuantity: 95 })).status).toBe(200);
    const receive = async (quantity: number) =>
      (
        await tenant.ask("mutation ($id: ID!, $quantity: Positive!) { receiveStock(partId: $id, input: { quantity: $quantity }) { id } }", {
          id,
          quantity,
        })
      ).receiveStock.id;

    // 10 of 95 received: 15 on hand, 85 on order, nothing to order.
    const first = await receive(10);
    const partly = { quantity: 15, onOrder: 85, projectedStock: 100, stockStatus: "ADEQUATE", belowReorderPoint: 0 };
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 85, projectedStock: 100, stockStatus: "ON_ORDER", stockLevels: [partly] });
    expect(await toOrder()).toEqual([]);
    expect(await list(tenant)).toEqual([]);
    expect((await tenant.rest("GET", "/inventory")).body).toMatchObject([{ partId: id, quantity: 15 }]);

    // A reversed receipt does not count.
    await tenant.ask('mutation ($id: ID!) { reverseMovement(id: $id, reason: "wrong pallet") { id } }', { id: first });
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 95, projectedStock: 100 });
    await receive(94.5);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 0.5, projectedStock: 100 });
    await receive(0.5);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 0, projectedStock: 100, stockStatus: "IN_STOCK" });

    // To cancel the rest of an order, clear its date, or set the quantity to the received quantity.
    const again = new Date().toISOString();
    await tenant.rest("PUT", `/parts/${id}`, { lastOrderDate: again, lastOrderQuantity: 50 });
    await receive(20);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 30, projectedStock: 150 });
    expect((await tenant.rest("PUT", `/parts/${id}`, { lastOrderQuantity: 0 })).status).toBe(200);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 0, projectedStock: 120 });
    await tenant.rest("PUT", `/parts/${id}`, { lastOrderQuantity: 50 });
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 30 });
    expect((await tenant.rest("PUT", `/parts/${id}`, { lastOrderDate: null })).status).toBe(200);
    expect(await seen(tenant, id)).toMatchObject({ onOrder: 0, projectedStock: 120 });
  });

  test("an order is expected at the site of receipts without a site; an empty shelf is out of stock with any order", async () => {
    const tenant = await gateway.newTenant();
    const fields = { site: "North", minimumStock: 3, lastOrderDate: day(1), lastOrderQuantity: 9 };
    const id = await part(tenant, { ...fields, stockLevel: 1 });
    await tenant.rest("PUT", `/inventory/${id}`, { site: "South", currentStock: 2 });
    await tenant.rest("PUT", `/inventory/${id}`, { site: "North", currentStock: 0 });
    expect((await seen(tenant, id)).stockLevels).toMatchObject([
      { site: "North", quantity: 0, onOrder: 9, projectedStock: 9, stockStatus: "OUT" },
      { site: "South", quantity: 2, onOrder: 0, projectedStock: 2, stockStatus: "CRITICAL" },
    ]);
    // The only level gets it, even if the part's own site differs.
    const other = await part(tenant, fields);
    await tenant.rest("PUT", `/inventory/${other}`, { site: "South", currentStock: 2 });
    expect(await seen(tenant, other)).toMatchObject({ stockStatus: "ON_ORDER", stockLevels: [{ site: "South", projectedStock: 11 }] });
    const empty = await part(tenant, fields);
    expect(await seen(tenant, empty)).toEqual({ onOrder: 9, projectedStock: 9, stockStatus: "OUT_OF_STOCK", stockLevels: [] });
  });
});

const sums = "site date missing onHand blocked held demand expected";
const shortages = async (caller: Caller, filter: object = {}) =>
  (
    await caller.ask(
      `query ($filter: ShortageFilter) { shortages(filter: $filter) { part { id } ${sums}
        neededFor { workOrder { id } procedure { name } asset { site } quantity dueAt occurrences } orders { orderedAt expectedAt quantity counts } } }`,
      { filter },
    )
  ).shortages;

describe("shortages", () => {
  test("name the date, the work orders and the expected orders; an order that comes later does not count", async () => {
    const tenant = await gateway.newTenant();
    const id = await part(tenant, { stockLevel: 5, leadTime: 4 });
    const first = await orderFor(tenant, id, 4, 2);
    expect(await shortages(tenant)).toEqual([]);
    const second = await orderFor(tenant, id, 3, 5);
    const need = (order: string, quantity: number, at: number) => ({
      workOrder: { id: order },
      procedure: { name: "Oil change" },
      asset: { site: "main" },
      quantity,
      dueAt: day(at),
      occurrences: 1,
    });
    const row = {
      part: { id },
      site: "main",
      date: day(5),
      missing: 2,
      onHand: 5,
      blocked: 0,
      held: 0,
      demand: 7,
      expected: 0,
      neededFor: [need(second, 3, 5)],
      orders: [],
    };
    expect(await shortages(tenant)).toEqual([row]);
    expect(await shortages(tenant, { until: day(4) })).toEqual([]);
    expect(await shortages(tenant, { partId: id, site: "main", until: day(5) })).toEqual([row]);
    expect(await shortages(tenant, { site: "North" })).toEqual([]);
    expect(await shortages(tenant, { partId: "unknown" })).toEqual([]);

    // Expected on day 6, a day too late; then on day 5.
    const ordered = (at: number, quantity: number) =>
      tenant.rest("PUT", `/parts/${id}`, { lastOrderDate: day(at), lastOrderQuantity: quantity });
    await ordered(2, 10);
    const late = { orderedAt: day(2), expectedAt: day(6), quantity: 10, counts: false };
    expect(await shortages(tenant)).toEqual([{ ...row, orders: [late] }]);
    await ordered(1, 1);
    const short = { ...row, missing: 1, expected: 1, orders: [{ orderedAt: day(1), expectedAt: day(5), quantity: 1, counts: true }] };
    expect(await shortages(tenant)).toEqual([short]);
    await ordered(1, 2);
    expect(await shortages(tenant)).toEqual([]);
    // Without a lead time the arrival date is unknown.
    await tenant.rest("PUT", `/parts/${id}`, { leadTime: null });
    expect(await shortages(tenant)).toEqual([{ ...row, orders: [{ orderedAt: day(1), expectedAt: null, quantity: 2, counts: false }] }]);

    // Neither issued material nor the material of a cancelled order is needed.
    await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", { id: first });
    expect(await shortages(tenant)).toEqual([]);
  });

  test("holds are due immediately, and a key of a site sees its own stock, with the needs of others as held", async () => {
    const tenant = await gateway.newTenant();
    const id = await part(tenant, { site: "North", stockLevel: 6 });
    await reserve(tenant, id, 2, "North");
    const north = await orderFor(tenant, id, 3, 3, "North");
    const other = await part(tenant, { site: "South", stockLevel: 1 });
    await orderFor(tenant, other, 4, 3, "South");
    // The part is in stock at North only, so work in the South takes it from there.
    await orderFor(tenant, id, 3, 1, "South");
    const all = (await shortages(tenant)).map((row: any) => [row.part.id, row.site, row.date, row.missing, row.held, row.demand]);
    expect(all).toHaveLength(2);
    expect(all).toContainEqual([id, "North", day(3), 2, 2, 6]);
    expect(all).toContainEqual([other, "South", day(3), 3, 0, 4]);
    const ofNorth = await tenant.as("viewer", ["North"], false);
    expect(await shortages(ofNorth)).toMatchObject([
      { part: { id }, site: "North", date: day(3), missing: 2, held: 5, demand: 3, neededFor: [{ workOrder: { id: north } }] },
    ]);

    // Writing stock off causes a shortage of held stock now.
    await tenant.rest("PUT", `/inventory/${id}`, { site: "North", currentStock: 1 });
    const asked = Date.now();
    const [now] = await shortages(tenant, { partId: id, until: new Date(asked + 60_000).toISOString() });
    expect(now).toMatchObject({ missing: 1, onHand: 1, held: 2, demand: 0, neededFor: [] });
    expectBetween(now.date, asked, Date.now());
  });

  test("match the formula at every date, for any due and expected quantities", async () => {
    const tenant = await gateway.newTenant();
    const assetId = (await tenant.createAsset()).id;
    const quantity = fc.integer({ min: 0, max: 100_000 }).map((n) => n / 10_000);
    const stock = fc.record({
      quantity,
      blocked: quantity,
      held: quantity,
      lines: fc.array(fc.record({ due: fc.integer({ min: -3, max: 6 }), quantity: quantity.filter((n) => n > 0) }), { maxLength: 5 }),
      order: fc.option(fc.record({ expected: fc.integer({ min: -2, max: 7 }), quantity }), { nil: undefined }),
    });
    const stocks = fc
      .sample(stock, 150)
      .map((one, n) => ({ ...one, id: `${tenant.tenantId}-${n}`, blocked: Math.min(one.blocked, one.quantity) }));
    const sum = (numbers: number[]) => numbers.reduce((total, n) => total + Math.round(n * 10_000), 0);
    const rows = (values: object[]) => [tenant.tenantId, JSON.stringify(values)];
    // Half a day of offset, so that no date equals now.
    const at = (n: number) => new Date(start + (n + 0.5) * dayMs).toISOString();
    await gateway.database.query(
      `insert into "Part" ("tenantId", id, "partNumber", name, "leadTime", "lastOrderDate", "lastOrderQuantity")
       select $1, id, id, 'Part', 1, at, quantity from jsonb_to_recordset($2::jsonb) as r(id text, at timestamptz, quantity numeric)`,
      rows(stocks.map(({ id, order }) => ({ id, ...(order && { at: at(order.expected - 1), quantity: order.quantity }) }))),
    );
    await gateway.database.query(
      `insert into "StockLevel" ("tenantId", "partId", site, quantity, blocked, reserved)
       select $1, id, 'main', quantity, blocked, reserved from jsonb_to_recordset($2::jsonb) as r(id text, quantity numeric, blocked numeric, reserved numeric)`,
      rows(stocks.map(({ lines, held, ...rest }) => ({ ...rest, reserved: sum([held, ...lines.map((line) => line.quantity)]) / 10_000 }))),
    );
    const lines = stocks.flatMap((one) =>
      one.lines.map((line, n) => ({ ...line, at: at(line.due), id: `${one.id}-${n}`, partId: one.id })),
    );
    await gateway.database.query(
      `with line as (
         select id, at, quantity, "partId" from jsonb_to_recordset($2::jsonb) as r(id text, at timestamptz, quantity numeric, "partId" text)
       ), made as (
         insert into "WorkOrder" ("tenantId", id, "assetId", origin, title, priority, "scheduledDate", "createdBy")
         select $1, id, $3, 'manual', 'O', 'low', at, 'x' from line
       ) insert into "WorkOrderPart" ("tenantId", "workOrderId", "partId", site, quantity) select $1, id, "partId", 'main', quantity from line`,
      [...rows(lines), assetId],
    );

    const expected = stocks.flatMap(({ id, quantity: onHand, blocked, held, lines: needs, order }) => {
      const shortageAt = (n: number) => {
        const due = needs.filter((line) => line.due <= n).map((line) => line.quantity);
        // From day 0 on. Before that, the order is overdue.
        const arrived = order && order.expected >= 0 && order.expected <= n ? [order.quantity] : [];
        return sum([held, blocked, ...due]) - sum([onHand, ...arrived]);
      };
      const dates = [...new Set(needs.map(({ due }) => due))].filter((n) => shortageAt(n) > 0);
      const isShortNow = sum([held, blocked]) > sum([onHand]);
      return [
        ...dates.map((n) => `${id} ${at(n)} ${shortageAt(n)} ${needs.filter(({ due }) => due === n).length}`),
        // Now lies between yesterday's and today's dates.
        ...(isShortNow ? [`${id} now ${shortageAt(-1)} 0`] : []),
      ];
    });
    const found = (await shortages(tenant)).map(({ part: { id }, date, missing, neededFor }: any) => {
      const when = neededFor.length ? date : "now";
      return `${id} ${when} ${Math.round(missing * 10_000)} ${neededFor.length}`;
    });
    expect(expected.length).toBeGreaterThan(50);
    expect(found.sort()).toEqual(expected.sort());
  });
});

describe("material forecast", () => {
  const query = `query ($days: Int!, $site: String, $partId: ID) { materialForecast(horizonDays: $days, site: $site, partId: $partId) {
    part { partNumber } site month quantity neededFor { workOrder { id } procedure { name } asset { site } quantity dueAt occurrences } } }`;
  const forecast = async (caller: Caller, days: number, rest: object = {}) => (await caller.ask(query, { days, ...rest })).materialForecast;
  const monthOf = (time: string) => `${time.slice(0, 7)}-01T00:00:00.000Z`;

  test("counts required parts of each due date once: by its order, or by the procedure; overdue ones now", async () => {
    const tenant = await gateway.newTenant();
    const [belt, oil] = [await part(tenant, { partNumber: "A-belt", site: "North" }), await part(tenant, { partNumber: "B-oil" })];
    const asset = async (site: string) => (await tenant.createAsset({ site })).id;
    const north = await asset("North");
    const weekly = { frequency: "weekly", assetId: north };
    const parts = [
      { partId: belt, quantity: 2 },
      { partId: oil, quantity: 9, isOptional: true },
    ];
    const filter = await procedure(tenant, { ...weekly, name: "Filter", parts, anchor: day(-1) });
    const order = await workOrder(tenant, filter.id, { scheduledDate: day(-1) });
    await procedure(tenant, {
      ...weekly,
      name: "Oil",
      anchor: day(2),
      steps: [{ description: "Fill", parts: [{ partId: oil, quantity: 0.5 }] }],
    });
    // None of the following procedures counts.
    const idle = { ...weekly, anchor: day(1), parts };
    await procedure(tenant, { ...idle, name: "Draft", status: "draft" });
    await procedure(tenant, { ...idle, name: "Inactive", status: "inactive" });
    const deleted = await procedure(tenant, { ...idle, name: "Deleted" });
    await tenant.rest("DELETE", `/pms/${deleted.id}`);
    await procedure(tenant, { ...idle, name: "Decommissioned", assetId: (await tenant.createAsset({ status: "decommissioned" })).id });
    await procedure(tenant, { ...idle, name: "Later", anchor: day(40) });

    const byMonth = (needs: [at: number, partNumber: string, site: string, quantity: number, name: string, order?: string][]) => {
      const rows: any[] = [];
      for (const [at, partNumber, site, quantity, name, id] of needs) {
        const month = monthOf(at < 0 ? new Date().toISOString() : day(at));
        let row = rows.find((one) => one.month === month && one.part.partNumber === partNumber);
        if (!row) rows.push((row = { part: { partNumber }, site, month, quantity: 0, neededFor: [] }));
        row.quantity += quantity;
        const last = row.neededFor.at(-1);
        if (last && !last.workOrder && last.procedure.name === name) {
          last.quantity += quantity;
          last.occurrences++;
        } else
          row.neededFor.push({
            workOrder: id ? { id } : null,
            procedure: { name },
            asset: { site: "North" },
            quantity,
            dueAt: day(at),
            occurrences: 1,
          });
      }
      return rows.sort((a, b) => `${a.month} ${a.part.partNumber}`.localeCompare(`${b.month} ${b.part.partNumber}`));
    };
    const belts = [-1, 6, 13].map((at) => [at, "A-belt", "North", 2, "Filter", ...(at < 0 ? [order] : [])] as const);
    const oils = [2, 9].map((at) => [at, "B-oil", "main", 0.5, "Oil"] as const);
    expect(await forecast(tenant, 15)).toEqual(byMonth([...belts, ...oils] as any));
    expect(await forecast(tenant, 7)).toEqual(byMonth([...belts.slice(0, 2), oils[0]] as any));
    expect(await forecast(tenant, 15, { site: "main" })).toEqual(byMonth(oils as any));
    expect(await forecast(tenant, 15, { partId: belt })).toEqual(byMonth(belts as any));
    expect(await forecast(tenant, 0)).toEqual(byMonth([belts[0]] as any));
    // A key of another site sees neither the procedures nor the order.
    expect(await forecast(await tenant.as("viewer", ["South"], false), 15)).toEqual([]);
    expect(await forecast(await tenant.as("viewer", ["North"], false), 15, { partId: belt })).toEqual(byMonth(belts as any));
  });

  test.each([-1, 731])("of %i days is rejected", async (days) => {
    const tenant = await gateway.newTenant();
    const { errors } = await tenant.graphql(query, { days });
    expect(errors![0]!.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { horizonDays: "must be from 0 to 730" } });
  });
});

describe("reorder proposals", () => {
  const query = `query ($site: String) { reorderProposals(site: $site) { part { id } site projectedStock onOrder reorderPoint minimumStock maximumStock
    leadTime averageDailyUse quantity orderUntil unitCost estimatedCost currency } }`;
  const proposals = async (caller: Caller, site?: string) => (await caller.ask(query, { site })).reorderProposals;

  test("fill up to the maximum, or to the reorder point and the use over the lead time", async () => {
    const tenant = await gateway.newTenant();
    const money = { unitCost: 2.5, currency: "EUR" };
    const id = await part(tenant, { ...money, partNumber: "B", reorderPoint: 20, minimumStock: 5, leadTime: 10 });
    await tenant.ask(
      "mutation ($id: ID!, $at: DateTime!) { receiveStock(partId: $id, input: { quantity: 90, performedAt: $at }) { id } }",
      {
        id,
        at: day(-800),
      },
    );
    expect(await proposals(tenant)).toEqual([]);
    // Stock has existed for more than a year. 80 issued and 7 returned: 73 in 365 days.
    const move = (verb: string, quantity: number) =>
      tenant.ask(`mutation ($id: ID!) { ${verb}Stock(partId: $id, input: { quantity: ${quantity} }) { id } }`, { id });
    await move("issue", 80);
    await move("return", 7);
    const row = {
      part: { id },
      site: "main",
      projectedStock: 17,
      onOrder: 0,
      reorderPoint: 20,
      minimumStock: 5,
      maximumStock: null,
      leadTime: 10,
      // 20 + 0.2 × 10 − 17; (17 − 5) ÷ 0.2 − 10 = 50 days.
      averageDailyUse: 0.2,
      quantity: 5,
      orderUntil: expect.any(String),
      estimatedCost: 12.5,
      ...money,
    };
    const asked = Date.now();
    const [found] = await proposals(tenant);
    expect(found).toEqual(row);
    expectBetween(found.orderUntil, asked + 50 * dayMs, Date.now() + 50 * dayMs);
    await tenant.rest("PUT", `/parts/${id}`, { maximumStock: 60 });
    expect(await proposals(tenant)).toEqual([{ ...row, maximumStock: 60, quantity: 43, estimatedCost: 107.5 }]);
    // A reservation counts as issued, an open order as received.
    await reserve(tenant, id, 13);
    const askedAgain = Date.now();
    const [needy] = await proposals(tenant, "main");
    expect(needy).toEqual({ ...row, maximumStock: 60, projectedStock: 4, quantity: 56, estimatedCost: 140 });
    expectBetween(needy.orderUntil, askedAgain, Date.now());
    await tenant.rest("PUT", `/parts/${id}`, { lastOrderDate: day(1), lastOrderQuantity: 17 });
    expect(await proposals(tenant)).toEqual([]);
    expect(await proposals(tenant, "North")).toEqual([]);
  });

  describe("daily use is usage divided by the days since stock first existed", () => {
    /** 30 received `since` days ago, then issues on later days. Demand exceeds the remaining stock by 5 plus the reorder point. */
    const young = async (tenant: Caller, since: number, issues: number[], fields: object = {}) => {
      const id = await part(tenant, { reorderPoint: 100, leadTime: 10, ...fields });
      const post = (verb: string, quantity: number, ago: number) =>
        tenant.ask(
          `mutation ($id: ID!, $at: DateTime!) { ${verb}Stock(partId: $id, input: { quantity: ${quantity}, site: "main", performedAt: $at }) { id } }`,
          { id, at: day(-ago) },
        );
      await post("receive", 30, since);
      for (const ago of issues) await post("issue", 1, ago);
      return id;
    };
    const nine = [9, 8, 7, 6, 5, 4, 3, 2, 1];
    const daysUntil = (time: string) => (Date.parse(time) - Date.now()) / dayMs;
    const use = async (tenant: Caller) =>
      (await proposals(tenant)).map((row: any) => [row.part.id, row.averageDailyUse, row.quantity, daysUntil(row.orderUntil)]);

    test("a part of 10 days", async () => {
      const tenant = await gateway.newTenant();
      const id = await young(tenant, 10, [...nine, 0.5]);
      // 10 used in 10 days: the remaining 20 last 20 days, and the lead time is 10. 100 + 1 × 10 − 20 = 90.
      expect(await use(tenant)).toEqual([[id, expect.closeTo(1, 3), 90, expect.closeTo(10, 1)]]);
    });

    test("below 90 days it is blended with the entered usage", async () => {
      const tenant = await gateway.newTenant();
      // 30 of 90 days are known: a third of 10/30 plus two thirds of 60.8333 a month, which is 2 a day.
      const id = await young(tenant, 30, [...nine, 0.5], { averageUsage: 60.8333, usageUnit: "month" });
      expect(await use(tenant)).toEqual([[id, expect.closeTo(1 / 9 + 4 / 3, 3), 95, expect.closeTo(20 / (13 / 9) - 10, 1)]]);
    });

    test("from 90 days on it is the actual usage, and never by more than 365 days", async () => {
      const tenant = await gateway.newTenant();
      const entered = { averageUsage: 7, usageUnit: "week" };
      const known = await young(tenant, 100, [...nine, 0.5], { ...entered, partNumber: "A" });
      const old = await young(tenant, 900, [...nine, 0.5], { partNumber: "B" });
      // Nothing was used in a year, so the entered usage no longer counts.
      const idle = await young(tenant, 400, [], { ...entered, partNumber: "C" });
      const rows = (await proposals(tenant)).map((row: any) => [row.part.id, row.averageDailyUse]);
      expect(rows).toEqual([
        [known, expect.closeTo(0.1, 3)],
        [old, expect.closeTo(10 / 365, 3)],
        [idle, 0],
      ]);
    });

    test("the entered usage is shared by the sites of the part, and applies unchanged without stock", async () => {
      const tenant = await gateway.newTenant();
      const id = await part(tenant, { reorderPoint: 10, averageUsage: 14, usageUnit: "week" });
      for (const site of ["North", "South"]) await tenant.rest("PUT", `/inventory/${id}`, { site, reorderPoint: 5 });
      const rows = (await proposals(tenant)).map((row: any) => [row.site, row.averageDailyUse]);
      expect(rows).toEqual([
        ["North", 1],
        ["South", 1],
      ]);
    });
  });

  test("list critical parts first, at only their sites; nothing is proposed without a reorder point and a minimum", async () => {
    const tenant = await gateway.newTenant();
    await part(tenant, { partNumber: "A" });
    const plain = await part(tenant, { partNumber: "B", site: "North", stockLevel: 2, minimumStock: 2 });
    const critical = await part(tenant, {
      partNumber: "C",
      site: "South",
      stockLevel: 1.5,
      reorderPoint: 2,
      unitOfMeasure: "liter",
      isCritical: true,
    });
    const gone = await part(tenant, { partNumber: "D", stockLevel: 1, reorderPoint: 2 });
    await tenant.rest("DELETE", `/parts/${gone}`);
    const short = async (caller: Caller) =>
      (await proposals(caller)).map((row: any) => [row.part.id, row.site, row.quantity, row.averageDailyUse]);
    expect(await short(tenant)).toEqual([
      [critical, "South", 0.5, 0],
      [plain, "North", 1, 0],
    ]);
    expect(await short(await tenant.as("viewer", ["North"], false))).toEqual([[plain, "North", 1, 0]]);
  });
});

test("a long forecast yields to other requests", async () => {
  const anchor = new Date(Date.now() + 86_400_000);
  const procedures = Array.from({ length: 10 }, (_, i) => ({
    id: `p${i}`,
    planAssetId: "",
    assetId: "a",
    anchor,
    anchorSteps: 0,
    frequency: "daily",
    timeZone: "UTC",
    occurrence: 1,
  }));
  const needs = procedures.map(({ id: procedureId }) => ({
    procedureId,
    planAssetId: "",
    partId: "x",
    partNumber: "X",
    site: "N",
    quantity: 1,
  }));
  // Resolves immediately, so that only the computation yields.
  const db = {
    query: async (text: string) =>
      /as "workOrderId"|w\.occurrence from/.test(text) ? [] : /"partNumber", site, quantity from need/.test(text) ? needs : procedures,
  };
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const rows = await materialForecast(db as never, { horizonDays: 365 });
  isDone = true;
  expect(rows.reduce((sum, { quantity }) => sum + quantity, 0)).toBeGreaterThan(3_600);
  expect(turns).toBeGreaterThan(10);
});
