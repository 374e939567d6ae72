/**
 * Procedures with the inputs of their due dates, one row per covered asset. The timing of a procedure's own asset is in its row, that of
 * further assets in `ProcedureAsset`. Only this module distinguishes the two.
 */

import type { TenantQueryable } from "../../../database/database.js";
import { columnsOf, pick, type Rows, type Updates } from "../../../database/rows/catalogue.js";
import type { Holiday } from "../../../schema/assets/place.js";
import type { Plan, Suppressor } from "./plan-dates.js";

/** A procedure with the timing of one of its assets, the settings of the asset's site, and the suppressing procedure. */
export type TimedProcedure = Rows["Procedure"] & {
  /** Id of the further asset. Empty for the procedure's own asset. */
  planAssetId: string;
  timeZone: string;
  assetDeletedAt: Date | null;
  workingDays: string[] | null;
  holidays: Holiday[] | null;
  suppressor: Suppressor | null;
};

/** Columns of both tables. */
const ofAsset = new Set(columnsOf("ProcedureAsset").map(([name]) => name));
const columns = columnsOf("Procedure").filter(([name, { hidden }]) => !hidden && (name === "tenantId" || !ofAsset.has(name)));
const shared = columnsOf("Procedure").filter(([name, { hidden }]) => !hidden && name !== "tenantId" && ofAsset.has(name));
const named = (list: typeof columns, alias: string) => list.map(([name]) => `${alias}."${name}"`).join(", ");

/** SQL of procedures, one row per asset. */
export const procedureAssets = (alias: string) => `(select ${named([...columns, ...shared], "o")}, '' as "planAssetId" from "Procedure" o
    union all select ${named(columns, "o")}, ${named(shared, "f")}, f."assetId" as "planAssetId" from "ProcedureAsset" f
      join "Procedure" o on o."tenantId" = f."tenantId" and o.id = f."procedureId") ${alias}`;

/** SQL predicate: procedure `p` covers an asset, its own or a further one. */
export const covers = (p: string, assetId: string) => `(${p}."assetId" = ${assetId} or exists (select 1 from "ProcedureAsset" f
    where f."tenantId" = ${p}."tenantId" and f."procedureId" = ${p}.id and f."assetId" = ${assetId}))`;

/** Columns from which the dates of a suppressing procedure are computed. */
const suppressorColumns = pick("Procedure", [
  ...(["name", "frequency", "customIntervalDays", "schedulingRules", "schedulingBasis", "statutory", "workingDaysOnly", "shift"] as const),
  ...(["anchor", "anchorSteps", "occurrence", "nextDue"] as const),
]);

/** SQL of procedures `p` of assets `a`, including deleted ones, with the inputs of their due dates. */
const selectTimed = (
  read: typeof columns,
  more = "",
) => `select ${named([...read, ...shared], "p")}, p."planAssetId", coalesce(z."timeZone", 'UTC') as "timeZone", a."deletedAt" as "assetDeletedAt",
    z."workingDays", z.holidays,
    case when p."suppressedById" is not null then (select to_jsonb(s) from (select ${suppressorColumns} from ${procedureAssets("s")}
      where s."tenantId" = $1 and s.id = p."suppressedById" and s."assetId" = p."assetId" and s.status = 'active' and s."deletedAt" is null) s) end as suppressor${more}
  from ${procedureAssets("p")}
  join "Asset" a on a."tenantId" = $1 and a.id = p."assetId" left join "SiteSetting" z on z."tenantId" = $1 and z.site = a.site
  where p."tenantId" = $1`;

export const timedProcedures = selectTimed(columns);

const texts = ["description", "steps", "requiredSkills", "safetyRequirements"] as const;

/**
 * A procedure for forecasts, with the status of its asset, and whether its current occurrence has a work order. Omits texts, because a
 * procedure may have many assets.
 */
export type PlannedProcedure = Omit<TimedProcedure, (typeof texts)[number]> & { hasOrder: boolean; assetStatus: string };

/** `timedProcedures` with `hasOrder`, `assetStatus` and additional columns. */
export const plannedWith = (more: string) =>
  selectTimed(
    columns.filter(([name]) => !(texts as readonly string[]).includes(name)),
    `, a.status as "assetStatus", exists (select 1 from "WorkOrder" o where o."tenantId" = $1 and o."procedureId" = p.id and o."planAssetId" = p."planAssetId"
    and o."endedAt" is null and o.occurrence = p.occurrence) as "hasOrder"${more}`,
  );

export const plannedProcedures = plannedWith("");

/** Identifies an occurrence across procedures and assets. */
export const occurrenceKey = (procedureId: string | null, planAssetId: string, occurrence: number | null) =>
  `${procedureId} ${planAssetId} ${occurrence}`;

/** The plan of a procedure, for plan-dates.ts. */
export const planOf = <P extends Omit<TimedProcedure, (typeof texts)[number]>>(procedure: P): P & Plan => {
  const { suppressor, timeZone, workingDays, holidays } = procedure;
  if (!suppressor) return { ...procedure, suppressor: null };
  // JSON has no dates.
  const nextDue = suppressor.nextDue && new Date(suppressor.nextDue);
  return { ...procedure, suppressor: { ...suppressor, anchor: new Date(suppressor.anchor), nextDue, timeZone, workingDays, holidays } };
};

/**
 * Locks procedures until the transaction ends, including the timing of all their assets. Read `timedProcedures` after the lock. Every
 * change of their work orders locks them first, to avoid deadlocks.
 */
export const lockProcedures = (tx: TenantQueryable, condition: string, ...values: unknown[]): Promise<{ id: string }[]> =>
  tx.query(`select o.id from "Procedure" o where o."tenantId" = $1 and ${condition} order by o.id for update`, ...values);

type Timing = Pick<Updates["Procedure"], "anchor" | "anchorSteps" | "nextDue" | "lastExecuted" | "occurrence">;

/**
 * Writes the timing of procedures' assets. Undefined fields do not change. The transaction has locked the procedures. At most one statement
 * per table.
 */
export async function setTiming(
  tx: TenantQueryable,
  changes: readonly (Pick<TimedProcedure, "id" | "planAssetId"> & Timing)[],
): Promise<void> {
  const names = ["anchor", "anchorSteps", "nextDue", "lastExecuted", "occurrence"] as const;
  const set = names.map((name) => `"${name}" = case when c ? '${name}' then r."${name}" else t."${name}" end`).join(", ");
  const update = (table: string, key: string, rows: typeof changes) =>
    rows.length
      ? tx.query(
          `update "${table}" t set ${set} from jsonb_array_elements($2::jsonb) c cross join lateral jsonb_populate_record(null::"ProcedureAsset", c) r
           where t."tenantId" = $1 and ${key}`,
          JSON.stringify(rows.map(({ id, planAssetId, ...timing }) => ({ ...timing, procedureId: id, assetId: planAssetId }))),
        )
      : undefined;
  await update(
    "Procedure",
    `t.id = r."procedureId"`,
    changes.filter(({ planAssetId }) => !planAssetId),
  );
  await update(
    "ProcedureAsset",
    `t."procedureId" = r."procedureId" and t."assetId" = r."assetId"`,
    changes.filter(({ planAssetId }) => planAssetId),
  );
}
