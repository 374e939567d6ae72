/** References of records of assets to a work order. */
import type { TenantQueryable } from "../../database/database.js";
import { badInput } from "../../schema/errors.js";

/**
 * Throws BAD_USER_INPUT unless the work order is one of the assets'. Name the lock "update" if the transaction locks the order later, because
 * two that first share it would deadlock.
 */
export async function checkOrder(
  tx: TenantQueryable,
  assetIds: string[],
  workOrderId: string | null | undefined,
  lock: "key share" | "update" = "key share",
): Promise<void> {
  if (workOrderId == null) return;
  const found = await tx.query(
    `select 1 from "WorkOrder" where "tenantId" = $1 and id = $2 and "assetId" = any($3) for ${lock}`,
    workOrderId,
    assetIds,
  );
  if (!found.length) throw badInput({ workOrderId: "names no work order of the asset" });
}
