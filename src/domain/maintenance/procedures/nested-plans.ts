/** Smaller plans whose work the completed work of a larger plan includes (docs/work.md, "Nested services"). */
import type { TenantQueryable } from "../../../database/database.js";
import { counterText, coveredText } from "./plan-counters.js";
import { coveringDate, type Plan } from "./plan-dates.js";
import { dueDate } from "./schedule.js";
import { covers, lockProcedures, planOf, type TimedProcedure, timedProcedures } from "./timed-procedures.js";

/** The meter by which a plan is covered. */
interface CoveredMeter {
  name: string;
  unit: string;
  /** Due total, and that of the larger plan. */
  dueAt: number;
  largerDueAt: number;
  since: Date | null;
}

/** `meter` is null for a plan that is covered on a date. */
type SmallerPlan = TimedProcedure & Plan & { meter: CoveredMeter | null };
type PlanByMeter = SmallerPlan & { meter: CoveredMeter };

/** Whether the covered occurrence is still open. A covered date was recorded by the scheduler. */
export const isByMeter = (plan: SmallerPlan): plan is PlanByMeter => plan.meter !== null;

/** Procedures below $2 on asset $3 whose due total is within a tenth of their interval of the total of $2, as in `covering_total`. */
const coveredMeters = `with recursive covered as (
    select l."procedureId", l."meterId", l.interval, l."dueAtTotal" as own, l."dueAtTotal" as larger, l."dueSince" from "ProcedureMeter" l
    join "Meter" m on m."tenantId" = $1 and m.id = l."meterId" and m."assetId" = $3 and m."deletedAt" is null
    where l."tenantId" = $1 and l."procedureId" = $2
    union all
    select k."procedureId", k."meterId", k.interval, k."dueAtTotal", c.larger, k."dueSince" from covered c
    join "Procedure" s on s."tenantId" = $1 and s."suppressedById" = c."procedureId" and s.status = 'active' and s."deletedAt" is null and not s.statutory
    join "ProcedureMeter" k on k."tenantId" = $1 and k."procedureId" = s.id and k."meterId" = c."meterId"
      and k.interval < c.interval and abs(k."dueAtTotal" - c.larger) <= k.interval / 10
  ) select distinct on (c."procedureId") c."procedureId" as id, m.name, m.unit, c.own::float8 as "dueAt", c.larger::float8 as "largerDueAt", c."dueSince" as since
    from covered c join "Meter" m on m."tenantId" = $1 and m.id = c."meterId" where c."procedureId" <> $2 order by c."procedureId", c."dueSince", m.name`;

const hasCounters = `(exists (select 1 from "ProcedureMeter" k where k."tenantId" = $1 and k."procedureId" = o.id)
  or exists (select 1 from "ProcedureCondition" k where k."tenantId" = $1 and k."procedureId" = o.id))`;

/** Locks and returns the active plans with counters below a plan on its asset, directly or through others. */
const lockSmaller = (tx: TenantQueryable, { id, assetId }: TimedProcedure) =>
  lockProcedures(
    tx,
    `o.status = 'active' and o."deletedAt" is null and not o.statutory and ${hasCounters} and ${covers("o", "$3")} and o.id in (
       with recursive below as (
         select s.id from "Procedure" s where s."tenantId" = $1 and s."suppressedById" = $2
         union select s.id from below b join "Procedure" s on s."tenantId" = $1 and s."suppressedById" = b.id
       ) select id from below)`,
    id,
    assetId,
  );

/** Whether the plan's current or previous date is covered by that of its suppressor. */
const isDateCovered = (plan: Plan, covering: Date) =>
  [plan.anchorSteps - 1, plan.anchorSteps].some((steps) => {
    const due = steps < 0 ? undefined : dueDate(plan, steps);
    return due && coveringDate(plan, due.at)?.getTime() === covering.getTime();
  });

/**
 * The plans covered by a completed plan: their meter or their date is due within their tolerance of its meter or `date`. Plans with a pending
 * order are not covered. Locks the plans. Call before the timing of the completed plan changes.
 */
export async function smallerPlans(tx: TenantQueryable, plan: TimedProcedure, date: Date | undefined): Promise<SmallerPlan[]> {
  const locked = await lockSmaller(tx, plan);
  if (!locked.length) return [];
  const meters = await tx.query<CoveredMeter & { id: string }>(coveredMeters, plan.id, plan.assetId);
  const found = await tx.query<TimedProcedure>(
    `${timedProcedures} and p.id = any($2) and p."assetId" = $3 and not exists (select 1 from "WorkOrder" w
       where w."tenantId" = $1 and w."procedureId" = p.id and w."planAssetId" = p."planAssetId" and w."endedAt" is null)`,
    locked.map(({ id }) => id),
    plan.assetId,
  );
  const byId = new Map(meters.map((meter) => [meter.id, meter]));
  return found
    .map((one) => ({ ...planOf(one), meter: byId.get(one.id) ?? null }))
    .filter((one) => one.meter || (date && one.suppressedById === plan.id && isDateCovered(one, date)));
}

/** The occurrence of a plan that was covered by its meter. */
export const coveredOccurrence = ({ id, assetId, occurrence, meter }: PlanByMeter, larger: string) => ({
  procedureId: id,
  assetId,
  number: occurrence,
  explanation: `${counterText({ ...noRule, by: "meter", ...meter })}, ${coveredText(larger, meter.largerDueAt, meter.unit)}`,
});

const noRule = { interval: 0, total: 0, meterId: null, operator: null, violations: null, samples: null, minimumDuration: null };

/** Timing of a plan whose meter was covered by work done at `at`. Its dates restart, as after work by its own meter. */
export const restartOf = (plan: PlanByMeter, at: Date) => ({
  id: plan.id,
  planAssetId: plan.planAssetId,
  anchor: at,
  anchorSteps: 1,
  nextDue: dueDate({ ...plan, anchor: at }, 1)?.at ?? null,
  occurrence: plan.occurrence + 1,
});
