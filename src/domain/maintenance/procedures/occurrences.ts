/**
 * Occurrences of procedures (docs/work.md, "Plans"). Each due date is settled once, by its work order or by the procedure's policy, and its
 * outcome is stored. A completion also updates the maintenance dates of the asset and the component.
 */

import type { TenantQueryable } from "../../../database/database.js";
import { insertSelect, type Rows } from "../../../database/rows/catalogue.js";
import { badInput, forbidden } from "../../../schema/errors.js";
import type { OccurrenceOutcome } from "../../../schema/maintenance/enums.js";
import type { Actor } from "../../access/keys.js";
import { coveredOccurrence, isByMeter, restartOf, smallerPlans } from "./nested-plans.js";
import { countersOf, firstDue, passCounters, resetCounters } from "./plan-counters.js";
import { outcomeAt, type Plan, type PlannedDate, settleDone } from "./plan-dates.js";
import { dueDate, dueDateAfter } from "./schedule.js";
import { planOf, procedureAssets, setTiming, type TimedProcedure, timedProcedures } from "./timed-procedures.js";

type Recorded = Pick<Rows["Occurrence"], "number" | "dueAt" | "outcome" | "explanation"> &
  Partial<Pick<Rows["Occurrence"], "workOrderId" | "completedAt">>;

const recordOf = ({ occurrence, at, outcome, reason }: PlannedDate): Recorded => ({
  number: occurrence,
  dueAt: at,
  outcome: outcome!,
  explanation: reason,
});

/** Records outcomes of a procedure's dates. The transaction has locked the procedure. */
const record = (tx: TenantQueryable, { id, assetId }: TimedProcedure, dates: Recorded[]) =>
  recordAll(
    tx,
    dates.map((date) => ({ ...date, procedureId: id, assetId })),
  );

async function recordAll(tx: TenantQueryable, dates: (Recorded & Pick<Rows["Occurrence"], "procedureId" | "assetId">)[]): Promise<void> {
  if (!dates.length) return;
  const values = {
    procedureId: `r."procedureId"`,
    assetId: `r."assetId"`,
    number: "r.number",
    dueAt: `r."dueAt"`,
    outcome: "r.outcome",
    workOrderId: `r."workOrderId"`,
    completedAt: `r."completedAt"`,
    explanation: "r.explanation",
    recordedAt: "now()",
  };
  const rows = `jsonb_populate_recordset(null::"Occurrence", $2::jsonb) r`;
  await tx.query(`${insertSelect("Occurrence", values, rows)} on conflict do nothing`, JSON.stringify(dates));
}

/** Records the dates that pass without a work order, and makes `next` the procedure's current date. */
export async function passTo(
  tx: TenantQueryable,
  procedure: TimedProcedure,
  passed: PlannedDate[],
  next: PlannedDate | undefined,
): Promise<void> {
  await record(tx, procedure, passed.map(recordOf));
  const last = passed.at(-1);
  const { id, planAssetId } = procedure;
  const occurrence = next?.occurrence ?? (last ? last.occurrence + 1 : procedure.occurrence);
  await setTiming(tx, [{ id, planAssetId, anchorSteps: next?.steps ?? procedure.anchorSteps, nextDue: next?.at ?? null, occurrence }]);
}

/**
 * Advances the procedure of a finished work order: records the outcome of the covered occurrence, and of occurrences that it supersedes.
 * `completedAt` is absent for a cancelled work order. Completion resets all meters and conditions, and those of smaller plans whose work it
 * includes. It restarts the anchor with floating scheduling, or if a meter or condition was due first.
 */
export async function advance(tx: TenantQueryable, order: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  await moveProcedure(tx, order, completedAt);
  await moveMaintenanceDates(tx, order, completedAt);
}

/** Records the occurrence of a work order as cancelled if the order was completed, reopened and then cancelled. */
export const cancelOccurrenceOf = (tx: TenantQueryable, workOrderId: string) =>
  tx.query(
    `update "Occurrence" set outcome = 'cancelled', "completedAt" = null where "tenantId" = $1 and "workOrderId" = $2 and "completedAt" is not null`,
    workOrderId,
  );

/**
 * Updates the outcome of a work order that is completed again after reopening. Outcomes by meter are kept, because the remaining interval
 * at the new completion is no longer known.
 */
async function judgeAgain(tx: TenantQueryable, plan: Plan, { id, dueBy }: Rows["WorkOrder"], completedAt: Date): Promise<void> {
  if (dueBy === "meter") return;
  const [known] = await tx.query<{ dueAt: Date }>(
    `select "dueAt" from "Occurrence" where "tenantId" = $1 and "workOrderId" = $2 and "completedAt" <> $3`,
    id,
    completedAt,
  );
  if (!known) return;
  await tx.query(
    `update "Occurrence" set outcome = $3, "completedAt" = $4 where "tenantId" = $1 and "workOrderId" = $2`,
    id,
    outcomeAt(plan, known.dueAt, completedAt),
    completedAt,
  );
}

async function moveProcedure(tx: TenantQueryable, order: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  const { procedureId, planAssetId, occurrence } = order;
  if (procedureId == null) return;
  const [found] = await tx.query<TimedProcedure>(`${timedProcedures} and p.id = $2 and p."planAssetId" = $3`, procedureId, planAssetId);
  // A further asset of the procedure can be removed by a purge.
  if (!found) return;
  // The procedure has moved to another asset, whose dates are not those of this order.
  if (found.assetId !== order.assetId) return recordOfOther(tx, found, order, completedAt);
  const plan = planOf(found);
  const lastExecuted = completedAt && (!plan.lastExecuted || completedAt > plan.lastExecuted) ? completedAt : plan.lastExecuted;
  const isCurrent = occurrence != null && occurrence === plan.occurrence;
  const current = dueDate(plan, plan.anchorSteps);
  const counters = isCurrent || completedAt ? await countersOf(tx, plan, completedAt) : [];
  const counter = isCurrent ? (firstDue(counters) ?? madeBy(order)) : undefined;
  const isByCounter = counter !== undefined && (!current || counter.since < current.at);
  // Work due by a meter or a condition also counts for the date: the dates restart from it.
  const isRestarted = completedAt !== undefined && (plan.schedulingBasis === "floating" || isByCounter);
  const { passed, next } = isCurrent && completedAt && !isRestarted ? settleDone(plan, completedAt) : { passed: [], next: undefined };
  const after = isRestarted
    ? dueDate({ ...plan, anchor: lastExecuted! }, 1)
    : isCurrent && !isByCounter
      ? (next ?? dueDateAfter(plan, plan.anchorSteps))
      : current;
  const due = isByCounter ? { at: counter.since, reason: counter.text } : current;
  const outcome: OccurrenceOutcome =
    !completedAt || !due
      ? "cancelled"
      : isByCounter && counter.isWithinTenth && !plan.statutory
        ? "done"
        : outcomeAt(plan, due.at, completedAt);
  if (isCurrent && due) {
    const own = { number: occurrence, dueAt: due.at, outcome, workOrderId: order.id, completedAt, explanation: due.reason };
    await record(tx, plan, [own, ...passed.map(recordOf)]);
  }
  if (!isCurrent && completedAt) await judgeAgain(tx, plan, order, completedAt);
  const date = isCurrent && !isByCounter ? current?.at : undefined;
  const smaller = completedAt ? await smallerPlans(tx, plan, date) : [];
  const covered = smaller.filter(isByMeter);
  if (completedAt && counters.length + smaller.length)
    await resetCounters(tx, [plan.id, ...smaller.map(({ id }) => id)], plan.assetId, lastExecuted!);
  else if (counters.length) await passCounters(tx, plan);
  await recordAll(
    tx,
    covered.map((one) => ({
      ...coveredOccurrence(one, plan.name),
      dueAt: one.meter.since ?? lastExecuted!,
      outcome: "suppressed" as const,
    })),
  );
  await setTiming(tx, [
    ...covered.map((one) => restartOf(one, lastExecuted!)),
    {
      id: procedureId,
      planAssetId,
      anchor: isRestarted ? lastExecuted! : plan.anchor,
      anchorSteps: after?.steps ?? plan.anchorSteps,
      nextDue: after?.at ?? null,
      occurrence: plan.occurrence + (isCurrent ? 1 + passed.length : 0),
      lastExecuted,
    },
  ]);
}

/** The meter or condition that caused an order, even if its reading has been deleted since. */
const madeBy = ({ dueBy, dueReason, scheduledDate: since }: Rows["WorkOrder"]) =>
  dueBy === "meter" || dueBy === "condition" ? { since, text: dueReason ?? "", isWithinTenth: false } : undefined;

/** Records the outcome of an order's occurrence on the procedure's previous asset. */
async function recordOfOther(tx: TenantQueryable, procedure: TimedProcedure, order: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  const { id: workOrderId, assetId, occurrence: number, scheduledDate: dueAt, dueReason } = order;
  if (number == null) return;
  const outcome = completedAt ? outcomeAt(procedure, dueAt, completedAt) : "cancelled";
  await record(tx, { ...procedure, assetId }, [{ number, dueAt, outcome, workOrderId, completedAt, explanation: dueReason ?? "" }]);
}

/** SQL of the earliest due date among the procedures `p` that satisfy a condition. */
const firstDate = (condition: string) =>
  `(select min(p."nextDue") from ${procedureAssets("p")} where p."tenantId" = $1 and p.status = 'active' and p."deletedAt" is null and ${condition})`;

/**
 * Sets the last maintenance of the order's asset and component, and the next one from all their procedures. Without procedures, a manually
 * set date stays.
 */
async function moveMaintenanceDates(tx: TenantQueryable, { assetId, componentId }: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  const next = (alias: string, condition: string) =>
    `"lastMaintenanceDate" = greatest(${alias}."lastMaintenanceDate", $3), "nextMaintenanceDate" = coalesce(${firstDate(condition)}, ${alias}."nextMaintenanceDate")`;
  await tx.query(
    `update "Asset" a set ${next("a", `p."assetId" = a.id`)} where a."tenantId" = $1 and a.id = $2 and a."deletedAt" is null`,
    assetId,
    completedAt ?? null,
  );
  if (componentId == null) return;
  const ofComponent = `p."assetId" = $4 and p.id in (select w."procedureId" from "WorkOrder" w where w."tenantId" = $1 and w."componentId" = c.id)`;
  await tx.query(
    `update "Component" c set ${next("c", ofComponent)} where c."tenantId" = $1 and c.id = $2 and c."deletedAt" is null`,
    componentId,
    completedAt ?? null,
    assetId,
  );
}

const ofOrder = (column: string) => `(select "${column}" from "WorkOrder" where "tenantId" = $1 and id = $2)`;

/** Locks the asset of a work order, even if it is deleted. Call before locking the work order. */
export const lockAssetOf = (tx: TenantQueryable, workOrderId: string) =>
  tx.query(`select 1 from "Asset" where "tenantId" = $1 and id = ${ofOrder("assetId")} for no key update`, workOrderId);

/**
 * Locks the asset and the procedure of a work order, even if they are deleted, in the same order as a change of the asset. Call before
 * locking the work order, as in work-order-creation.ts. Returns whether the procedure is statutory.
 */
export async function lockPlanOf(tx: TenantQueryable, workOrderId: string): Promise<boolean> {
  await lockAssetOf(tx, workOrderId);
  const [procedure] = await tx.query<{ statutory: boolean }>(
    `select statutory from "Procedure" where "tenantId" = $1 and id = ${ofOrder("procedureId")} for update`,
    workOrderId,
  );
  return procedure?.statutory ?? false;
}

/** Throws FORBIDDEN unless a manager cancels the work order of a statutory procedure, BAD_USER_INPUT if reason is missing. */
export function checkStatutoryCancelling({ role }: Actor, reason: string | null | undefined): void {
  if (role !== "manager" && role !== "admin") throw forbidden("Only a manager can cancel work of a statutory procedure");
  if (!reason?.trim()) throw badInput({ reason: "is required to cancel the work of a statutory procedure" });
}
