/** Readings and the trigger conditions they meet (decisions.md, "PM procedures, …"): a constant number of statements for any batch. */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { badInput } from "../schema/errors.js";
import type { ReadingInput, RecordedReadings } from "../schema/reading.js";
import type { Actor } from "./keys.js";
import { type Raised, raiseNotifications } from "./notifications.js";
import { guardAssets } from "./site-guard.js";
import { assignedAssets } from "./strategies.js";

/** A trigger condition and an asset it watches, with its last readings. */
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
  severity: Raised["severity"];
  /** The open or ended notification of a trigger that has tripped and is not ready again. */
  notificationId: string | null;
  /** Oldest first; the last `fresh` of them are of this batch. */
  values: number[];
  fresh: number;
  sensorID: string | null;
  lastAt: Date;
}

const symbols: Record<string, string> = { greater_than: ">", less_than: "<", equal: "=" };

function isBeyond({ operator, threshold }: Watch, value: number): boolean {
  if (operator === "greater_than") return value > threshold;
  return operator === "less_than" ? value < threshold : value === threshold;
}

/** Back by more than the hysteresis; without one, not beyond. */
function isBack({ operator, threshold, hysteresis }: Watch, value: number): boolean {
  if (operator === "greater_than") return value <= threshold - hysteresis;
  return operator === "less_than" ? value >= threshold + hysteresis : Math.abs(value - threshold) > hysteresis;
}

type Outcome = "trip" | "again" | "ready" | "none";

/** What the new readings do to a trigger, one after the other. */
export function outcomeOf(watch: Watch): { outcome: Outcome; value: number } {
  const { values, fresh, samples, violations } = watch;
  let tripped = watch.notificationId !== null;
  let outcome: Outcome = "none";
  let value = values.at(-1)!;
  for (let at = values.length - fresh; at < values.length; at++) {
    const current = values[at]!;
    if (tripped) {
      if (isBack(watch, current)) {
        tripped = false;
        outcome = "ready";
      } else if (isBeyond(watch, current) && outcome !== "trip") {
        outcome = "again";
        value = current;
      }
      continue;
    }
    const beyond = values.slice(Math.max(0, at + 1 - samples), at + 1).filter((one) => isBeyond(watch, one));
    if (beyond.length >= violations && isBeyond(watch, current)) {
      tripped = true;
      outcome = "trip";
      value = current;
    }
  }
  return { outcome, value };
}

/** What trips and comes back within one batch has raised its notification, and is ready again. */
const watched = `
with fresh as (
  select r.id, r."assetId", r.parameter, r."recordedAt", r."sensorID" from "Reading" r where r."tenantId" = $1 and r.id = any($2)
), pair as (
  select "assetId", parameter, count(*)::int as fresh, max("recordedAt") as "lastAt", (array_agg("sensorID" order by "recordedAt" desc, id desc))[1] as "sensorID" from fresh group by 1, 2
)
select s.id as "strategyId", s.name as "strategyName", c.*, pair."assetId", pair.fresh, pair."lastAt", pair."sensorID", t."notificationId",
  array(select value from (
    select value, "recordedAt", id from "Reading" r where r."tenantId" = $1 and r."assetId" = pair."assetId" and r.parameter = pair.parameter
    order by "recordedAt" desc, id desc limit pair.fresh + c.samples - 1) last order by "recordedAt", id) as values
from pair join "TriggerCondition" c on c."tenantId" = $1 and c.parameter = pair.parameter
join "Strategy" s on s."tenantId" = $1 and s.id = c."strategyId" and s."isActive" and s."deletedAt" is null
join "Asset" a on a."tenantId" = $1 and a.id = pair."assetId" and ${assignedAssets("s", "a")}
left join "TriggerState" t on t."tenantId" = $1 and t."strategyId" = c."strategyId" and t.position = c.position and t."assetId" = pair."assetId"
order by s.id, c.position, pair."assetId"`;

/** Throws BAD_USER_INPUT naming each reading of an unknown asset, FORBIDDEN for one of another site than the key's. */
export const recordReadings = (db: TenantDatabase, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> =>
  db.transaction(async (tx) => {
    // Batches of one asset are taken one after the other, so that each sees the triggers the one before has tripped.
    const assets = await tx.query<{ id: string }>(
      `select id from "Asset" where "tenantId" = $1 and id = any($2) and "deletedAt" is null order by id for no key update`,
      [...new Set(readings.map(({ assetId }) => assetId))],
    );
    const known = new Set(assets.map(({ id }) => id));
    const unknown = readings.flatMap(({ assetId }, i) =>
      known.has(assetId) ? [] : [[`readings.${i}.assetId`, "names no asset; use the id of an existing one"]],
    );
    if (unknown.length) throw badInput(Object.fromEntries(unknown));
    await guardAssets(tx, actor, [...known]);
    const ids = await tx.query<{ id: string }>(
      `insert into "Reading" ("tenantId", "assetId", parameter, value, unit, "sensorID", "recordedAt", "recordedBy")
       select $1, "assetId", parameter, value, unit, "sensorID", coalesce("recordedAt", now()), $3
       from rows from (jsonb_to_recordset($2::jsonb) as ("assetId" text, parameter text, value double precision, unit text, "sensorID" text, "recordedAt" timestamptz)) with ordinality
         as given("assetId", parameter, value, unit, "sensorID", "recordedAt", at) order by at returning id`,
      JSON.stringify(readings),
      actor.keyId,
    );
    const raised = await pullTriggers(
      tx,
      actor,
      ids.map(({ id }) => id),
    );
    return { recorded: ids.length, raised };
  });

/** Raises a notification for each trigger that the readings trip, updates those that they keep up, lets ready those that they end. */
async function pullTriggers(tx: TenantQueryable, actor: Actor, readingIds: string[]): Promise<string[]> {
  const watches = (await tx.query<Watch & Row>(watched, readingIds)).map((watch) => ({ ...watch, ...outcomeOf(watch) }));
  const ready = watches.filter(({ outcome }) => outcome === "ready");
  if (ready.length)
    await tx.query(
      `delete from "TriggerState" t using jsonb_to_recordset($2::jsonb) as given("strategyId" text, position int, "assetId" text)
       where t."tenantId" = $1 and t."strategyId" = given."strategyId" and t.position = given.position and t."assetId" = given."assetId"`,
      JSON.stringify(ready),
    );
  const tripped = watches.filter(({ outcome }) => outcome === "trip");
  const raised = tripped.length ? await raiseNotifications(tx, actor, tripped.map(raisedBy)) : [];
  if (raised.length) {
    const byKey = new Map(raised.map(({ dedupKey, id }) => [dedupKey, id]));
    await tx.query(
      `insert into "TriggerState" ("tenantId", "strategyId", position, "assetId", "notificationId", "trippedAt")
       select $1, "strategyId", position, "assetId", "notificationId", "lastAt"
       from jsonb_to_recordset($2::jsonb) as given("strategyId" text, position int, "assetId" text, "notificationId" text, "lastAt" timestamptz)
       on conflict ("tenantId", "strategyId", position, "assetId") do update set "notificationId" = excluded."notificationId", "trippedAt" = excluded."trippedAt"`,
      JSON.stringify(tripped.map((watch) => ({ ...watch, notificationId: byKey.get(keyOf(watch)) }))),
    );
  }
  const again = watches.filter(({ outcome }) => outcome === "again");
  if (again.length)
    await tx.query(
      `update "Notification" n set message = given.message, "timestamp" = greatest(n."timestamp", given."lastAt"), occurrences = n.occurrences + 1, "updatedAt" = now()
       from jsonb_to_recordset($2::jsonb) as given("notificationId" text, message text, "lastAt" timestamptz)
       where n."tenantId" = $1 and n.id = given."notificationId" and n."endedAt" is null`,
      JSON.stringify(again.map((watch) => ({ ...watch, message: messageOf(watch) }))),
    );
  return raised.map(({ id }) => id);
}

const keyOf = ({ strategyId, position, assetId }: Watch) => `trigger:${strategyId}:${position}:${assetId}`;

const messageOf = ({ parameter, value, unit, operator, threshold, violations, samples }: Watch & { value: number }) =>
  `${parameter} is ${value}${unit ? ` ${unit}` : ""}, ${symbols[operator]} ${threshold}${samples > 1 ? ` (${violations} of the last ${samples} readings)` : ""}`;

const raisedBy = (watch: Watch & { value: number }): Raised => ({
  type: "threshold",
  severity: watch.severity,
  title: `${watch.parameter} beyond its threshold`,
  message: messageOf(watch),
  assetId: watch.assetId,
  sensorID: watch.sensorID,
  timestamp: watch.lastAt,
  dedupKey: keyOf(watch),
  metadata: {
    strategy: watch.strategyName,
    parameter: watch.parameter,
    value: watch.value,
    threshold: watch.threshold,
    operator: watch.operator,
  },
});
