/** Due occurrences, and the work orders that the scheduler creates for them. */

import type { TenantDatabase } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import type { Actor } from "../../access/keys.js";
import { fromProcedure, insertWorkOrder, pendingOrder } from "../work-orders/creation.js";
import { passTo } from "./occurrences.js";
import { countersOf, firstDue, isCounted } from "./plan-counters.js";
import { isDue as isDueAt, settle } from "./plan-dates.js";
import { planOf, type TimedProcedure, timedProcedures } from "./timed-procedures.js";

/**
 * Creates the work order of an asset's due occurrence. The earliest of date, meter and condition counts. Dates that the procedure's policy
 * passes are recorded first. Work by a meter that a larger procedure covers gets no order. Returns undefined if nothing is due, or if another
 * process creates the order.
 */
export const createDueWorkOrder = (
  db: TenantDatabase,
  actor: Actor,
  procedureId: string,
  planAssetId: string,
  now: Date,
): Promise<Rows["WorkOrder"] | undefined> =>
  db.transaction(async (tx) => {
    const [locked] = await tx.query(`select 1 from "Procedure" where "tenantId" = $1 and id = $2 for update skip locked`, procedureId);
    if (!locked) return undefined;
    const [procedure] = await tx.query<TimedProcedure>(
      `${timedProcedures} and p.id = $2 and p."planAssetId" = $3 and p."deletedAt" is null and p.status = 'active' and (${isDue("$4")} or ${isCounted}) and a."deletedAt" is null and a.status <> 'decommissioned'`,
      procedureId,
      planAssetId,
      now,
    );
    if (!procedure) return undefined;
    const plan = planOf(procedure);
    const { passed, next } = settle(plan, now);
    const isDateDue = next !== undefined && isDueAt(plan, next.at, now);
    const counter = firstDue(await countersOf(tx, procedure));
    if (counter && !(isDateDue && next.at <= counter.since)) {
      const current = { ...procedure, nextDue: counter.since };
      return insertWorkOrder(tx, actor, { ...fromProcedure(current, "scheduler", {}), due: { by: counter.by, reason: counter.text } });
    }
    if (isDateDue) {
      const current = { ...procedure, occurrence: next.occurrence, nextDue: next.at };
      const due = { by: "time" as const, reason: next.reason };
      const created = await insertWorkOrder(tx, actor, { ...fromProcedure(current, "scheduler", {}), due });
      if (created && passed.length) await passTo(tx, procedure, passed, next);
      return created;
    }
    // A work order created meanwhile keeps the current occurrence.
    if (!(await pendingOrder(tx, procedure))) await passTo(tx, procedure, passed, next);
    return undefined;
  });

/** SQL predicate: the work order of procedure `p` is due at `now`, which is its date minus the lead time. */
const isDue = (now: string) => `due_from(p."nextDue", p."schedulingRules") <= ${now}::timestamptz`;
