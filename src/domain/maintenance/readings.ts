/**
 * Readings of assets (docs/decisions.md, "key of readings", "time of readings", "units of readings"). A batch of any size needs a constant number of statements;
 * what it does to triggers is in triggers.ts.
 */
import { insertSelect } from "../../database/catalogue.js";
import { now } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { badInput, conflict } from "../../schema/errors.js";
import type { ReadingInput, RecordedReadings } from "../../schema/maintenance/reading.js";
import type { Actor } from "../access/keys.js";
import { guardAssets } from "../access/site-guard.js";
import { evaluateConditions } from "./plan-conditions.js";
import { evaluateTriggers, type Stored, UnitMisfit } from "./triggers.js";

/** How far a reading's time may be ahead, in minutes. A later one would hide all readings until then. */
export const maxMinutesAhead = 5;

const storedColumns = {
  ...{ assetId: `r."assetId"`, parameter: "r.parameter", value: "r.value", unit: "r.unit", sensorID: `r."sensorID"` },
  recordedBy: "$3",
};

const sentRows = `jsonb_array_elements($2::jsonb) with ordinality j(json, at), jsonb_populate_record(null::"Reading", j.json) r`;

/** Stores readings without a time of their own. */
const insertReadings = `${insertSelect("Reading", { ...storedColumns, recordedAt: `coalesce(r."recordedAt", statement_timestamp())` }, `${sentRows} order by j.at`)}
  returning id, "recordedAt"`;

/**
 * Stores readings, those with a time made from $4 to $5, but those of a key that is stored already; returns what is stored of these, with their places in the batch.
 * "offset 0" keeps the look-up one by the index for each reading: joined, all readings of the tenant would be read where the planner takes them for few.
 */
const insertOnce = `
with sent as materialized (
  select j.at::int - 1 as at, r."assetId", r.parameter, r.value, r.unit, r."sensorID", r."recordedAt" from ${sentRows}
), known as (
  select s.at, e.value, e.unit from sent s cross join lateral (
    select value, unit from "Reading" e where e."tenantId" = $1 and e."assetId" = s."assetId" and e.parameter = s.parameter
      and e."recordedAt" = s."recordedAt" and e."recordedAt" between $4 and $5 and e."sensorID" is not distinct from s."sensorID" offset 0) e
), stored as (
  ${insertSelect(
    "Reading",
    { ...storedColumns, recordedAt: `coalesce(r."recordedAt", statement_timestamp())` },
    "sent r where not exists (select 1 from known where known.at = r.at) order by r.at",
  )} returning id, "recordedAt"
)
select id, "recordedAt", null::int as at, null::float8 as value, null::text as unit from stored
union all select null, null, at, value, unit from known`;

type Known = { id: null; at: number; value: number; unit: string | null };

const anotherValue = (at: number, value: number, unit: string | null | undefined) =>
  conflict("A reading of this parameter, sensor and time is stored already with another value", {
    details: { [`readings.${at}.value`]: `is ${value}${unit ? ` ${unit}` : ""} already; a reading is not changed` },
  }).about(`readings.${at}.value`);

/** Whether a reading is the same as one with its key. A missing unit is none, and so is a blank one. */
const isSame = (one: { value: number; unit?: string | null }, other: { value: number; unit?: string | null }) =>
  one.value === other.value && (one.unit?.trim() || null) === (other.unit?.trim() || null);

/** The places of readings without those that stand in the batch twice. Throws CONFLICT for two values of one key. */
function placesOnce(readings: ReadingInput[]): number[] {
  const places = new Map<string, number>();
  return readings.flatMap((reading, at) => {
    if (!reading.recordedAt) return [at];
    const key = JSON.stringify([reading.assetId, reading.parameter, reading.sensorID ?? null, reading.recordedAt.getTime()]);
    const first = places.get(key);
    if (first === undefined) {
      places.set(key, at);
      return [at];
    }
    if (!isSame(readings[first]!, reading)) throw anotherValue(at, readings[first]!.value, readings[first]!.unit);
    return [];
  });
}

/** Stores readings, each key once. The rows of their assets are locked, by every release, so that nobody stores the same key meanwhile. */
async function storeOnce(tx: TenantQueryable, actor: Actor, readings: ReadingInput[]): Promise<Stored[]> {
  if (!readings.some(({ recordedAt }) => recordedAt)) return tx.query<Stored>(insertReadings, JSON.stringify(readings), actor.principalId);
  const places = placesOnce(readings);
  const once = places.length === readings.length ? readings : places.map((at) => readings[at]!);
  const times = once.flatMap(({ recordedAt }) => recordedAt?.getTime() ?? []);
  // They say in which months known ones are.
  const [from, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const rows = await tx.query<Stored | Known>(insertOnce, JSON.stringify(once), actor.principalId, from, until);
  const known = rows.filter((row): row is Known => row.id === null);
  if (!known.length) return rows as Stored[];
  // Release 0.2.0 may have stored several of a key.
  const same = new Set(known.filter((row) => isSame(row, once[row.at]!)).map(({ at }) => at));
  const other = known.find(({ at }) => !same.has(at));
  if (other) throw anotherValue(places[other.at]!, other.value, other.unit);
  return rows.filter((row): row is Stored => row.id !== null);
}

/** The error for readings in units that do not fit the thresholds. */
function misfitError(readings: ReadingInput[], { series }: UnitMisfit): Error {
  const details = readings.flatMap(({ assetId, parameter, unit }, at) => {
    const misfit = unit != null && series.find((one) => one.assetId === assetId && one.parameter === parameter && one.sent.has(unit));
    return misfit ? [[`readings.${at}.unit`, `cannot be converted to ${misfit.unit}, the unit of the threshold`]] : [];
  });
  return badInput(Object.fromEntries(details));
}

/**
 * Stores readings in a transaction and evaluates triggers; those that are stored already count as duplicates. Throws BAD_USER_INPUT naming each reading of an
 * unknown asset, with a time too far ahead or in a unit that does not fit a threshold, CONFLICT for another value of a reading, FORBIDDEN for an asset of
 * another site.
 */
export async function storeReadings(tx: TenantQueryable, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> {
  const latest = now() + maxMinutesAhead * 60_000;
  const ahead = readings.flatMap(({ recordedAt }, i) =>
    recordedAt && recordedAt.getTime() > latest
      ? [[`readings.${i}.recordedAt`, `must be at most ${maxMinutesAhead} minutes ahead of now`]]
      : [],
  );
  // Locks the assets, so that each batch of an asset sees the readings and triggers of the previous one. A reading without a time gets the
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
  const stored = await storeOnce(tx, actor, readings);
  // Locked, so that the conditions do not change during the evaluation. Those of procedures hold still by the locks of the assets.
  const [{ isForProcedures }] = (await tx.query<{ isForProcedures: boolean }>(
    `with locked as materialized (
       select 1 from "Strategy" s where "tenantId" = $1 and exists (
         select 1 from "TriggerCondition" c where c."tenantId" = $1 and c."strategyId" = s.id and c.parameter = any($2)) order by id for share
     ) select count(*) as strategies, exists (select 1 from "ProcedureCondition" c where c."tenantId" = $1 and c.parameter = any($2)) as "isForProcedures" from locked`,
    [...new Set(readings.map(({ parameter }) => parameter))],
  )) as [{ isForProcedures: boolean }];
  const named = (error: unknown) => {
    throw error instanceof UnitMisfit ? misfitError(readings, error) : error;
  };
  const raised = await evaluateTriggers(tx, actor, stored).catch(named);
  if (isForProcedures) await evaluateConditions(tx, stored).catch(named);
  return { recorded: stored.length, duplicates: readings.length - stored.length, raised };
}

/** `storeReadings` in a transaction of its own. */
export const recordReadings = (db: TenantDatabase, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> =>
  db.transaction((tx) => storeReadings(tx, actor, readings));
