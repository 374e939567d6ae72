/** Procedures with what their due dates are computed from. */
import { pick, type Rows, rowColumns } from "../../database/catalogue.js";
import type { Holiday } from "../../schema/assets/place.js";
import type { Plan, Suppressor } from "./plan-dates.js";

/** A procedure with what its due dates are computed from: its asset's site, and the procedure that covers it. */
export type TimedProcedure = Rows["Procedure"] & {
  timeZone: string;
  assetDeletedAt: Date | null;
  workingDays: string[] | null;
  holidays: Holiday[] | null;
  suppressor: Suppressor | null;
};

/** What dates of a suppressing procedure are computed from. */
const suppressorColumns = pick("Procedure", [
  ...(["name", "frequency", "customIntervalDays", "schedulingRules", "schedulingBasis", "statutory", "workingDaysOnly", "shift"] as const),
  ...(["anchor", "nextDue"] as const),
]);

/** SQL of procedures `p` of assets `a`, including deleted ones, with what their due dates are computed from. */
const selectTimed = (
  more: string,
) => `select ${rowColumns("Procedure", "p")}, coalesce(z."timeZone", 'UTC') as "timeZone", a."deletedAt" as "assetDeletedAt",
    z."workingDays", z.holidays,
    case when p."suppressedById" is not null then (select to_jsonb(s) from (select ${suppressorColumns} from "Procedure" s
      where s."tenantId" = $1 and s.id = p."suppressedById" and s."assetId" = p."assetId" and s.status = 'active' and s."deletedAt" is null) s) end as suppressor${more}
  from "Procedure" p
  join "Asset" a on a."tenantId" = $1 and a.id = p."assetId" left join "SiteSetting" z on z."tenantId" = $1 and z.site = a.site
  where p."tenantId" = $1`;

export const timedProcedures = selectTimed("");

/** A procedure whose dates are forecast: whether its current occurrence has its work order, and the status of its asset. */
export type PlannedProcedure = TimedProcedure & { hasOrder: boolean; assetStatus: string };

/** The same with `hasOrder` and `assetStatus`. */
export const plannedProcedures =
  selectTimed(`, a.status as "assetStatus", exists (select 1 from "WorkOrder" o where o."tenantId" = $1 and o."procedureId" = p.id and o."endedAt" is null
    and o.occurrence = p.occurrence) as "hasOrder"`);

/** The plan of a procedure, for its dates. */
export const planOf = (procedure: TimedProcedure): TimedProcedure & Plan => {
  const { suppressor, timeZone, workingDays, holidays } = procedure;
  if (!suppressor) return { ...procedure, suppressor: null };
  // JSON has no dates.
  const nextDue = suppressor.nextDue && new Date(suppressor.nextDue);
  return { ...procedure, suppressor: { ...suppressor, anchor: new Date(suppressor.anchor), nextDue, timeZone, workingDays, holidays } };
};
