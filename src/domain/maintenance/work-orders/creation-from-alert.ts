/** Creates work orders from notifications, and follow-ups of failed measurements. Same rules as creation.ts. */
import { nowDate } from "../../../database/clock.js";
import { WriteConflict } from "../../../database/connection/conflicts.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { type Rows } from "../../../database/rows/catalogue.js";
import type { Severity } from "../../../schema/alerts/enums.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { Priority } from "../../../schema/maintenance/enums.js";
import type { CreateWorkOrderFromNotificationInput, FollowUpInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import type { Actor } from "../../access/keys.js";
import { orderCreated, pendingOrderConflict } from "../../alerts/alert-orders.js";
import { unknownNotification } from "../../alerts/notifications.js";
import { checkComponent, insertWorkOrder, lockAssetInUse, lockProcedure, pendingConflict } from "./creation.js";
import { titleOf } from "./titles.js";

const priorityOf: Record<Severity, Priority> = { info: "low", warning: "high", critical: "critical" };

/**
 * Creates a work order from a notification, optionally with a procedure of its asset. Throws NOT_FOUND, BAD_USER_INPUT naming
 * notificationId if it has no live asset, procedureId or componentId. Throws CONFLICT with reason if the procedure has a pending work
 * order.
 */
export const createWorkOrderFromNotification = (
  db: TenantDatabase,
  actor: Actor,
  notificationId: string,
  { procedureId, title, description, parts, ...input }: CreateWorkOrderFromNotificationInput,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const [notification] = await tx.query<{ assetId: string | null; title: string; message: string; severity: Severity }>(
      `select n.title, n.message, n.severity, a.id as "assetId" from "Notification" n
       left join "Asset" a on a."tenantId" = $1 and a.id = n."assetId" and a."deletedAt" is null where n."tenantId" = $1 and n.id = $2`,
      notificationId,
    );
    if (!notification) throw unknownNotification();
    const { assetId } = notification;
    if (!assetId) throw badInput({ notificationId: "has no asset of this tenant; create a work order from a procedure instead" });
    if (input.assetId != null && input.assetId !== assetId) throw badInput({ assetId: "must be the notification's asset, or left out" });
    await lockAssetInUse(tx, assetId);
    await checkComponent(tx, assetId, input.componentId);
    const unknown = () => badInput({ procedureId: "names no PM procedure; use the id of an existing one" });
    const procedure = procedureId == null ? undefined : await lockProcedure(tx, procedureId, assetId, unknown);
    if (procedureId != null && !procedure) throw badInput({ procedureId: "is for another asset than the notification's" });
    const created = await insertWorkOrder(tx, actor, {
      procedure,
      assetId,
      notificationId,
      origin: "notification",
      type: procedure ? "preventive" : "predictive",
      title: title ?? notification.title,
      description: description ?? notification.message,
      scheduledDate: input.scheduledDate ?? nowDate(),
      priority: input.priority ?? priorityOf[notification.severity],
      input,
      parts,
    });
    if (!created) throw (await pendingOrderConflict(tx, notificationId)) ?? (await pendingConflict(tx, procedure!));
    await orderCreated(tx, actor, created);
    return created;
  });

/**
 * Creates a corrective work order from a step with a failed measurement. Throws CONFLICT for a deleted asset, and with `workOrderId` while
 * the step has a pending one. Call in a transaction that has locked the work order.
 */
export async function createFollowUp(
  tx: TenantQueryable,
  actor: Actor,
  { id, assetId, componentId }: Rows["WorkOrder"],
  { order, parameter, value, unit, minimum, maximum, description }: Rows["WorkOrderStep"],
  { title, ...input }: FollowUpInput,
): Promise<Rows["WorkOrder"]> {
  if (!(await lockAssetInUse(tx, assetId))) throw conflict("The asset is deleted; restore it first");
  const measured = `${parameter} is ${value}${unit ? ` ${unit}` : ""}`;
  const limits = [minimum !== null && `at least ${minimum}`, maximum !== null && `at most ${maximum}`].filter(Boolean).join(", ");
  const created = await insertWorkOrder(tx, actor, {
    assetId,
    origin: "manual",
    type: "corrective",
    title: title ?? titleOf(`${measured}: out of limits`, 255),
    description: `${measured}, should be ${limits}: ${description}`,
    scheduledDate: input.scheduledDate ?? nowDate(),
    priority: input.priority ?? "high",
    input: { ...input, componentId },
    followUpOf: { workOrderId: id, order },
  });
  if (created) return created;
  const [pending] = await tx.query<{ id: string }>(
    `select id from "WorkOrder" where "tenantId" = $1 and "followUpOfId" = $2 and "followUpOfStep" = $3 and "endedAt" is null`,
    id,
    order,
  );
  // The pending order has been finished meanwhile, so the transaction can run again.
  if (!pending) throw new WriteConflict();
  throw conflict(`Work order ${pending.id} is pending for this measurement; complete or cancel it first`, { workOrderId: pending.id });
}
