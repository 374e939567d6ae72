/** Labor entries and comments of a work order. If there are entries, their sum is the labor cost. */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { storedId } from "../../../schema/access/principal.js";
import { badInput, notFound } from "../../../schema/errors.js";
import type { LaborEntryInput } from "../../../schema/maintenance/work-orders/work-order-record.js";
import type { Actor } from "../../access/keys.js";
import { openOrder } from "./costs.js";
import { lockWorkOrder } from "./material.js";

/** Stores the sum of the entries. Without entries, the labor cost is null. */
async function sumUp(tx: TenantQueryable, actor: Actor, workOrderId: string): Promise<Rows["WorkOrder"]> {
  const [order] = await tx.query<Rows["WorkOrder"]>(
    `update "WorkOrder" set "laborCost" = (select sum(e.cost) from "LaborEntry" e where e."tenantId" = $1 and e."workOrderId" = $2), "updatedBy" = $3
     where "tenantId" = $1 and id = $2 returning ${rowColumns("WorkOrder")}`,
    workOrderId,
    actor.principalId,
  );
  return order!;
}

/** Throws NOT_FOUND, BAD_USER_INPUT, CONFLICT for a closed order, FORBIDDEN for another site. */
export const addLabor = (db: TenantDatabase, actor: Actor, workOrderId: string, input: LaborEntryInput): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const { minutes, rate, name, workedAt } = input;
    const personId = input.personId == null ? null : storedId(input.personId);
    if ((personId === null) === (name == null)) throw badInput({ personId: "or name is required, and not both" });
    if (workedAt && workedAt > nowDate()) throw badInput({ workedAt: "must not be in the future" });
    await openOrder(tx, actor, workOrderId);
    const [added] = await tx.query(
      `${insertSelect(
        "LaborEntry",
        {
          id: "$2",
          workOrderId: "$3",
          personId: "$4::text",
          name: "$5",
          minutes: "$6::numeric",
          rate: "$7::numeric",
          cost: "round($6::numeric * $7::numeric / 60, 4)",
          workedAt: "$8::timestamptz",
          createdBy: "$9",
          createdAt: "now()",
        },
        `(select 1) one where $4::text is null or exists (select 1 from "Principal" p where p."tenantId" = $1 and p.id = $4)`,
      )} returning 1`,
      newId(),
      workOrderId,
      personId,
      name ?? null,
      minutes,
      rate,
      workedAt ?? null,
      actor.principalId,
    );
    if (!added) throw badInput({ personId: "names no person; use the id of an existing one" });
    return sumUp(tx, actor, workOrderId);
  });

/** Throws NOT_FOUND, CONFLICT for a closed order, FORBIDDEN for another site. */
export const removeLabor = (db: TenantDatabase, actor: Actor, id: string): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const unknown = notFound("Labor entry", { laborEntryId: id });
    const [entry] = await tx.query<{ workOrderId: string }>(`select "workOrderId" from "LaborEntry" where "tenantId" = $1 and id = $2`, id);
    if (!entry) throw unknown;
    await openOrder(tx, actor, entry.workOrderId);
    const [removed] = await tx.query(`delete from "LaborEntry" where "tenantId" = $1 and id = $2 returning 1`, id);
    if (!removed) throw unknown;
    return sumUp(tx, actor, entry.workOrderId);
  });

/** Adds a comment, also to a closed order. Throws NOT_FOUND, FORBIDDEN for another site. */
export const addComment = (db: TenantDatabase, actor: Actor, workOrderId: string, text: string): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const order = await lockWorkOrder(tx, actor, workOrderId);
    await tx.records.WorkOrderComment.create(actor.principalId, { workOrderId, text, createdBy: actor.principalId });
    return order;
  });
