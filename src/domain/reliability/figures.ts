/** Figures of reliability by EN 13306 and EN 15341 (docs/work.md, "Downtime and reliability"). Each is one statement, however many assets it is about. */
import { nowDate } from "../../database/clock.js";
import type { TenantQueryable } from "../../database/database.js";
import { groupsOf } from "../../database/group.js";
import { badInput } from "../../schema/errors.js";
import type { DowntimeCause, ReliabilityFigure } from "../../schema/reliability/enums.js";
import { historyOf, type Members, seconds, sums, within } from "./history.js";

/** Which assets: one, or all of a type, at a site, or both; all of the tenant where nothing is set. */
export interface Scope {
  assetId?: string | null;
  type?: string | null;
  site?: string | null;
}

export interface Period {
  from: Date;
  to: Date;
}

const live = `a."tenantId" = $1 and a."deletedAt" is null`;

/** The assets of scopes; the key of each is its place. The planner knows how many they are where there is one scope, or single assets. */
function membersOf(scopes: readonly Scope[]): Members {
  const select = (key: string) => `select ${key} as key, a.id as "assetId", a."createdAt"`;
  const columns: [column: string, name: keyof Scope][] = [
    ["id", "assetId"],
    ["type", "type"],
    ["site", "site"],
  ];
  if (scopes.length === 1) {
    const given = columns.flatMap(([column, name]) => (scopes[0]![name] == null ? [] : [{ column, value: scopes[0]![name] }]));
    const conditions = given.map(({ column }, i) => ` and a.${column} = $${i + 4}`).join("");
    return { sql: `${select("0")} from "Asset" a where ${live}${conditions}`, values: given.map(({ value }) => value), isDistinct: true };
  }
  if (scopes.every(({ assetId, type, site }) => assetId != null && type == null && site == null))
    return {
      sql: `${select("k.key - 1")} from unnest($4::text[]) with ordinality k(id, key) join "Asset" a on ${live} and a.id = k.id`,
      values: [scopes.map(({ assetId }) => assetId)],
      isDistinct: true,
    };
  return {
    sql: `${select("k.key - 1")} from unnest($4::text[], $5::text[], $6::text[]) with ordinality k(id, type, site, key)
      join "Asset" a on ${live} and a.id = coalesce(k.id, a.id) and a.type = coalesce(k.type, a.type) and a.site = coalesce(k.site, a.site)`,
    values: columns.map(([, name]) => scopes.map((scope) => scope[name] ?? null)),
  };
}

/** Sums over assets. Times are in seconds. */
interface Sums {
  required: number;
  down: number;
  failures: number;
  restored: number;
  restoration: number;
  repaired: number;
  repair: number;
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
const hours = (value: number) => rounded(value / 3600);
const ratio = (of: number, by: number) => (by > 0 ? of / by : null);
const inHours = (value: number | null) => (value === null ? null : hours(value));
const inPercent = (value: number | null) => (value === null ? null : rounded(100 * value));

/** The figures that follow from sums. Groups pool their sums; they do not average averages. */
export function figuresOf({ required, down, failures, restored, restoration, repaired, repair }: Sums) {
  const up = required - down;
  const mtbf = ratio(up, failures);
  const active = ratio(repair, repaired);
  return {
    failures,
    basis: "status" as const,
    requiredTime: hours(required),
    operatingTime: hours(up),
    downtime: hours(down),
    mtbf: inHours(mtbf),
    mttr: inHours(ratio(restoration, restored)),
    activeRepairTime: inHours(active),
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

/** Sums by the keys of members, with minutes of work that was finished, how much of it was planned, and its cost. */
export const pooledBy = (db: TenantQueryable, { from, to }: Period, members: Members): Promise<PooledRow[]> =>
  db.query<PooledRow>(
    `${historyOf(members)}, work as (
       select w."assetId", sum(w.duration) as work, sum(w.duration) filter (where ${plannedWork("w")}) as planned,
         sum(coalesce(w."partsCost", 0) + coalesce(w."laborCost", 0)) as cost from "WorkOrder" w
       where w."tenantId" = $1 and ${within('w."completedAt"')} and w."assetId" in (select id from asset) group by 1
     )
     select m.key, count(*)::int as assets, min(c.begins) as begins, ${sums("c")},
       coalesce(sum(w.work), 0)::float8 as work, coalesce(sum(w.planned), 0)::float8 as planned, coalesce(sum(w.cost), 0)::float8 as cost
     from member m left join counted c using ("assetId") left join work w using ("assetId") group by m.key`,
    ...[from, to, ...members.values],
  );

/** Work that was planned: by a procedure. */
const plannedWork = (w: string) => `${w}."procedureId" is not null`;

export interface Reliability extends Figures {
  scope: Scope;
  from: Date;
  to: Date;
  assets: number;
  plannedWorkShare: number | null;
}

const nothing = { required: 0, down: 0, failures: 0, restored: 0, restoration: 0, repaired: 0, repair: 0, assets: 0, work: 0, planned: 0 };

/** The figures of each scope, as a batch. Throws the errors of `checkedPeriod`. */
export async function reliabilityOf(
  db: TenantQueryable,
  scopes: readonly Scope[],
  given: { from?: Date | null; to?: Date | null },
): Promise<Reliability[]> {
  const period = checkedPeriod(given, nowDate());
  const found = new Map((await pooledBy(db, period, membersOf(scopes))).map((row) => [Number(row.key), row]));
  return scopes.map((scope, key) => {
    const { assets, work, planned, ...pooled } = found.get(key) ?? nothing;
    return { scope, ...period, assets, ...figuresOf(pooled), plannedWorkShare: inPercent(ratio(planned, work)) };
  });
}

/** Months of a trend. */
const mostMonths = 240;

/** Throws BAD_USER_INPUT naming from where the period is empty or has too many months for a trend. */
function checkedPeriod({ from, to }: { from?: Date | null; to?: Date | null }, now: Date): Period {
  const end = to ?? now;
  const begin = from ?? new Date(Date.UTC(end.getUTCFullYear() - 1, end.getUTCMonth(), end.getUTCDate(), ...timeOf(end)));
  if (begin >= end) throw badInput({ from: "must be before to" });
  if (end.getTime() - begin.getTime() > mostMonths * 30.4 * 86_400_000) throw badInput({ from: "must be at most 20 years before to" });
  return { from: begin, to: end };
}

const timeOf = (at: Date): [number, number, number, number] => [
  at.getUTCHours(),
  at.getUTCMinutes(),
  at.getUTCSeconds(),
  at.getUTCMilliseconds(),
];

const month = (time: string) => `date_trunc('month', ${time} at time zone 'UTC')`;

/** The figures of each month in UTC that the period touches, oldest first, as a batch. Months of before anything was known are left out. */
export async function trendOf(db: TenantQueryable, scopes: readonly Scope[], { from, to }: Period) {
  const members = membersOf(scopes);
  const rows = await db.query<Sums & { key: string; month: Date }>(
    `${historyOf(members)}, piece as (
       select m.key, lower(p) as begins, upper(p) as ends, count(*) as times, 1 as required, 0 as down from member m join clock c using ("assetId"), unnest(c.required) p group by 1, 2, 3
       union all select m.key, lower(p), upper(p), 1, 0, 1 from member m join clock c using ("assetId"), unnest(c.down) p
     ), part as (
       select key, ${month("begins")} as month, required, down, times * date_part('epoch', ends - begins) as seconds from piece
       where ${month("begins")} = ${month("(ends - interval '1 millisecond')")}
       union all select key, g, required, down, times * date_part('epoch', least(ends, (g + interval '1 month') at time zone 'UTC') - greatest(begins, g at time zone 'UTC'))
       from piece, generate_series(${month("begins")}, (ends - interval '1 millisecond') at time zone 'UTC', interval '1 month') g
       where ${month("begins")} <> ${month("(ends - interval '1 millisecond')")}
     ), counted_part as (
       select key, month, seconds * required as required, seconds * down as down, 0 as failures, 0 as restored, 0 as restoration, 0 as repaired, 0 as repair from part
       union all select m.key, ${month("b.begins")}, 0, 0, 1, 0, 0, 0, 0 from member m join block b using ("assetId") where ${within("b.begins")}
       union all select m.key, ${month("b.ends")}, 0, 0, 0, 1, date_part('epoch', b.ends - b.begins), (b.work is not null)::int, coalesce(b.work, 0)
       from member m join block b using ("assetId") where ${within("b.ends")}
     )
     select c.key, c.month at time zone 'UTC' as month, ${sums("c")} from counted_part c group by 1, 2 order by 1, 2`,
    ...[from, to, ...members.values],
  );
  return groupsOf([...scopes.keys()].map(String), rows, ({ key }) => String(key)).map((months) =>
    months.map((row) => ({ month: row.month, ...figuresOf(row) })),
  );
}

/** How much of the downtime has which cause, the most first, as a batch. What overlaps counts for each of its causes. */
export async function causesOf(db: TenantQueryable, scopes: readonly Scope[], { from, to }: Period) {
  const members = membersOf(scopes);
  const rows = await db.query<{ key: string; cause: DowntimeCause; downtimes: number; time: number }>(
    `${historyOf(members)}, caused as (
       select f."assetId", f.cause, count(*) as downtimes, range_agg(f.time) as time from found f where not isempty(f.time) group by 1, 2
     )
     select m.key, f.cause, sum(f.downtimes)::int as downtimes, sum(${seconds("f.time * c.service")}) as time
     from member m join caused f using ("assetId") join clock c using ("assetId") group by 1, 2 order by time desc, cause`,
    ...[from, to, ...members.values],
  );
  return groupsOf([...scopes.keys()].map(String), rows, ({ key }) => String(key)).map((causes) => {
    const total = causes.reduce((sum, { time }) => sum + time, 0);
    let before = 0;
    return causes.map(({ cause, downtimes, time }) => {
      before += time;
      return {
        cause,
        downtimes,
        hours: hours(time),
        share: inPercent(ratio(time, total)),
        cumulativeShare: inPercent(ratio(before, total)),
      };
    });
  });
}

/** The assets that were down for longest, the worst first, as a batch. Those that were never down and did not fail are left out. */
export async function worstAssetsOf(db: TenantQueryable, scopes: readonly Scope[], { from, to, first }: Period & { first: number }) {
  const members = membersOf(scopes);
  const rows = await db.query<Sums & { key: string; assetId: string }>(
    `${historyOf(members)}, ranked as (
       select m.key, c."assetId", c.required, c.down, c.failures, c.restored, c.restoration, c.repaired, c.repair, row_number() over (partition by m.key order by c.down desc, c.failures desc, c."assetId") as place
       from member m join counted c using ("assetId") where c.down > 0 or c.failures > 0
     )
     select r.key, r."assetId", ${sums("r")} from ranked r where r.place <= ${Number(first)} group by r.key, r."assetId", r.place order by r.key, r.place`,
    ...[from, to, ...members.values],
  );
  return groupsOf([...scopes.keys()].map(String), rows, ({ key }) => String(key)).map((assets) =>
    assets.map((row) => ({ assetId: row.assetId, ...figuresOf(row) })),
  );
}

const ofFailures = `select n."assetId", n.id, n."startedAt", n."workOrderId" from numbered n join block b using ("assetId", block) where ${within("b.begins")}`;
const ofRestorations = `select n."assetId", n.id, n."startedAt", n."workOrderId" from numbered n join block b using ("assetId", block) where ${within("b.ends")}`;
const ofRepairs = `select n."assetId", n.id, n."startedAt", n."workOrderId" from numbered n join block b using ("assetId", block) where b.work is not null and ${within("b.ends")}`;
const ofTimes = `select f."assetId", f.id, f."startedAt", f."workOrderId" from found f where not isempty(f.time)`;

/** What each figure was counted from. */
const counted: Record<Exclude<ReliabilityFigure, "planned-work-share">, string> = {
  failures: ofFailures,
  mtbf: `${ofFailures} union ${ofTimes}`,
  mttr: ofRestorations,
  "active-repair-time": ofRepairs,
  availability: ofTimes,
  "inherent-availability": `${ofFailures} union ${ofTimes} union ${ofRepairs}`,
};

const noDowntimes = `select d."assetId", d.id, d."startedAt", d."workOrderId" from "Downtime" d where d."tenantId" = $1 and false`;

interface Evidence {
  downtimeIds: string[];
  downtimeCount: number;
  workOrderIds: string[];
  workOrderCount: number;
}

/** The rows that a figure was counted from, the newest first, at most `first` of each kind, as a batch. */
export async function evidenceOf(
  db: TenantQueryable,
  scopes: readonly Scope[],
  { from, to, figure, first }: Period & { figure: ReliabilityFigure; first: number },
): Promise<Evidence[]> {
  const members = membersOf(scopes);
  const isWork = figure === "planned-work-share";
  const orders = isWork
    ? `select m.key, w.id, w."completedAt" as at from member m join "WorkOrder" w on w."tenantId" = $1 and w."assetId" = m."assetId" where ${within('w."completedAt"')} and w.duration is not null`
    : `select t.key, w.id, coalesce(w."completedAt", w."createdAt") as at from told t join "WorkOrder" w on w."tenantId" = $1 and w.id = t."workOrderId" group by 1, 2, 3`;
  const rows = await db.query<Evidence & { key: string }>(
    `${historyOf(members)}, evidence as (
       ${isWork ? noDowntimes : counted[figure]}
     ), told as (
       select m.key, e.id, e."startedAt" as at, e."workOrderId" from evidence e join member m using ("assetId")
     ), ordered as (
       select o.key, o.id, 'order' as kind, row_number() over (partition by o.key order by o.at desc, o.id) as place from (${orders}) o
       union all select t.key, t.id, 'downtime', row_number() over (partition by t.key order by t.at desc, t.id) from told t
     )
     select key, coalesce(array_agg(id order by place) filter (where kind = 'downtime' and place <= ${Number(first)}), '{}') as "downtimeIds",
       coalesce(array_agg(id order by place) filter (where kind = 'order' and place <= ${Number(first)}), '{}') as "workOrderIds",
       (count(*) filter (where kind = 'downtime'))::int as "downtimeCount", (count(*) filter (where kind = 'order'))::int as "workOrderCount"
     from ordered group by 1`,
    ...[from, to, ...members.values],
  );
  const found = new Map(rows.map((row) => [Number(row.key), row]));
  return scopes.map((_, key) => found.get(key) ?? { downtimeIds: [], downtimeCount: 0, workOrderIds: [], workOrderCount: 0 });
}
