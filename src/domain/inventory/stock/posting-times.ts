/** Caller-supplied times of movements (docs/stock.md, "Times"). */
import { now } from "../../../database/clock.js";
import { roleOrder } from "../../../schema/access/enums.js";
import { badInput, forbidden } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";

interface Times {
  occurredAt?: Date | null;
  performedAt?: Date | null;
}

/**
 * Throws BAD_USER_INPUT naming a time in the future, or an `occurredAt` after `performedAt`. Throws FORBIDDEN unless a manager sets
 * `performedAt`.
 */
export function checkTimes({ role }: Actor, { occurredAt, performedAt }: Times): void {
  const latest = now();
  const future = Object.entries({ occurredAt, performedAt }).filter(([, time]) => time && time.getTime() > latest);
  if (future.length) throw badInput(Object.fromEntries(future.map(([name]) => [name, "must not be in the future"])));
  if (occurredAt && performedAt && occurredAt > performedAt) throw badInput({ occurredAt: "must not be after performedAt" });
  if (performedAt && (role === "ingest" || roleOrder.indexOf(role) < roleOrder.indexOf("manager")))
    throw forbidden("Only a manager can set performedAt; use occurredAt for the time of the event");
}
