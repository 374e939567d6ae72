/** Recording of meter readings (docs/work.md, "Meters"), and the procedures that they make due. */

import { now, nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { MeterReadingInput, RecordedMeterReadings } from "../../../schema/maintenance/meters/meter.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { basedAfter, countAnew, doneAt } from "./meter-bases.js";
import { countOf, type KnownReading, type NewReading, rounded } from "./meter-rules.js";
import { unknownMeter } from "./meters.js";
import { maxMinutesAhead } from "./readings.js";
import { converterOf } from "./units.js";

type LockedMeter = Pick<Rows["Meter"], "id" | "assetId" | "unit" | "rolloverAt">;

/** A reading in the unit of its meter, with its position in the batch. */
interface Sent extends NewReading {
  at: number;
  meterId: string;
}

type Known = KnownReading & { finalValue: number | null };

interface Neighbours {
  at: number;
  same: Known | null;
  before: Known | null;
  after: Known | null;
}

/** Locks the live meters of live assets, so that each batch sees the readings of the previous one. */
const lockMeters = (tx: TenantQueryable, ids: string[]) =>
  tx.query<LockedMeter>(
    `select m.id, m."assetId", m.unit, m."rolloverAt" from "Meter" m join "Asset" a on a."tenantId" = $1 and a.id = m."assetId" and a."deletedAt" is null
     where m."tenantId" = $1 and m.id = any($2) and m."deletedAt" is null order by m.id for no key update of m`,
    [...new Set(ids)],
  );

/** The stored readings at the same time, before and after each reading sent. Dates arrive as JSON text. */
async function neighboursOf(tx: TenantQueryable, sent: Sent[]): Promise<Map<number, Neighbours>> {
  const one = (comparison: string, order: string) =>
    `(select to_jsonb(o) from (select r."takenAt", r.kind, r.value, r."finalValue", r.total from "MeterReading" r
       where r."tenantId" = $1 and r."meterId" = s."meterId" and r."takenAt" ${comparison} s."takenAt" order by r."takenAt"${order} limit 1) o)`;
  const rows = await tx.query<Neighbours>(
    `select s.at, ${one("=", "")} as same, ${one("<", " desc")} as before, ${one(">", "")} as after
     from jsonb_to_recordset($2::jsonb) s(at int, "meterId" text, "takenAt" timestamptz)`,
    JSON.stringify(sent.map(({ at, meterId, takenAt }) => ({ at, meterId, takenAt }))),
  );
  const dated = (known: Known | null) => known && { ...known, takenAt: new Date(known.takenAt) };
  return new Map(rows.map((row) => [row.at, { ...row, same: dated(row.same), before: dated(row.before), after: dated(row.after) }]));
}

/** Readings in the units of their meters. Throws BAD_USER_INPUT naming each unknown meter, future time and incompatible unit. */
function converted(readings: MeterReadingInput[], meters: Map<string, LockedMeter>): Sent[] {
  const details: Record<string, string> = {};
  const present = nowDate();
  const latest = now() + maxMinutesAhead * 60_000;
  const sent = readings.map(({ meterId, value, unit, takenAt, rollover, finalValue }, at): Sent => {
    const meter = meters.get(meterId);
    const convert = meter && unit != null && unit !== meter.unit ? converterOf(unit, meter.unit) : (own: number) => own;
    if (!meter) details[`readings.${at}.meterId`] = "names no meter; use the id of an existing one";
    else if (!convert) details[`readings.${at}.unit`] = `cannot be converted to ${meter.unit}, the unit of the meter`;
    if (takenAt && takenAt.getTime() > latest)
      details[`readings.${at}.takenAt`] = `must be at most ${maxMinutesAhead} minutes ahead of now`;
    const own = (shown: number) => rounded((convert ?? ((same) => same))(shown));
    return {
      at,
      meterId,
      takenAt: takenAt ?? present,
      value: own(value),
      rollover,
      finalValue: finalValue == null ? null : own(finalValue),
    };
  });
  if (Object.keys(details).length) throw badInput(details);
  return sent;
}

const isSame = (known: Known, { value, rollover, finalValue }: Sent) =>
  known.value === value && (known.kind === "rollover") === (rollover ?? false) && known.finalValue === (finalValue ?? null);

const anotherValue = ({ at }: Sent, { value, takenAt }: Known, unit: string) =>
  conflict("A reading of this meter and time is already stored with another value", {
    details: { [`readings.${at}.value`]: `is ${value} ${unit} at ${takenAt.toISOString()} already; a reading is not changed` },
  }).about(`readings.${at}.value`);

type Stored = Pick<Rows["MeterReading"], "id" | "meterId" | "takenAt" | "kind" | "value" | "finalValue" | "total">;

/**
 * The readings to store, in order of time. Throws CONFLICT for a different value at a stored time, BAD_USER_INPUT naming each implausible
 * value.
 */
function counted(sent: Sent[], meters: Map<string, LockedMeter>, known: Map<number, Neighbours>): Stored[] {
  const details: Record<string, string> = {};
  const stored: Stored[] = [];
  const last = new Map<string, Known>();
  for (const one of sent.toSorted((a, b) => a.takenAt.getTime() - b.takenAt.getTime())) {
    const meter = meters.get(one.meterId)!;
    const { same, before, after } = known.get(one.at)!;
    const earlier = last.get(one.meterId);
    const twice = earlier?.takenAt.getTime() === one.takenAt.getTime() ? earlier : same;
    if (twice) {
      if (!isSame(twice, one)) throw anotherValue(one, twice, meter.unit);
      continue;
    }
    const previous = earlier && (!before || earlier.takenAt > before.takenAt) ? earlier : before;
    const result = countOf(meter, one, previous ?? undefined, after ?? undefined);
    if ("field" in result) {
      details[`readings.${one.at}.${result.field}`] = result.message;
      continue;
    }
    const row = {
      id: newId(),
      meterId: one.meterId,
      takenAt: one.takenAt,
      value: one.value,
      finalValue: one.finalValue ?? null,
      ...result,
    };
    stored.push(row);
    last.set(one.meterId, row);
  }
  if (Object.keys(details).length) throw badInput(details);
  return stored;
}

/**
 * Marks the procedures that readings after the last completion make due. Returns their ids. A completion takes the lock of the meter too.
 */
async function markDue(tx: TenantQueryable, json: string, meterIds: string[]): Promise<string[]> {
  const reached = `(select min(r."takenAt") from jsonb_populate_recordset(null::"MeterReading", $2::jsonb) r where r."meterId" = k."meterId" and r.total >= k."dueAtTotal"
    and r."takenAt" > coalesce(${doneAt}, '-infinity'))`;
  const due = await tx.query<{ procedureId: string }>(
    `update "ProcedureMeter" k set "dueSince" = ${reached} where k."tenantId" = $1 and k."meterId" = any($3) and k."dueSince" is null and ${reached} is not null
     returning k."procedureId"`,
    json,
    meterIds,
  );
  return [...new Set(due.map(({ procedureId }) => procedureId))].sort();
}

/**
 * Records readings in one transaction, all or none. Readings already stored count as duplicates. Throws BAD_USER_INPUT naming each reading
 * with an unknown meter, a future time, an incompatible unit, or a value that does not fit between its neighbors. Throws CONFLICT for a
 * different value at a stored time, FORBIDDEN for an asset of another site.
 */
export const recordMeterReadings = (db: TenantDatabase, actor: Actor, readings: MeterReadingInput[]): Promise<RecordedMeterReadings> =>
  db.transaction(async (tx) => {
    const meters = new Map(
      (
        await lockMeters(
          tx,
          readings.map(({ meterId }) => meterId),
        )
      ).map((meter) => [meter.id, meter]),
    );
    const sent = converted(readings, meters);
    await guardAssets(
      tx,
      actor,
      [...meters.values()].map(({ assetId }) => assetId),
    );
    const stored = counted(sent, meters, await neighboursOf(tx, sent));
    if (!stored.length) return { recorded: 0, duplicates: readings.length, due: [] };
    const json = JSON.stringify(stored);
    const based = await basedAfter(tx, stored);
    const values = {
      id: "r.id",
      meterId: `r."meterId"`,
      takenAt: `r."takenAt"`,
      kind: "r.kind",
      value: "r.value",
      finalValue: `r."finalValue"`,
      total: "r.total",
      recordedAt: "now()",
      recordedBy: "$3",
    };
    await tx.query(
      insertSelect("MeterReading", values, `jsonb_populate_recordset(null::"MeterReading", $2::jsonb) r order by r."takenAt"`),
      json,
      actor.principalId,
    );
    await countAnew(tx, based);
    return { recorded: stored.length, duplicates: readings.length - stored.length, due: await markDue(tx, json, [...meters.keys()]) };
  });

/**
 * Deletes the last reading of a meter and clears the procedures that it made due. A work order created because of it stays. Throws
 * NOT_FOUND, FORBIDDEN, CONFLICT if there is a later reading.
 */
export const deleteMeterReading = (db: TenantDatabase, actor: Actor, meterId: string, takenAt: Date): Promise<Rows["MeterReading"]> =>
  db.transaction(async (tx) => {
    const [meter] = await lockMeters(tx, [meterId]);
    if (!meter) throw unknownMeter(meterId);
    await guardAssets(tx, actor, [meter.assetId]);
    const [last] = await tx.query<Rows["MeterReading"]>(
      `select ${rowColumns("MeterReading")} from "MeterReading" where "tenantId" = $1 and "meterId" = $2 and "takenAt" >= $3 order by "takenAt" desc limit 1`,
      meterId,
      takenAt,
    );
    if (!last) throw notFound("Meter reading", { meterId, takenAt: takenAt.toISOString() });
    if (last.takenAt.getTime() !== takenAt.getTime())
      throw conflict("Only the last reading of a meter can be deleted", { takenAt: last.takenAt.toISOString() });
    const based = await basedAfter(tx, [last]);
    await tx.query(
      `with gone as (
         delete from "MeterReading" where "tenantId" = $1 and "meterId" = $2 and "takenAt" = $3
       ) update "ProcedureMeter" k set "dueSince" = null where k."tenantId" = $1 and k."meterId" = $2 and k."dueSince" is not null and k."dueAtTotal" > coalesce((
           select r.total from "MeterReading" r where r."tenantId" = $1 and r."meterId" = $2 and r."takenAt" < $3 order by r."takenAt" desc limit 1), 0)`,
      meterId,
      takenAt,
    );
    await countAnew(tx, based);
    return last;
  });
