/** Costs of a work order other than labor: parts from the ledger, and entered costs (docs/stock.md, "Material of a work order"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { type Inserts, insertColumns, insertValues, type Rows } from "../../../database/rows/catalogue.js";
import { exactText } from "../../../database/rows/json-columns.js";
import { enumName } from "../../../schema/enums.js";
import { conflict, notFound } from "../../../schema/errors.js";
import { materialCost, otherCost, totalCost } from "../../../schema/maintenance/work-orders/cost-sql.js";
import type { WorkOrderCostInput } from "../../../schema/maintenance/work-orders/work-order-material.js";
import type { Actor } from "../../access/keys.js";
import { lockWorkOrder } from "./material.js";

/** Locks an order for entering costs. Allowed until it is closed, because invoices arrive after the work is completed. */
export async function openOrder(tx: TenantQueryable, actor: Actor, id: string): Promise<Rows["WorkOrder"]> {
  const order = await lockWorkOrder(tx, actor, id);
  if (order.status === "closed") throw conflict("The work order is closed", { status: enumName(order.status) }).about("id");
  return order;
}

/** Adds a cost in the caller's transaction. Throws NOT_FOUND, CONFLICT for a closed order, FORBIDDEN for another site. */
export async function postCost(
  tx: TenantQueryable,
  actor: Actor,
  workOrderId: string,
  input: Pick<WorkOrderCostInput, "kind" | "description" | "amount">,
): Promise<Rows["WorkOrder"]> {
  const order = await openOrder(tx, actor, workOrderId);
  const row: Inserts["WorkOrderCost"] = { ...input, id: newId(), workOrderId, createdBy: actor.principalId };
  await tx.query(
    `insert into "WorkOrderCost" ("tenantId", ${insertColumns("WorkOrderCost")}) select $1, ${insertValues("WorkOrderCost", "r")}
     from jsonb_populate_record(null::"WorkOrderCost", $2::jsonb) r`,
    JSON.stringify(row),
  );
  return order;
}

/** Throws NOT_FOUND, CONFLICT for a closed order, FORBIDDEN for another site. */
export const addWorkOrderCost = (
  db: TenantDatabase,
  actor: Actor,
  workOrderId: string,
  input: WorkOrderCostInput,
): Promise<Rows["WorkOrder"]> => db.transaction((tx) => postCost(tx, actor, workOrderId, input));

/** Throws NOT_FOUND, CONFLICT for a closed order, FORBIDDEN for another site. */
export const removeWorkOrderCost = (db: TenantDatabase, actor: Actor, id: string): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const unknown = notFound("Cost", { workOrderCostId: id });
    const [cost] = await tx.query<{ workOrderId: string }>(
      `select "workOrderId" from "WorkOrderCost" where "tenantId" = $1 and id = $2`,
      id,
    );
    if (!cost) throw unknown;
    const order = await openOrder(tx, actor, cost.workOrderId);
    const [removed] = await tx.query(`delete from "WorkOrderCost" where "tenantId" = $1 and id = $2 returning 1`, id);
    if (!removed) throw unknown;
    return order;
  });

/** Exact sums of an order. */
export interface Costs {
  material: string;
  other: string;
  total: string;
}

export async function costsOf(db: TenantQueryable, ids: readonly string[]): Promise<Costs[]> {
  const rows = await db.query<Costs & { id: string }>(
    `select w.id, ${exactText(materialCost("w"))} as material,
       ${exactText(otherCost("w"))} as other, ${exactText(totalCost("w"))} as total
     from "WorkOrder" w where w."tenantId" = $1 and w.id = any($2)`,
    ids,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) ?? { material: "0", other: "0", total: "0" });
}
