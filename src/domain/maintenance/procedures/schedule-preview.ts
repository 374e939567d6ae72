/** `previewSchedule` and `previewScheduleDraft`, which compute due dates with the scheduler's functions, and `compliance`, which counts recorded outcomes. */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { badInput } from "../../../schema/errors.js";
import type { OccurrenceOutcome } from "../../../schema/maintenance/enums.js";
import type { Compliance, ComplianceArgs, PreviewArgs, ScheduledDate } from "../../../schema/maintenance/procedures/occurrence.js";
import type { DraftPreviewArgs } from "../../../schema/maintenance/procedures/schedule-draft.js";
import { sitesOf } from "./due-dates.js";
import { forecast, madeFrom, type Plan } from "./plan-dates.js";
import { notCovered } from "./procedure-assets.js";
import { scheduleChanges, unknownProcedure } from "./procedures.js";
import { projectedDates, projectedProcedures, readProjected } from "./projection.js";
import { daysOf } from "./schedule.js";
import { type PlannedProcedure, plannedProcedures, planOf, procedureAssets } from "./timed-procedures.js";
import { inTurns } from "./turns.js";

const maxDays = 3_660;
const maxDates = 2_000;

const mostCounted = 20_000;

const tooMany = () => badInput({ to: `makes more than ${maxDates} dates; ask for a shorter time` });

interface Recorded {
  number: number;
  dueAt: Date;
  outcome: OccurrenceOutcome;
  workOrderId: string | null;
  explanation: string;
}

/** The reason why the scheduler creates no work orders for a procedure. Undefined if it does. */
function idleReason({ status, assetDeletedAt, assetStatus }: PlannedProcedure): string | undefined {
  if (status !== "active") return `nothing is made while the procedure is ${status}`;
  if (assetDeletedAt) return "nothing is made while the asset is deleted";
  return assetStatus === "decommissioned" ? "nothing is made for a decommissioned asset" : undefined;
}

/** The recorded dates of the period, then the scheduled ones, in order. Throws NOT_FOUND, BAD_USER_INPUT naming to. */
export async function previewSchedule(
  db: TenantQueryable,
  { procedureId, assetId, from, to }: PreviewArgs,
  now = nowDate(),
): Promise<ScheduledDate[]> {
  if (to < from) throw badInput({ to: "must not be before from" });
  if (to.getTime() - from.getTime() > maxDays * 86_400_000) throw badInput({ to: `must be at most ${maxDays} days after from` });
  const [procedure] = await readProjected(
    db,
    now,
    `${projectedProcedures("$4")} and p.id = $2 and p."deletedAt" is null and ($3::text is null and p."planAssetId" = '' or p."assetId" = $3)`,
    [procedureId, assetId ?? null, now],
  );
  if (!procedure) throw await notCovered(db, procedureId);
  const [recorded, orders] = await Promise.all([
    db.query<Recorded>(
      `select number, "dueAt", outcome, "workOrderId", explanation from "Occurrence"
       where "tenantId" = $1 and "procedureId" = $2 and "assetId" = $5 and "dueAt" between $3 and $4 order by "dueAt", number limit ${maxDates + 1}`,
      procedureId,
      from,
      to,
      procedure.assetId,
    ),
    db.query<{ id: string; occurrence: number | null }>(
      `select id, occurrence from "WorkOrder" where "tenantId" = $1 and "procedureId" = $2 and "planAssetId" = $3 and "endedAt" is null`,
      procedureId,
      procedure.planAssetId,
    ),
  ]);
  const dates: ScheduledDate[] = recorded.map((one) => ({
    ...one,
    isRecorded: true,
    makesWorkOrderAt: null,
    reasons: [{ kind: "interval", text: one.explanation }],
  }));
  const idle = idleReason(procedure);
  // A work order that does not cover this date: of a notification, or of an earlier occurrence.
  const waits = orders[0] && `nothing is made while work order ${orders[0].id} is pending`;
  const orderOf = new Map(orders.map(({ id, occurrence }) => [occurrence, id]));
  const plan = planOf(procedure);
  let counted = 0;
  const turn = inTurns();
  for (const { at: dueAt, occurrence: number, outcome, reasons, reason } of projectedDates(procedure, now, to)) {
    await turn();
    const isCounted = reasons[0]!.kind === "meter" || reasons[0]!.kind === "condition";
    // A short interval of a fast meter has many dates before `from`.
    if (dates.length >= maxDates || (isCounted && ++counted > mostCounted)) throw tooMany();
    if (dueAt < from) continue;
    const workOrderId = orderOf.get(number) ?? null;
    const madeAt = isCounted ? dueAt : madeFrom(plan, dueAt);
    const why = workOrderId ? undefined : (idle ?? (outcome || madeAt > now ? undefined : waits));
    dates.push({
      dueAt,
      number,
      outcome: why && why === idle ? null : outcome,
      isRecorded: false,
      workOrderId,
      makesWorkOrderAt: outcome || workOrderId || why ? null : madeAt,
      explanation: why ? `${reason}; ${why}` : reason,
      reasons: why ? [...reasons, { kind: "not_scheduled", text: why }] : reasons,
    });
  }
  return dates.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || a.number - b.number);
}

/** No date is later. */
const endOfTime = new Date("9999-01-01");

/**
 * The next dates on which work would be due, by date only. Covering procedures, meters and conditions don't count. Throws NOT_FOUND for an
 * unknown procedure, BAD_USER_INPUT naming draft.assetId and first.
 */
export async function previewScheduleDraft(
  db: TenantQueryable,
  { draft: { procedureId, assetId, ...draft }, first }: DraftPreviewArgs,
  now = nowDate(),
): Promise<ScheduledDate[]> {
  if (first < 1 || first > 100) throw badInput({ first: "must be from 1 to 100" });
  const [sites, [before]] = await Promise.all([
    sitesOf(db, [assetId]),
    procedureId == null
      ? [undefined]
      : db.query<PlannedProcedure>(`${plannedProcedures} and p.id = $2 and p."planAssetId" = '' and p."deletedAt" is null`, procedureId),
  ]);
  if (procedureId != null && !before) throw unknownProcedure(procedureId);
  const site = sites.get(assetId);
  if (!site) throw badInput({ "draft.assetId": "names no asset; use the id of an existing one" });
  const plan: Plan = {
    ...draft,
    ...site,
    anchor: draft.anchor ?? before?.anchor ?? now,
    anchorSteps: before ? (scheduleChanges(before, draft, site).anchorSteps ?? before.anchorSteps) : draft.anchor ? 0 : 1,
    occurrence: before?.occurrence ?? 1,
    schedulingBasis: draft.schedulingBasis ?? "fixed",
    missedPolicy: draft.missedPolicy ?? "collapse",
    statutory: draft.statutory ?? false,
    workingDaysOnly: draft.workingDaysOnly ?? false,
    shift: draft.shift ?? "later",
  };
  const dates: ScheduledDate[] = [];
  for (const { at: dueAt, occurrence: number, outcome, reasons, reason: explanation } of forecast(plan, now, endOfTime, before?.hasOrder)) {
    if (outcome) continue;
    dates.push({ dueAt, number, outcome, isRecorded: false, makesWorkOrderAt: madeFrom(plan, dueAt), explanation, reasons });
    if (dates.length === first) break;
  }
  return dates;
}

/** SQL of `intervalDays` for procedure `p`. */
const interval = `case p.frequency ${Object.entries(daysOf)
  .map(([frequency, days]) => `when '${frequency}' then ${days}`)
  .join(" ")} else coalesce(p."customIntervalDays", 0) end`;

/** SQL of `lastInTime` for procedure `p`. */
const lastInTime = `least(
    p."nextDue" + least(greatest(i.days / 10.0, 1), 28, case when i.days > 0 then i.days / 2.0 else 1 end) * interval '1 day',
    case when p.statutory then ((p."nextDue" at time zone z.name)::date + 1)::timestamp at time zone z.name - interval '1 millisecond' end)`;

/** Counts dates of the period by outcome, and those overdue now. Throws BAD_USER_INPUT naming to. */
export async function compliance(
  db: TenantQueryable,
  { from, to, procedureId, assetId, site }: ComplianceArgs,
  now = nowDate(),
): Promise<Compliance> {
  if (to < from) throw badInput({ to: "must not be before from" });
  const rows = await db.query<{ outcome: OccurrenceOutcome | "overdue"; count: number }>(
    `${plannedEachTime}with counted as (
       select o.outcome, o."assetId" from "Occurrence" o where o."tenantId" = $1 and o."dueAt" >= $2 and o."dueAt" < $3
         and ($4::text is null or o."procedureId" = $4) and ($5::text is null or o."assetId" = $5)
       union all
       select 'overdue', p."assetId" from ${procedureAssets("p")} join "Asset" a on a."tenantId" = $1 and a.id = p."assetId" and a."deletedAt" is null and a.status <> 'decommissioned'
         left join "SiteSetting" t on t."tenantId" = $1 and t.site = a.site
         cross join lateral (select coalesce(t."timeZone", 'UTC') as name) z cross join lateral (select ${interval} as days) i
       where p."tenantId" = $1 and p."nextDue" >= $2 and p."nextDue" < $3 and p.status = 'active' and p."deletedAt" is null
         and ($4::text is null or p.id = $4) and ($5::text is null or p."assetId" = $5) and ${lastInTime} < $7::timestamptz
     )
     select c.outcome, count(*)::int as count from counted c
     where $6::text is null or exists (select 1 from "Asset" a where a."tenantId" = $1 and a.id = c."assetId" and a.site = $6) group by 1`,
    from,
    to,
    procedureId ?? null,
    assetId ?? null,
    site ?? null,
    now,
  );
  const counts = { done: 0, early: 0, late: 0, cancelled: 0, collapsed: 0, skipped: 0, overdue: 0, suppressed: 0 };
  for (const { outcome, count } of rows) counts[outcome] = count;
  const { suppressed, ...counting } = counts;
  const due = Object.values(counting).reduce((sum, count) => sum + count, 0);
  return { due, ...counting, suppressed, percentage: due ? Math.round((counts.done / due) * 10_000) / 100 : null };
}
