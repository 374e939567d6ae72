/**
 * Occurrences of procedures (docs/work.md, "Plans"): each due date is settled once, by its work order or by the procedure's policy, and what became of it
 * is kept. Completing moves the maintenance dates of the asset and the component too.
 */
import { insertSelect, type Rows } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import { badInput, forbidden } from "../../schema/errors.js";
import type { OccurrenceOutcome } from "../../schema/maintenance/enums.js";
import type { Actor } from "../access/keys.js";
import { outcomeAt, type PlannedDate, settleDone } from "./plan-dates.js";
import { dueDate, dueDateAfter } from "./schedule.js";
import { planOf, type TimedProcedure, timedProcedures } from "./timed-procedures.js";

type Recorded = Pick<Rows["Occurrence"], "number" | "dueAt" | "outcome" | "explanation"> &
  Partial<Pick<Rows["Occurrence"], "workOrderId" | "completedAt">>;

const recordOf = ({ occurrence, at, outcome, reason }: PlannedDate): Recorded => ({
  ...{ number: occurrence, dueAt: at, outcome: outcome!, explanation: reason },
});

/** Records what became of dates of a procedure, which its transaction has locked. */
async function record(tx: TenantQueryable, { id, assetId }: TimedProcedure, dates: Recorded[]): Promise<void> {
  if (!dates.length) return;
  const values = {
    ...{ procedureId: "$2", assetId: "$3", number: "r.number", dueAt: `r."dueAt"`, outcome: "r.outcome", workOrderId: `r."workOrderId"` },
    ...{ completedAt: `r."completedAt"`, explanation: "r.explanation", recordedAt: "now()" },
  };
  const rows = `jsonb_populate_recordset(null::"Occurrence", $4::jsonb) r`;
  await tx.query(`${insertSelect("Occurrence", values, rows)} on conflict do nothing`, id, assetId, JSON.stringify(dates));
}

/** Records the dates that pass and makes `next` the procedure's current one. */
export async function passTo(
  tx: TenantQueryable,
  procedure: TimedProcedure,
  passed: PlannedDate[],
  next: PlannedDate | undefined,
): Promise<void> {
  await record(tx, procedure, passed.map(recordOf));
  const last = passed.at(-1);
  await tx.query(
    `update "Procedure" set "anchorSteps" = $3, "nextDue" = $4, occurrence = $5 where "tenantId" = $1 and id = $2`,
    procedure.id,
    next?.steps ?? procedure.anchorSteps,
    next?.at ?? null,
    next?.occurrence ?? (last ? last.occurrence + 1 : procedure.occurrence),
  );
}

/**
 * Moves the procedure of an ended work order on: records the outcome of the occurrence that the order covers, and of those that it overtook.
 * `completedAt` is absent for a cancelled work order. With floating scheduling, completion sets the anchor.
 */
export async function advance(tx: TenantQueryable, order: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  await moveProcedure(tx, order, completedAt);
  await moveMaintenanceDates(tx, order, completedAt);
}

async function moveProcedure(tx: TenantQueryable, order: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  const { procedureId, occurrence } = order;
  if (procedureId == null) return;
  const [found] = await tx.query<TimedProcedure>(`${timedProcedures} and p.id = $2`, procedureId);
  const plan = planOf(found!);
  const isFloating = plan.schedulingBasis === "floating" && completedAt !== undefined;
  const isCurrent = occurrence != null && occurrence === plan.occurrence;
  const current = dueDate(plan, plan.anchorSteps);
  const { passed, next } = isCurrent && completedAt && !isFloating ? settleDone(plan, completedAt) : { passed: [], next: undefined };
  const after = isFloating
    ? dueDate({ ...plan, anchor: completedAt }, 1)
    : isCurrent
      ? (next ?? dueDateAfter(plan, plan.anchorSteps))
      : current;
  const outcome: OccurrenceOutcome = completedAt && current ? outcomeAt(plan, current.at, completedAt) : "cancelled";
  if (isCurrent && current) {
    const own = { number: occurrence, dueAt: current.at, outcome, workOrderId: order.id, completedAt, explanation: current.reason };
    await record(tx, plan, [own, ...passed.map(recordOf)]);
  }
  await tx.query(
    `update "Procedure" set anchor = $3, "anchorSteps" = $4, "nextDue" = $5, occurrence = occurrence + $6, "lastExecuted" = greatest("lastExecuted", $7)
     where "tenantId" = $1 and id = $2`,
    procedureId,
    isFloating ? completedAt : plan.anchor,
    after?.steps ?? plan.anchorSteps,
    after?.at ?? null,
    isCurrent ? 1 + passed.length : 0,
    completedAt ?? null,
  );
}

/** SQL of the first date at which one of the procedures `p` that meet a condition is due. */
const firstDue = (condition: string) =>
  `(select min(p."nextDue") from "Procedure" p where p."tenantId" = $1 and p.status = 'active' and p."deletedAt" is null and ${condition})`;

/** Sets the last maintenance of the order's asset and component, and the next one by all their procedures; a date set by hand stays where there are none. */
async function moveMaintenanceDates(tx: TenantQueryable, { assetId, componentId }: Rows["WorkOrder"], completedAt?: Date): Promise<void> {
  const next = (alias: string, condition: string) =>
    `"lastMaintenanceDate" = greatest(${alias}."lastMaintenanceDate", $3), "nextMaintenanceDate" = coalesce(${firstDue(condition)}, ${alias}."nextMaintenanceDate")`;
  await tx.query(
    `update "Asset" a set ${next("a", `p."assetId" = a.id`)} where a."tenantId" = $1 and a.id = $2 and a."deletedAt" is null`,
    assetId,
    completedAt ?? null,
  );
  if (componentId == null) return;
  const ofComponent = `p.id in (select w."procedureId" from "WorkOrder" w where w."tenantId" = $1 and w."componentId" = c.id)`;
  await tx.query(
    `update "Component" c set ${next("c", ofComponent)} where c."tenantId" = $1 and c.id = $2 and c."deletedAt" is null`,
    componentId,
    completedAt ?? null,
  );
}

/**
 * Locks the asset and the procedure of a work order, even if they are deleted, in the order in which a change of the asset locks them. Must precede the
 * lock of the work order, as in work-order-creation.ts. Returns whether the procedure is statutory.
 */
export async function lockPlanOf(tx: TenantQueryable, workOrderId: string): Promise<boolean> {
  const of = (column: string) => `(select "${column}" from "WorkOrder" where "tenantId" = $1 and id = $2)`;
  await tx.query(`select 1 from "Asset" where "tenantId" = $1 and id = ${of("assetId")} for no key update`, workOrderId);
  const [procedure] = await tx.query<{ statutory: boolean }>(
    `select statutory from "Procedure" where "tenantId" = $1 and id = ${of("procedureId")} for update`,
    workOrderId,
  );
  return procedure?.statutory ?? false;
}

/** Throws FORBIDDEN unless a manager cancels the work order of a statutory procedure, BAD_USER_INPUT naming reason without one. */
export function checkStatutoryCancelling({ role }: Actor, reason: string | null | undefined): void {
  if (role !== "manager" && role !== "admin") throw forbidden("Work of a statutory procedure is cancelled by a manager");
  if (!reason?.trim()) throw badInput({ reason: "is required to cancel the work of a statutory procedure" });
}
