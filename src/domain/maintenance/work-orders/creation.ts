/**
 * Creates work orders from a procedure, by hand, or by the scheduler (docs/interface.md 2.8, 4.4). Unique indexes allow one
 * pending work order per asset of a procedure, and one per occurrence.
 */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { UniqueViolation } from "../../../database/errors.js";
import { newId } from "../../../database/records/ids.js";
import { type Inserts, insertColumns, insertSelect, insertValues, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { DueBy, Priority, WorkOrderOrigin, WorkOrderType } from "../../../schema/maintenance/enums.js";
import type { CustomStepInput, StepPartInput } from "../../../schema/maintenance/procedures/procedure-input.js";
import type { CreateWorkOrderInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { unknownProcedure } from "../procedures/procedures.js";
import { lockProcedures, type TimedProcedure, timedProcedures } from "../procedures/timed-procedures.js";
import { reserveParts } from "./parts.js";
import { assetsOfPositions, checkPositions } from "./step-exchange.js";
import { checkDefinitions } from "./step-rules.js";

interface NewWorkOrder {
  procedure?: TimedProcedure;
  assetId: string;
  /** Number of the covered occurrence of the procedure. */
  occurrence?: number;
  notificationId?: string;
  origin: WorkOrderOrigin;
  title: string;
  description?: string | null;
  scheduledDate: Date;
  priority: Priority;
  type: WorkOrderType;
  input: Omit<CreateWorkOrderInput, "title" | "description" | "assetId">;
  /** Cause of the due date, and its explanation. */
  due?: { by: DueBy; reason: string };
  /** The step with the failed measurement that the order follows up. */
  followUpOf?: { workOrderId: string; order: number };
  /** Parts in addition to the procedure's. */
  parts?: StepPartInput[] | null;
}

/** The sorted steps of an input's list. Throws BAD_USER_INPUT if they conflict with each other or with the steps before. */
export function customStepsInOrder(
  before: CustomStepInput[],
  customSteps: CustomStepInput[] | null | undefined,
  list = "customSteps",
): CustomStepInput[] {
  const ordered = (customSteps ?? [])
    .map((step, i) => ({ ...step, at: step.order ?? i + 1, field: `${list}.${i}` }))
    .sort((a, b) => a.at - b.at)
    .map(({ at: _, order: __, field, ...step }) => ({ step, field }));
  checkDefinitions([...before.map((step) => ({ step })), ...ordered]);
  return ordered.map(({ step }) => step);
}

/** Inserts work orders with their steps in one statement. Returns those that no unique index refused. */
export const insertOrders = (
  tx: TenantQueryable,
  actor: Actor,
  orders: Inserts["WorkOrder"][],
  steps: Inserts["WorkOrderStep"][] = [],
): Promise<Rows["WorkOrder"][]> =>
  tx.query<Rows["WorkOrder"]>(
    `with created as (
       insert into "WorkOrder" ("tenantId", ${insertColumns("WorkOrder")}) select $1, ${insertValues("WorkOrder", "r")}
       from jsonb_populate_recordset(null::"WorkOrder", $2::jsonb) r on conflict do nothing returning ${rowColumns("WorkOrder")}
     ), log as (
       ${insertSelect(
         "WorkOrderStatusChange",
         {
           workOrderId: "id",
           fromStatus: "null",
           toStatus: "status",
           reason: "null",
           changedBy: "$3",
           changedByName: "$4",
           changedAt: "now()",
         },
         "created",
       )}
     ), step as (
       insert into "WorkOrderStep" ("tenantId", ${insertColumns("WorkOrderStep")}) select $1, ${insertValues("WorkOrderStep", "r")}
       from created join jsonb_populate_recordset(null::"WorkOrderStep", $5::jsonb) r on r."workOrderId" = created.id
     ) select ${rowColumns("WorkOrder")} from created`,
    JSON.stringify(orders),
    actor.principalId,
    actor.principalName,
    JSON.stringify(steps),
  );

/**
 * Creates a work order with its steps and reserves its parts. Returns undefined if the procedure already has a pending one for the asset.
 * Throws CONFLICT with externalId if it is in use.
 */
export async function insertWorkOrder(tx: TenantQueryable, actor: Actor, order: NewWorkOrder): Promise<Rows["WorkOrder"] | undefined> {
  const { procedure, input } = order;
  await guardAssets(tx, actor, [order.assetId]);
  await checkPositions(tx, order.assetId, input.customSteps, "customSteps");
  const procedureSteps = procedure?.steps ?? [];
  const lastOrder = procedureSteps.at(-1)?.order ?? 0;
  const id = newId();
  const row: Inserts["WorkOrder"] = {
    id,
    procedureId: procedure?.id,
    planAssetId: procedure?.planAssetId,
    occurrence: order.occurrence,
    assetId: order.assetId,
    componentId: input.componentId,
    notificationId: order.notificationId,
    origin: order.origin,
    title: order.title,
    description: order.description,
    priority: order.priority,
    scheduledDate: order.scheduledDate,
    assignedTechnician: input.assignedTechnician,
    type: input.type ?? order.type,
    productionStopped: input.productionStopped ?? false,
    estimatedDuration: procedure?.estimatedDuration,
    notes: input.notes,
    createdBy: actor.principalId,
    updatedBy: actor.principalId,
    dueBy: order.due?.by,
    dueReason: order.due?.reason,
    externalId: input.externalId,
    followUpOfId: order.followUpOf?.workOrderId ?? input.followUpOf,
    followUpOfStep: order.followUpOf?.order,
  };
  // A component of another asset of the procedure, or a deleted one, is named on completion.
  const positions = await assetsOfPositions(tx, procedureSteps);
  const steps: Inserts["WorkOrderStep"][] = [
    ...procedureSteps.map(({ componentId, ...step }) => ({
      ...step,
      componentId: componentId != null && positions.get(componentId) === order.assetId ? componentId : null,
      workOrderId: id,
    })),
    ...customStepsInOrder(procedureSteps, input.customSteps).map((step, i) => ({ ...step, order: lastOrder + i + 1, workOrderId: id })),
  ];
  const [created] = await insertOrders(tx, actor, [row], steps);
  if (created) await reserveParts(tx, actor, created, order.parts ?? []);
  else if (input.externalId != null && (await tx.records.WorkOrder.count({ externalId: input.externalId })))
    throw new UniqueViolation("WorkOrder_externalId_key", () => input.externalId);
  return created;
}

/** Throws BAD_USER_INPUT naming componentId unless it belongs to the asset. */
export async function checkComponent(tx: TenantQueryable, assetId: string, componentId: string | null | undefined): Promise<void> {
  if (componentId == null) return;
  const [found] = await tx.query(
    `select 1 from "Component" where "tenantId" = $1 and id = $2 and "assetId" = $3 and "deletedAt" is null`,
    componentId,
    assetId,
  );
  if (!found) throw badInput({ componentId: "names no component of the asset" });
}

/** Throws BAD_USER_INPUT naming followUpOf unless the caller may read that work order. */
async function checkFollowed(tx: TenantQueryable, actor: Actor, id: string | null | undefined): Promise<void> {
  if (id == null) return;
  const [found] = await tx.query(
    `select 1 from "WorkOrder" w join "Asset" a on a."tenantId" = w."tenantId" and a.id = w."assetId"
     where w."tenantId" = $1 and w.id = $2 and ($3::text[] is null or a.site = any($3))`,
    id,
    actor.readAll || !actor.sites.length ? null : actor.sites,
  );
  if (!found) throw badInput({ followUpOf: "names no work order; use the id of an existing one" });
}

/**
 * Locks the asset of manually created work against changes of its status until the transaction ends. Returns false for a deleted or unknown
 * asset. Throws CONFLICT with reason for a decommissioned one.
 */
export async function lockAssetInUse(tx: TenantQueryable, assetId: string | null | undefined): Promise<boolean> {
  const [asset] = await tx.query<{ status: string }>(
    `select status from "Asset" where "tenantId" = $1 and id = $2 and "deletedAt" is null for share`,
    assetId,
  );
  if (asset?.status === "decommissioned")
    throw conflict("Work order cannot be created", { reason: "The asset is decommissioned; change its status first" });
  return asset !== undefined;
}

/** The pending work order of a procedure for one of its assets. */
export async function pendingOrder(tx: TenantQueryable, { id, planAssetId }: TimedProcedure): Promise<{ id: string } | undefined> {
  const [pending] = await tx.query<{ id: string }>(
    `select id from "WorkOrder" where "tenantId" = $1 and "procedureId" = $2 and "planAssetId" = $3 and "endedAt" is null`,
    id,
    planAssetId,
  );
  return pending;
}

/** Returns the CONFLICT for a procedure with a pending work order. */
export const pendingConflict = async (tx: TenantQueryable, procedure: TimedProcedure) => {
  const pending = await pendingOrder(tx, procedure);
  return conflict("Work order cannot be created", {
    reason: `Work order ${pending?.id ?? "of another caller"} is pending for this procedure; complete or cancel it first`,
  });
};

export const fromProcedure = (procedure: TimedProcedure, origin: WorkOrderOrigin, input: CreateWorkOrderInput): NewWorkOrder => ({
  procedure,
  assetId: procedure.assetId,
  occurrence: procedure.occurrence,
  origin,
  type: "preventive",
  title: input.title ?? procedure.name,
  description: input.description ?? procedure.description,
  scheduledDate: input.scheduledDate ?? procedure.nextDue ?? nowDate(),
  priority: input.priority ?? procedure.priority,
  input,
  parts: input.parts,
});

/**
 * Locks the procedure until the transaction ends. `assetId` defaults to the procedure's own asset. Returns undefined if the procedure does
 * not cover the asset. Throws the error of `unknown`, CONFLICT if the procedure is archived or the asset is deleted.
 */
export async function lockProcedure(
  tx: TenantQueryable,
  id: string,
  assetId: string | null | undefined,
  unknown = unknownProcedure,
): Promise<TimedProcedure | undefined> {
  const [locked] = await lockProcedures(tx, `o.id = $2 and o."deletedAt" is null`, id);
  if (!locked) throw unknown(id);
  const [procedure] = await tx.query<TimedProcedure>(
    `${timedProcedures} and p.id = $2 and ($3::text is null and p."planAssetId" = '' or p."assetId" = $3)`,
    id,
    assetId ?? null,
  );
  if (!procedure) return undefined;
  if (procedure.status === "archived")
    throw conflict("Work order cannot be created", { reason: "The procedure is archived; change its status first" });
  if (procedure.assetDeletedAt)
    throw conflict("Work order cannot be created", { reason: "The procedure's asset is deleted; restore it first" });
  return procedure;
}

/**
 * Creates a work order, from a procedure (docs/interface.md 4.4, createworkorder) or without one. Throws NOT_FOUND for an unknown
 * procedure, BAD_USER_INPUT naming missing or unknown fields, FORBIDDEN for another site. Throws CONFLICT with reason for a pending work
 * order (rule 3), an archived procedure and a decommissioned asset.
 */
export const createWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  procedureId: string | null | undefined,
  input: CreateWorkOrderInput,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    await checkFollowed(tx, actor, input.followUpOf);
    if (procedureId == null) return createAdHoc(tx, actor, input);
    const procedure = await lockProcedure(tx, procedureId, input.assetId);
    if (!procedure) throw badInput({ assetId: "must be one of the procedure's assets, or left out" });
    await lockAssetInUse(tx, procedure.assetId);
    await checkComponent(tx, procedure.assetId, input.componentId);
    const created = await insertWorkOrder(tx, actor, fromProcedure(procedure, "manual", input));
    return created ?? Promise.reject(await pendingConflict(tx, procedure));
  });

/**
 * Creates a work order without a procedure. Throws BAD_USER_INPUT naming missing or unknown fields, CONFLICT for a decommissioned asset,
 * FORBIDDEN for another site.
 */
export async function createAdHoc(tx: TenantQueryable, actor: Actor, input: CreateWorkOrderInput): Promise<Rows["WorkOrder"]> {
  const { assetId, title } = input;
  const missing = Object.entries({ assetId, title }).filter(([, value]) => value == null);
  if (missing.length) throw badInput(Object.fromEntries(missing.map(([name]) => [name, "is required without a procedure"])));
  if (!(await lockAssetInUse(tx, assetId))) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  await checkComponent(tx, assetId!, input.componentId);
  const created = await insertWorkOrder(tx, actor, {
    assetId: assetId!,
    title: title!,
    description: input.description,
    origin: "manual",
    type: "corrective",
    input,
    parts: input.parts,
    scheduledDate: input.scheduledDate ?? nowDate(),
    priority: input.priority ?? "medium",
  });
  return created!;
}
