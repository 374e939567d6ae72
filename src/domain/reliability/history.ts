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
  `(select coalesce(sum(extract(epoch from upper(piece) - lower(piece))), 0)::float8 from unnest(${time}) piece)`;

/** Downtime that counts against availability. During the others nobody requires the asset, or it only lacks what it needs from outside. */
const down = "cause in ('failure', 'planned', 'other')";

/**
 * `member` selects keys, each with the ids of its assets and their `createdAt`, with placeholders from $4 on. What follows can select from:
 *   asset     each asset once, and from when to when it is observed: from its creation or the first downtime recorded of it
 *   found     downtimes that are in the period or end at its beginning; they end at infinity while they last
 *   numbered  those of them that are failures, and those that they go on from, with the number of the failure: what overlaps is one
 *   block     failures, from the beginning of the first of their downtimes to the end of the last
 *   repair    seconds of work by the orders of failures that were over in the period
 *   clock     by asset the times, as multiranges, in which it was in service, required, and of that down
 *   counted   sums by asset
 * What is not selected from is not run.
 */
export const historyOf = (member: string): string => `${plannedEachTime}with recursive member as materialized (
  ${member}
), asset as materialized (
  select "assetId" as id, greatest(${from}, case when min("createdAt") > ${from} then least(min("createdAt"), (
      select min(d."startedAt") from "Downtime" d where d."tenantId" = $1 and d."assetId" = member."assetId" and d."deletedAt" is null)) else min("createdAt") end) as begins,
    ${until} as ends
  from member group by 1
), found as materialized (
  select d.id, d."assetId", d.cause, d."startedAt", coalesce(d."endedAt", 'infinity') as "endedAt", d."workOrderId",
    case when a.begins < a.ends then tstzrange(d."startedAt", d."endedAt") * tstzrange(a.begins, a.ends) else 'empty' end as time
  from asset a join "Downtime" d on d."tenantId" = $1 and d."assetId" = a.id
  where d."deletedAt" is null and d."startedAt" < ${to} and coalesce(d."endedAt", 'infinity'::timestamptz) >= ${from}
), earlier as (
  select f.id, f."assetId", f."startedAt", f."endedAt", f."workOrderId" from found f where f.cause = 'failure' and f."startedAt" < ${from}
  union
  select d.id, d."assetId", d."startedAt", d."endedAt", d."workOrderId" from earlier e
  join "Downtime" d on d."tenantId" = $1 and d."assetId" = e."assetId" and d."startedAt" < e."startedAt" and d."endedAt" >= e."startedAt"
  where d.cause = 'failure' and d."deletedAt" is null
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
), block as materialized (
  select "assetId", block, min("startedAt") as begins, max("endedAt") as ends from numbered group by 1, 2
), repair as materialized (
  select r."assetId", r.block, ${seconds("r.time")} as work from (
    select n."assetId", n.block, range_agg(tstzrange(w."startedAt", greatest(w."completedAt", w."startedAt"))) as time
    from numbered n join block b using ("assetId", block)
    join "WorkOrder" w on w."tenantId" = $1 and w.id = n."workOrderId" and w."startedAt" is not null and w."completedAt" is not null
    where ${within("b.ends")} group by 1, 2
  ) r
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
      sum(extract(epoch from b.ends - b.begins)) filter (where ${within("b.ends")}) as restoration, count(r.work) as repaired, sum(r.work) as repair
    from block b left join repair r using ("assetId", block) group by 1
  ) f using ("assetId")
)`;

/** Sums of `counted`, by the names of their columns. */
export const sums = (row: string): string => {
  const columns = ["required", "down", "failures", "restored", "restoration", "repaired", "repair"];
  return columns.map((name) => `coalesce(sum(${row}.${name}), 0)::float8 as ${name}`).join(", ");
};
