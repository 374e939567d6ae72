/** Shared SQL of all reliability figures: the history of assets in a period (docs/work.md, "Downtime and reliability"). */
import { plannedEachTime } from "../../database/database.js";
import type { FailureCodeKind } from "../../schema/maintenance/enums.js";

/** The period [$2, $3). It excludes the future. */
export const from = "$2::timestamptz";
export const to = "$3::timestamptz";
export const until = "least($3::timestamptz, date_trunc('milliseconds', now()))";

/** Whether a column of times is within the period. */
export const within = (time: string) => `(${time} >= ${from} and ${time} < ${to})`;

/** Whether the failure `b`, a row of `block`, overlaps the observed part of the period. */
export const touches = (b: string) => `${b}.ends > ${b}.since`;

/** Whether the failure `b` began in the observed part of the period. */
export const began = (b: string) => `(${b}.begins >= ${b}.since and ${b}.begins < ${to})`;

/** Whether the asset was restored from the failure `b` in the observed part of the period. */
export const restored = (b: string) => `(${b}.ends >= ${b}.since and ${b}.ends < ${to})`;

/** Whether the downtime `d` overlaps the period. */
export const inPeriod = (d: string) =>
  `(${d}."startedAt" < ${until} and coalesce(${d}."endedAt", 'infinity'::timestamptz) > ${from} and ${from} < ${until})`;

/** Seconds of a multirange. */
export const seconds = (time: string) =>
  `(select coalesce(sum(date_part('epoch', upper(piece) - lower(piece))), 0) from unnest(${time}) piece)`;

/** Causes that count against availability. In other downtimes, the asset is not required, or lacks only external resources. */
const down = "cause in ('failure', 'planned', 'other')";

/**
 * SQL of the start of an asset's observation: its installation date or, if later, the start of its complete history. Without an
 * installation date, the start of the complete history, else the first record. Failures do not count as first record, because observation
 * that starts with a failure would be biased.
 */
export const observedFrom = (
  a: string,
) => `coalesce(greatest(${a}."installationDate", ${a}."historyCompleteSince"), case when ${a}."createdAt" > ${from}
  then least(${a}."createdAt", (select min(d."startedAt") from "Downtime" d
    where d."tenantId" = $1 and d."assetId" = ${a}.id and d.cause <> 'failure' and d."deletedAt" is null)) else ${a}."createdAt" end)`;

/** Assets with a key each. */
export interface Members {
  /** Selects keys with asset ids and the start of each asset's observation (`observedFrom`). Placeholders start at $4. */
  sql: string;
  values: unknown[];
  /** Whether each asset has only one key. */
  isDistinct?: boolean;
}

/**
 * Run hours of an asset between start and end of its observation, interpolated linearly between the readings of its meter. The time before
 * the first and after the last reading is extrapolated at the mean rate, if it is at most a tenth of the total. Otherwise the asset has no
 * run hours.
 */
const meteredHours = `select a.id as "assetId",
    3600 * (l.ending - f.starting) * date_part('epoch', a.ends - a.begins) / date_part('epoch', l.before - f.after) as run
  from asset a join "Meter" m on m."tenantId" = $1 and m."assetId" = a.id and m.kind = 'run-hours' and m."deletedAt" is null
  cross join lateral (${totalAt("a.begins")}) f cross join lateral (${totalAt("a.ends")}) l
  where a.begins < a.ends and l.before > f.after and l.before - f.after >= 0.9 * (a.ends - a.begins)`;

/**
 * SQL of the total of meter `m` at a time, interpolated between two readings. If there are readings on one side only, `before` and
 * `ending`, or `after` and `starting`, are time and total of the nearest one, and the other two null.
 */
export function totalAt(time: string): string {
  const nearest = (comparison: string, order: string) =>
    `select r."takenAt" as at, r.total::float8 as total from "MeterReading" r where r."tenantId" = $1 and r."meterId" = m.id and r."takenAt" ${comparison} ${time} order by r."takenAt"${order} limit 1`;
  const between = `case when n.at = p.at then p.total else p.total + (n.total - p.total) * date_part('epoch', ${time} - p.at) / date_part('epoch', n.at - p.at) end`;
  const known = "case when p.at is null or n.at is null then";
  return `select ${known} p.at else ${time} end as before, ${known} p.total else ${between} end as ending,
      ${known} n.at else ${time} end as after, ${known} n.total else ${between} end as starting
    from (select 1) one left join lateral (${nearest("<=", " desc")}) p on true left join lateral (${nearest(">=", "")}) n on true`;
}

/** Failures with the seconds during which their orders were worked on and on hold. Overlapping orders count once. */
const worked = `select g."assetId", g.block, g.begins, g.ends, g.since, g.work, greatest(g.span - g.work, 0) as waited from (
    select f."assetId", f.block, f.begins, f.ends, f.since, case when f.orders > 0 then ${seconds("f.active")} end as work, ${seconds("f.span")} as span from (
      select n."assetId", n.block, min(n."startedAt") as begins, max(n."endedAt") as ends, min(n.since) as since, count(n.span) as orders, range_agg(n.span) as span, range_agg(piece) as active
      from numbered n left join lateral unnest(n.active) piece on true group by 1, 2
    ) f
  ) g`;

/** SQL of the times when order `w` was on hold, as a multirange. */
const onHold = `(select range_agg(tstzrange(h."changedAt", greatest(h."changedAt", h.next))) from (
    select c."toStatus", c."changedAt", coalesce(lead(c."changedAt") over (order by c.id), 'infinity') as next
    from "WorkOrderStatusChange" c where c."tenantId" = $1 and c."workOrderId" = w.id
  ) h where h."toStatus" = 'on_hold')`;

/**
 * CTEs with the history of the members. Subsequent parts of the statement can select from `member` and from:
 * - `asset`: each asset once, with start and end of its observation (`observedFrom`).
 * - `found`: downtimes that overlap the period or end at its start. Open ones end at infinity.
 * - `numbered`: failures among them and the downtimes that they continue, with the number of the failure. Overlapping downtimes are one
 *   failure.
 * - `block`: failures, from the start of the first downtime to the end of the last. `work` and `waited` are the seconds during which their
 *   orders were worked on and on hold; `since` is the start of the observation.
 * - `served`: the time in which an asset was observed and in service, as a multirange.
 * - `clock`: the required time of an asset, and its downtime within that, as multiranges.
 * - `metered`: the run seconds of an asset, if its meter was read often enough.
 * - `counted`: sums by asset.
 * PostgreSQL skips the CTEs that the statement does not use. Without `withWork`, no orders are read, and `block.work` and `block.waited`
 * are null.
 */
export const historyOf = (
  { sql, isDistinct }: Members,
  { withWork = true } = {},
): string => `${plannedEachTime}with recursive member as materialized (
  ${sql}
), asset as materialized (
  select m."assetId" as id, greatest(${from}, m."observedFrom") as begins, ${until} as ends
  from ${isDistinct ? "member" : `(select distinct "assetId", "observedFrom" from member)`} m
), found as materialized (
  select d.id, d."assetId", d.cause, d."startedAt", coalesce(d."endedAt", 'infinity') as "endedAt", d."workOrderId",
    case when a.begins < a.ends then tstzrange(d."startedAt", d."endedAt") * tstzrange(a.begins, a.ends) else 'empty' end as time
  from asset a join "Downtime" d on d."tenantId" = $1 and d."assetId" = a.id
  where d."deletedAt" is null and d."startedAt" < ${to} and coalesce(d."endedAt", 'infinity'::timestamptz) >= ${from}
), earlier as (
  select f.id, f."assetId", f."startedAt", f."endedAt", f."workOrderId" from found f where f.cause = 'failure' and f."startedAt" < ${from}
  union
  select d.id, d."assetId", d."startedAt", d."endedAt", d."workOrderId" from earlier e cross join lateral (
    -- Found by the asset's index, for these are few: "offset 0" keeps them from being joined with all downtimes.
    select p.id, p."assetId", p."startedAt", p."endedAt", p."workOrderId" from "Downtime" p
    where p."tenantId" = $1 and p."assetId" = e."assetId" and p."startedAt" < e."startedAt" and p."endedAt" >= e."startedAt" and p.cause = 'failure' and p."deletedAt" is null offset 0
  ) d
), failure as (
  -- From where the first of them begins they are without a gap, so that all between belong to it.
  select d.id, d."assetId", d."startedAt", d."endedAt", d."workOrderId"
  from (select "assetId", min("startedAt") as begins from earlier group by 1) e cross join lateral (
    select p.id, p."assetId", p."startedAt", coalesce(p."endedAt", 'infinity') as "endedAt", p."workOrderId" from "Downtime" p
    where p."tenantId" = $1 and p."assetId" = e."assetId" and p."startedAt" >= e.begins and p."startedAt" < ${from} and p.cause = 'failure' and p."deletedAt" is null offset 0
  ) d
  union all select id, "assetId", "startedAt", "endedAt", "workOrderId" from found where cause = 'failure' and "startedAt" >= ${from}
), numbered as (
  select r.id, r."assetId", r."startedAt", r."endedAt", r."workOrderId", r.span, r.active, a.begins as since,
    count(*) filter (where r.reached is null or r."startedAt" > r.reached) over (partition by r."assetId" order by r."startedAt", r.id) as block
  from (
    select f.id, f."assetId", f."startedAt", f."endedAt", f."workOrderId",
      ${withWork ? "w.span, tstzmultirange(w.span) - coalesce(w.held, '{}') as active" : "null::tstzrange as span, null::tstzmultirange as active"},
      max(f."endedAt") over (partition by f."assetId" order by f."startedAt", f.id rows between unbounded preceding and 1 preceding) as reached
    from failure f${
      withWork
        ? ` left join lateral (select tstzrange(w."startedAt", greatest(w."completedAt", w."startedAt")) as span, ${onHold} as held from "WorkOrder" w
      where w."tenantId" = $1 and w.id = f."workOrderId" and w."startedAt" is not null and w."completedAt" is not null) w on true`
        : ""
    }
  ) r join asset a on a.id = r."assetId"
), block as materialized (
  ${withWork ? worked : `select "assetId", block, min("startedAt") as begins, max("endedAt") as ends, min(since) as since, null::float8 as work, null::float8 as waited from numbered group by 1, 2`}
), served as materialized (
  select a.id as "assetId", a.begins, tstzmultirange(tstzrange(a.begins, a.ends)) - coalesce(o.time, '{}') as service
  from asset a left join (
    select c."assetId", range_agg(tstzrange(c."changedAt", greatest(c."changedAt", coalesce(n."changedAt", 'infinity')))) as time
    from asset a join "AssetStatusChange" c on c."tenantId" = $1 and c."assetId" = a.id and c."toStatus" in ('pending', 'decommissioned')
    left join lateral (
      select n."changedAt" from "AssetStatusChange" n where n."tenantId" = $1 and n."assetId" = c."assetId" and n.id > c.id order by n.id limit 1
    ) n on true group by 1
  ) o on o."assetId" = a.id
  where a.begins < a.ends
), clock as materialized (
  select s."assetId", s.begins, s.service - coalesce(t.idle, '{}') as required, coalesce(t.down, '{}') * (s.service - coalesce(t.idle, '{}')) as down
  from served s left join (
    select "assetId", range_agg(time) filter (where ${down}) as down, range_agg(time) filter (where not ${down}) as idle from found group by 1
  ) t using ("assetId")
), metered as materialized (
  ${meteredHours}
), counted as (
  select c."assetId", c.begins, ${seconds("c.required")} as required, ${seconds("c.down")} as down, h.run,
    coalesce(f.failures, 0) as failures, coalesce(f.restored, 0) as restored, coalesce(f.restoration, 0) as restoration,
    coalesce(f.repaired, 0) as repaired, coalesce(f.repair, 0) as repair, coalesce(f.waited, 0) as waited
  from clock c left join (
    select b."assetId", count(*) filter (where ${began("b")}) as failures, count(*) filter (where ${restored("b")}) as restored,
      sum(date_part('epoch', b.ends - b.begins)) filter (where ${restored("b")}) as restoration, count(b.work) filter (where ${restored("b")}) as repaired,
      sum(b.work) filter (where ${restored("b")}) as repair, sum(b.waited) filter (where ${restored("b")}) as waited
    from block b group by 1
  ) f using ("assetId") left join metered h using ("assetId")
)`;

const columns: Record<FailureCodeKind, string> = { mode: "failureMode", cause: "failureCause", remedy: "remedy" };

/** SQL of the failure code recorded on a corrective order `w`. */
export const codeOf = (kind: FailureCodeKind, w: string) => `case ${w}.type when 'corrective' then ${w}."${columns[kind]}" end`;

/** CTE `coded`, after `historyOf`: each failure by asset and block with the codes of its orders. Null without codes. */
export const codedBy = (kind: FailureCodeKind): string => `coded as (
  select g."assetId", g.block, c.code from (
    select n."assetId", n.block, array_agg(distinct ${codeOf(kind, "w")}) filter (where ${codeOf(kind, "w")} is not null) as codes
    from numbered n left join "WorkOrder" w on w."tenantId" = $1 and w.id = n."workOrderId" group by 1, 2
  ) g cross join lateral unnest(coalesce(g.codes, array[null::text])) c(code)
)`;

/** Sums of `counted`, by the names of their columns. */
export const sums = (row: string): string => {
  const columns = ["required", "down", "failures", "restored", "restoration", "repaired", "repair", "waited"];
  return columns.map((name) => `coalesce(sum(${row}.${name}), 0)::float8 as ${name}`).join(", ");
};

/** Operating time by run hours if available, otherwise required time without downtime, and the number of assets with run hours. */
export const runSums = (row: string): string =>
  `coalesce(sum(coalesce(${row}.run, ${row}.required - ${row}.down)), 0)::float8 as operating, count(${row}.run)::int as metered, count(*)::int as assets`;
