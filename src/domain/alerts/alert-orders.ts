/**
 * Work orders of notifications (docs/work.md, "Alerts"). A unique index allows one pending order per notification. Progress of the order
 * moves the notification on; its completion resolves the notification if the condition has cleared.
 */

import type { TenantQueryable } from "../../database/database.js";
import type { Rows } from "../../database/rows/catalogue.js";
import type { NotificationFeedbackInput } from "../../schema/alerts/notification-input.js";
import { badInput, conflict, type ServiceError } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { moveNotifications, storeFeedback } from "./notifications.js";

/** Returns the CONFLICT that names the pending work order of a notification, or undefined if there is none. */
export async function pendingOrderConflict(tx: TenantQueryable, notificationId: string): Promise<ServiceError | undefined> {
  const [pending] = await tx.query<{ id: string }>(
    `select id from "WorkOrder" where "tenantId" = $1 and "notificationId" = $2 and "endedAt" is null order by "createdAt", id limit 1`,
    notificationId,
  );
  return (
    pending &&
    conflict("Work order cannot be created", {
      reason: `Work order ${pending.id} is pending for this notification; complete or cancel it first`,
      workOrderId: pending.id,
    })
  );
}

/** Acknowledges the notification of a new work order. */
export const orderCreated = (tx: TenantQueryable, actor: Actor, { id, notificationId }: Rows["WorkOrder"]) =>
  moveNotifications(tx, actor, notificationId == null ? [] : [notificationId], ["open"], "acknowledged", `Work order ${id} was created`);

/** Moves the notification of a started work order to in_progress. */
export const orderStarted = (tx: TenantQueryable, actor: Actor, { id, notificationId }: Rows["WorkOrder"]) =>
  moveNotifications(
    tx,
    actor,
    notificationId == null ? [] : [notificationId],
    ["open", "acknowledged"],
    "in_progress",
    `Work order ${id} was started`,
  );

/**
 * Stores the feedback of a completed work order and resolves its notification. While the trigger is still tripped, the notification stays
 * in progress. Returns the outcome to record on the work order. Throws BAD_USER_INPUT for feedback without a notification.
 */
export async function closeAlertOfOrder(
  tx: TenantQueryable,
  actor: Actor,
  { id, notificationId }: Pick<Rows["WorkOrder"], "id" | "notificationId">,
  feedback: NotificationFeedbackInput | null | undefined,
): Promise<Pick<Rows["WorkOrder"], "alertOutcome">> {
  if (notificationId == null) {
    if (feedback != null) throw badInput({ feedback: "is for work orders of a notification; leave it out" });
    return { alertOutcome: null };
  }
  // Locks the notification before reading its trigger. A reset of the trigger takes the same lock, so that exactly one of the two resolves
  // the notification.
  const [locked] = await tx.query<{ endedAt: Date | null }>(
    `select "endedAt" from "Notification" where "tenantId" = $1 and id = $2 for no key update`,
    notificationId,
  );
  if (feedback != null) await storeFeedback(tx, actor, notificationId, feedback);
  if (!locked || locked.endedAt !== null) return { alertOutcome: null };
  const [tripped] = await tx.query(`select 1 from "TriggerState" where "tenantId" = $1 and "notificationId" = $2 limit 1`, notificationId);
  const alertOutcome = tripped ? "still_met" : "resolved";
  if (tripped)
    await moveNotifications(
      tx,
      actor,
      [notificationId],
      ["open", "acknowledged"],
      "in_progress",
      `Work order ${id} was completed, the condition is still met`,
    );
  else
    await moveNotifications(
      tx,
      actor,
      [notificationId],
      ["open", "acknowledged", "in_progress"],
      "resolved",
      `Work order ${id} was completed`,
    );
  await tx.query(`update "WorkOrder" set "alertOutcome" = $3 where "tenantId" = $1 and id = $2`, id, alertOutcome);
  return { alertOutcome };
}

/** Resolves notifications whose triggers were reset after completion of their last work order. */
export async function resolveRepaired(tx: TenantQueryable, actor: Actor, ids: string[]): Promise<void> {
  if (!ids.length) return;
  // A separate statement, so that the next one sees the changes of a completion that held the lock.
  const waiting = await tx.query<{ id: string }>(
    `select id from "Notification" where "tenantId" = $1 and id = any($2) and status = 'in_progress' order by id for no key update`,
    [...new Set(ids)],
  );
  if (!waiting.length) return;
  const repaired = await tx.query<{ id: string }>(
    `select n.id from unnest($2::text[]) n(id) where not exists (select 1 from "TriggerState" t where t."tenantId" = $1 and t."notificationId" = n.id)
       and (select w.status from "WorkOrder" w where w."tenantId" = $1 and w."notificationId" = n.id order by w."createdAt" desc, w.id desc limit 1) in ('completed', 'closed')`,
    waiting.map(({ id }) => id),
  );
  await moveNotifications(
    tx,
    actor,
    repaired.map(({ id }) => id),
    ["in_progress"],
    "resolved",
    "The condition is over, and the work was completed",
  );
}

/** Whether the condition of each notification is met: true while its trigger is tripped, null if no trigger raised it. */
export async function conditionsMet(db: TenantQueryable, ids: readonly string[]): Promise<(boolean | null)[]> {
  const rows = await db.query<{ id: string; isMet: boolean }>(
    `select n.id, exists (select 1 from "TriggerState" t where t."tenantId" = $1 and t."notificationId" = n.id) as "isMet"
     from "Notification" n where n."tenantId" = $1 and n.id = any($2) and n."dedupKey" like 'trigger:%'`,
    ids,
  );
  const met = new Map(rows.map(({ id, isMet }) => [id, isMet]));
  return ids.map((id) => met.get(id) ?? null);
}
