/**
 * Readings of assets, and the trigger conditions evaluated for them (docs/decisions.md, "triggerConditions", "a trigger that has
 * tripped"). A batch of any size needs a constant number of statements.
 */
import { insertColumns, insertSelect, insertValues } from "../../database/catalogue.js";
import { now } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import type { RaiseNotificationInput } from "../../schema/alerts/notification.js";
import { badInput } from "../../schema/errors.js";
import type { ReadingInput, RecordedReadings } from "../../schema/maintenance/reading.js";
import type { Actor } from "../access/keys.js";
import { guardAssets } from "../access/site-guard.js";
import { raiseNotifications } from "../alerts/notifications.js";
import { assignedAssets } from "./strategies.js";

/** A trigger condition applied to one asset, with the asset's latest readings. */
interface Watch {
  strategyId: string;
  strategyName: string;
  position: number;
  assetId: string;
  parameter: string;
  threshold: number;
  unit: string | null;
  operator: string;
  violations: number;
  samples: number;
  hysteresis: number;
  severity: RaiseNotificationInput["severity"];
  /** The notification of a tripped trigger, open or not; null for a trigger that is not tripped. */
  notificationId: string | null;
  /** Values of the readings, oldest first. */
  values: number[];
  /** Whether each value belongs to this batch. */
  fresh: boolean[];
  /** Time and sensor of each value. */
  times: string[];
  sensors: (string | null)[];
}

type Stored = { id: string; recordedAt: Date };

/** How far a reading's time may be ahead, in minutes. A later one would hide all readings until then. */
const maxMinutesAhead = 5;

type Rule = Pick<Watch, "operator" | "threshold" | "hysteresis" | "violations" | "samples">;

const symbols: Record<string, string> = { greater_than: ">", less_than: "<", equal: "=" };

function isBeyond({ operator, threshold }: Rule, value: number): boolean {
  if (operator === "greater_than") return value > threshold;
  return operator === "less_than" ? value < threshold : value === threshold;
}

/** Whether the value resets a tripped trigger: back from the threshold by more than the hysteresis, or without one, not beyond it. */
function isBack(watch: Rule, value: number): boolean {
  const { operator, threshold, hysteresis } = watch;
  if (hysteresis === 0) return !isBeyond(watch, value);
  if (operator === "greater_than") return value < threshold - hysteresis;
  return operator === "less_than" ? value > threshold + hysteresis : Math.abs(value - threshold) > hysteresis;
}

export interface Outcome {
  /** Whether it trips, and so raises a notification. True even if a later reading of the batch resets it. */
  trips: boolean;
  /** Whether a reading is beyond the threshold while the trigger is tripped by an earlier batch. */
  repeats: boolean;
  /** Whether it is tripped after the batch. */
  tripped: boolean;
  /** Index of the value in the notification's message. */
  at: number;
}

/** Evaluates the batch's readings in order of time. A late reading can trip a trigger but not reset it, because newer readings are known. */
export function outcomeOf(watch: Pick<Watch, keyof Rule | "notificationId" | "values" | "fresh">): Outcome {
  const { values, fresh, samples, violations } = watch;
  const outcome: Outcome = { trips: false, repeats: false, tripped: watch.notificationId !== null, at: values.length - 1 };
  const lastKnown = fresh.lastIndexOf(false);
  for (const [at, value] of values.entries()) {
    if (!fresh[at]) continue;
    if (outcome.tripped) {
      if (at > lastKnown && isBack(watch, value)) outcome.tripped = false;
      else if (isBeyond(watch, value) && !outcome.trips) Object.assign(outcome, { repeats: true, at });
      continue;
    }
    const beyond = values.slice(Math.max(0, at + 1 - samples), at + 1).filter((one) => isBeyond(watch, one));
    if (beyond.length >= violations && isBeyond(watch, value)) Object.assign(outcome, { trips: true, tripped: true, at });
  }
  return outcome;
}

/** Maximum number of newer known readings for a late reading to be evaluated. */
const maxLate = 100;

/**
 * Selects the conditions to evaluate for the readings $2, which were made from $3 to $4, as `Watch`. Batches of an asset are serialized, so known readings have lower ids
 * than the batch.
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
select s.id as "strategyId", s.name as "strategyName", c.position, c.parameter, c.threshold, c.unit, c.operator, c.violations, c.samples, c.hysteresis, c.severity,
  pair."assetId", t."notificationId", past.values, past.fresh, past.times, past.sensors
from pair join "TriggerCondition" c on c."tenantId" = $1 and c.parameter = pair.parameter
join "Strategy" s on s."tenantId" = $1 and s.id = c."strategyId" and s."isActive" and s."deletedAt" is null
join "Asset" a on a."tenantId" = $1 and a.id = pair."assetId" and ${assignedAssets("s", "a")}
left join "TriggerState" t on t."tenantId" = $1 and t."strategyId" = c."strategyId" and t.position = c.position and t."assetId" = pair."assetId"
cross join lateral (
  select array_agg(value order by "recordedAt", id) as values, jsonb_agg(id >= (select id from first) order by "recordedAt", id) as fresh, jsonb_agg("recordedAt" order by "recordedAt", id) as times, jsonb_agg("sensorID" order by "recordedAt", id) as sensors
  from (select value, "recordedAt", "sensorID", id from "Reading" r where r."tenantId" = $1 and r."assetId" = pair."assetId" and r.parameter = pair.parameter
    order by "recordedAt" desc, id desc limit pair.size + pair.newer + c.samples - 1) last) past
order by s.id, c.position, pair."assetId"`;

/**
 * Stores readings and evaluates triggers. Returns the number of readings and the ids of raised notifications. Throws BAD_USER_INPUT
 * naming each reading of an unknown asset or with a time too far ahead, FORBIDDEN for an asset of another site.
 */
export const recordReadings = (db: TenantDatabase, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> =>
  db.transaction(async (tx) => {
    const latest = now() + maxMinutesAhead * 60_000;
    const ahead = readings.flatMap(({ recordedAt }, i) =>
      recordedAt && recordedAt.getTime() > latest
        ? [[`readings.${i}.recordedAt`, `must be at most ${maxMinutesAhead} minutes ahead of now`]]
        : [],
    );
    // Locks the assets, so that each batch of an asset sees the triggers that the previous one tripped. A reading without a time gets the
    // time after the lock.
    const assets = await tx.query<{ id: string }>(
      `select id from "Asset" where "tenantId" = $1 and id = any($2) and "deletedAt" is null order by id for no key update`,
      [...new Set(readings.map(({ assetId }) => assetId))],
    );
    const known = new Set(assets.map(({ id }) => id));
    const unknown = readings.flatMap(({ assetId }, i) =>
      known.has(assetId) ? [] : [[`readings.${i}.assetId`, "names no asset; use the id of an existing one"]],
    );
    if (unknown.length || ahead.length) throw badInput(Object.fromEntries([...unknown, ...ahead]));
    await guardAssets(tx, actor, [...known]);
    const stored = await tx.query<Stored>(
      `${insertSelect(
        "Reading",
        {
          ...{ assetId: `r."assetId"`, parameter: "r.parameter", value: "r.value", unit: "r.unit", sensorID: `r."sensorID"` },
          ...{ recordedAt: `coalesce(r."recordedAt", statement_timestamp())`, recordedBy: "$3" },
        },
        `jsonb_array_elements($2::jsonb) with ordinality j(json, at), jsonb_populate_record(null::"Reading", j.json) r order by j.at`,
      )} returning id, "recordedAt"`,
      JSON.stringify(readings),
      actor.principalId,
    );
    // Locked, so that the conditions do not change during the evaluation.
    await tx.query(
      `select 1 from "Strategy" s where "tenantId" = $1 and exists (
         select 1 from "TriggerCondition" c where c."tenantId" = $1 and c."strategyId" = s.id and c.parameter = any($2)) order by id for share`,
      [...new Set(readings.map(({ parameter }) => parameter))],
    );
    return { recorded: stored.length, raised: await evaluateTriggers(tx, actor, stored) };
  });

/** Raises a notification for each trigger that trips, updates the notifications of triggers that stay tripped, and resets the others. */
async function evaluateTriggers(tx: TenantQueryable, actor: Actor, stored: Stored[]): Promise<string[]> {
  if (!stored.length) return [];
  const ids = stored.map(({ id }) => id);
  const times = stored.map(({ recordedAt }) => recordedAt.getTime());
  // The times of a batch say in which months it is.
  const [from, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const watches = (await tx.query<Watch>(selectWatches, ids, from, until)).map((watch) => ({ ...watch, ...outcomeOf(watch) }));
  const trips = watches.filter((watch) => watch.trips);
  const raised = trips.length ? await raiseNotifications(tx, actor, trips.map(notificationOf)) : [];
  const repeats = watches.filter((watch) => watch.repeats && !watch.trips);
  if (repeats.length) {
    await tx.query(
      `update "Notification" n set message = input.message, "timestamp" = greatest(n."timestamp", input."timestamp"), metadata = input.metadata, occurrences = n.occurrences + 1, "updatedBy" = $3
       from jsonb_to_recordset($2::jsonb) as input("notificationId" text, message text, "timestamp" timestamptz, metadata jsonb)
       where n."tenantId" = $1 and n.id = input."notificationId" and n."endedAt" is null`,
      JSON.stringify(repeats.map((watch) => ({ ...notificationOf(watch), notificationId: watch.notificationId }))),
      actor.principalId,
    );
  }
  const reset = watches.filter((watch) => !watch.tripped && watch.notificationId !== null);
  if (reset.length)
    await tx.query(
      `delete from "TriggerState" t using jsonb_to_recordset($2::jsonb) as input("strategyId" text, position int, "assetId" text)
       where t."tenantId" = $1 and t."strategyId" = input."strategyId" and t.position = input.position and t."assetId" = input."assetId"`,
      JSON.stringify(reset.map(({ strategyId, position, assetId }) => ({ strategyId, position, assetId }))),
    );
  const tripped = trips.filter((watch) => watch.tripped);
  if (tripped.length) {
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
  }
  return raised.map(({ id }) => id);
}

/** Includes the parameter, so that a condition changed to another parameter raises a new notification. */
const keyOf = ({ strategyId, position, parameter, assetId }: Watch) => `trigger:${strategyId}:${position}:${assetId}:${parameter}`;

const messageOf = ({ parameter, values, at, unit, operator, threshold, violations, samples }: Watch & Outcome) =>
  `${parameter} is ${values[at]}${unit ? ` ${unit}` : ""}, ${symbols[operator]} ${threshold}${samples > 1 ? ` (${violations} of the last ${samples} readings)` : ""}`;

const notificationOf = (watch: Watch & Outcome): RaiseNotificationInput => ({
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
    value: watch.values[watch.at],
    threshold: watch.threshold,
    operator: watch.operator,
  },
});
