/**
 * Base totals of plans with meters: the total at the last completion. An earlier reading that is entered or deleted later changes it
 * (docs/work.md, "Meters").
 */
import type { TenantQueryable } from "../../../database/database.js";
import { lastTotal } from "../procedures/plan-counters.js";
import { procedureAssets } from "../procedures/timed-procedures.js";

/** A meter of a plan, and the plan's last completion. */
export interface Based {
  procedureId: string;
  meterId: string;
  doneAt: string;
}

/** SQL of the last completion of plan `k` on the asset of its meter. */
export const doneAt = `(select p."lastExecuted" from ${procedureAssets("p")} join "Meter" m on m."tenantId" = $1 and m.id = k."meterId"
    where p."tenantId" = $1 and p.id = k."procedureId" and p."assetId" = m."assetId")`;

const baseTotal = (at: string) => lastTotal(`k."meterId"`, ` and r."takenAt" <= ${at}`);

/** The meters of plans whose base depends on one of these readings, to be inserted or deleted. Call before that, with the meters locked. */
export const basedAfter = (tx: TenantQueryable, readings: readonly { meterId: string; takenAt: Date }[]): Promise<Based[]> =>
  tx.query(
    `select k."procedureId", k."meterId", d.at::text as "doneAt"
     from (select "meterId", min("takenAt") as first from jsonb_to_recordset($2::jsonb) r("meterId" text, "takenAt" timestamptz) group by 1) c
     join "ProcedureMeter" k on k."tenantId" = $1 and k."meterId" = c."meterId" cross join lateral (select ${doneAt} as at) d
     where d.at >= c.first and k."dueAtTotal" = k.interval + ${baseTotal("d.at")}`,
    JSON.stringify(readings.map(({ meterId, takenAt }) => ({ meterId, takenAt }))),
  );

/** Recomputes the due totals from the current total at the completion. */
export async function countAnew(tx: TenantQueryable, based: Based[]): Promise<void> {
  if (!based.length) return;
  await tx.query(
    `update "ProcedureMeter" k set "dueAtTotal" = d.due, "dueSince" = case when k."dueSince" is not null then (
         select min(r."takenAt") from "MeterReading" r where r."tenantId" = $1 and r."meterId" = k."meterId" and r."takenAt" > d."doneAt" and r.total >= d.due) end
     from (select b."procedureId", b."meterId", b."doneAt", k.interval + ${baseTotal(`b."doneAt"`)} as due from jsonb_to_recordset($2::jsonb) b("procedureId" text, "meterId" text, "doneAt" timestamptz)
       join "ProcedureMeter" k on k."tenantId" = $1 and k."procedureId" = b."procedureId" and k."meterId" = b."meterId") d
     where k."tenantId" = $1 and k."procedureId" = d."procedureId" and k."meterId" = d."meterId"`,
    JSON.stringify(based),
  );
}
