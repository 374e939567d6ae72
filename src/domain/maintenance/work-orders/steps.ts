/** Steps of work orders: progress, measurements, isolation, and unfinished steps that prevent completion (docs/work.md, "Steps"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound, ServiceError } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { FollowUpInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import type { UpdateWorkOrderStepInput } from "../../../schema/maintenance/work-orders/work-order-step.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { lockTrees } from "../../components/tree.js";
import { storeReadings } from "../meters/readings.js";
import { lockAssetOf } from "../procedures/occurrences.js";
import { createFollowUp } from "./creation-from-alert.js";
import { notFrom, sourcesOf, stepTransitions, transitions, unknownWorkOrder } from "./states.js";
import { exchangeForStep, lockPositions } from "./step-exchange.js";
import { checkEnd, checkGates, checkRelease, checkSkip, resultOf } from "./step-rules.js";

type Step = Rows["WorkOrderStep"];

const stepsOf = (tx: TenantQueryable, id: string): Promise<Step[]> =>
  tx.query<Step>(
    `select ${rowColumns("WorkOrderStep")} from "WorkOrderStep" where "tenantId" = $1 and "workOrderId" = $2 order by "order"`,
    id,
  );

/**
 * Serializes changes of a work order's steps. Locks its asset, then the order, as completion and cancellation do, to avoid deadlocks.
 * `lockOthers` locks what is locked between them.
 * Throws NOT_FOUND, FORBIDDEN for another site.
 */
async function lockWorkOrder(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  lockOthers?: () => Promise<unknown>,
): Promise<Rows["WorkOrder"]> {
  await lockAssetOf(tx, id);
  await lockOthers?.();
  const [workOrder] = await tx.query<Rows["WorkOrder"]>(
    `select ${rowColumns("WorkOrder")} from "WorkOrder" where "tenantId" = $1 and id = $2 for update`,
    id,
  );
  if (!workOrder) throw unknownWorkOrder(id);
  await guardAssets(tx, actor, [workOrder.assetId], "all");
  return workOrder;
}

function stepIn(steps: Step[], workOrderId: string, order: number): Step {
  const step = steps.find((one) => one.order === order);
  if (!step) throw notFound("Step", { workOrderId, order: String(order) });
  return step;
}

/**
 * Changes the status of a step. A measurement is stored as a reading, and can be repeated. Throws NOT_FOUND for an unknown work order or
 * step, FORBIDDEN for another site, and the errors of step-rules.ts and step-exchange.ts. Throws CONFLICT with `status` and `allowed` unless
 * the work order is in progress and the transition is valid.
 */
export const updateWorkOrderStep = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  order: number,
  { status, notes, value, reason, followUp, exchange }: UpdateWorkOrderStepInput,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    let positions = new Set<string>();
    // Before any row, as in other writes of trees.
    if (exchange) await lockTrees(tx);
    const workOrder = await lockWorkOrder(tx, actor, id, async () => {
      if (exchange) positions = await lockPositions(tx, id, order, exchange);
    });
    if (workOrder.status !== "in_progress")
      throw notFrom("Steps are worked on while the work order is in progress", workOrder.status, transitions);
    const steps = await stepsOf(tx, id);
    const step = stepIn(steps, id, order);
    const isDone = status === "completed";
    const isMeasured = isDone && step.kind === "measurement";
    const isExchanged = isDone && step.kind === "exchange";
    if (step.kind === "exchange" && step.status === "completed")
      throw notFrom("The exchange is recorded and stays; record another one with exchangeUnit", step.status, stepTransitions);
    if (!stepTransitions[step.status].includes(status) && !(isMeasured && step.status === "completed"))
      throw notFrom(`A step cannot become ${status.toUpperCase()} from here`, step.status, stepTransitions);
    checkGates(steps, step);
    if (status === "skipped") checkSkip(steps, step, actor, reason);
    const isOverride = isDone && step.kind === "release" && checkRelease(steps, step, actor, reason);
    checkInput({ value, reason, followUp, exchange }, { isMeasured, isExchanged, takesReason: status === "skipped" || isOverride });
    const result = isMeasured ? resultOf(step, value!) : null;
    const exchanged = isExchanged ? await exchangeForStep(db, tx, actor, step, exchange!, { positions, notes }) : undefined;
    const [changed] = await tx.query<Step>(
      `update "WorkOrderStep" set status = $4, notes = coalesce($5, notes), "changedBy" = $6, "changedAt" = now(), reason = coalesce($7, reason),
         value = coalesce($8::float8, value), result = case when $8::float8 is null then result else $9 end,
         "componentId" = coalesce($10, "componentId"), "removedUnitId" = $11,
         "installedUnitId" = (select p."unitId" from "UnitPeriod" p where p."tenantId" = $1 and p."componentId" = $10 and p."endedAt" is null)
       where "tenantId" = $1 and "workOrderId" = $2 and "order" = $3 returning ${rowColumns("WorkOrderStep")}`,
      id,
      order,
      status,
      notes ?? null,
      actor.principalId,
      reason ?? null,
      value ?? null,
      result,
      exchanged?.componentId ?? null,
      exchanged?.removedUnitId ?? null,
    );
    if (isMeasured) await storeMeasured(tx, actor, workOrder.assetId, changed!);
    if (followUp && result === "fail") await createFollowUp(tx, actor, workOrder, changed!, followUp);
    const [after] = await tx.query<Rows["WorkOrder"]>(
      `select ${rowColumns("WorkOrder")} from "WorkOrder" where "tenantId" = $1 and id = $2`,
      id,
    );
    return after!;
  });

/** Throws BAD_USER_INPUT for fields that are missing or do not apply to the step. */
function checkInput(
  { value, reason, followUp, exchange }: Pick<UpdateWorkOrderStepInput, "value" | "reason" | "followUp" | "exchange">,
  { isMeasured, isExchanged, takesReason }: { isMeasured: boolean; isExchanged: boolean; takesReason: boolean },
): void {
  const details = {
    ...(isMeasured && value == null && { value: "is required: what was measured" }),
    ...(!isMeasured && value != null && { value: "is for a measurement that is completed" }),
    ...(!isMeasured && followUp && { followUp: "is for a measurement that is completed" }),
    ...(isExchanged && !exchange && { exchange: "is required: the units that come out and go in" }),
    ...(!isExchanged && exchange && { exchange: "is for a step of the kind EXCHANGE that is completed" }),
    ...(!takesReason && reason && { reason: "is for a step that is skipped, or released by a manager instead; use notes" }),
  };
  if (Object.keys(details).length) throw badInput(details);
}

/** Stores a measured value as a reading, so that triggers see it. */
async function storeMeasured(tx: TenantQueryable, actor: Actor, assetId: string, { parameter, value, unit }: Step): Promise<void> {
  try {
    await storeReadings(tx, actor, [{ assetId, parameter: parameter!, value: value!, unit }]);
  } catch (error) {
    const details = error instanceof ServiceError && error.code === "BAD_USER_INPUT" && (error.context.details as Record<string, string>);
    if (!details) throw error;
    if (details["readings.0.assetId"])
      throw conflict("A measurement is stored as a reading of the asset, which is deleted; restore the asset first");
    throw badInput({ value: Object.values(details).join("; ") });
  }
}

/**
 * Permits any worker to skip a step. Steps that isolate or verify require permission from another person. Throws NOT_FOUND, CONFLICT unless
 * the step is unfinished, FORBIDDEN for another site.
 */
export const allowWorkOrderStepSkip = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  order: number,
  reason: string,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const workOrder = await lockWorkOrder(tx, actor, id);
    if (workOrder.endedAt) throw notFrom("The work order has ended", workOrder.status, transitions);
    const step = stepIn(await stepsOf(tx, id), id, order);
    if (step.kind === "release")
      throw conflict("A RELEASE step cannot be skipped; the person who isolated completes it, or a manager with a reason", { step: order });
    if (!sourcesOf(stepTransitions, "skipped").includes(step.status)) throw notFrom("The step is finished", step.status, stepTransitions);
    await tx.query(
      `update "WorkOrderStep" set "skipAllowedBy" = $4, "skipAllowedAt" = now(), reason = $5 where "tenantId" = $1 and "workOrderId" = $2 and "order" = $3`,
      id,
      order,
      actor.principalId,
      reason,
    );
    return workOrder;
  });

/**
 * Creates a corrective work order for a failed measurement. Throws NOT_FOUND, CONFLICT unless the step's last value failed, or naming the
 * pending follow-up of the step, FORBIDDEN for another site.
 */
export const createFollowUpWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  order: number,
  input: FollowUpInput,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const workOrder = await lockWorkOrder(tx, actor, id);
    const step = stepIn(await stepsOf(tx, id), id, order);
    if (step.result !== "fail") throw conflict("Only a failed measurement has a follow-up", { step: order });
    return createFollowUp(tx, actor, workOrder, step, input);
  });

/**
 * Locks a work order that has one of the statuses `from`, and throws CONFLICT naming the step that prevents `to`. Returns without an error
 * if the transition itself is invalid, because `transition` reports that.
 */
export async function refuseUnfinishedSteps(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  to: "completed" | "cancelled",
  expected: Expected,
  from = sourcesOf(transitions, to),
): Promise<void> {
  const [workOrder] = await tx.query<{ assetId: string }>(
    `select "assetId" from "WorkOrder" where "tenantId" = $1 and id = $2 and status = any($3) and ($4::int is null or version = $4) for update`,
    id,
    from,
    expected ?? null,
  );
  if (!workOrder) return;
  await guardAssets(tx, actor, [workOrder.assetId], "all");
  checkEnd(await stepsOf(tx, id), to);
}
