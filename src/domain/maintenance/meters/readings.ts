/**
 * Readings of assets (docs/decisions.md, "key of readings", "time of readings", "units of readings"). A batch takes a constant number of
 * statements. triggers.ts evaluates the triggers.
 */

import { now } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { insertSelect } from "../../../database/rows/catalogue.js";
import { BulkStatus } from "../../../schema/components/enums.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { ReadingInput, ReadingResult, RecordedReadings } from "../../../schema/maintenance/meters/reading.js";
import type { Actor } from "../../access/keys.js";
import { foreignSite, isForeign } from "../../access/site-guard.js";
import { evaluateConditions } from "../procedures/plan-conditions.js";
import { evaluateTriggers, type Stored, UnitMisfit } from "../strategies/triggers.js";

/** Maximum minutes that a reading's time may be in the future. A later one would hide all readings until then. */
export const maxMinutesAhead = 5;

const storedColumns = {
  assetId: `r."assetId"`,
  parameter: "r.parameter",
  value: "r.value",
  unit: "r.unit",
  sensorID: `r."sensorID"`,
  recordedBy: "$3",
};

const sentRows = `jsonb_array_elements($2::jsonb) with ordinality j(json, at), jsonb_populate_record(null::"Reading", j.json) r`;

/** Stores readings without a caller-supplied time. */
const insertReadings = `${insertSelect("Reading", { ...storedColumns, recordedAt: `coalesce(r."recordedAt", statement_timestamp())` }, `${sentRows} order by j.at`)}
  returning id, "recordedAt"`;

/**
 * Stores readings, except those whose key is already stored. Readings with a time were made from $4 to $5. Returns the stored values of
 * existing keys, with their positions in the batch. `offset 0` keeps an index lookup per reading. A join would scan all readings of the
 * tenant if the planner underestimates them.
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

/** A reading of a batch that is not stored, with the reason. `reason` is a predicate for the name of the field. */
interface Refusal {
  at: number;
  field: "assetId" | "recordedAt" | "unit" | "value";
  reason: string;
}

/** Receives the refusals of one check. Either throws, or records them so that the other readings are stored. */
type Refuse = (refusals: Refusal[], error: (refusals: Refusal[]) => Error) => void;

const invalid = (refusals: Refusal[]) =>
  badInput(Object.fromEntries(refusals.map(({ at, field, reason }) => [`readings.${at}.${field}`, reason])));

const anotherValue = ([refusal]: Refusal[]) => {
  const { at, reason } = refusal!;
  return conflict("A reading of this parameter, sensor and time is already stored with another value", {
    details: { [`readings.${at}.value`]: reason },
  }).about(`readings.${at}.value`);
};

/** Whether two readings of the same key are equal. A missing unit equals a blank one. */
const isSame = (one: { value: number; unit?: string | null }, other: { value: number; unit?: string | null }) =>
  one.value === other.value && (one.unit?.trim() || null) === (other.unit?.trim() || null);

/** A reading with its position in the batch. */
type Placed = [at: number, reading: ReadingInput];

/** Readings of one key, in batch order. */
type OfOneKey = [Placed, ...Placed[]];

/** Groups readings by key. Readings without a time have no key and are not grouped. */
function byKey(readings: Placed[]): OfOneKey[] {
  const groups = new Map<string | number, OfOneKey>();
  for (const placed of readings) {
    const [at, { assetId, parameter, sensorID, recordedAt }] = placed;
    const key = recordedAt ? JSON.stringify([assetId, parameter, sensorID ?? null, recordedAt.getTime()]) : at;
    const group = groups.get(key);
    if (group) group.push(placed);
    else groups.set(key, [placed]);
  }
  return [...groups.values()];
}

/** Stores each key once. All releases lock the rows of the assets, so that no concurrent transaction stores the same key. */
async function storeOnce(tx: TenantQueryable, actor: Actor, readings: Placed[], refuse: Refuse): Promise<Stored[]> {
  const groups = byKey(readings);
  const firsts = groups.map(([[, first]]) => first);
  const times = firsts.flatMap(({ recordedAt }) => recordedAt?.getTime() ?? []);
  const sent = JSON.stringify(firsts);
  if (!times.length) return tx.query<Stored>(insertReadings, sent, actor.principalId);
  // The times determine the monthly partitions to search.
  const [from, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const rows = await tx.query<Stored | Known>(insertOnce, sent, actor.principalId, from, until);
  // Release 0.2.0 may have stored several readings per key.
  const known = new Map<number, Known[]>();
  for (const row of rows) if (row.id === null) known.set(row.at, [...(known.get(row.at) ?? []), row]);
  const other = groups.flatMap((group, index): Refusal[] => {
    const stored = known.get(index) ?? [firsts[index]!];
    const { value, unit } = stored[0]!;
    return group.flatMap(([at, reading]) =>
      stored.some((one) => isSame(one, reading))
        ? []
        : [{ at, field: "value", reason: `is ${value}${unit ? ` ${unit}` : ""} already; a reading is not changed` }],
    );
  });
  refuse(other, anotherValue);
  return rows.filter((row): row is Stored => row.id !== null);
}

/** The readings whose units cannot be converted to those of the thresholds. */
const misfitsIn = (readings: ReadingInput[], { series }: UnitMisfit): Refusal[] =>
  readings.flatMap(({ assetId, parameter, unit }, at): Refusal[] => {
    const misfit = unit != null && series.find((one) => one.assetId === assetId && one.parameter === parameter && one.sent.has(unit));
    return misfit ? [{ at, field: "unit", reason: `cannot be converted to ${misfit.unit}, the unit of the threshold` }] : [];
  });

/** Stores the readings that satisfy `isAccepted`, and evaluates triggers. Throws `UnitMisfit`. */
async function store(
  tx: TenantQueryable,
  actor: Actor,
  readings: ReadingInput[],
  isAccepted: (at: number) => boolean,
  refuse: Refuse,
): Promise<{ recorded: number; raised: string[] }> {
  const latest = now() + maxMinutesAhead * 60_000;
  // Locks the assets, so that each batch of an asset sees the readings and triggers of the previous one. A reading without a time gets the
  // time after the lock.
  const assets = await tx.query<{ id: string; site: string }>(
    `select id, site from "Asset" where "tenantId" = $1 and id = any($2) and "deletedAt" is null order by id for no key update`,
    [...new Set(readings.map(({ assetId }) => assetId))],
  );
  const sites = new Map(assets.map(({ id, site }) => [id, site]));
  const placed = () => readings.map((reading, at): Placed => [at, reading]).filter(([at]) => isAccepted(at));
  refuse(
    placed().flatMap(([at, { assetId, recordedAt }]): Refusal[] => {
      if (!sites.has(assetId)) return [{ at, field: "assetId", reason: "names no asset; use the id of an existing one" }];
      if (recordedAt && recordedAt.getTime() > latest)
        return [{ at, field: "recordedAt", reason: `must be at most ${maxMinutesAhead} minutes ahead of now` }];
      return [];
    }),
    invalid,
  );
  refuse(
    placed().flatMap(([at, { assetId }]): Refusal[] =>
      isForeign(actor, sites.get(assetId)!) ? [{ at, field: "assetId", reason: "names an asset outside the key's sites" }] : [],
    ),
    () => foreignSite(),
  );
  const accepted = placed();
  if (!accepted.length) return { recorded: 0, raised: [] };
  const stored = await storeOnce(tx, actor, accepted, refuse);
  // Locks the strategies, so that their conditions do not change during evaluation. Conditions of procedures are protected by the locks of
  // the assets.
  const [{ isForProcedures }] = (await tx.query<{ isForProcedures: boolean }>(
    `with locked as materialized (
       select 1 from "Strategy" s where "tenantId" = $1 and exists (
         select 1 from "TriggerCondition" c where c."tenantId" = $1 and c."strategyId" = s.id and c.parameter = any($2)) order by id for share
     ) select count(*) as strategies, exists (select 1 from "ProcedureCondition" c where c."tenantId" = $1 and c.parameter = any($2)) as "isForProcedures" from locked`,
    [...new Set(accepted.map(([, { parameter }]) => parameter))],
  )) as [{ isForProcedures: boolean }];
  const raised = await evaluateTriggers(tx, actor, stored);
  if (isForProcedures) await evaluateConditions(tx, stored);
  return { recorded: stored.length, raised };
}

/**
 * Stores readings and evaluates triggers in a transaction, all or none. Throws BAD_USER_INPUT naming each reading with an unknown asset, a
 * time too far in the future, or a unit incompatible with a threshold. Throws CONFLICT for a different value of a stored reading, FORBIDDEN
 * for an asset of another site.
 */
export async function storeReadings(tx: TenantQueryable, actor: Actor, readings: ReadingInput[]): Promise<{ recorded: number }> {
  const refuse: Refuse = (refusals, error) => {
    if (refusals.length) throw error(refusals);
  };
  return store(tx, actor, readings, () => true, refuse).catch((error: unknown) => {
    throw error instanceof UnitMisfit ? invalid(misfitsIn(readings, error)) : error;
  });
}

/** Stores the valid readings, and returns the reason for each refused one. */
export async function recordReadings(db: TenantDatabase, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> {
  const misfits = new Map<number, Refusal>();
  for (;;) {
    const refused = new Map(misfits);
    const refuse: Refuse = (refusals) => {
      for (const refusal of refusals) refused.set(refusal.at, refusal);
    };
    try {
      const { recorded, raised } = await db.transaction((tx) => {
        // After a write conflict, the transaction runs again.
        refused.clear();
        refuse([...misfits.values()], invalid);
        return store(tx, actor, readings, (at) => !refused.has(at), refuse);
      });
      const results = readings.map((_, at): ReadingResult => {
        const refusal = refused.get(at);
        return refusal
          ? { status: BulkStatus.FAILED, field: refusal.field, error: `${refusal.field} ${refusal.reason}` }
          : { status: BulkStatus.SUCCESS };
      });
      return { recorded, duplicates: readings.length - refused.size - recorded, failed: refused.size, raised, results };
    } catch (error) {
      // Units are checked after the readings are stored. The next run omits the incompatible readings. Each run must find new ones;
      // otherwise the error is a defect.
      const found = error instanceof UnitMisfit ? misfitsIn(readings, error).filter(({ at }) => !misfits.has(at)) : [];
      if (!found.length) throw error;
      for (const misfit of found) misfits.set(misfit.at, misfit);
    }
  }
}
