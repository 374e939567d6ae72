/** Conditions of readings that make procedures due, evaluated like triggers (trigger-rules.ts). */

import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { insertSelect } from "../../../database/rows/catalogue.js";
import { inUnitOf, type Measured, outcomeOf, type Rule } from "../strategies/trigger-rules.js";
import { maxLate, ofDuration, pastReadings, type Stored, UnitMisfit } from "../strategies/triggers.js";
import { covers, procedureAssets } from "./timed-procedures.js";

/** A condition of a procedure, with its asset's latest readings since the last completion. */
interface Watch extends Rule, Measured {
  procedureId: string;
  position: number;
  assetId: string;
  parameter: string;
  /** Time at which the condition was met, null if it is not. Named like a trigger's notification for `outcomeOf`. */
  notificationId: string | null;
}

/** SQL of the columns of `Watch`. */
const watchColumns = `p.id as "procedureId", c.position, c.parameter, c.threshold, c.unit, c.operator, c.violations, c.samples, c.hysteresis, c."minimumDuration",
  a.id as "assetId", s."trippedSince"::text as "notificationId", past.values, past.units, past.fresh, past.times, past.sensors`;

const joinState = `left join "ProcedureConditionState" s on s."tenantId" = $1 and s."procedureId" = c."procedureId" and s.position = c.position and s."assetId" = a.id`;

/** As for triggers, $2 are the readings, made from $3 to $4. Only readings after the last completion count. */
const selectWatches = `
with first as (
  select min(id) as id from unnest($2::bigint[]) id
), batch as (
  select "assetId", parameter, count(*)::int as size, min("recordedAt") as since from "Reading"
  where "tenantId" = $1 and id = any($2) and "recordedAt" between $3 and $4 group by 1, 2
), pair as (
  select b."assetId", b.parameter, b.size, b.since, (select count(*)::int from (
    select 1 from "Reading" r, first where r."tenantId" = $1 and r."assetId" = b."assetId" and r.parameter = b.parameter and r."recordedAt" > b.since and r.id < first.id
    limit ${maxLate}) newer) as newer
  from batch b where exists (select 1 from "ProcedureCondition" c where c."tenantId" = $1 and c.parameter = b.parameter)
)
select ${watchColumns}
from pair join "ProcedureCondition" c on c."tenantId" = $1 and c.parameter = pair.parameter join "Asset" a on a."tenantId" = $1 and a.id = pair."assetId"
join "Procedure" p on p."tenantId" = $1 and p.id = c."procedureId" and p."deletedAt" is null and p.status = 'active' and ${covers("p", "a.id")}
${joinState}
cross join lateral ${pastReadings(`pair.size + pair.newer + greatest(c.samples - 1, ${ofDuration("pair.since")})`, "id >= (select id from first)", `and r."recordedAt" > coalesce(s.since, '-infinity')`)} past
where past.values is not null order by p.id, c.position`;

/**
 * Updates the states of conditions after readings. A met condition stays due until its work is finished. After a cancellation, it must
 * clear before it can be met again.
 */
async function judge(tx: TenantQueryable, found: Watch[]): Promise<void> {
  const watches = found.map(inUnitOf);
  const misfits = watches.filter((watch) => watch.misfits.size);
  if (misfits.length)
    throw new UnitMisfit(misfits.map(({ assetId, parameter, unit, misfits }) => ({ assetId, parameter, unit: unit!, sent: misfits })));
  const states = watches.flatMap((watch) => {
    const { trips, tripped, at } = outcomeOf(watch);
    const wasTripped = watch.notificationId !== null;
    if (!trips && tripped === wasTripped) return [];
    const { procedureId, position, assetId, times } = watch;
    return [{ procedureId, position, assetId, trippedSince: tripped ? times[at] : null, dueSince: trips ? times[at] : null }];
  });
  if (!states.length) return;
  await tx.query(
    `${insertSelect(
      "ProcedureConditionState",
      {
        procedureId: `r."procedureId"`,
        position: "r.position",
        assetId: `r."assetId"`,
        since: "null::timestamptz",
        trippedSince: `r."trippedSince"`,
        dueSince: `r."dueSince"`,
      },
      `jsonb_populate_recordset(null::"ProcedureConditionState", $2::jsonb) r`,
    )} on conflict ("tenantId", "procedureId", position, "assetId") do update
       set "trippedSince" = excluded."trippedSince", "dueSince" = coalesce("ProcedureConditionState"."dueSince", excluded."dueSince")`,
    JSON.stringify(states),
  );
}

/**
 * Marks active procedures whose conditions the readings meet. Call in the transaction that stored the readings and locked their assets.
 * Throws `UnitMisfit`.
 */
export async function evaluateConditions(tx: TenantQueryable, stored: Stored[]): Promise<void> {
  if (!stored.length) return;
  const times = stored.map(({ recordedAt }) => recordedAt.getTime());
  const [from, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  await judge(
    tx,
    await tx.query<Watch>(
      selectWatches,
      stored.map(({ id }) => id),
      from,
      until,
    ),
  );
}

/** Evaluates the conditions of procedures on all or some of their assets as if the latest reading were new. */
export async function reviewConditions(tx: TenantQueryable, procedureIds: string[], assetIds?: string[]): Promise<void> {
  const watches = await tx.query<Watch>(
    `${plannedEachTime}select ${watchColumns} from "ProcedureCondition" c join ${procedureAssets("p")} on p."tenantId" = $1 and p.id = c."procedureId" and p."deletedAt" is null
     join "Asset" a on a."tenantId" = $1 and a.id = p."assetId" ${joinState}
     cross join lateral (select max("recordedAt") as at from "Reading" r where r."tenantId" = $1 and r."assetId" = a.id and r.parameter = c.parameter) latest
     cross join lateral ${pastReadings(`greatest(c.samples, 1 + ${ofDuration("latest.at")})`, "false", `and r."recordedAt" > coalesce(s.since, '-infinity')`)} past
     where c."tenantId" = $1 and c."procedureId" = any($2) and past.values is not null and s."trippedSince" is null and ($3::text[] is null or a.id = any($3))`,
    procedureIds,
    assetIds ?? null,
  );
  const judged = watches.map(inUnitOf).filter(({ values }) => values.length);
  await judge(
    tx,
    judged.map((watch) => ({ ...watch, units: null, fresh: watch.values.map((_, at) => at === watch.values.length - 1) })),
  );
}
