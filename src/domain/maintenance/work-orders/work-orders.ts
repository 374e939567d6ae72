/**
 * Work order transitions (docs/interface.md 2.8, 3; docs/decisions.md, "work-order states"). Only this module writes their status. Stock is
 * posted to the ledger in the same transaction.
 */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, atVersionSql, versionConflict } from "../../../database/records/versions.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { enumName } from "../../../schema/enums.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { WorkOrderStatus } from "../../../schema/maintenance/enums.js";
import { materialCost } from "../../../schema/maintenance/work-orders/cost-sql.js";
import type { CloseWorkOrderInput } from "../../../schema/maintenance/work-orders/work-order-closing.js";
import type { CompleteWorkOrderInput, UpdateWorkOrderInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { closeAlertOfOrder, orderStarted } from "../../alerts/alert-orders.js";
import { advance, cancelOccurrenceOf, checkStatutoryCancelling, lockPlanOf } from "../procedures/occurrences.js";
import { doneAt, recordClosing, recordCompletion } from "./closing.js";
import { releaseParts, settleParts } from "./parts.js";
import { notFrom, sourcesOf, transitions, unknownWorkOrder } from "./states.js";
import { refuseUnfinishedSteps } from "./steps.js";

export { unknownWorkOrder };

interface TransitionOptions {
  /** Default: the statuses from which `transitions` allows the target. */
  from?: WorkOrderStatus[];
  reason?: string | null;
  /** SQL of additional assignments to the row `w`. `bind` takes a value and returns its parameter. */
  set?: (bind: (value: unknown) => string) => string[];
  expected?: Expected;
}

/**
 * Changes the status of a work order and logs the change. Throws NOT_FOUND, FORBIDDEN for an asset of another site, CONFLICT with `status`
 * and `allowed`, or with `version` unless the expected version is current.
 */
export async function transition(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  to: WorkOrderStatus,
  { from = sourcesOf(transitions, to), reason, set, expected }: TransitionOptions = {},
): Promise<Rows["WorkOrder"]> {
  const values: unknown[] = [id, to, from, reason ?? null, [actor.principalId, actor.principalName], expected ?? null];
  const assignments = [
    `status = $3`,
    `"updatedBy" = ($6::text[])[1]`,
    `"holdReason" = case when $3 = 'on_hold' then $5 end`,
    // The tenant is $1.
    ...(set?.((value) => `$${values.push(value) + 1}`) ?? []),
  ];
  const [changed] = await tx.query<Rows["WorkOrder"]>(
    `with before as (
       select id, status from "WorkOrder" w where "tenantId" = $1 and id = $2 and status = any($4) and ${atVersionSql("w", "$7")} for update
     ), changed as (
       update "WorkOrder" w set ${assignments.join(", ")} from before where w."tenantId" = $1 and w.id = before.id returning ${rowColumns("WorkOrder", "w")}
     ), log as (
       ${insertSelect(
         "WorkOrderStatusChange",
         {
           workOrderId: "id",
           fromStatus: "status",
           toStatus: "$3",
           reason: "$5",
           changedAt: "now()",
           changedBy: "($6::text[])[1]",
           changedByName: "($6::text[])[2]",
         },
         "before",
       )}
     ) select ${rowColumns("WorkOrder")} from changed`,
    ...values,
  );
  if (!changed) throw await notAllowed(tx, actor, id, expected, `A work order cannot become ${enumName(to)} from here`);
  await guardAssets(tx, actor, [changed.assetId], "all");
  return changed;
}

/** The error for a work order that was not changed. */
async function notAllowed(tx: TenantQueryable, actor: Actor, id: string, expected: Expected, message: string): Promise<Error> {
  const [found] = await tx.query<{ status: WorkOrderStatus; assetId: string }>(
    `select status, "assetId" from "WorkOrder" where "tenantId" = $1 and id = $2`,
    id,
  );
  if (!found) return unknownWorkOrder(id);
  if (expected != null) await guardAssets(tx, actor, [found.assetId], "all");
  const notAtVersion = await versionConflict(tx, "WorkOrder", id, expected);
  return notAtVersion ?? notFrom(message, found.status, transitions);
}

/** Starts a work order or resumes one that is on hold. `startedAt` keeps its first value. Throws the errors of `transition`. */
export const startWorkOrder = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const started = await transition(tx, actor, id, "in_progress", {
      set: () => [`"startedAt" = coalesce(w."startedAt", now())`],
      expected,
    });
    await orderStarted(tx, actor, started);
    return started;
  });

/** Throws the errors of `transition`. */
export const holdWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason?: string | null,
  expected?: Expected,
): Promise<Rows["WorkOrder"]> => db.transaction((tx) => transition(tx, actor, id, "on_hold", { reason, expected }));

/** Throws the errors of `transition`. */
export const closeWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: CloseWorkOrderInput,
  expected?: Expected,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => recordClosing(tx, actor, await transition(tx, actor, id, "closed", { expected }), input));

/**
 * Cancels a work order and releases its parts. If the scheduler created it, its occurrence is skipped; otherwise the occurrence is due
 * again (docs/decisions.md, "cancelling"). Throws the errors of `transition`, `refuseUnfinishedSteps` and `checkStatutoryCancelling`.
 */
export const cancelWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason?: string | null,
  expected?: Expected,
  now = nowDate(),
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const isStatutory = await lockPlanOf(tx, id);
    await refuseUnfinishedSteps(tx, actor, id, "cancelled", expected);
    const cancelled = await transition(tx, actor, id, "cancelled", {
      reason,
      set: (bind) => [`"endedAt" = ${bind(now)}`, `occurrence = case when w.origin = 'scheduler' then w.occurrence end`],
      expected,
    });
    if (isStatutory) checkStatutoryCancelling(actor, reason);
    await releaseParts(tx, actor, id);
    if (cancelled.procedureId != null) await cancelOccurrenceOf(tx, id);
    if (cancelled.origin === "scheduler") await advance(tx, cancelled);
    return cancelled;
  });

/**
 * Completes a work order: issues its parts, skips unfinished optional steps, and sets lastExecuted and nextDue of its procedure. `duration`
 * is in minutes. Throws the errors of `transition`, `refuseUnfinishedSteps` and `settleParts`.
 */
export const completeWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: CompleteWorkOrderInput,
  expected?: Expected,
  present = nowDate(),
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const { startedAt, duration, technician, laborCost, notes } = input;
    const now = doneAt(input, present);
    // With `startedAt`, a work order can be completed without being started first.
    const from = [...sourcesOf(transitions, "completed"), ...(startedAt ? (["scheduled"] as const) : [])];
    await lockPlanOf(tx, id);
    await refuseUnfinishedSteps(tx, actor, id, "completed", expected, from);
    const completed = await transition(tx, actor, id, "completed", {
      set: (bind) => {
        const end = `${bind(now)}::timestamptz`;
        const start = `coalesce(${bind(startedAt ?? null)}, w."startedAt")`;
        const minutes = `round(greatest(extract(epoch from ${end} - ${start}), 0) / 60, 4)`;
        return [
          `"startedAt" = ${start}`,
          `"completedAt" = ${end}`,
          `"endedAt" = ${end}`,
          `"laborCost" = coalesce(${bind(laborCost ?? null)}, w."laborCost")`,
          `notes = coalesce(${bind(notes ?? null)}, w.notes)`,
          `technician = coalesce(${bind(technician ?? null)}, w."assignedTechnician", ${bind(actor.principalName)})`,
          `duration = coalesce(${bind(duration ?? null)}, ${minutes})`,
        ];
      },
      from,
      expected,
    });
    await recordCompletion(tx, actor, completed, input);
    await settleParts(tx, actor, id, input.usedParts ?? [], input.completedAt);
    const [withCost] = await tx.query<Rows["WorkOrder"]>(
      `with steps as (
         update "WorkOrderStep" set status = 'skipped', "changedBy" = $3, "changedAt" = $4 where "tenantId" = $1 and "workOrderId" = $2 and status in ('pending', 'in_progress')
       ) update "WorkOrder" w set "partsCost" = ${materialCost("w")} where "tenantId" = $1 and id = $2 returning ${rowColumns("WorkOrder")}`,
      id,
      actor.principalId,
      now,
    );
    await advance(tx, completed, now);
    return { ...withCost!, ...(await closeAlertOfOrder(tx, actor, completed, input.feedback)) };
  });

/**
 * Throws NOT_FOUND, CONFLICT with `status` and `allowed` unless it is pending, or with `version` for another version, FORBIDDEN for another
 * site.
 */
export const updateWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateWorkOrderInput,
  expected?: Expected,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    // Codes apply to corrective work only. A reopened order may have some.
    const withoutCodes = input.type != null && input.type !== "corrective" && { failureMode: null, failureCause: null, remedy: null };
    const changes = { ...input, ...withoutCodes };
    const updated = await tx.records.WorkOrder.update(actor.principalId, { id, endedAt: null, ...atVersion(expected) }, changes);
    if (!updated) throw await notAllowed(tx, actor, id, expected, "A work order is changed only while it is pending");
    await guardAssets(tx, actor, [updated.assetId], "all");
    return updated;
  });
