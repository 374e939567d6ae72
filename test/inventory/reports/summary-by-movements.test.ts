/** The summary of any period equals sums over the movements (docs/stock.md, "Reports"), computed by another statement than the report's. */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
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

test.each([1_117, 2_203, 4_409])("the summary equals the sums over random movements, seed %i", async (seed) => {
  const tenant = await gateway.newTenant();
  const next = sequenceFrom(seed);
  await postHistory(tenant, next);
  const [{ late, reversed }] = await gateway.database.query<any>(
    `select count("occurredAt")::int as late, count("reversalOf")::int as reversed from "StockMovement" where "tenantId" = $1`,
    [tenant.tenantId],
  );
  expect(late).toBeGreaterThan(0);
  expect(reversed).toBeGreaterThan(0);
  for (let period = 0; period < 12; period++) {
    const days = 31 + next(400);
    const end = new Date(Date.now() - (period < 3 ? -1 : next(100)) * dayMs);
    const start = new Date(end.getTime() - days * dayMs);
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
});
