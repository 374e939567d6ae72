/**
 * Meters and conditions of readings that make procedures due, in addition to their dates (docs/work.md, "Meters"). A reading marks the
 * procedures that become due. The scheduler creates the work order; its completion resets all counters.
 */

import { nowDate } from "../../../database/clock.js";
import type { TenantQueryable } from "../../../database/database.js";
import { insertColumns, insertSelect, insertValues } from "../../../database/rows/catalogue.js";
import { badInput } from "../../../schema/errors.js";
import type { ProcedureStatus, TriggerOperator } from "../../../schema/maintenance/enums.js";
import type { ProcedureConditionInput, ProcedureMeterInput } from "../../../schema/maintenance/procedures/plan-counter.js";
import { conditionsOf } from "../meters/condition-input.js";
import { limitText, withUnit } from "../strategies/trigger-rules.js";
import { reviewConditions } from "./plan-conditions.js";
import { covers, procedureAssets } from "./timed-procedures.js";

interface PlanKey {
  id: string;
  assetId: string;
}

/** A meter or condition of a procedure on one of its assets. */
export interface CounterRow {
  by: "meter" | "condition";
  since: Date | null;
  /** Name of the meter, or the parameter. */
  name: string;
  unit: string | null;
  /** The total at which the procedure is due, or the threshold. */
  dueAt: number;
  interval: number;
  total: number;
  meterId: string | null;
  /** Null for a meter. */
  operator: TriggerOperator | null;
  violations: number | null;
  samples: number | null;
  minimumDuration: number | null;
}

type RuleRow = CounterRow & { operator: TriggerOperator; violations: number; samples: number };

export interface Counter {
  by: "meter" | "condition";
  /** Time since which it is due. Null if it is not. */
  since: Date | null;
  /** Explanation of why it is due, or will be. */
  text: string;
  meterId: string | null;
  unit: string | null;
  dueAt: number;
  /** Whether the meter is at most a tenth of its interval past the due total. */
  isWithinTenth: boolean;
  /** Whether the work waits for that of a larger procedure (docs/work.md, "Nested services"). */
  isCovered: boolean;
}

const figure = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 4 });

/** SQL of a meter's last total. 0 before its first reading. */
export const lastTotal = (meter: string, until = "") =>
  `coalesce((select r.total from "MeterReading" r where r."tenantId" = $1 and r."meterId" = ${meter}${until} order by r."takenAt" desc limit 1), 0)`;

/** SQL of the counters of a procedure on an asset, with meter totals at a time. */
export const counterRows = (
  procedure: string,
  asset: string,
  at: string,
) => `select 'meter' as by, k."dueSince" as since, m.name, m.unit, k."dueAtTotal"::float8 as "dueAt", k.interval::float8 as interval, ${lastTotal("m.id", ` and r."takenAt" <= ${at}`)}::float8 as total, m.id as "meterId",
    null as operator, null::int as violations, null::int as samples, null::float8 as "minimumDuration"
  from "ProcedureMeter" k join "Meter" m on m."tenantId" = $1 and m.id = k."meterId" and m."assetId" = ${asset} and m."deletedAt" is null where k."tenantId" = $1 and k."procedureId" = ${procedure}
  union all
  select 'condition', s."dueSince", c.parameter, c.unit, c.threshold, 0, 0, null, c.operator, c.violations, c.samples, c."minimumDuration"
  from "ProcedureCondition" c left join "ProcedureConditionState" s on s."tenantId" = $1 and s."procedureId" = ${procedure} and s.position = c.position and s."assetId" = ${asset}
  where c."tenantId" = $1 and c."procedureId" = ${procedure}`;

/** Explanation of why a counter is due, or will be at a total. */
export const counterText = (row: Omit<CounterRow, "since">, dueAt = row.dueAt): string =>
  row.by === "meter"
    ? `due by meter ${row.name} at ${figure(dueAt)} ${row.unit}`
    : `due by condition ${row.name} ${limitText(row as Omit<RuleRow, "since">, withUnit(dueAt, row.unit))}`;

/** Explanation of why a meter's work needs no order. */
export const coveredText = (larger: string, dueAt: number, unit: string | null) =>
  `covered by ${larger}, which is due at ${figure(dueAt)} ${unit}`;

/** All counters of a procedure on its asset as of `at`. Due counters come first, in the order in which they became due. */
export async function countersOf(tx: TenantQueryable, { id, assetId }: PlanKey, at = nowDate()): Promise<Counter[]> {
  const rows = await tx.query<CounterRow & { isCovered: boolean }>(
    `select c.by, c.since, c.name, c.unit, c."dueAt", c.interval, c.total, c."meterId", c.operator, c.violations, c.samples, c."minimumDuration",
       c.since is not null and c.by = 'meter' and covering_total($1, $2, $3, c."meterId") is not null as "isCovered"
     from (${counterRows("$2", "$3", "$4")}) c order by since nulls last, by, name`,
    id,
    assetId,
    at,
  );
  return rows.map((row) => ({
    by: row.by,
    since: row.since,
    meterId: row.meterId,
    unit: row.unit,
    dueAt: row.dueAt,
    text: counterText(row),
    isWithinTenth: row.by === "meter" && row.total <= row.dueAt + row.interval / 10,
    isCovered: row.isCovered,
  }));
}

/** The counter that became due first, without covered ones. */
export const firstDue = (counters: Counter[]): (Counter & { since: Date }) | undefined =>
  counters.find((counter): counter is Counter & { since: Date } => counter.since !== null && !counter.isCovered);

/** SQL predicate: meter `k` of a procedure, due on meter `m`, waits for the work of no larger procedure. */
const isUncovered = `covering_total(k."tenantId", k."procedureId", m."assetId", k."meterId") is null`;

/** SQL predicate: procedure `p` is due on its asset by a meter or a condition. */
export const isCounted = `(exists (select 1 from "ProcedureMeter" k join "Meter" m on m."tenantId" = $1 and m.id = k."meterId" and m."assetId" = p."assetId" and m."deletedAt" is null
    where k."tenantId" = $1 and k."procedureId" = p.id and k."dueSince" is not null and ${isUncovered})
  or exists (select 1 from "ProcedureConditionState" s where s."tenantId" = $1 and s."procedureId" = p.id and s."assetId" = p."assetId" and s."dueSince" is not null))`;

/** SQL of the same for all tenants: procedure, asset and time since which it is due. */
export const dueByCounter = `select "tenantId", "procedureId", "assetId", min("dueSince") as "dueSince" from (
    select k."tenantId", k."procedureId", m."assetId", k."dueSince" from "ProcedureMeter" k join "Meter" m on m."tenantId" = k."tenantId" and m.id = k."meterId" and m."deletedAt" is null
    where k."dueSince" is not null and ${isUncovered}
    union all select s."tenantId", s."procedureId", s."assetId", s."dueSince" from "ProcedureConditionState" s where s."dueSince" is not null
  ) c group by 1, 2, 3`;

/** Locks the meters of procedures, so that no reading is recorded until the transaction ends. */
const lockMeters = (tx: TenantQueryable, ids: string[]) =>
  tx.query(
    `select 1 from "Meter" m where m."tenantId" = $1 and m.id in (select k."meterId" from "ProcedureMeter" k where k."tenantId" = $1 and k."procedureId" = any($2)) order by m.id for share`,
    ids,
  );

/**
 * Restarts all counters of procedures on an asset after a completion at `at`. Conditions consider only later readings. Call with the asset
 * locked.
 */
export async function resetCounters(tx: TenantQueryable, ids: string[], assetId: string, at: Date): Promise<void> {
  await lockMeters(tx, ids);
  await tx.query(
    `with done as (
       select k."procedureId", k."meterId", ${lastTotal(`k."meterId"`, ` and r."takenAt" <= $4`)} + k.interval as due from "ProcedureMeter" k join "Meter" m on m."tenantId" = $1 and m.id = k."meterId" and m."assetId" = $3
       where k."tenantId" = $1 and k."procedureId" = any($2)
     ), meter as (
       update "ProcedureMeter" k set "dueAtTotal" = d.due, "dueSince" = (
           select min(r."takenAt") from "MeterReading" r where r."tenantId" = $1 and r."meterId" = k."meterId" and r."takenAt" > $4 and r.total >= d.due)
       from done d where k."tenantId" = $1 and k."procedureId" = d."procedureId" and k."meterId" = d."meterId"
     ) ${insertSelect(
       "ProcedureConditionState",
       {
         procedureId: `c."procedureId"`,
         position: "c.position",
         assetId: "$3",
         since: "$4::timestamptz",
         trippedSince: "null::timestamptz",
         dueSince: "null::timestamptz",
       },
       `"ProcedureCondition" c where c."tenantId" = $1 and c."procedureId" = any($2)`,
     )} on conflict ("tenantId", "procedureId", position, "assetId") do update set since = excluded.since, "trippedSince" = null, "dueSince" = null`,
    ids,
    assetId,
    at,
  );
  await reviewConditions(tx, ids, [assetId]);
}

/**
 * Advances due counters without a completion. Meters move to the next interval beyond the current total, conditions wait until they are met
 * again.
 */
export async function passCounters(tx: TenantQueryable, { id, assetId }: PlanKey): Promise<void> {
  await lockMeters(tx, [id]);
  await tx.query(
    `with meter as (
       update "ProcedureMeter" k set "dueSince" = null, "dueAtTotal" = k."dueAtTotal" + k.interval * greatest(1 + floor((${lastTotal(`k."meterId"`)} - k."dueAtTotal") / k.interval), 1)
       from "Meter" m where k."tenantId" = $1 and k."procedureId" = $2 and k."dueSince" is not null and m."tenantId" = $1 and m.id = k."meterId" and m."assetId" = $3
     ) update "ProcedureConditionState" s set "dueSince" = null where s."tenantId" = $1 and s."procedureId" = $2 and s."assetId" = $3 and s."dueSince" is not null`,
    id,
    assetId,
  );
}

/** Replaces the meters. Retained meters keep their base. Throws BAD_USER_INPUT naming duplicates and meters of other assets. */
async function setMeters(tx: TenantQueryable, { id }: PlanKey, inputs: ProcedureMeterInput[]): Promise<void> {
  const ids = inputs.map(({ meterId }) => meterId);
  const found = await tx.query<{ id: string }>(
    `select m.id from "Meter" m join "Procedure" p on p."tenantId" = $1 and p.id = $3 where m."tenantId" = $1 and m.id = any($2) and ${covers("p", `m."assetId"`)}
       and m."deletedAt" is null order by m.id for share of m`,
    ids,
    id,
  );
  const known = new Set(found.map((meter) => meter.id));
  const wrong = ids.flatMap((meterId, at) =>
    !known.has(meterId)
      ? [[`meters.${at}.meterId`, "names no meter of the procedure's asset"]]
      : ids.indexOf(meterId) < at
        ? [[`meters.${at}.meterId`, "stands in the list already"]]
        : [],
  );
  if (wrong.length) throw badInput(Object.fromEntries(wrong));
  await tx.query(
    `with gone as (
       delete from "ProcedureMeter" where "tenantId" = $1 and "procedureId" = $2 and "meterId" <> all($4)
     ) ${insertSelect(
       "ProcedureMeter",
       {
         procedureId: "$2",
         meterId: `d."meterId"`,
         interval: "d.interval",
         dueAtTotal: "d.due",
         dueSince: `case when d.total >= d.due then coalesce(d."dueSince", now()) end`,
       },
       `(select i."meterId", i.interval, k."dueSince", t.total, coalesce(i."dueAtTotal", case when k."dueAtTotal" >= k.interval then k."dueAtTotal" - k.interval when k."meterId" is not null then 0 else t.total end + i.interval) as due
         from jsonb_populate_recordset(null::"ProcedureMeter", $3::jsonb) i cross join lateral (select ${lastTotal(`i."meterId"`)} as total) t
         left join "ProcedureMeter" k on k."tenantId" = $1 and k."procedureId" = $2 and k."meterId" = i."meterId") d`,
     )} on conflict ("tenantId", "procedureId", "meterId") do update set interval = excluded.interval, "dueAtTotal" = excluded."dueAtTotal", "dueSince" = excluded."dueSince"`,
    id,
    JSON.stringify(inputs),
    ids,
  );
}

/**
 * Replaces the conditions by position. A changed condition restarts, an unchanged one keeps its state. Call with the procedure's assets
 * locked.
 */
async function setConditions(tx: TenantQueryable, { id }: PlanKey, inputs: ProcedureConditionInput[]): Promise<void> {
  const conditions = conditionsOf(inputs, "conditions").map((condition) => ({ ...condition, procedureId: id }));
  const rule = (alias: string) =>
    `(${alias}.parameter, ${alias}.threshold, ${alias}.unit, ${alias}.operator, ${alias}.violations, ${alias}.samples, ${alias}.hysteresis, ${alias}."minimumDuration")`;
  const sent = `jsonb_populate_recordset(null::"ProcedureCondition", $3::jsonb)`;
  await tx.query(
    `delete from "ProcedureCondition" c where c."tenantId" = $1 and c."procedureId" = $2
       and not exists (select 1 from ${sent} i where i.position = c.position and ${rule("i")} is not distinct from ${rule("c")})`,
    id,
    JSON.stringify(conditions),
  );
  if (!conditions.length) return;
  await tx.query(
    `insert into "ProcedureCondition" ("tenantId", ${insertColumns("ProcedureCondition")}) select $1, ${insertValues("ProcedureCondition", "r")}
     from jsonb_populate_recordset(null::"ProcedureCondition", $2::jsonb) r on conflict do nothing`,
    JSON.stringify(conditions),
  );
  await reviewConditions(tx, [id]);
}

export interface CounterInput {
  meters?: ProcedureMeterInput[] | null;
  conditions?: ProcedureConditionInput[] | null;
}

/** Locks assets to be added to a procedure, if it has conditions. See `lockForCounters`. */
export const lockForConditions = (tx: TenantQueryable, id: string, assetIds: string[]) =>
  tx.query(
    `select 1 from "Asset" where "tenantId" = $1 and id = any($3) and exists (select 1 from "ProcedureCondition" where "tenantId" = $1 and "procedureId" = $2)
     order by id for no key update`,
    id,
    assetIds,
  );

type LockedFor = CounterInput & { assetId?: string | null; status?: ProcedureStatus | null };

/**
 * Locks the assets of a procedure whose conditions are set or that is activated, so that no reading arrives meanwhile. Call before all
 * other locks, as in a change of an asset.
 */
export async function lockForCounters(tx: TenantQueryable, id: string, input: LockedFor): Promise<void> {
  if (input.conditions === undefined && input.status !== "active") return;
  await tx.query(
    `select 1 from "Asset" where "tenantId" = $1 and id in (select p."assetId" from ${procedureAssets("p")} where p."tenantId" = $1 and p.id = $2 union all select $3) order by id for no key update`,
    id,
    input.assetId ?? null,
  );
}

/**
 * Sets the counters in the input. `isMoved`: the procedure moves to another asset. `isActivated`: its conditions apply from now on. Throws
 * BAD_USER_INPUT for invalid input, and naming meters if the procedure moves without new ones. Call in the transaction that created or
 * locked the procedure.
 */
export async function setCounters(
  tx: TenantQueryable,
  plan: PlanKey,
  { meters, conditions }: CounterInput,
  { isMoved = false, isActivated = false } = {},
): Promise<void> {
  if (isMoved && meters === undefined) {
    const [kept] = await tx.query(`select 1 from "ProcedureMeter" where "tenantId" = $1 and "procedureId" = $2 limit 1`, plan.id);
    if (kept) throw badInput({ meters: "must name meters of the new asset, or be empty" });
  }
  if (meters !== undefined) await setMeters(tx, plan, meters ?? []);
  if (conditions !== undefined) await setConditions(tx, plan, conditions ?? []);
  else if (isMoved || isActivated) await reviewConditions(tx, [plan.id]);
}
