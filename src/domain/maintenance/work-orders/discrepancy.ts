/**
 * Reversal of stock use that a work order reported in excess of the books, after the gain is rejected (docs/stock.md, "Material of a work
 * order").
 */
import type { TenantQueryable } from "../../../database/database.js";
import type { Actor } from "../../access/keys.js";
import type { AdjustmentRecord } from "../../inventory/stock/ledger-entry.js";
import type { Return } from "./entries.js";
import { costFollows } from "./material.js";
import { withNumbers } from "./numbers.js";
import { postReturns } from "./stock.js";

interface Use extends Return {
  workOrderId: string;
  pieces: string[];
}

/**
 * Reverses a work order's use of a rejected gain, because stock that did not exist was not used. The gain can then be reversed, even if the
 * stock has left or the order is finished. Call before the reversal of the gain.
 */
export async function takeBackUse(
  tx: TenantQueryable,
  actor: Actor,
  { movementId, quantity, blockedQuantity }: AdjustmentRecord,
): Promise<void> {
  if (quantity <= 0 || blockedQuantity) return;
  // Both were posted in one transaction under the level's lock, so the issue is the movement right after the gain.
  const after = `"StockMovement" g join "StockMovement" i on i."tenantId" = $1 and i."partId" = g."partId" and i.site = g.site and i.sequence = g.sequence + 1
    where g."tenantId" = $1 and g.id = $2 and g.type = 'cycle_count' and i.type = 'issue' and i."workOrderId" = g.reference`;
  const [order] = await tx.query<{ id: string }>(
    `select w.id from "WorkOrder" w where w."tenantId" = $1 and w.id in (select i."workOrderId" from ${after}) for update`,
    movementId,
  );
  if (!order) return;
  const [use] = await tx.query<Use>(
    `select i.id as "originId", i."workOrderId", i."partId", i.site, g."serialNumbers" as pieces, least(g.quantity, -i.quantity - coalesce((
       select sum(r.quantity) from "StockMovement" r where r."tenantId" = $1 and r."originId" = i.id and r.type = 'return'
         and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = r.id)), 0)) as quantity from ${after}`,
    movementId,
  );
  if (!use || use.quantity <= 0) return;
  const { workOrderId, pieces, ...back } = use;
  const wanted = [{ movementId: back.originId, quantity: back.quantity, serialNumbers: pieces.slice(0, back.quantity) }];
  const returns = await withNumbers(tx, [back], wanted, false);
  await postReturns(tx, actor, workOrderId, returns, { reason: "What was found is rejected" });
  await costFollows(tx, actor, workOrderId, [back.partId]);
}
