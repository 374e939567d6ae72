/** Operating times between failures of the same asset, as a distribution (docs/work.md, "Downtime and reliability"). */
import type { TenantQueryable } from "../../database/database.js";
import type { Period } from "../../schema/period.js";
import { byScope, hours, membersOf, type Scope } from "./figures.js";
import { historyOf, seconds } from "./history.js";

/** Lower ends of the classes, in hours: 0, 1, 3, 7, 14, 30, 60, 90, 180 and 365 days. */
const classes = [0, 24, 72, 168, 336, 720, 1440, 2160, 4320, 8760];

/**
 * CTE `gap`, after `historyOf`: each interval from a failure to the next one of the same asset, within the observed part of the period.
 * `time` is the operating time by status in seconds, so without other downtimes and time that was not required.
 */
const gaps = `up as materialized (
  select "assetId", required - down as time from clock
), gap as materialized (
  select g."assetId", g.block, g.ended, g.begins, ${seconds("u.time * tstzmultirange(tstzrange(g.ended, g.begins))")} as time
  from (
    select b."assetId", b.block, b.begins, b.since, lag(b.ends) over (partition by b."assetId" order by b.begins) as ended from block b
  ) g join up u using ("assetId") where g.ended >= g.since and g.begins < $3
)`;

interface Spread {
  count: number;
  shortest: number | null;
  p10: number | null;
  median: number | null;
  p90: number | null;
  longest: number | null;
}

const none: Spread = { count: 0, shortest: null, p10: null, median: null, p90: null, longest: null };

const spreadOf = ({ count, ...times }: Spread): Spread => ({
  count,
  ...(Object.fromEntries(Object.entries(times).map(([name, time]) => [name, hours(time!)])) as Omit<Spread, "count">),
});

const quantile = (share: number) => `percentile_cont(${share}) within group (order by g.time)`;

/** The distribution of each scope, also by type of asset, as a batch. Types without intervals are omitted. */
export async function betweenFailuresOf(db: TenantQueryable, scopes: readonly Scope[], { from, to }: Period) {
  const members = membersOf(scopes);
  const inClass = (index: number) =>
    `g.time >= ${3600 * classes[index]!}${index + 1 < classes.length ? ` and g.time < ${3600 * classes[index + 1]!}` : ""}`;
  const rows = await db.query<Spread & { key: string; type: string | null; isWhole: boolean; counts: number[] }>(
    `${historyOf(members, { withWork: false })}, ${gaps}
     select m.key, a.type, grouping(a.type) = 1 as "isWhole", count(*)::int as count, min(g.time) as shortest, ${quantile(0.1)} as p10,
       ${quantile(0.5)} as median, ${quantile(0.9)} as p90, max(g.time) as longest,
       array[${classes.map((_, index) => `count(*) filter (where ${inClass(index)})`).join(", ")}]::int[] as counts
     from gap g join member m using ("assetId") join "Asset" a on a."tenantId" = $1 and a.id = g."assetId"
     group by grouping sets ((m.key), (m.key, a.type)) order by a.type`,
    from,
    to,
    ...members.values,
  );
  return byScope(scopes, rows).map((found) => {
    const counts = found.find(({ isWhole }) => isWhole)?.counts;
    const buckets = classes.map((begin, index) => ({ from: begin, to: classes[index + 1] ?? null, count: counts?.[index] ?? 0 }));
    const spreads = found.map(({ key: _, counts: __, type, isWhole, ...spread }) => ({ type, isWhole, ...spreadOf(spread) }));
    const { type: _, isWhole: __, ...whole } = spreads.find(({ isWhole }) => isWhole) ?? { ...none, type: null, isWhole: true };
    return { ...whole, buckets, types: spreads.filter(({ isWhole }) => !isWhole) };
  });
}

export interface GapPage extends Period {
  first: number;
  /** Only intervals of at least and less than so many hours. */
  atLeast?: number | null;
  lessThan?: number | null;
}

/** The shortest intervals of each scope, as a batch, with the orders of the failures before and after. */
export async function gapsOf(db: TenantQueryable, scopes: readonly Scope[], { from, to, first, atLeast, lessThan }: GapPage) {
  const members = membersOf(scopes);
  const bound = (place: number) => `$${members.values.length + 3 + place}::float8`;
  const rows = await db.query<{
    key: string;
    assetId: string;
    from: Date;
    to: Date;
    time: number;
    orderBeforeId: string | null;
    orderAfterId: string | null;
  }>(
    `${historyOf(members, { withWork: false })}, ${gaps}, ranked as (
       select m.key, g."assetId", g.block, g.ended, g.begins, g.time, row_number() over (partition by m.key order by g.time, g.begins, g."assetId") as place
       from gap g join member m using ("assetId")
       where g.time >= 3600 * coalesce(${bound(1)}, 0) and g.time < 3600 * coalesce(${bound(2)}, 'infinity')
     ), ordered as (
       select n."assetId", n.block, (array_agg(n."workOrderId" order by n."startedAt" desc, n.id) filter (where n."workOrderId" is not null))[1] as id
       from numbered n group by 1, 2
     )
     select r.key, r."assetId", r.ended as from, r.begins as to, r.time, b.id as "orderBeforeId", o.id as "orderAfterId"
     from ranked r left join ordered b on b."assetId" = r."assetId" and b.block = r.block - 1
     left join ordered o on o."assetId" = r."assetId" and o.block = r.block
     where r.place <= ${Number(first)} order by r.key, r.place`,
    from,
    to,
    ...members.values,
    atLeast ?? null,
    lessThan ?? null,
  );
  return byScope(scopes, rows).map((found) => found.map(({ key: _, time, ...row }) => ({ ...row, hours: hours(time) })));
}
