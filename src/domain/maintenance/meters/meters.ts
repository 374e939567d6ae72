/** Meters of assets (docs/work.md, "Meters"). meter-readings.ts records their readings. */

import { now, nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, versionConflict } from "../../../database/records/versions.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { MeterKind } from "../../../schema/maintenance/enums.js";
import type { CreateMeterInput, MeterUsage, UpdateMeterInput } from "../../../schema/maintenance/meters/meter.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { mostCounted } from "./meter-rules.js";
import { converterOf } from "./units.js";

type Meter = Rows["Meter"];

export const unknownMeter = (meterId: string) => notFound("Meter", { meterId });

/** Default units. Another unit must be convertible to the default. */
const unitOf: Partial<Record<MeterKind, string>> = { "run-hours": "h", distance: "km" };

/** The unit of a new meter. Throws BAD_USER_INPUT for a unit that does not match its kind. */
function checkedUnit({ kind, unit }: CreateMeterInput): string {
  const own = unitOf[kind];
  if (kind === "run-hours" && unit != null && unit !== "h") throw badInput({ unit: "must be h or left out: run hours are counted in h" });
  if (own) {
    if (unit != null && !converterOf(unit, own)) throw badInput({ unit: `must be a unit of the same kind as ${own}` });
    return unit ?? own;
  }
  if (kind === "other" && !unit?.trim()) throw badInput({ unit: "is required for a meter of kind OTHER" });
  return unit?.trim() || "cycle";
}

function checkRollover({ rolloverAt }: { rolloverAt?: number | null }): void {
  if (rolloverAt != null && rolloverAt > mostCounted) throw badInput({ rolloverAt: "must be at most 100,000,000,000" });
}

/** CONFLICT naming the asset's existing meter of run hours. */
async function hasAlready(tx: TenantQueryable, assetId: string): Promise<Error> {
  const [other] = await tx.query<{ id: string }>(
    `select id from "Meter" where "tenantId" = $1 and "assetId" = $2 and kind = 'run-hours' and "deletedAt" is null`,
    assetId,
  );
  return conflict("The asset already has a meter of run hours; delete it or use another kind", { meterId: other?.id ?? null });
}

/**
 * Serializes the creation of run-hours meters on an asset, so that the conflict can name the existing one. A unique index guarantees the
 * rule.
 */
async function lockAsset(tx: TenantQueryable, assetId: string): Promise<boolean> {
  const found = await tx.query(
    `select 1 from "Asset" where "tenantId" = $1 and id = $2 and "deletedAt" is null for no key update`,
    assetId,
  );
  return found.length > 0;
}

const runHoursOf = (tx: TenantQueryable, assetId: string) => tx.records.Meter.count({ assetId, kind: "run-hours" });

/** Throws BAD_USER_INPUT, FORBIDDEN for an asset of another site, CONFLICT with `meterId` for a second meter of run hours. */
export const createMeter = (db: TenantDatabase, actor: Actor, input: CreateMeterInput): Promise<Meter> =>
  db.transaction(async (tx) => {
    const unit = checkedUnit(input);
    checkRollover(input);
    if (!(await lockAsset(tx, input.assetId))) throw badInput({ assetId: "names no asset; use the id of an existing one" });
    await guardAssets(tx, actor, [input.assetId]);
    if (input.kind === "run-hours" && (await runHoursOf(tx, input.assetId))) throw await hasAlready(tx, input.assetId);
    return tx.records.Meter.create(actor.principalId, { ...input, unit });
  });

/** Returns the meter and locks it. Throws NOT_FOUND, FORBIDDEN for an asset of another site. */
async function locked(tx: TenantQueryable, actor: Actor, id: string): Promise<Meter> {
  const [meter] = await tx.query<Meter>(
    `select ${rowColumns("Meter")} from "Meter" where "tenantId" = $1 and id = $2 and "deletedAt" is null for no key update`,
    id,
  );
  if (!meter) throw unknownMeter(id);
  await guardAssets(tx, actor, [meter.assetId], "all");
  return meter;
}

/** Throws NOT_FOUND, BAD_USER_INPUT, FORBIDDEN, CONFLICT for another version. */
export const updateMeter = (db: TenantDatabase, actor: Actor, id: string, input: UpdateMeterInput, expected?: Expected): Promise<Meter> =>
  db.transaction(async (tx) => {
    await locked(tx, actor, id);
    checkRollover(input);
    if (input.rolloverAt != null) {
      const [last] = await tx.query<{ value: number }>(
        `select value from "MeterReading" where "tenantId" = $1 and "meterId" = $2 order by "takenAt" desc limit 1`,
        id,
      );
      if (last && last.value >= input.rolloverAt) throw badInput({ rolloverAt: `must be above ${last.value}, which the meter shows` });
    }
    const updated = await tx.records.Meter.update(actor.principalId, { id, ...atVersion(expected) }, input);
    if (!updated) throw (await versionConflict(tx, "Meter", id, expected)) ?? unknownMeter(id);
    return updated;
  });

/**
 * Keeps the meter's readings. Procedures are no longer due by it. Returns the deleted meter. Throws NOT_FOUND, FORBIDDEN, CONFLICT for
 * another version.
 */
export const deleteMeter = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<Meter> =>
  db.transaction(async (tx) => {
    await locked(tx, actor, id);
    const deleted = await tx.records.Meter.delete(actor.principalId, { id, ...atVersion(expected) });
    if (!deleted) throw (await versionConflict(tx, "Meter", id, expected)) ?? unknownMeter(id);
    return deleted;
  });

/**
 * Throws NOT_FOUND unless `id` is a deleted meter, FORBIDDEN, CONFLICT with `meterId` if the asset has another meter of run hours by now.
 */
export const restoreMeter = (db: TenantDatabase, actor: Actor, id: string): Promise<Meter> =>
  db.transaction(async (tx) => {
    const deleted = await tx.records.Meter.find({ id }, "deleted");
    if (!deleted) throw unknownMeter(id);
    await guardAssets(tx, actor, [deleted.assetId], "all");
    await lockAsset(tx, deleted.assetId);
    if (deleted.kind === "run-hours" && (await runHoursOf(tx, deleted.assetId))) throw await hasAlready(tx, deleted.assetId);
    return (await tx.records.Meter.restore(actor.principalId, { id })) ?? Promise.reject(unknownMeter(id));
  });

/** Days of readings from which daily usage is computed. */
const usageDays = 90;
/** Minimum for computing daily usage. */
const leastReadings = 3;
const leastDays = 14;

/**
 * SQL of a meter's last total, its time, and the daily usage: the slope of the readings of the last 90 days before `at`. `perDay` is null
 * for fewer than 3 readings or less than 14 days (docs/work.md, "Meters").
 */
export const usageOfMeter = (meter: string, at: string) => `select l.total::float8 as total, l."takenAt" as "readAt", u."perDay"
  from (select case when count(*) >= ${leastReadings} and max(r."takenAt") - min(r."takenAt") >= interval '${leastDays} days'
      then round(regr_slope(r.total::float8, extract(epoch from r."takenAt")::float8 / 86400)::numeric, 4)::float8 end as "perDay"
    from "MeterReading" r where r."tenantId" = $1 and r."meterId" = ${meter} and r."takenAt" > ${at}::timestamptz - interval '${usageDays} days') u
  left join lateral (select r.total, r."takenAt" from "MeterReading" r where r."tenantId" = $1 and r."meterId" = ${meter} order by r."takenAt" desc limit 1) l on true`;

/** Totals and daily usage of meters, as a batch. */
export async function usageOf(db: TenantQueryable, ids: readonly string[]): Promise<MeterUsage[]> {
  const rows = await db.query<Omit<MeterUsage, "total"> & { id: string; total: number | null }>(
    `select k.id, u.total, u."readAt", u."perDay" from unnest($2::text[]) k(id) cross join lateral (${usageOfMeter("k.id", "$3")}) u`,
    ids,
    nowDate(),
  );
  const found = new Map(rows.map(({ id, total, ...row }) => [id, { ...row, total: total ?? 0 }]));
  return ids.map((id) => found.get(id)!);
}

/** Forecast of when a meter reaches `total` at its recent usage. Now, if that time has passed. Null if unknown. */
export function forecastOf({ total: counted, readAt, perDay }: MeterUsage, total: number): Date | null {
  if (!readAt || !perDay) return null;
  const at = readAt.getTime() + Math.max((total - counted) / perDay, 0) * 86_400_000;
  // Timestamps have four-digit years.
  return at < Date.UTC(9999, 0) ? new Date(Math.max(at, now())) : null;
}
