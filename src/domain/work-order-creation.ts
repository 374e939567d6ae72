/**
 * How work orders come about (interface.md 2.8, 4.4): from a procedure, by the scheduler, from a notification. That a procedure has one
 * pending work order, and one for each occurrence, is held by unique indexes.
 */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { badInput, conflict } from "../schema/errors.js";
import type { CustomStepInput, StepPartInput } from "../schema/procedure-input.js";
import type { CreateWorkOrderFromNotificationInput, CreateWorkOrderInput } from "../schema/work-order.js";
import type { WorkOrderOrigin } from "../schema/work-vocabulary.js";
import type { Actor } from "./keys.js";
import { unknownNotification } from "./notifications.js";
import { type ProcedureRecord, timedProcedures, unknownProcedure } from "./procedures.js";
import { guardAssets } from "./site-guard.js";
import { reserveParts } from "./work-order-parts.js";
import type { WorkOrderRecord } from "./work-orders.js";

interface NewWorkOrder {
  procedure?: ProcedureRecord;
  assetId: string;
  /** The procedure's occurrence that it covers. */
  occurrence?: number;
  notificationId?: string;
  origin: WorkOrderOrigin;
  title: string;
  description?: string | null;
  scheduledDate: Date;
  priority: string;
  input: CreateWorkOrderInput;
  /** Beside those of the procedure. */
  parts?: StepPartInput[] | null;
}

const ownSteps = (customSteps: CustomStepInput[] | null | undefined) =>
  (customSteps ?? [])
    .map((step, i) => ({ ...step, at: step.order ?? i + 1 }))
    .sort((a, b) => a.at - b.at)
    .map(({ description, estimatedTime }) => ({ description, estimatedTime }));

/** Makes a work order with its steps and reserves its parts; undefined where its procedure has a pending one already. */
async function insertWorkOrder(tx: TenantQueryable, actor: Actor, order: NewWorkOrder): Promise<WorkOrderRecord | undefined> {
  const { procedure, input } = order;
  await guardAssets(tx, actor, [order.assetId]);
  const given = (procedure?.steps as unknown as (Row & { order: number })[]) ?? [];
  const last = given.at(-1)?.order ?? 0;
  const steps = [...given, ...ownSteps(input.customSteps).map((step, i) => ({ ...step, order: last + i + 1 }))];
  const [made] = await tx.query<WorkOrderRecord>(
    `with made as (
       insert into "WorkOrder" ("tenantId", id, "procedureId", occurrence, "assetId", "componentId", "notificationId", origin, title, description, priority, "scheduledDate",
         "assignedTechnician", "estimatedDuration", notes, "createdBy")
       select $1, id, "procedureId", occurrence, "assetId", "componentId", "notificationId", origin, title, description, priority, "scheduledDate",
         "assignedTechnician", "estimatedDuration", notes, $3 from jsonb_populate_record(null::"WorkOrder", $2::jsonb)
       on conflict do nothing returning *
     ), log as (
       insert into "WorkOrderStatusChange" ("tenantId", "workOrderId", "toStatus", "changedBy", "changedByName") select $1, id, status, $3, $4 from made
     ), step as (
       insert into "WorkOrderStep" ("tenantId", "workOrderId", "order", description, "estimatedTime", tools, "safetyNote", checkpoints)
       select $1, made.id, given."order", given.description, given."estimatedTime", coalesce(given.tools, '{}'), given."safetyNote", coalesce(given.checkpoints, '{}')
       from made, jsonb_to_recordset($5::jsonb)
         as given("order" int, description text, "estimatedTime" numeric, tools text[], "safetyNote" text, checkpoints text[])
     ) select * from made`,
    JSON.stringify({
      id: newId(),
      procedureId: procedure?.id,
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
      estimatedDuration: procedure?.estimatedDuration,
      notes: input.notes,
    }),
    actor.keyId,
    actor.keyName,
    JSON.stringify(steps),
  );
  if (made) await reserveParts(tx, actor, made, order.parts ?? []);
  return made;
}

/** Throws BAD_USER_INPUT where the component is none of the asset's. */
async function checkComponent(tx: TenantQueryable, assetId: string, componentId: string | null | undefined): Promise<void> {
  if (componentId == null) return;
  const [found] = await tx.query(
    `select 1 from "Component" where "tenantId" = $1 and id = $2 and "assetId" = $3 and "deletedAt" is null`,
    componentId,
    assetId,
  );
  if (!found) throw badInput({ componentId: "names no component of the asset" });
}

const pendingOne = async (tx: TenantQueryable, procedureId: string) => {
  const [pending] = await tx.query<{ id: string }>(
    `select id from "WorkOrder" where "tenantId" = $1 and "procedureId" = $2 and "endedAt" is null`,
    procedureId,
  );
  return conflict("Work order cannot be created", {
    reason: `Work order ${pending?.id ?? "of another caller"} is pending for this procedure; complete or cancel it first`,
  });
};

const fromProcedure = (procedure: ProcedureRecord, origin: WorkOrderOrigin, input: CreateWorkOrderInput): NewWorkOrder => ({
  procedure,
  assetId: procedure.assetId,
  occurrence: procedure.occurrence,
  origin,
  title: procedure.name,
  description: procedure.description,
  scheduledDate: input.scheduledDate ?? procedure.nextDue ?? new Date(),
  priority: input.priority ?? procedure.priority,
  input,
});

/** Held until the transaction ends: whoever changes its work orders holds it first, so that none waits in a circle. */
async function holdProcedure(tx: TenantQueryable, id: string, unknown = unknownProcedure): Promise<ProcedureRecord> {
  const [procedure] = await tx.query<ProcedureRecord>(`${timedProcedures} and p.id = $2 and p."deletedAt" is null for update of p`, id);
  if (!procedure) throw unknown(id);
  if (procedure.assetDeletedAt)
    throw conflict("Work order cannot be created", { reason: "The procedure's asset is deleted; restore it first" });
  return procedure;
}

/** Throws NOT_FOUND for an unknown procedure, CONFLICT with reason while one is pending (interface.md 4.4, rule 3). */
export const createWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  procedureId: string,
  input: CreateWorkOrderInput,
): Promise<WorkOrderRecord> =>
  db.transaction(async (tx) => {
    const procedure = await holdProcedure(tx, procedureId);
    await checkComponent(tx, procedure.assetId, input.componentId);
    const made = await insertWorkOrder(tx, actor, fromProcedure(procedure, "manual", input));
    return made ?? Promise.reject(await pendingOne(tx, procedureId));
  });

/** Makes the work order of a due occurrence; undefined where it is not due any more, or another process was first. */
export const createDueWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  procedureId: string,
  now: Date,
): Promise<WorkOrderRecord | undefined> =>
  db.transaction(async (tx) => {
    const [procedure] = await tx.query<ProcedureRecord>(
      `${timedProcedures} and p.id = $2 and p."deletedAt" is null and p.status = 'active' and ${isDue("$3")} and a."deletedAt" is null and a.status <> 'decommissioned' for update of p skip locked`,
      procedureId,
      now,
    );
    return procedure && insertWorkOrder(tx, actor, fromProcedure(procedure, "scheduler", {}));
  });

/** Of a procedure `p`: whether its lead time has begun. */
export const isDue = (now: string) =>
  `p."nextDue" - coalesce((p."schedulingRules" ->> 'leadTime')::numeric, 0) * interval '1 day' <= ${now}::timestamptz`;

/** Throws NOT_FOUND, BAD_USER_INPUT where there is no asset to work on, CONFLICT while the procedure has a pending work order. */
export const createWorkOrderFromNotification = (
  db: TenantDatabase,
  actor: Actor,
  notificationId: string,
  { procedureId, title, parts, ...input }: CreateWorkOrderFromNotificationInput,
): Promise<WorkOrderRecord> =>
  db.transaction(async (tx) => {
    const [notification] = await tx.query<{ assetId: string | null; title: string; message: string; severity: string }>(
      `select n.title, n.message, n.severity, a.id as "assetId" from "Notification" n
       left join "Asset" a on a."tenantId" = $1 and a.id = n."assetId" and a."deletedAt" is null where n."tenantId" = $1 and n.id = $2`,
      notificationId,
    );
    if (!notification) throw unknownNotification();
    const { assetId } = notification;
    if (!assetId) throw badInput({ notificationId: "is about no asset of the tenant's; create a work order from a procedure instead" });
    await checkComponent(tx, assetId, input.componentId);
    const unnamed = () => badInput({ procedureId: "names no PM procedure; use the id of an existing one" });
    const procedure = procedureId == null ? undefined : await holdProcedure(tx, procedureId, unnamed);
    if (procedure && procedure.assetId !== assetId) throw badInput({ procedureId: "is for another asset than the notification's" });
    const made = await insertWorkOrder(tx, actor, {
      procedure,
      assetId,
      notificationId,
      origin: "notification",
      title: title ?? notification.title,
      description: notification.message,
      scheduledDate: input.scheduledDate ?? new Date(),
      priority: input.priority ?? { info: "low", warning: "high", critical: "critical" }[notification.severity] ?? "medium",
      input,
      parts,
    });
    return made ?? Promise.reject(await pendingOne(tx, procedureId!));
  });
