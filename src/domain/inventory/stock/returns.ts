/** Manual returns of issued stock (docs/stock.md, "Corrections"). */
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { MoveStockInput } from "../../../schema/inventory/stock/movement.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { entryOf } from "./inventory.js";
import { holdPart, lockLevels } from "./ledger.js";
import type { Posted } from "./ledger-entry.js";
import { checkTimes } from "./posting-times.js";
import { postNumbered } from "./serials.js";

const notReversed = (m: string) => `not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = ${m}.id)`;

/** The quantity of the part that was issued and not returned, across all sites. */
async function outstanding(tx: TenantQueryable, partId: string): Promise<number> {
  const [found] = await tx.query<{ quantity: number }>(
    `select coalesce(-sum(m.quantity), 0) as quantity from "StockMovement" m
     where m."tenantId" = $1 and m."partId" = $2 and m.type in ('issue', 'return') and m."reversalOf" is null and ${notReversed("m")}`,
    partId,
  );
  return found!.quantity;
}

/** Throws CONFLICT naming serial numbers that were never issued. */
async function checkIssued(tx: TenantQueryable, partId: string, serialNumbers: readonly string[]): Promise<void> {
  if (!serialNumbers.length) return;
  const never = await tx.query<{ number: string }>(
    `select n.number from unnest($3::text[]) n(number) where not exists (select 1 from "StockMovement" m
       where m."tenantId" = $1 and m."partId" = $2 and m."serialNumbers" @> array[n.number] and m.type = 'issue' and m."reversalOf" is null and ${notReversed("m")})
     order by 1`,
    partId,
    serialNumbers,
  );
  if (never.length)
    throw conflict("Serial numbers were never issued; add found stock by an adjustment", {
      serialNumbers: never.map(({ number }) => number),
    }).about("serialNumbers");
}

/**
 * Returns stock without naming the issue. It requires approval as a gain if a cost is given or more is returned than was issued
 * (docs/decisions.md, "returns without an issue"). Throws CONFLICT with `serialNumbers` that were never issued, and the errors of `entryOf`
 * and `postNumbered`.
 */
export const returnStock = (db: TenantDatabase, actor: Actor, partId: string, input: MoveStockInput): Promise<Posted> =>
  db.transaction(async (tx) => {
    const serialNumbers = input.serialNumbers ?? [];
    await holdPart(tx, partId);
    const isGain = input.unitCost != null || (!serialNumbers.length && input.quantity > (await outstanding(tx, partId)));
    const posted = (await postNumbered(tx, actor, await entryOf(tx, actor, partId, "return", input, isGain)))!;
    await checkIssued(tx, partId, serialNumbers);
    return posted;
  });

/**
 * Returns stock of an issue at its issue value, by default to the site of the issue. Throws BAD_USER_INPUT naming issueId or unitCost,
 * NOT_FOUND. Throws CONFLICT with `workOrderId` for an issue of a work order, with `reversedBy`, or with `requested` and `available`, the
 * quantity that was issued and not returned.
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
      throw conflict("Stock used by a work order must be returned from the order", { workOrderId: issue.workOrderId }).about("issueId");
    const site = rest.site ?? issue.site;
    guardSite(actor, issue.site);
    guardSite(actor, site);
    await holdPart(tx, partId);
    // Also locks the level of the issue, so that concurrent returns or a reversal do not use the same remaining quantity.
    await lockLevels(tx, partId, [issue.site, site]);
    const [left] = await tx.query<{ quantity: number; reversedBy: string | null }>(
      `select -m.quantity - coalesce(sum(r.quantity), 0) as quantity, (select x.id from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = m.id) as "reversedBy"
       from "StockMovement" m left join "StockMovement" r on r."tenantId" = $1 and r."originId" = m.id and r.type = 'return'
         and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = r.id)
       where m."tenantId" = $1 and m.id = $2 group by m.id, m.quantity`,
      issueId,
    );
    const { quantity: available, reversedBy } = left!;
    if (reversedBy) throw conflict("The issue is already reversed", { reversedBy }).about("issueId");
    if (quantity > available)
      throw conflict("Quantity exceeds what was issued and not returned", { available, requested: quantity }).about("quantity");
    const posted = (await postNumbered(tx, actor, { ...rest, site, quantity, partId, type: "return", originId: issueId }))!;
    await checkIssued(tx, partId, rest.serialNumbers ?? []);
    return posted;
  });
