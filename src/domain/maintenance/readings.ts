/**
 * Readings of assets (docs/decisions.md, "key of readings", "time of readings", "units of readings"). A batch of any size needs a constant number of statements;
 * what it does to triggers is in triggers.ts.
 */
import { insertSelect } from "../../database/catalogue.js";
import { now } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { BulkStatus } from "../../schema/components/enums.js";
import { badInput, conflict } from "../../schema/errors.js";
import type { ReadingInput, ReadingResult, RecordedReadings } from "../../schema/maintenance/reading.js";
import type { Actor } from "../access/keys.js";
import { foreignSite, isForeign } from "../access/site-guard.js";
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

/** Why a reading of a batch is not stored. `reason` follows the name of the field. */
interface Refusal {
  at: number;
  field: "assetId" | "recordedAt" | "unit" | "value";
  reason: string;
}

/** Takes the refusals of one check: throws, or notes them so that the other readings are stored. */
type Refuse = (refusals: Refusal[], error: (refusals: Refusal[]) => Error) => void;

const invalid = (refusals: Refusal[]) =>
  badInput(Object.fromEntries(refusals.map(({ at, field, reason }) => [`readings.${at}.${field}`, reason])));

const anotherValue = ([refusal]: Refusal[]) => {
  const { at, reason } = refusal!;
  return conflict("A reading of this parameter, sensor and time is stored already with another value", {
    details: { [`readings.${at}.value`]: reason },
  }).about(`readings.${at}.value`);
};

/** Whether a reading is the same as one with its key. A missing unit is none, and so is a blank one. */
const isSame = (one: { value: number; unit?: string | null }, other: { value: number; unit?: string | null }) =>
  one.value === other.value && (one.unit?.trim() || null) === (other.unit?.trim() || null);

/** A reading with its place in the batch. */
type Placed = [at: number, reading: ReadingInput];

/** Readings of one key, in the order of the batch. */
type OfOneKey = [Placed, ...Placed[]];

/** Readings by key. Those without a time have no key and stay apart. */
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

/** Stores readings, each key once. The rows of their assets are locked, by every release, so that nobody stores the same key meanwhile. */
async function storeOnce(tx: TenantQueryable, actor: Actor, readings: Placed[], refuse: Refuse): Promise<Stored[]> {
  const groups = byKey(readings);
  const firsts = groups.map(([[, first]]) => first);
  const times = firsts.flatMap(({ recordedAt }) => recordedAt?.getTime() ?? []);
  const sent = JSON.stringify(firsts);
  if (!times.length) return tx.query<Stored>(insertReadings, sent, actor.principalId);
  // The times say in which months known readings are.
  const [from, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const rows = await tx.query<Stored | Known>(insertOnce, sent, actor.principalId, from, until);
  // Release 0.2.0 may have stored several of a key.
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

/** The readings in units that do not fit the thresholds. */
const misfitsIn = (readings: ReadingInput[], { series }: UnitMisfit): Refusal[] =>
  readings.flatMap(({ assetId, parameter, unit }, at): Refusal[] => {
    const misfit = unit != null && series.find((one) => one.assetId === assetId && one.parameter === parameter && one.sent.has(unit));
    return misfit ? [{ at, field: "unit", reason: `cannot be converted to ${misfit.unit}, the unit of the threshold` }] : [];
  });

/** Stores the readings that `isAccepted` and evaluates triggers. Throws `UnitMisfit`. */
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
  // Locked, so that the conditions do not change during the evaluation. Those of procedures hold still by the locks of the assets.
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
 * Stores readings in a transaction and evaluates triggers: all or none. Throws BAD_USER_INPUT naming each reading of an unknown asset, with a time too far
 * ahead or in a unit that does not fit a threshold, CONFLICT for another value of a reading, FORBIDDEN for an asset of another site.
 */
export async function storeReadings(tx: TenantQueryable, actor: Actor, readings: ReadingInput[]): Promise<{ recorded: number }> {
  const refuse: Refuse = (refusals, error) => {
    if (refusals.length) throw error(refusals);
  };
  return store(tx, actor, readings, () => true, refuse).catch((error: unknown) => {
    throw error instanceof UnitMisfit ? invalid(misfitsIn(readings, error)) : error;
  });
}

/** Stores the readings that can be stored, and says of each other why it was refused. */
export async function recordReadings(db: TenantDatabase, actor: Actor, readings: ReadingInput[]): Promise<RecordedReadings> {
  const misfits = new Map<number, Refusal>();
  for (;;) {
    const refused = new Map(misfits);
    const refuse: Refuse = (refusals) => {
      for (const refusal of refusals) refused.set(refusal.at, refusal);
    };
    try {
      const { recorded, raised } = await db.transaction((tx) => {
        // A transaction that meets a conflict runs again.
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
      // Units are judged after the readings are stored. The next run leaves out those that do not fit; each run finds others, else the error is a defect.
      const found = error instanceof UnitMisfit ? misfitsIn(readings, error).filter(({ at }) => !misfits.has(at)) : [];
      if (!found.length) throw error;
      for (const misfit of found) misfits.set(misfit.at, misfit);
    }
  }
}
