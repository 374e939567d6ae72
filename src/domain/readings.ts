/** Readings and the trigger conditions they meet (decisions.md, "PM procedures, …"): a constant number of statements for any batch. */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { badInput } from "../schema/errors.js";
import type { ReadingInput, RecordedReadings } from "../schema/reading.js";
import type { Actor } from "./keys.js";
import { notificationChannel, type Raised, raiseNotifications } from "./notifications.js";
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
  /** Oldest first. */
  values: number[];
  /** Which of the values are of this batch. */
  fresh: boolean[];
  /** When and by which sensor each value was measured. */
  times: string[];
  sensors: (string | null)[];
}

/** How far a sensor's clock may be ahead, in minutes: what is dated later would hide all readings until then. */
const maxAhead = 5;

type Rule = Pick<Watch, "operator" | "threshold" | "hysteresis" | "violations" | "samples">;

const symbols: Record<string, string> = { greater_than: ">", less_than: "<", equal: "=" };

function isBeyond({ operator, threshold }: Rule, value: number): boolean {
  if (operator === "greater_than") return value > threshold;
  return operator === "less_than" ? value < threshold : value === threshold;
}

/** Back by more than the hysteresis; without one, not beyond. */
function isBack(watch: Rule, value: number): boolean {
  const { operator, threshold, hysteresis } = watch;
  if (hysteresis === 0) return !isBeyond(watch, value);
  if (operator === "greater_than") return value < threshold - hysteresis;
  return operator === "less_than" ? value > threshold + hysteresis : Math.abs(value - threshold) > hysteresis;
}

export interface Outcome {
  /** Whether it tripped, and so raises its notification, even where it is ready again at the end of the batch. */
  trips: boolean;
  /** Whether a reading was beyond the threshold while it had tripped in an earlier batch. */
  again: boolean;
  /** Whether it is tripped in the end. */
  tripped: boolean;
  /** Which of the values its message tells of. */
  at: number;
}

/** What the new readings do to a trigger, one after the other. A late one may trip it, but does not make it ready: what came later is known. */
export function outcomeOf(watch: Pick<Watch, keyof Rule | "notificationId" | "values" | "fresh">): Outcome {
  const { values, fresh, samples, violations } = watch;
  const outcome: Outcome = { trips: false, again: false, tripped: watch.notificationId !== null, at: values.length - 1 };
  const known = fresh.lastIndexOf(false);
  for (const [at, value] of values.entries()) {
    if (!fresh[at]) continue;
    if (outcome.tripped) {
      if (at > known && isBack(watch, value)) outcome.tripped = false;
      else if (isBeyond(watch, value) && !outcome.trips) Object.assign(outcome, { again: true, at });
      continue;
    }
    const beyond = values.slice(Math.max(0, at + 1 - samples), at + 1).filter((one) => isBeyond(watch, one));
    if (beyond.length >= violations && isBeyond(watch, value)) Object.assign(outcome, { trips: true, tripped: true, at });
  }
  return outcome;
}

/** How many known readings may be newer than one for it to be looked at all the same. */
const maxLate = 100;

/** All that is known of an asset has lesser ids than the batch: its batches are taken one after the other. */
const watched = `
with first as (
  select min(id) as id from unnest($2::bigint[]) id
), batch as (
  select "assetId", parameter, count(*)::int as size, min("recordedAt") as since from "Reading" where "tenantId" = $1 and id = any($2) group by 1, 2
), pair as (
  select batch.*, (select count(*)::int from (
    select 1 from "Reading" r, first where r."tenantId" = $1 and r."assetId" = batch."assetId" and r.parameter = batch.parameter and r."recordedAt" > since and r.id < first.id
    limit ${maxLate}) newer) as newer
  from batch
)
select s.id as "strategyId", s.name as "strategyName", c.*, pair."assetId", t."notificationId", past.*
from pair join "TriggerCondition" c on c."tenantId" = $1 and c.parameter = pair.parameter
join "Strategy" s on s."tenantId" = $1 and s.id = c."strategyId" and s."isActive" and s."deletedAt" is null
join "Asset" a on a."tenantId" = $1 and a.id = pair."assetId" and ${assignedAssets("s", "a")}
left join "TriggerState" t on t."tenantId" = $1 and t."strategyId" = c."strategyId" and t.position = c.position and t."assetId" = pair."assetId"
cross join lateral (
  select array_agg(value order by "recordedAt", id) as values, jsonb_agg(id >= (select id from first) order by "recordedAt", id) as fresh, jsonb_agg("recordedAt" order by "recordedAt", id) as times, jsonb_agg("sensorID" order by "recordedAt", id) as sensors
  from (select value, "recordedAt", "sensorID", id from "Reading" r where r."tenantId" = $1 and r."assetId" = pair."assetId" and r.parameter = pair.parameter
    order by "recordedAt" desc, id desc limit pair.size + pair.newer + c.samples - 1) last) past
order by s.id, c.position, pair."assetId"`;

/** Throws BAD_USER_INPUT naming each reading of an unknown asset or dated ahead, FORBIDDEN for one of another site than the key's. */
export const recordReadings = (db: TenantDatabase, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> =>
  db.transaction(async (tx) => {
    const latest = Date.now() + maxAhead * 60_000;
    const ahead = readings.flatMap(({ recordedAt }, i) =>
      recordedAt && recordedAt.getTime() > latest ? [[`readings.${i}.recordedAt`, `must be at most ${maxAhead} minutes ahead of now`]] : [],
    );
    // Batches of one asset are taken one after the other, so that each sees the triggers the one before has tripped; what has no time
    // gets that of its turn.
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
    const ids = await tx.query<{ id: string }>(
      `insert into "Reading" ("tenantId", "assetId", parameter, value, unit, "sensorID", "recordedAt", "recordedBy")
       select $1, "assetId", parameter, value, unit, "sensorID", coalesce("recordedAt", statement_timestamp()), $3
       from rows from (jsonb_to_recordset($2::jsonb) as ("assetId" text, parameter text, value double precision, unit text, "sensorID" text, "recordedAt" timestamptz)) with ordinality
         as given("assetId", parameter, value, unit, "sensorID", "recordedAt", at) order by at returning id`,
      JSON.stringify(readings),
      actor.keyId,
    );
    // Held, so that the conditions stay as they are read.
    await tx.query(
      `select 1 from "Strategy" s where "tenantId" = $1 and exists (
         select 1 from "TriggerCondition" c where c."tenantId" = $1 and c."strategyId" = s.id and c.parameter = any($2)) order by id for share`,
      [...new Set(readings.map(({ parameter }) => parameter))],
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
  const trips = watches.filter((watch) => watch.trips);
  const raised = trips.length ? await raiseNotifications(tx, actor, trips.map(raisedBy)) : [];
  const again = watches.filter((watch) => watch.again && !watch.trips);
  if (again.length) {
    const updated = await tx.query<{ id: string }>(
      `update "Notification" n set message = given.message, "timestamp" = greatest(n."timestamp", given."timestamp"), metadata = given.metadata, occurrences = n.occurrences + 1, "updatedAt" = now()
       from jsonb_to_recordset($2::jsonb) as given("notificationId" text, message text, "timestamp" timestamptz, metadata jsonb)
       where n."tenantId" = $1 and n.id = given."notificationId" and n."endedAt" is null returning n.id`,
      JSON.stringify(again.map((watch) => ({ ...raisedBy(watch), notificationId: watch.notificationId }))),
    );
    for (const { id } of updated) tx.notify(notificationChannel, { notificationId: id });
  }
  const ready = watches.filter((watch) => !watch.tripped && watch.notificationId !== null);
  if (ready.length)
    await tx.query(
      `delete from "TriggerState" t using jsonb_to_recordset($2::jsonb) as given("strategyId" text, position int, "assetId" text)
       where t."tenantId" = $1 and t."strategyId" = given."strategyId" and t.position = given.position and t."assetId" = given."assetId"`,
      JSON.stringify(ready.map(({ strategyId, position, assetId }) => ({ strategyId, position, assetId }))),
    );
  const tripped = trips.filter((watch) => watch.tripped);
  if (tripped.length) {
    const byKey = new Map(raised.map(({ dedupKey, id }) => [dedupKey, id]));
    await tx.query(
      `insert into "TriggerState" ("tenantId", "strategyId", position, "assetId", "notificationId", "trippedAt")
       select $1, "strategyId", position, "assetId", "notificationId", "trippedAt"
       from jsonb_to_recordset($2::jsonb) as given("strategyId" text, position int, "assetId" text, "notificationId" text, "trippedAt" timestamptz)
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

/** A condition that came to measure something else raises a notification of its own. */
const keyOf = ({ strategyId, position, parameter, assetId }: Watch) => `trigger:${strategyId}:${position}:${assetId}:${parameter}`;

const messageOf = ({ parameter, values, at, unit, operator, threshold, violations, samples }: Watch & Outcome) =>
  `${parameter} is ${values[at]}${unit ? ` ${unit}` : ""}, ${symbols[operator]} ${threshold}${samples > 1 ? ` (${violations} of the last ${samples} readings)` : ""}`;

const raisedBy = (watch: Watch & Outcome): Raised => ({
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
