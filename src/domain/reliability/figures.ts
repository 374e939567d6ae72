/**
 * Reliability figures by EN 13306 and EN 15341 (docs/work.md, "Downtime and reliability"). Each takes one statement for any number of
 * assets.
 */
import { nowDate } from "../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import { groupsOf } from "../../database/rows/group.js";
import { totalCost } from "../../schema/maintenance/work-orders/cost-sql.js";
import { checkedPeriod, type Period } from "../../schema/period.js";
import type { ReliabilityBasis } from "../../schema/reliability/enums.js";
import { meanTimeLowerBound90 } from "./chances.js";
import { began, historyOf, type Members, observedFrom, restored, runSums, sums, within } from "./history.js";
import { manMinutes, plannedWork } from "./planned-work.js";

/** The assets that satisfy all conditions. All assets of the tenant if nothing is set. */
export interface Scope {
  assetId?: string | null;
  type?: string | null;
  site?: string | null;
  area?: string | null;
}

/** Groups rows by the index of their scope. */
export const byScope = <T extends { key: string | number }>(scopes: readonly Scope[], rows: T[]): T[][] =>
  groupsOf([...scopes.keys()].map(String), rows, ({ key }) => String(key));

const live = `a."tenantId" = $1 and a."deletedAt" is null`;

/**
 * The assets of scopes, keyed by the index of the scope. Separate statements for a single scope and for single assets give the planner good
 * row estimates.
 */
export function membersOf(scopes: readonly Scope[]): Members {
  const select = (key: string) => `select ${key} as key, a.id as "assetId", ${observedFrom("a")} as "observedFrom"`;
  const columns: [column: string, name: keyof Scope][] = [
    ["id", "assetId"],
    ["type", "type"],
    ["site", "site"],
    ["area", "area"],
  ];
  if (scopes.length === 1) {
    const given = columns.flatMap(([column, name]) => (scopes[0]![name] == null ? [] : [{ column, value: scopes[0]![name] }]));
    const conditions = given.map(({ column }, i) => ` and a.${column} = $${i + 4}`).join("");
    return { sql: `${select("0")} from "Asset" a where ${live}${conditions}`, values: given.map(({ value }) => value), isDistinct: true };
  }
  if (scopes.every(({ assetId, ...others }) => assetId != null && Object.values(others).every((value) => value == null)))
    return {
      sql: `${select("k.key - 1")} from unnest($4::text[]) with ordinality k(id, key) join "Asset" a on ${live} and a.id = k.id`,
      values: [scopes.map(({ assetId }) => assetId)],
      isDistinct: true,
    };
  return {
    sql: `${select("k.key - 1")} from unnest($4::text[], $5::text[], $6::text[], $7::text[]) with ordinality k(id, type, site, area, key)
      join "Asset" a on ${live} and a.id = coalesce(k.id, a.id) and a.type = coalesce(k.type, a.type) and a.site = coalesce(k.site, a.site)
      and a.area = coalesce(k.area, a.area)`,
    values: columns.map(([, name]) => scopes.map((scope) => scope[name] ?? null)),
  };
}

/** Sums across assets. Times are in seconds. */
export interface Sums {
  required: number;
  down: number;
  failures: number;
  restored: number;
  restoration: number;
  repaired: number;
  repair: number;
  waited: number;
  /** Operating time by run hours if available, and the number of assets that have them. Absent if only statuses are read. */
  operating?: number;
  metered?: number;
  assets?: number;
}

/** Source of the operating time of the assets. */
const basisOf = ({ metered = 0, assets = 0 }: Sums) => (!metered ? "status" : metered < assets ? "mixed" : "run-hours");

export const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
export const hours = (value: number) => rounded(value / 3600);
export const ratio = (of: number, by: number) => (by > 0 ? of / by : null);
const inHours = (value: number | null) => (value === null ? null : hours(value));
export const inPercent = (value: number | null) => (value === null ? null : rounded(100 * value));

/** The figures computed from sums. Groups pool their sums instead of averaging averages. */
export function figuresOf(pooled: Sums) {
  const { required, down, failures, restored, restoration, repaired, repair, waited } = pooled;
  const up = required - down;
  const operating = pooled.operating ?? up;
  const mtbf = ratio(operating, failures);
  const active = ratio(repair, repaired);
  return {
    failures,
    basis: basisOf(pooled) as ReliabilityBasis,
    requiredTime: hours(required),
    operatingTime: hours(operating),
    downtime: hours(down),
    mtbf: inHours(mtbf),
    mtbfLowerBound90: failures === 0 && operating > 0 ? hours(meanTimeLowerBound90(operating, failures)) : null,
    mttr: inHours(ratio(restoration, restored)),
    activeRepairTime: inHours(active),
    logisticDelay: inHours(ratio(waited, repaired)),
    availability: inPercent(ratio(up, required)),
    inherentAvailability: mtbf === null || active === null ? null : inPercent(ratio(mtbf, mtbf + active)),
  };
}

export type Figures = ReturnType<typeof figuresOf>;

interface PooledRow extends Sums {
  key: string;
  assets: number;
  begins: Date | null;
  work: number;
  planned: number;
  cost: number;
}

/** The work orders `w` of the members that were finished in the period, with their man-minutes for `plannedWork`. */
const finished = `from "WorkOrder" w cross join lateral (select ${manMinutes("w")} as minutes) l
       where w."tenantId" = $1 and ${within('w."completedAt"')} and w."assetId" in (select id from asset)`;

/** Sums by the keys of members. Includes the man-minutes of finished work and their planned share. `cost` is 0 without `withCost`. */
export const pooledBy = (db: TenantQueryable, { from, to }: Period, members: Members, { withCost = false } = {}): Promise<PooledRow[]> =>
  db.query<PooledRow>(
    `${historyOf(members)}, work as (
       select w."assetId", ${plannedWork("w")}, ${withCost ? `sum(${totalCost("w")})` : "0"} as cost ${finished} group by 1
     )
     select m.key, min(c.begins) as begins, ${sums("c")}, ${runSums("c")},
       coalesce(sum(w.work), 0)::float8 as work, coalesce(sum(w.planned), 0)::float8 as planned, coalesce(sum(w.cost), 0)::float8 as cost
     from member m left join counted c using ("assetId") left join work w using ("assetId") group by m.key`,
    from,
    to,
    ...members.values,
  );

export interface Reliability extends Figures {
  scope: Scope;
  from: Date;
  to: Date;
  assets: number;
  plannedWorkShare: number | null;
}

const shareOf = ({ work, planned }: Pick<PooledRow, "work" | "planned">) => inPercent(ratio(planned, work));

const nothing = {
  required: 0,
  down: 0,
  failures: 0,
  restored: 0,
  restoration: 0,
  repaired: 0,
  repair: 0,
  waited: 0,
  assets: 0,
  work: 0,
  planned: 0,
};

/** Asset counts by the keys of members. */
const assetsBy = (db: TenantQueryable, { from, to }: Period, members: Members): Promise<Pick<PooledRow, "key" | "assets">[]> =>
  db.query(
    `${plannedEachTime}select m.key, count(*)::int as assets from (${members.sql}) m where $2::timestamptz < $3::timestamptz group by m.key`,
    from,
    to,
    ...members.values,
  );

/** The figures of each scope, as a batch. Without `figures`, only the asset counts. Throws the errors of `checkedPeriod`. */
export async function reliabilityOf(
  db: TenantQueryable,
  scopes: readonly Scope[],
  { figures = true, ...given }: { from?: Date | null; to?: Date | null; figures?: boolean },
): Promise<Reliability[]> {
  const period = checkedPeriod(given, nowDate());
  const rows: Partial<PooledRow>[] = await (figures ? pooledBy : assetsBy)(db, period, membersOf(scopes));
  const found = new Map(rows.map((row) => [Number(row.key), row]));
  return scopes.map((scope, key) => {
    const { work, planned, ...pooled } = { ...nothing, ...found.get(key) };
    return { scope, ...period, assets: pooled.assets, ...figuresOf(pooled), plannedWorkShare: shareOf({ work, planned }) };
  });
}

const month = (time: string) => `date_trunc('month', ${time} at time zone 'UTC')`;

/** The figures of each UTC month that overlaps the period, oldest first, as a batch. Months that have neither observed time nor finished work are omitted. */
export async function trendOf(db: TenantQueryable, scopes: readonly Scope[], { from, to }: Period) {
  const members = membersOf(scopes);
  const rows = await db.query<Sums & Pick<PooledRow, "key" | "work" | "planned"> & { month: Date }>(
    `${historyOf(members)}, piece as (
       select m.key, lower(p) as begins, upper(p) as ends, count(*) as times, 1 as required, 0 as down from member m join clock c using ("assetId"), unnest(c.required) p group by 1, 2, 3
       union all select m.key, lower(p), upper(p), 1, 0, 1 from member m join clock c using ("assetId"), unnest(c.down) p
     ), part as (
       select key, ${month("begins")} as month, required, down, times * date_part('epoch', ends - begins) as seconds from piece
       where ${month("begins")} = ${month("(ends - interval '1 millisecond')")}
       union all select key, g, required, down, times * date_part('epoch', least(ends, (g + interval '1 month') at time zone 'UTC') - greatest(begins, g at time zone 'UTC'))
       from piece, generate_series(${month("begins")}, (ends - interval '1 millisecond') at time zone 'UTC', interval '1 month') g
       where ${month("begins")} <> ${month("(ends - interval '1 millisecond')")}
     ), work as (
       select w."assetId", ${month('w."completedAt"')} as month, ${plannedWork("w")} ${finished} group by 1, 2
     ), counted_part as (
       select key, month, seconds * required as required, seconds * down as down, 0 as failures, 0 as restored, 0 as restoration, 0 as repaired, 0 as repair, 0 as waited, 0 as work, 0 as planned from part
       union all select m.key, ${month("b.begins")}, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 from member m join block b using ("assetId") where ${began("b")}
       union all select m.key, ${month("b.ends")}, 0, 0, 0, 1, date_part('epoch', b.ends - b.begins), (b.work is not null)::int, coalesce(b.work, 0), coalesce(b.waited, 0), 0, 0
       from member m join block b using ("assetId") where ${restored("b")}
       union all select m.key, w.month, 0, 0, 0, 0, 0, 0, 0, 0, coalesce(w.work, 0), coalesce(w.planned, 0) from member m join work w using ("assetId")
     )
     select c.key, c.month at time zone 'UTC' as month, ${sums("c")}, sum(c.work)::float8 as work, sum(c.planned)::float8 as planned from counted_part c group by 1, 2 order by 1, 2`,
    from,
    to,
    ...members.values,
  );
  return byScope(scopes, rows).map((months) =>
    months.map((row) => ({ month: row.month, ...figuresOf(row), plannedWorkShare: shareOf(row) })),
  );
}
