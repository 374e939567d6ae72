/** Records of the failure and the work, when a work order is completed and closed (docs/work.md, "Work requests"). */

import { nowDate } from "../../../database/clock.js";
import type { TenantQueryable } from "../../../database/database.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput } from "../../../schema/errors.js";
import type { FailureFields } from "../../../schema/maintenance/work-orders/work-order-closing.js";
import type { CompleteWorkOrderInput } from "../../../schema/maintenance/work-orders/work-order-input.js";
import type { Actor } from "../../access/keys.js";
import { recordDowntimeOfOrder } from "../../reliability/downtimes.js";
import { checkCodes, type FailureCodes } from "../../reliability/failure-codes.js";

type Order = Rows["WorkOrder"];

/** Time of completion. Throws BAD_USER_INPUT naming a time that is in the future, or a start after the completion. */
export function doneAt({ startedAt, completedAt }: CompleteWorkOrderInput, now: Date): Date {
  const details: Record<string, string> = {};
  if (startedAt && startedAt > now) details.startedAt = "must not be in the future";
  if (completedAt && completedAt > now) details.completedAt = "must not be in the future";
  if (startedAt && startedAt > (completedAt ?? now)) details.startedAt ??= "must not be after the work was done";
  if (Object.keys(details).length) throw badInput(details);
  return completedAt ?? now;
}

function checkDowntime({ downtime }: FailureFields): void {
  if (!downtime) return;
  const now = nowDate();
  const details: Record<string, string> = {};
  if (downtime.from > now) details["downtime.from"] = "must not be in the future";
  if (downtime.to && downtime.to > now) details["downtime.to"] = "must not be in the future";
  if (downtime.to && downtime.to <= downtime.from) details["downtime.to"] ??= "must be after from";
  if (Object.keys(details).length) throw badInput(details);
}

const codesOf = ({ failureMode, failureCause, remedy }: FailureCodes): FailureCodes => ({ failureMode, failureCause, remedy });

/**
 * Records the asset's downtime as given in the input. Without one, completion of corrective work whose fault stopped production records the
 * duration of the work. Only such work counts as a failure.
 */
async function recordDowntime(tx: TenantQueryable, actor: Actor, order: Order, { downtime }: FailureFields): Promise<void> {
  const { id: workOrderId, assetId, type, status, productionStopped, startedAt, completedAt, downtimeFrom } = order;
  const failure = type === "corrective" && productionStopped;
  const details = { workOrderId, assetId, failure };
  if (downtime)
    await recordDowntimeOfOrder(tx, actor, { ...details, startedAt: downtime.from, endedAt: downtime.to ?? null, isEndGiven: true });
  else if (failure && status === "completed" && !downtimeFrom && startedAt && startedAt < completedAt!)
    await recordDowntimeOfOrder(tx, actor, { ...details, startedAt, endedAt: completedAt!, isEndGiven: false });
}

/**
 * Records the failure fields of the input. Throws BAD_USER_INPUT naming a code that is unknown or given for work that is not corrective,
 * and invalid times.
 */
export async function recordFailure(tx: TenantQueryable, actor: Actor, order: Order, input: FailureFields): Promise<void> {
  const codes = codesOf(input);
  const given = Object.entries(codes).filter(([, code]) => code != null);
  if (order.type !== "corrective" && given.length)
    throw badInput(
      Object.fromEntries(given.map(([field]) => [field, "belongs to corrective work alone; change the type before the work is done"])),
    );
  checkDowntime(input);
  // Codes already on the order stay valid, even if they are no longer in use.
  await checkCodes(tx, order.assetId, Object.fromEntries(given.filter(([field, code]) => order[field as keyof FailureCodes] !== code)));
  await recordDowntime(tx, actor, order, input);
  const { downtime, asFound, asLeft } = input;
  if (!given.length && !downtime && asFound == null && asLeft == null) return;
  await tx.query(
    `update "WorkOrder" set "failureMode" = coalesce($3, "failureMode"), "failureCause" = coalesce($4, "failureCause"), remedy = coalesce($5, remedy),
       "downtimeFrom" = coalesce($6, "downtimeFrom"), "downtimeTo" = case when $6::timestamptz is null then "downtimeTo" else $7 end,
       "asFound" = coalesce($8, "asFound"), "asLeft" = coalesce($9, "asLeft") where "tenantId" = $1 and id = $2`,
    order.id,
    codes.failureMode ?? null,
    codes.failureCause ?? null,
    codes.remedy ?? null,
    downtime?.from ?? null,
    downtime?.to ?? null,
    asFound ?? null,
    asLeft ?? null,
  );
}

/** Additional records on completion. `order` is the state after the transition. Throws BAD_USER_INPUT naming invalid fields. */
export async function recordCompletion(tx: TenantQueryable, actor: Actor, order: Order, input: CompleteWorkOrderInput): Promise<void> {
  if (order.startedAt && order.startedAt > order.completedAt!)
    throw badInput({ completedAt: "must not be before the work began; give startedAt too" });
  if (input.laborCost != null) {
    const [entry] = await tx.query(`select 1 from "LaborEntry" where "tenantId" = $1 and "workOrderId" = $2 limit 1`, order.id);
    if (entry) throw badInput({ laborCost: "is the sum of the labor entries; remove them to give another" });
  }
  await recordFailure(tx, actor, order, input);
}

/** Records on closing. Throws BAD_USER_INPUT naming the codes required to close corrective work. */
export async function recordClosing(tx: TenantQueryable, actor: Actor, order: Order, input: FailureFields): Promise<Order> {
  await recordFailure(tx, actor, order, input);
  const [closed] = await tx.query<Order>(`select ${rowColumns("WorkOrder")} from "WorkOrder" where "tenantId" = $1 and id = $2`, order.id);
  const missing = Object.entries(codesOf(closed!)).filter(([, code]) => code == null);
  if (order.type === "corrective" && missing.length)
    throw badInput(Object.fromEntries(missing.map(([field]) => [field, "is required to close corrective work; failureCodes lists them"])));
  return closed!;
}
