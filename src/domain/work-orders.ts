/**
 * Work orders (interface.md 2.8, 4.4; decisions.md, "work-order states"): the one writer of their status. That a procedure has one
 * pending work order, and one for each occurrence, is held by unique indexes; stock is moved by the ledger in the same transaction.
 */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type { CustomStepInput, StepPartInput } from "../schema/procedure.js";
import type {
  CompleteWorkOrderInput,
  CreateWorkOrderFromNotificationInput,
  CreateWorkOrderInput,
  UpdateWorkOrderInput,
  UpdateWorkOrderStepInput,
  UsedPartInput,
  WorkOrder,
  WorkOrderPart,
} from "../schema/work-order.js";
import type { WorkOrderOrigin, WorkOrderStatus, WorkOrderStepStatus } from "../schema/work-vocabulary.js";
import type { Actor } from "./keys.js";
import { type Entry, postEntries } from "./ledger.js";
import { type ProcedureRecord, timedProcedures, unknownProcedure } from "./procedures.js";
import { dueDate, dueDateAfter } from "./schedule.js";
import { guardAssets } from "./site-guard.js";

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

/**
 * The site a part is taken from: the asset's where it is kept there, else the part's own, else where most of it is available,
 * else the part's own without any stock, else main.
 */
const siteOfPart = `coalesce(
  (select l.site from "StockLevel" l where l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null
   order by l.site = a.site desc, l.site = p.site desc nulls last, l.quantity - l.reserved desc, l.site limit 1), p.site, 'main')`;

/**
 * Reserves what the procedure needs and what is asked for beside it. Parts that a step names count where the procedure's own list
 * does not name them; optional ones are not reserved. Throws BAD_USER_INPUT naming an unknown part.
 */
async function reserveParts(
  tx: TenantQueryable,
  actor: Actor,
  { id, procedureId }: WorkOrderRecord,
  asked: StepPartInput[],
): Promise<void> {
  const parts = await tx.query<{ partId: string; site: string; quantity: number }>(
    `with own as (
       select "partId", quantity, "isOptional", "stepOrder" from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $3
     ), needed as (
       select "partId", quantity from own where "stepOrder" is null and not "isOptional"
       union all select "partId", quantity from own s where "stepOrder" is not null and not exists (select 1 from own o where o."partId" = s."partId" and o."stepOrder" is null)
       union all select "partId", quantity from jsonb_to_recordset($4::jsonb) as asked("partId" text, quantity numeric)
     ), total as (
       select "partId", sum(quantity) as quantity from needed group by 1
     )
     insert into "WorkOrderPart" ("tenantId", "workOrderId", "partId", site, quantity)
     select $1, w.id, p.id, ${siteOfPart}, t.quantity from total t join "Part" p on p."tenantId" = $1 and p.id = t."partId"
     join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     returning "partId", site, quantity`,
    id,
    procedureId ?? null,
    JSON.stringify(asked),
  );
  const known = new Set(parts.map(({ partId }) => partId));
  const unknown = asked.flatMap(({ partId }, i) =>
    known.has(partId) ? [] : [[`parts.${i}.partId`, "names no part; use the id of an existing one"]],
  );
  if (unknown.length) throw badInput(Object.fromEntries(unknown));
  const entries = parts.map(
    ({ partId, site, quantity }): Entry => ({
      partId,
      site,
      type: "reserve",
      reserve: Number(quantity),
      reason: "Work order",
      reference: id,
    }),
  );
  if (entries.length) await postEntries(tx, actor, entries);
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
    if (!notification) throw notFound("Notification");
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

/** Takes what was used out of stock and lets go of what was reserved; answers the ids of the issues. */
async function issueParts(tx: TenantQueryable, actor: Actor, id: string, used: UsedPartInput[]): Promise<string[]> {
  const details: Record<string, string> = {};
  const named = new Set<string>();
  for (const [i, { partId }] of used.entries()) {
    if (named.has(partId)) details[`usedParts.${i}.partId`] = "is named twice";
    named.add(partId);
  }
  const parts = await tx.query<WorkOrderPart & { reserved: number }>(
    `insert into "WorkOrderPart" as k ("tenantId", "workOrderId", "partId", site, quantity, status, "usedQuantity")
     select $1, w.id, p.id, ${siteOfPart}, 0, case when used.quantity > 0 then 'issued' else 'released' end, used.quantity
     from jsonb_to_recordset($3::jsonb) as used("partId" text, quantity numeric) join "Part" p on p."tenantId" = $1 and p.id = used."partId"
     join "WorkOrder" w on w."tenantId" = $1 and w.id = $2 join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     on conflict ("tenantId", "workOrderId", "partId") do update set status = excluded.status, "usedQuantity" = excluded."usedQuantity"
     returning k."partId", k.site, k.quantity as reserved, k."usedQuantity"`,
    id,
    // What is named twice is refused below, with what is unknown.
    JSON.stringify([...new Map(used.map((one) => [one.partId, one])).values()]),
  );
  const known = new Set(parts.map(({ partId }) => partId));
  for (const [i, { partId }] of used.entries())
    if (!known.has(partId)) details[`usedParts.${i}.partId`] ??= "names no part; use the id of an existing one";
  if (Object.keys(details).length) throw badInput(details);
  const rest = await tx.query<WorkOrderPart & { reserved: number }>(
    `update "WorkOrderPart" set status = 'issued', "usedQuantity" = quantity where "tenantId" = $1 and "workOrderId" = $2 and status = 'reserved'
     returning "partId", site, quantity as reserved, "usedQuantity"`,
    id,
  );
  const entries = [...parts, ...rest].flatMap(({ partId, site, reserved, usedQuantity }): Entry[] => {
    const [kept, quantity] = [Number(reserved), Number(usedQuantity)];
    const entry = { partId, site, reason: "Work order completed", reference: id, ...(kept && { reserve: -kept }) };
    if (quantity) return [{ ...entry, type: "issue", quantity: -quantity, limit: "available" }];
    return kept ? [{ ...entry, type: "unreserve" }] : [];
  });
  const posted = entries.length ? await postEntries(tx, actor, entries) : [];
  return posted.flatMap(({ movement }) => (movement.type === "issue" ? [movement.id] : []));
}

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
