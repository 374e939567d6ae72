/**
 * The life of work orders (decisions.md, "work-order states"): the one that moves their status on. Stock is moved by the ledger in the
 * same transaction.
 */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { conflict, notFound } from "../schema/errors.js";
import type {
  CompleteWorkOrderInput,
  UpdateWorkOrderInput,
  UpdateWorkOrderStepInput,
  WorkOrder,
  WorkOrderPart,
} from "../schema/work-order.js";
import type { WorkOrderStatus, WorkOrderStepStatus } from "../schema/work-vocabulary.js";
import type { Actor } from "./keys.js";
import { postEntries } from "./ledger.js";
import { type ProcedureRecord, timedProcedures } from "./procedures.js";
import { dueDate, dueDateAfter } from "./schedule.js";
import { guardAssets } from "./site-guard.js";
import { issueParts } from "./work-order-parts.js";

export type WorkOrderRecord = WorkOrder & Row;

export const unknownWorkOrder = (workOrderId: string) => notFound("Work order", { workOrderId });

/** Which status may follow which. */
const following: Record<WorkOrderStatus, WorkOrderStatus[]> = {
  scheduled: ["in_progress", "cancelled"],
  in_progress: ["on_hold", "completed", "cancelled"],
  on_hold: ["in_progress", "completed", "cancelled"],
  completed: ["closed"],
  closed: [],
  cancelled: [],
};

const followingStep: Record<WorkOrderStepStatus, WorkOrderStepStatus[]> = {
  pending: ["in_progress", "completed", "skipped"],
  in_progress: ["completed", "skipped"],
  completed: [],
  skipped: [],
};

const leadingTo = <S extends string>(table: Record<S, S[]>, status: S): S[] =>
  (Object.keys(table) as S[]).filter((from) => table[from].includes(status));

/**
 * Moves a work order on, where its status may be followed by the new one; `set` are further columns, of an alias-free update, and
 * `values` theirs from $7 on. Throws NOT_FOUND, CONFLICT with status and allowed, FORBIDDEN for an asset of another site.
 */
async function moveOn(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  to: WorkOrderStatus,
  { reason, set = "", values = [] }: { reason?: string | null; set?: string; values?: unknown[] } = {},
): Promise<WorkOrderRecord> {
  const [moved] = await tx.query<WorkOrderRecord>(
    `with before as (
       select id, status from "WorkOrder" where "tenantId" = $1 and id = $2 and status = any($4) for update
     ), moved as (
       update "WorkOrder" w set status = $3, "updatedAt" = now()${set} from before where w."tenantId" = $1 and w.id = before.id returning w.*
     ), log as (
       insert into "WorkOrderStatusChange" ("tenantId", "workOrderId", "fromStatus", "toStatus", reason, "changedBy", "changedByName")
       select $1, id, status, $3, $5, ($6::text[])[1], ($6::text[])[2] from before
     ) select * from moved`,
    id,
    to,
    leadingTo(following, to),
    reason ?? null,
    [actor.keyId, actor.keyName],
    ...values,
  );
  if (!moved) throw await refusal(tx, id, `A work order cannot become ${to} from here`);
  await guardAssets(tx, actor, [moved.assetId], "all");
  return moved;
}

async function refusal(tx: TenantQueryable, id: string, message: string): Promise<Error> {
  const [found] = await tx.query<{ status: WorkOrderStatus }>(`select status from "WorkOrder" where "tenantId" = $1 and id = $2`, id);
  return found ? conflict(message, { status: found.status, allowed: following[found.status] }) : unknownWorkOrder(id);
}

/** Begins the work, or goes on with it after a hold. */
export const startWorkOrder = (db: TenantDatabase, actor: Actor, id: string): Promise<WorkOrderRecord> =>
  db.transaction((tx) => moveOn(tx, actor, id, "in_progress", { set: `, "startedAt" = coalesce(w."startedAt", now())` }));

export const holdWorkOrder = (db: TenantDatabase, actor: Actor, id: string, reason?: string | null): Promise<WorkOrderRecord> =>
  db.transaction((tx) => moveOn(tx, actor, id, "on_hold", { reason }));

export const closeWorkOrder = (db: TenantDatabase, actor: Actor, id: string): Promise<WorkOrderRecord> =>
  db.transaction((tx) => moveOn(tx, actor, id, "closed"));

/** As `holdProcedure`, for the end of a work order: deleted procedures too. */
const holdProcedureOf = (tx: TenantQueryable, id: string) =>
  tx.query(
    `select 1 from "Procedure" where "tenantId" = $1 and id = (select "procedureId" from "WorkOrder" where "tenantId" = $1 and id = $2) for update`,
    id,
  );

/**
 * Cancels the work and releases its parts. The occurrence of one that the scheduler made is skipped; that of one made by hand is
 * due again.
 */
export const cancelWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason?: string | null,
  now = new Date(),
): Promise<WorkOrderRecord> =>
  db.transaction(async (tx) => {
    await holdProcedureOf(tx, id);
    const set = `, "endedAt" = $7, occurrence = case when w.origin = 'scheduler' then w.occurrence end`;
    const cancelled = await moveOn(tx, actor, id, "cancelled", { reason, set, values: [now] });
    const reserved = await tx.query<WorkOrderPart>(
      `update "WorkOrderPart" set status = 'released' where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved' returning "partId", site, quantity`,
      id,
    );
    if (reserved.length)
      await postEntries(
        tx,
        actor,
        reserved.map(({ partId, site, quantity }) => ({
          partId,
          site,
          type: "unreserve",
          reserve: -Number(quantity),
          reason: "Work order cancelled",
          reference: id,
        })),
      );
    if (cancelled.origin === "scheduler") await advance(tx, cancelled);
    return cancelled;
  });

/** Lets the procedure's next occurrence be due, where this work order covered the one that was. `completedAt` where it was done. */
async function advance(tx: TenantQueryable, { procedureId, occurrence }: WorkOrderRecord, completedAt?: Date): Promise<void> {
  if (procedureId == null) return;
  const [procedure] = await tx.query<ProcedureRecord>(`${timedProcedures} and p.id = $2`, procedureId);
  const { anchor, anchorSteps, schedulingBasis } = procedure!;
  const floats = schedulingBasis === "floating" && completedAt !== undefined;
  const covered = occurrence != null && occurrence === procedure!.occurrence;
  const next = floats
    ? dueDate({ ...procedure!, anchor: completedAt }, 1)
    : covered
      ? dueDateAfter(procedure!, anchorSteps)
      : dueDate(procedure!, anchorSteps);
  await tx.query(
    `update "Procedure" set anchor = $3, "anchorSteps" = $4, "nextDue" = $5, occurrence = occurrence + $6, "lastExecuted" = coalesce($7, "lastExecuted")
     where "tenantId" = $1 and id = $2`,
    procedureId,
    floats ? completedAt : anchor,
    next?.steps ?? anchorSteps,
    next?.at ?? null,
    covered ? 1 : 0,
    completedAt ?? null,
  );
}

/**
 * Issues what was used, releases the rest, and feeds history, performance, lastExecuted and nextDue. Unfinished steps count as
 * skipped. Throws CONFLICT with available and requested where more was used than there is, BAD_USER_INPUT naming an unknown part.
 */
export const completeWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: CompleteWorkOrderInput,
  now = new Date(),
): Promise<WorkOrderRecord> =>
  db.transaction(async (tx) => {
    const { duration, technician, laborCost, notes } = input;
    const set = `, "completedAt" = $7, "endedAt" = $7, "laborCost" = $8, notes = coalesce($9, w.notes), technician = coalesce($10, w."assignedTechnician", ($6::text[])[2]),
      duration = coalesce($11, round(greatest(extract(epoch from $7::timestamptz - w."startedAt"), 0) / 60, 4))`;
    await holdProcedureOf(tx, id);
    const completed = await moveOn(tx, actor, id, "completed", {
      set,
      values: [now, laborCost ?? null, notes ?? null, technician ?? null, duration ?? null],
    });
    const issues = await issueParts(tx, actor, id, input.usedParts ?? []);
    const [costed] = await tx.query<WorkOrderRecord>(
      `with steps as (
         update "WorkOrderStep" set status = 'skipped', "changedBy" = $3, "changedAt" = $4 where "tenantId" = $1 and "workOrderId" = $2 and status in ('pending', 'in_progress')
       ) update "WorkOrder" set "partsCost" = (select coalesce(-sum("totalValue"), 0) from "StockMovement" where "tenantId" = $1 and id = any($5))
       where "tenantId" = $1 and id = $2 returning *`,
      id,
      actor.keyId,
      now,
      issues,
    );
    await advance(tx, completed, now);
    return costed!;
  });

/** Throws NOT_FOUND, CONFLICT with status and allowed where it is not pending any more. */
export const updateWorkOrder = (db: TenantDatabase, actor: Actor, id: string, input: UpdateWorkOrderInput): Promise<WorkOrderRecord> =>
  db.transaction(async (tx) => {
    const [updated] = await tx.query<WorkOrderRecord>(
      `update "WorkOrder" w set ("scheduledDate", "assignedTechnician", priority, notes, title) =
         (select "scheduledDate", "assignedTechnician", priority, notes, title from jsonb_populate_record(w, $3::jsonb)), "updatedAt" = now()
       where "tenantId" = $1 and id = $2 and "endedAt" is null returning *`,
      id,
      JSON.stringify(input),
    );
    if (!updated) throw await refusal(tx, id, "A work order is changed only while it is pending");
    await guardAssets(tx, actor, [updated.assetId], "all");
    return updated;
  });

/** Throws NOT_FOUND for an unknown work order or step, CONFLICT with status and allowed where the step or the work order stands otherwise. */
export const updateWorkOrderStep = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  order: number,
  { status, notes }: UpdateWorkOrderStepInput,
): Promise<WorkOrderRecord> =>
  db.transaction(async (tx) => {
    const [workOrder] = await tx.query<WorkOrderRecord>(`select * from "WorkOrder" where "tenantId" = $1 and id = $2 for update`, id);
    if (!workOrder) throw unknownWorkOrder(id);
    await guardAssets(tx, actor, [workOrder.assetId], "all");
    if (workOrder.status !== "in_progress")
      throw conflict("Steps are worked on while the work order is in progress", {
        status: workOrder.status,
        allowed: following[workOrder.status],
      });
    const [step] = await tx.query(
      `update "WorkOrderStep" set status = $4, notes = coalesce($5, notes), "changedBy" = $6, "changedAt" = now()
       where "tenantId" = $1 and "workOrderId" = $2 and "order" = $3 and status = any($7) returning 1`,
      id,
      order,
      status,
      notes ?? null,
      actor.keyId,
      leadingTo(followingStep, status),
    );
    if (step) return workOrder;
    const [found] = await tx.query<{ status: WorkOrderStepStatus }>(
      `select status from "WorkOrderStep" where "tenantId" = $1 and "workOrderId" = $2 and "order" = $3`,
      id,
      order,
    );
    if (!found) throw notFound("Step", { workOrderId: id, order: String(order) });
    throw conflict(`A step cannot become ${status} from here`, { status: found.status, allowed: followingStep[found.status] });
  });
