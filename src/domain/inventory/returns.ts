/** Returns by hand of what was issued (docs/stock.md, "Corrections"). */
import type { TenantDatabase } from "../../database/database.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { MoveStockInput } from "../../schema/inventory/movement.js";
import type { Actor } from "../access/keys.js";
import { guardSite } from "../access/site-guard.js";
import { lockLevels } from "./ledger.js";
import type { Posted } from "./ledger-entry.js";
import { checkTimes } from "./posting-times.js";
import { postNumbered } from "./serials.js";

/**
 * Returns what an issue took, at the value it left with, to where it left unless to another site. Throws BAD_USER_INPUT naming issueId or unitCost, NOT_FOUND,
 * CONFLICT with `workOrderId` for what an order returns, with `reversedBy`, or with `available`, what was issued and not returned, and `requested`.
 */
export const returnIssued = (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  { quantity, unitCost, currency: _, expiresAt, ...rest }: MoveStockInput,
  issueId: string,
): Promise<Posted> =>
  db.transaction(async (tx) => {
    checkTimes(actor, rest);
    if (expiresAt) throw badInput({ expiresAt: "is for reservations" });
    if (unitCost != null) throw badInput({ unitCost: "follows from the issue; leave it out" });
    const [issue] = await tx.query<{ partId: string; site: string; type: string; workOrderId: string | null }>(
      `select "partId", site, type, "workOrderId" from "StockMovement" where "tenantId" = $1 and id = $2`,
      issueId,
    );
    if (!issue) throw notFound("Movement", { movementId: issueId });
    if (issue.partId !== partId || issue.type !== "issue") throw badInput({ issueId: "must be an issue of the part" });
    if (issue.workOrderId)
      throw conflict("What a work order used is returned from the order", { workOrderId: issue.workOrderId }).about("issueId");
    const site = rest.site ?? issue.site;
    guardSite(actor, issue.site);
    guardSite(actor, site);
    // The issue's level too, so that two returns, or a return and a reversal, do not count on the same rest.
    await lockLevels(tx, partId, [issue.site, site]);
    const [left] = await tx.query<{ quantity: number; reversedBy: string | null }>(
      `select -m.quantity - coalesce(sum(r.quantity), 0) as quantity, (select x.id from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = m.id) as "reversedBy"
       from "StockMovement" m left join "StockMovement" r on r."tenantId" = $1 and r."originId" = m.id and r.type = 'return'
         and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = r.id)
       where m."tenantId" = $1 and m.id = $2 group by m.id, m.quantity`,
      issueId,
    );
    const { quantity: available, reversedBy } = left!;
    if (reversedBy) throw conflict("The issue is taken back already", { reversedBy }).about("issueId");
    if (quantity > available)
      throw conflict("Not that much was issued and not returned", { available, requested: quantity }).about("quantity");
    return (await postNumbered(tx, actor, { ...rest, site, quantity, partId, type: "return", originId: issueId }))!;
  });
