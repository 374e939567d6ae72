/** Due dates by the settings of sites: time zone, working days and holidays. */
import type { TenantQueryable } from "../../../database/database.js";
import { dueDate } from "./schedule.js";
import {
  lockProcedures,
  type PlannedProcedure,
  plannedProcedures,
  procedureAssets,
  setTiming,
  type TimedProcedure,
} from "./timed-procedures.js";

/** Locks the tenant's time zones, so that none changes while due dates are computed. */
export const lockTimeZones = (tx: TenantQueryable, mode: "_shared" | "" = "_shared") =>
  tx.query(`select pg_advisory_xact_lock${mode}(hashtextextended('time zones ' || $1, 0))`);

export type SiteRules = Pick<TimedProcedure, "timeZone" | "workingDays" | "holidays">;

export const siteRules = ({ timeZone, workingDays, holidays }: SiteRules): SiteRules => ({ timeZone, workingDays, holidays });

/** The site settings for due dates, by asset id. Omits unknown and deleted assets. */
export async function sitesOf(tx: TenantQueryable, assetIds: string[]): Promise<Map<string, SiteRules>> {
  const rows = await tx.query<SiteRules & { id: string }>(
    `select a.id, coalesce(z."timeZone", 'UTC') as "timeZone", z."workingDays", z.holidays from "Asset" a
     left join "SiteSetting" z on z."tenantId" = $1 and z.site = a.site where a."tenantId" = $1 and a.id = any($2) and a."deletedAt" is null`,
    assetIds,
  );
  return new Map(rows.map(({ id, ...rules }) => [id, rules]));
}

/** Runs a change of a site's time zone, then recalculates the due dates of its procedures, including deleted ones. */
export async function changeTimeZone<T>(tx: TenantQueryable, site: string, change: () => Promise<T>): Promise<T> {
  await lockTimeZones(tx, "");
  const result = await change();
  await recalculate(tx, "a.site = $2", site);
  return result;
}

/** Recalculates the due dates of the assets' procedures after their sites changed. Call in the transaction of the change. */
export async function recalculateDueDates(tx: TenantQueryable, assetIds: string[]): Promise<void> {
  // An exclusive lock: a procedure being created concurrently would use the previous site.
  await lockTimeZones(tx, "");
  await recalculate(tx, "a.id = any($2)", assetIds);
}

async function recalculate(tx: TenantQueryable, ofAssets: string, value: string | string[]): Promise<void> {
  const some = `o.id in (select p.id from ${procedureAssets("p")} join "Asset" a on a."tenantId" = $1 and a.id = p."assetId" where p."tenantId" = $1 and ${ofAssets})`;
  if (!(await lockProcedures(tx, some, value)).length) return;
  const procedures = await tx.query<PlannedProcedure>(`${plannedProcedures} and ${ofAssets}`, value);
  await setTiming(
    tx,
    procedures.map((procedure) => ({
      id: procedure.id,
      planAssetId: procedure.planAssetId,
      nextDue: dueDate(procedure, procedure.anchorSteps)?.at ?? null,
    })),
  );
}
