/** The SQL that every figure of reliability begins with: what is known of some assets in a period (docs/work.md, "Downtime and reliability"). */
import { plannedEachTime } from "../../database/database.js";

/** The period [$2, $3). Nothing is known of what comes. */
const from = "$2::timestamptz";
const to = "$3::timestamptz";
const until = "least($3::timestamptz, date_trunc('milliseconds', now()))";

/** Whether a column of times is within the period. */
export const within = (time: string) => `(${time} >= ${from} and ${time} < ${to})`;

/** Seconds of a multirange. */
export const seconds = (time: string) =>
  `(select coalesce(sum(date_part('epoch', upper(piece) - lower(piece))), 0) from unnest(${time}) piece)`;

/** Downtime that counts against availability. During the others nobody requires the asset, or it only lacks what it needs from outside. */
const down = "cause in ('failure', 'planned', 'other')";

/** Assets by keys. */
export interface Members {
  /** Selects keys, each with the ids of its assets and their `createdAt`, with placeholders from $4 on. */
  sql: string;
  values: unknown[];
  /** Whether no asset has two keys. */
  isDistinct?: boolean;
}

/**
 * What follows can select from the members, and from:
 *   asset     each asset once, and from when to when it is observed: from its creation or the first downtime recorded of it
 *   found     downtimes that are in the period or end at its beginning; they end at infinity while they last
 *   numbered  those of them that are failures, and those that they go on from, with the number of the failure: what overlaps is one
 *   block     failures, from the beginning of the first of their downtimes to the end of the last, with the seconds that their orders were worked on
 *   clock     by asset the times, as multiranges, in which it was in service, required, and of that down
 *   counted   sums by asset
 * What is not selected from is not run.
 */
export const historyOf = ({ sql, isDistinct }: Members): string => `${plannedEachTime}with recursive member as materialized (
  ${sql}
), asset as materialized (
  select m."assetId" as id, greatest(${from}, case when m."createdAt" > ${from} then least(m."createdAt", (
      select min(d."startedAt") from "Downtime" d where d."tenantId" = $1 and d."assetId" = m."assetId" and d."deletedAt" is null)) else m."createdAt" end) as begins,
    ${until} as ends
  from ${isDistinct ? "member" : `(select distinct "assetId", "createdAt" from member)`} m
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
  select id, "assetId", "startedAt", "endedAt", "workOrderId" from earlier
  union all select id, "assetId", "startedAt", "endedAt", "workOrderId" from found where cause = 'failure' and "startedAt" >= ${from}
), numbered as materialized (
  select r.id, r."assetId", r."startedAt", r."endedAt", r."workOrderId",
    count(*) filter (where r.reached is null or r."startedAt" > r.reached) over (partition by r."assetId" order by r."startedAt", r.id) as block
  from (
    select f.id, f."assetId", f."startedAt", f."endedAt", f."workOrderId",
      max(f."endedAt") over (partition by f."assetId" order by f."startedAt", f.id rows between unbounded preceding and 1 preceding) as reached
    from failure f
  ) r
), repaired as (
  select n."assetId", n.block, n."startedAt", n."endedAt", case when w."completedAt" is not null then tstzrange(w."startedAt", greatest(w."completedAt", w."startedAt")) end as work
  from numbered n left join "WorkOrder" w on w."tenantId" = $1 and w.id = n."workOrderId" and w."startedAt" is not null
), block as materialized (
  select g."assetId", g.block, g.begins, g.ends, case g.orders when 0 then null when 1 then date_part('epoch', g.work) else ${seconds("g.works")} end as work from (
    select "assetId", block, min("startedAt") as begins, max("endedAt") as ends, count(work) as orders, max(upper(work) - lower(work)) as work, range_agg(work) as works
    from repaired group by 1, 2
  ) g
), clock as materialized (
  select a.id as "assetId", a.begins, s.service, s.service - coalesce(t.idle, '{}') as required, coalesce(t.down, '{}') * (s.service - coalesce(t.idle, '{}')) as down
  from asset a
  left join (
    select "assetId", range_agg(time) filter (where ${down}) as down, range_agg(time) filter (where not ${down}) as idle from found group by 1
  ) t on t."assetId" = a.id
  left join (
    select c."assetId", range_agg(tstzrange(c."changedAt", greatest(c."changedAt", coalesce(n."changedAt", 'infinity')))) as time
    from asset a join "AssetStatusChange" c on c."tenantId" = $1 and c."assetId" = a.id and c."toStatus" in ('pending', 'decommissioned')
    left join lateral (
      select n."changedAt" from "AssetStatusChange" n where n."tenantId" = $1 and n."assetId" = c."assetId" and n.id > c.id order by n.id limit 1
    ) n on true group by 1
  ) o on o."assetId" = a.id
  cross join lateral (select tstzmultirange(tstzrange(a.begins, a.ends)) - coalesce(o.time, '{}') as service) s
  where a.begins < a.ends
), counted as (
  select c."assetId", c.begins, ${seconds("c.required")} as required, ${seconds("c.down")} as down,
    coalesce(f.failures, 0) as failures, coalesce(f.restored, 0) as restored, coalesce(f.restoration, 0) as restoration,
    coalesce(f.repaired, 0) as repaired, coalesce(f.repair, 0) as repair
  from clock c left join (
    select b."assetId", count(*) filter (where ${within("b.begins")}) as failures, count(*) filter (where ${within("b.ends")}) as restored,
      sum(date_part('epoch', b.ends - b.begins)) filter (where ${within("b.ends")}) as restoration,
      count(b.work) filter (where ${within("b.ends")}) as repaired, sum(b.work) filter (where ${within("b.ends")}) as repair
    from block b group by 1
  ) f using ("assetId")
)`;

/** Sums of `counted`, by the names of their columns. */
export const sums = (row: string): string => {
  const columns = ["required", "down", "failures", "restored", "restoration", "repaired", "repair"];
  return columns.map((name) => `coalesce(sum(${row}.${name}), 0)::float8 as ${name}`).join(", ");
};
