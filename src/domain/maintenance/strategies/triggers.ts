/**
 * Trigger conditions of strategies. They are evaluated for new readings, and reviewed after changes of the watched assets
 * (docs/decisions.md, "triggerConditions", "a trigger that has tripped"). The number of statements does not depend on the number of
 * readings and assets.
 */

import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { insertColumns, insertValues } from "../../../database/rows/catalogue.js";
import type { RaiseNotificationInput } from "../../../schema/alerts/notification-input.js";
import type { Actor } from "../../access/keys.js";
import { resolveRepaired } from "../../alerts/alert-orders.js";
import { raiseNotifications } from "../../alerts/notifications.js";
import { assignedAssets } from "./strategy-assets.js";
import {
  type Converted,
  inUnitOf,
  limitText,
  type Measured,
  maxInDuration,
  type Outcome,
  outcomeOf,
  type Rule,
  withUnit,
} from "./trigger-rules.js";

/** A trigger condition applied to one asset, with the asset's latest readings. */
interface Watch extends Rule, Measured {
  strategyId: string;
  strategyName: string;
  position: number;
  assetId: string;
  parameter: string;
  severity: RaiseNotificationInput["severity"];
  /**
   * The open or shelved notification of a tripped trigger. Null if the trigger is not tripped, or if its notification was closed otherwise.
   */
  notificationId: string | null;
  /** The last notification raised by the trigger since its last reset. */
  lastId: string | null;
  /** Whether a notification of the trigger is shelved. While it is, the trigger raises none. */
  isShelved: boolean;
}

type Judged = Watch & Converted & Outcome;

/** Maximum number of newer known readings for a late reading to be evaluated. */
export const maxLate = 100;

/** SQL of `keyOf`. */
const keySql = `'trigger:' || s.id || ':' || c.position || ':' || a.id || ':' || c.parameter`;

/** SQL of the columns of `Watch`. */
const watchColumns = `s.id as "strategyId", s.name as "strategyName", c.position, c.parameter, c.threshold, c.unit, c.operator, c.violations, c.samples, c.hysteresis,
  c."minimumDuration", c.severity, a.id as "assetId", case when n."endedAt" is null or n."shelvedUntil" > now() then t."notificationId" end as "notificationId",
  t."notificationId" as "lastId", exists (select 1 from "Notification" h where h."tenantId" = $1 and h."dedupKey" = ${keySql} and h."shelvedUntil" > now()) as "isShelved", past.values, past.units, past.fresh, past.times, past.sensors`;

/** SQL of the last `count` readings of asset `a` for condition `c` that satisfy `condition`. `isFresh` marks those of the batch. */
export const pastReadings = (count: string, isFresh: string, condition = "") => `(
  select array_agg(value order by "recordedAt", id) as values, jsonb_agg(unit order by "recordedAt", id) filter (where c.unit is not null) as units,
    jsonb_agg(${isFresh} order by "recordedAt", id) as fresh, jsonb_agg("recordedAt" order by "recordedAt", id) as times, jsonb_agg("sensorID" order by "recordedAt", id) as sensors
  from (select value, unit, "recordedAt", "sensorID", id from "Reading" r where r."tenantId" = $1 and r."assetId" = a.id and r.parameter = c.parameter ${condition}
    order by "recordedAt" desc, id desc limit ${count}) last)`;

/** SQL of the number of readings before `since` that a minimum duration requires: those within it, and the preceding one. */
export const ofDuration = (since: string) => `case when c."minimumDuration" > 0 then 1 + (select count(*)::int from (
    select 1 from "Reading" r where r."tenantId" = $1 and r."assetId" = a.id and r.parameter = c.parameter
      and r."recordedAt" < ${since} and r."recordedAt" >= ${since} - c."minimumDuration" * interval '1 minute' limit ${maxInDuration}) long) else 0 end`;

const triggerOf = `"TriggerState" t on t."tenantId" = $1 and t."strategyId" = c."strategyId" and t.position = c.position and t."assetId" = a.id
left join "Notification" n on n."tenantId" = $1 and n.id = t."notificationId"`;

/**
 * Selects the conditions to evaluate for the readings $2, which were made from $3 to $4, as `Watch`. Batches of an asset are serialized, so
 * known readings have lower ids than the batch.
 */
const selectWatches = `
with first as (
  select min(id) as id from unnest($2::bigint[]) id
), batch as (
  select "assetId", parameter, count(*)::int as size, min("recordedAt") as since from "Reading"
  where "tenantId" = $1 and id = any($2) and "recordedAt" between $3 and $4 group by 1, 2
), pair as (
  select batch."assetId", batch.parameter, batch.size, batch.since, (select count(*)::int from (
    select 1 from "Reading" r, first where r."tenantId" = $1 and r."assetId" = batch."assetId" and r.parameter = batch.parameter and r."recordedAt" > since and r.id < first.id
    limit ${maxLate}) newer) as newer
  from batch
)
select ${watchColumns}
from pair join "TriggerCondition" c on c."tenantId" = $1 and c.parameter = pair.parameter
join "Strategy" s on s."tenantId" = $1 and s.id = c."strategyId" and s."isActive" and s."deletedAt" is null
join "Asset" a on a."tenantId" = $1 and a.id = pair."assetId" and ${assignedAssets("s", "a")}
left join ${triggerOf}
cross join lateral ${pastReadings(`pair.size + pair.newer + greatest(c.samples - 1, ${ofDuration("pair.since")})`, "id >= (select id from first)")} past
order by s.id, c.position, a.id`;

export interface Stored {
  id: string;
  recordedAt: Date;
}

/** Incompatible units of new readings: for each series, the unit of the threshold and the units sent. */
export class UnitMisfit extends Error {
  constructor(readonly series: { assetId: string; parameter: string; unit: string; sent: Set<string> }[]) {
    super("readings in units that do not fit");
  }
}

/**
 * Raises notifications for triggers that trip, updates the notifications of triggers that stay tripped, and resets the others. Returns the
 * ids of raised notifications. Throws `UnitMisfit`.
 */
export async function evaluateTriggers(tx: TenantQueryable, actor: Actor, stored: Stored[]): Promise<string[]> {
  if (!stored.length) return [];
  const ids = stored.map(({ id }) => id);
  const times = stored.map(({ recordedAt }) => recordedAt.getTime());
  // The times of a batch determine the monthly partitions to search.
  const [from, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const converted = (await tx.query<Watch>(selectWatches, ids, from, until)).map(inUnitOf);
  const misfits = converted.filter((watch) => watch.misfits.size);
  if (misfits.length)
    throw new UnitMisfit(misfits.map(({ assetId, parameter, unit, misfits }) => ({ assetId, parameter, unit: unit!, sent: misfits })));
  const watches = converted.map((watch): Judged => ({ ...watch, ...outcomeOf(watch) }));
  const repeats = watches.filter((watch) => watch.repeats && !watch.trips);
  const raised = await trip(tx, actor, watches);
  if (repeats.length) {
    await tx.query(
      `update "Notification" n set message = input.message, "timestamp" = greatest(n."timestamp", input."timestamp"), metadata = input.metadata, occurrences = n.occurrences + 1, "updatedBy" = $3
       from jsonb_to_recordset($2::jsonb) as input("notificationId" text, message text, "timestamp" timestamptz, metadata jsonb)
       where n."tenantId" = $1 and n.id = input."notificationId" and n."endedAt" is null`,
      JSON.stringify(repeats.map((watch) => ({ ...notificationOf(watch), notificationId: watch.notificationId }))),
      actor.principalId,
    );
  }
  const reset = watches.filter((watch) => !watch.tripped && watch.lastId !== null);
  if (reset.length) {
    await tx.query(
      `delete from "TriggerState" t using jsonb_to_recordset($2::jsonb) as input("strategyId" text, position int, "assetId" text)
       where t."tenantId" = $1 and t."strategyId" = input."strategyId" and t.position = input.position and t."assetId" = input."assetId"`,
      JSON.stringify(reset.map(({ strategyId, position, assetId }) => ({ strategyId, position, assetId }))),
    );
    await resolveRepaired(
      tx,
      actor,
      reset.map(({ lastId }) => lastId!),
    );
  }
  return raised;
}

/** Raises the notifications of triggers that trip, and stores which triggers stay tripped. Returns the ids of the notifications. */
async function trip(tx: TenantQueryable, actor: Actor, watches: Judged[]): Promise<string[]> {
  const trips = watches.filter((watch) => watch.trips && !watch.isShelved);
  const raised = trips.length ? await raiseNotifications(tx, actor, trips.map(notificationOf)) : [];
  const tripped = trips.filter((watch) => watch.tripped);
  if (!tripped.length) return raised.map(({ id }) => id);
  const byKey = new Map(raised.map(({ dedupKey, id }) => [dedupKey, id]));
  await tx.query(
    `insert into "TriggerState" ("tenantId", ${insertColumns("TriggerState")})
     select $1, ${insertValues("TriggerState", "r")} from jsonb_populate_recordset(null::"TriggerState", $2::jsonb) r
     on conflict ("tenantId", "strategyId", position, "assetId") do update set "notificationId" = excluded."notificationId", "trippedAt" = excluded."trippedAt"`,
    JSON.stringify(
      tripped.map((watch) => {
        const { strategyId, position, assetId, times, at } = watch;
        return { strategyId, position, assetId, notificationId: byKey.get(keyOf(watch)), trippedAt: times[at] };
      }),
    ),
  );
  return raised.map(({ id }) => id);
}

/** The subject of a change, which the caller has locked: assets, or a strategy with all or some of its assets. */
export interface Changed {
  strategyId?: string;
  assetIds?: string[];
  /** Notifications of triggers that the change has already reset. */
  reset?: string[];
}

/**
 * Reviews triggers after a change of assets or a strategy. Resets triggers of assets that their strategy no longer covers, and trips those
 * whose condition the latest readings meet. After a change of assets, locks the strategies against concurrent changes.
 */
export async function reviewTriggers(tx: TenantQueryable, actor: Actor, { strategyId, assetIds, reset = [] }: Changed): Promise<void> {
  if (strategyId === undefined && !assetIds?.length) return;
  if (strategyId === undefined) {
    // Locks all strategies with conditions, because a concurrent change could make one cover these assets.
    const [watching] = await tx.query(
      `select 1 from "Strategy" s where "tenantId" = $1 and exists (
         select 1 from "TriggerCondition" c where c."tenantId" = $1 and c."strategyId" = s.id) order by id for share`,
    );
    if (!watching) return;
  }
  const scope = [strategyId ?? null, assetIds ?? null];
  const inScope = (strategy: string, asset: string) =>
    `($2::text is null or ${strategy} = $2) and ($3::text[] is null or ${asset} = any($3))`;
  const unwatched = await tx.query<{ notificationId: string }>(
    `delete from "TriggerState" t using "Strategy" s, "Asset" a where t."tenantId" = $1 and ${inScope(`t."strategyId"`, `t."assetId"`)} and s."tenantId" = $1 and s.id = t."strategyId"
       and a."tenantId" = $1 and a.id = t."assetId" and not (s."isActive" and s."deletedAt" is null and a."deletedAt" is null and ${assignedAssets("s", "a")}) returning t."notificationId"`,
    ...scope,
  );
  const watches = await tx.query<Watch>(
    // The plans for one strategy and for some assets differ, so the statement is planned each time.
    `${plannedEachTime}select ${watchColumns} from "Strategy" s join "TriggerCondition" c on c."tenantId" = $1 and c."strategyId" = s.id
     join "Asset" a on a."tenantId" = $1 and a."deletedAt" is null and ${assignedAssets("s", "a")}
     left join ${triggerOf}
     cross join lateral (select max("recordedAt") as at from "Reading" r where r."tenantId" = $1 and r."assetId" = a.id and r.parameter = c.parameter) latest
     cross join lateral ${pastReadings(`greatest(c.samples, 1 + ${ofDuration("latest.at")})`, "false")} past
     where s."tenantId" = $1 and s."isActive" and s."deletedAt" is null and ${inScope("s.id", "a.id")} and latest.at is not null and t."notificationId" is null
     order by s.id, c.position, a.id`,
    ...scope,
  );
  const judged = watches.map(inUnitOf).flatMap((watch): Judged[] => {
    // Evaluated as if the latest reading were new.
    const fresh = watch.values.map((_, at) => at === watch.values.length - 1);
    return fresh.length ? [{ ...watch, fresh, ...outcomeOf({ ...watch, fresh }) }] : [];
  });
  await trip(tx, actor, judged);
  await resolveRepaired(tx, actor, [...reset, ...unwatched.map(({ notificationId }) => notificationId)]);
}

/** Includes the parameter, so that a condition changed to another parameter raises a new notification. */
const keyOf = ({ strategyId, position, parameter, assetId }: Watch) => `trigger:${strategyId}:${position}:${assetId}:${parameter}`;

function messageOf(watch: Judged): string {
  const { parameter, values, at, sent, unit, threshold } = watch;
  const asSent = sent?.[at] ? ` (${withUnit(sent[at].value, sent[at].unit)})` : "";
  return `${parameter} is ${withUnit(values[at], unit)}${asSent}, ${limitText(watch, String(threshold))}`;
}

const notificationOf = (watch: Judged): RaiseNotificationInput => ({
  type: "threshold",
  severity: watch.severity,
  title: `${watch.parameter} beyond its threshold`,
  message: messageOf(watch),
  assetId: watch.assetId,
  sensorID: watch.sensors[watch.at],
  timestamp: new Date(watch.times[watch.at]!),
  dedupKey: keyOf(watch),
  metadata: {
    strategy: watch.strategyName,
    parameter: watch.parameter,
    value: watch.values[watch.at]!,
    threshold: watch.threshold,
    operator: watch.operator,
    ...(watch.sent?.[watch.at] && { sentValue: watch.sent[watch.at]!.value, sentUnit: watch.sent[watch.at]!.unit }),
  },
});
