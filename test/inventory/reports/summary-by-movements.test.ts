/**
 * The summary of any period equals sums over the movements, computed by another statement than the report's, and the age of stock that of a
 * queue of arrivals for each level (docs/stock.md, "Reports").
 */
import { readFileSync } from "node:fs";
import pg from "pg";
import { expect, test } from "vitest";
import { type Caller, onPostgresql, sharedGateway } from "../../world.js";
import { move, newPart, reverse } from "../stock/stock.js";

const gateway = await sharedGateway();
const dayMs = 86_400_000;

/** Repeatable random numbers from 0 to below `limit`. */
function sequenceFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/**
 * Integrates each balance from its movement to the next one of the level. The report instead subtracts from the last balance. Times are in
 * seconds since 1970.
 */
const bySteps = `with span as (
    select extract(epoch from $2::timestamptz) as begins, extract(epoch from least($3::timestamptz, now())) as ends
  ), ledger as (
    select m.*, extract(epoch from m."performedAt") as at, extract(epoch from coalesce(m."occurredAt", m."performedAt")) as used_at,
      extract(epoch from lead(m."performedAt") over (partition by m."partId", m.site order by m.sequence)) as next_at
    from "StockMovement" m where m."tenantId" = $1 and m.type not in ('reserve', 'unreserve')
  ), consumed as (
    select -value as value from ledger, span where type in ('issue', 'return') and used_at between begins and ends
    union all
    select -r.value from ledger r join ledger o on o.id = r."reversalOf" cross join span where o.type in ('issue', 'return') and r.at between begins and ends
  )
  select
    (select count(*)::int from ledger, span where quantity <> 0 and at between begins and ends) as "totalMovements",
    (select coalesce(sum("valueBalance"), 0)::float8 from ledger, span where at <= ends and (next_at is null or next_at > ends)) as "totalValue",
    (select coalesce(sum(value), 0)::float8 from consumed) as used,
    (select coalesce(sum("valueBalance" * greatest(least(coalesce(next_at, ends), ends) - greatest(at, begins), 0)), 0)::float8 from ledger, span) as area`;

interface Sums {
  totalMovements: number;
  totalValue: number;
  used: number;
  area: number;
}

async function postHistory(tenant: Caller, next: (limit: number) => number): Promise<void> {
  const places: { partId: string; site: string; quantity: number; issues: string[] }[] = [];
  for (let part = 0; part < 2; part++) {
    const partId = await newPart(tenant);
    for (const site of ["N", "S"]) places.push({ partId, site, quantity: 0, issues: [] });
  }
  // From 500 days ago until 12 days ago, so that months at both ends of a period are split.
  for (let day = 500; day > 12; day -= 1 + next(25)) {
    const place = places[next(places.length)]!;
    const performedAt = new Date(Date.now() - day * dayMs);
    const issued = place.quantity > 0 && next(3) > 0 ? 1 + next(place.quantity) : 0;
    const quantity = issued || 5 + next(40);
    const { id } = await move(tenant, issued ? "issueStock" : "receiveStock", place.partId, {
      site: place.site,
      quantity,
      performedAt: performedAt.toISOString(),
      // Some took place before they were posted, in the same month or in an earlier one.
      ...(next(3) ? {} : { occurredAt: new Date(performedAt.getTime() - (1 + next(20)) * dayMs).toISOString() }),
      ...(issued ? {} : { unitCost: (100 + next(900)) / 100 }),
    });
    place.quantity += issued ? -quantity : quantity;
    if (issued) place.issues.push(id);
  }
  // Posted today: issues of an earlier day, and reversals of earlier issues.
  for (const { partId, site, quantity, issues } of places) {
    if (issues.length) await reverse(tenant, issues[next(issues.length)]!);
    if (quantity)
      await move(tenant, "issueStock", partId, {
        site,
        quantity: 1,
        occurredAt: new Date(Date.now() - (40 + next(300)) * dayMs).toISOString(),
      });
  }
}

async function expectSums(tenant: Caller, start: Date, end: Date): Promise<void> {
  const filter = { startDate: start.toISOString(), endDate: end.toISOString() };
  const { inventoryReport } = await tenant.ask(
    "query ($filter: ReportFilter) { inventoryReport(reportType: SUMMARY, filter: $filter) { content } }",
    { filter },
  );
  const [sums] = await gateway.database.query<Sums>(bySteps, [tenant.tenantId, start, end]);
  const { totalMovements, totalValue, averageTurnover } = inventoryReport.content.summary;
  expect({ totalMovements, totalValue }, JSON.stringify(filter)).toEqual({
    totalMovements: sums!.totalMovements,
    totalValue: sums!.totalValue,
  });
  const perYear = (sums!.used * 365 * 86_400) / sums!.area;
  // The report has four decimals, and the present moves between the two statements.
  expect(Math.abs(averageTurnover - perYear), JSON.stringify(filter)).toBeLessThan(0.0001);
}

const youngest: [name: string, days: number][] = [
  ["0-30", 30],
  ["31-60", 60],
  ["61-90", 90],
  ["91-180", 180],
  ["181-365", 365],
];

/** The report equals queues: an arrival joins the end of its level's queue, and stock leaves from the front. */
async function expectAges(tenant: Caller, end: Date): Promise<void> {
  const filter = { endDate: end.toISOString() };
  const { inventoryReport } = await tenant.ask(
    "query ($filter: ReportFilter) { inventoryReport(reportType: AGING, filter: $filter) { content } }",
    { filter },
  );
  const { asOf, aging } = inventoryReport.content;
  const movements = await gateway.database.query<any>(
    `select "partId" || site as level, quantity::float8, "valueBalance"::float8 as value, "performedAt" as at, layers from "StockMovement"
     where "tenantId" = $1 and type not in ('reserve', 'unreserve') and "performedAt" <= $2 order by sequence`,
    [tenant.tenantId, new Date(asOf)],
  );
  const levels = new Map<string, { value: number; queue: { at: number; quantity: number }[] }>();
  for (const { level, quantity, value, at, layers } of movements) {
    const known = levels.get(level) ?? { value: 0, queue: [] };
    levels.set(level, known);
    known.value = value;
    if (quantity > 0) {
      const brought = layers ?? [{ receivedAt: at, quantity }];
      known.queue.push(...brought.map((layer: any) => ({ at: new Date(layer.receivedAt).getTime(), quantity: Number(layer.quantity) })));
    }
    for (let left = -quantity; left > 0; ) {
      const [front] = known.queue;
      const taken = Math.min(left, front!.quantity);
      left -= taken;
      front!.quantity -= taken;
      if (front!.quantity === 0) known.queue.shift();
    }
  }
  const groups = new Map([...youngest.map(([name]) => name), ">365"].map((name) => [name, { quantity: 0, value: 0 }]));
  for (const { value, queue } of levels.values()) {
    const onHand = queue.reduce((sum, { quantity }) => sum + quantity, 0);
    for (const { at, quantity } of queue) {
      const name = youngest.find(([, days]) => at >= new Date(asOf).getTime() - days * dayMs)?.[0] ?? ">365";
      groups.get(name)!.quantity += quantity;
      groups.get(name)!.value += (value * quantity) / onHand;
    }
  }
  expect(
    aging.map(({ days, quantity }: any) => ({ days, quantity })),
    asOf,
  ).toEqual([...groups].map(([days, { quantity }]) => ({ days, quantity })));
  // The report rounds each level's share.
  for (const { days, value } of aging) expect(Math.abs(value - groups.get(days)!.value), `${asOf} ${days}`).toBeLessThan(0.001);
}

async function expectFigures(tenant: Caller, start: Date, end: Date): Promise<void> {
  await expectSums(tenant, start, end);
  await expectAges(tenant, end);
}

/** Periods of random length and end, three of them until after now, and periods of whole months. */
function drawPeriods(next: (limit: number) => number): [start: Date, end: Date][] {
  const today = new Date();
  const monthStart = (back: number) => new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1));
  const random = Array.from({ length: 12 }, (_, period): [Date, Date] => {
    const end = new Date(Date.now() - (period < 3 ? -1 : next(100)) * dayMs);
    return [new Date(end.getTime() - (31 + next(400)) * dayMs), end];
  });
  const lastOf = (back: number) => new Date(monthStart(back - 1).getTime() - 1);
  return [
    ...random,
    [monthStart(12), lastOf(1)],
    [monthStart(9), lastOf(4)],
    [monthStart(6), new Date(Date.now() + dayMs)],
    // The first millisecond of a month, and the last one of another, belong to months that are not whole.
    [new Date(monthStart(8).getTime() - 1), monthStart(2)],
    [new Date(monthStart(8).getTime() + 1), new Date(lastOf(2).getTime() - 1)],
  ];
}

/** The statements of the upgrades that count months from before their sums and from before their arrivals. */
async function countMonths(): Promise<void> {
  for (const name of ["20261127031701_month_sums_online", "20261129060002_arrivals_online"]) {
    const file = new URL(`../../../prisma/migrations/${name}/migration.sql`, import.meta.url);
    const [, statement] = /^-- repeat\n([^;]+;)/m.exec(readFileSync(file, "utf8"))!;
    await gateway.database.query(statement!);
  }
}

const unknownMonths = `update "StockBalance" set movements = null, "issuedValue" = null, "valueChange" = null, "changeSeconds" = null, arrived = null, "layeredArrivals" = null`;

const sumsOf = (tenant: Caller) =>
  gateway.database.query<{ movements: number | null; changeSeconds: number }>(
    `select "partId", site, month::text, movements, "issuedValue"::text, "valueChange"::text, "changeSeconds"::float8 as "changeSeconds", arrived::text, "layeredArrivals" from "StockBalance" where "tenantId" = $1 order by 1, 2, 3`,
    [tenant.tenantId],
  );

test.each([1_117, 2_203, 4_409])("the summary and the ages equal those of random movements, seed %i", async (seed) => {
  const tenant = await gateway.newTenant();
  const next = sequenceFrom(seed);
  await postHistory(tenant, next);
  const [{ late, reversed }] = await gateway.database.query<any>(
    `select count("occurredAt")::int as late, count("reversalOf")::int as reversed from "StockMovement" where "tenantId" = $1`,
    [tenant.tenantId],
  );
  expect(late).toBeGreaterThan(0);
  expect(reversed).toBeGreaterThan(0);
  const periods = drawPeriods(next);
  for (const [start, end] of periods) await expectFigures(tenant, start, end);

  // Rows from before the sums: first some levels of some months, then all.
  const posted = await sumsOf(tenant);
  for (const condition of ["sequence % 3 = 0", "true"]) {
    await gateway.database.query(`${unknownMonths} where "tenantId" = $1 and ${condition}`, [tenant.tenantId]);
    for (const [start, end] of periods) await expectFigures(tenant, start, end);
  }
  // A movement in a month from before the sums leaves them unknown.
  const { partId } = (await sumsOf(tenant)).at(-1) as unknown as { partId: string };
  await move(tenant, "receiveStock", partId, { site: "S", quantity: 3, unitCost: 2 });
  for (const [start, end] of periods.slice(0, 3)) await expectFigures(tenant, start, end);
  expect((await sumsOf(tenant)).filter(({ movements }) => movements != null)).toEqual([]);

  await countMonths();
  const counted = await sumsOf(tenant);
  const thisMonth = counted.findIndex(({ movements }, i) => movements !== posted[i]!.movements);
  const others = posted.filter((_, i) => i !== thisMonth);
  // Sums of rounded products differ in their last digits.
  const nearly = others.map((row) => ({ ...row, changeSeconds: expect.closeTo(row.changeSeconds, 1) }));
  expect(counted.filter((_, i) => i !== thisMonth)).toEqual(nearly);
  expect(counted[thisMonth]!.movements).toBe(posted[thisMonth]!.movements! + 1);
  for (const [start, end] of periods) await expectFigures(tenant, start, end);
});

test.runIf(onPostgresql)("the upgrade does not count a month to which a movement is being added", async () => {
  const tenant = await gateway.newTenant();
  const partId = await newPart(tenant);
  await move(tenant, "receiveStock", partId, { site: "N", quantity: 3, unitCost: 2 });
  await gateway.database.query(`${unknownMonths} where "tenantId" = $1`, [tenant.tenantId]);
  const other = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
  await other.connect();
  // As a posting does, which has locked the row and has not committed.
  await other.query("begin");
  await other.query(`update "StockBalance" set sequence = sequence + 1 where "tenantId" = $1`, [tenant.tenantId]);
  const counting = countMonths();
  const waiting = `select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`;
  await expect.poll(async () => (await other.query(waiting)).rows.length).toBeGreaterThan(0);
  await other.query("commit");
  await other.end();
  await counting;
  expect((await sumsOf(tenant)).map(({ movements }) => movements)).toEqual([null]);
  await gateway.database.query(`update "StockBalance" set sequence = sequence - 1 where "tenantId" = $1`, [tenant.tenantId]);
  await countMonths();
  expect((await sumsOf(tenant)).map(({ movements }) => movements)).toEqual([1]);
});
