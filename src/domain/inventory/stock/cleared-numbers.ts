/** Serial numbers and batches of stock that is written off as a whole, without naming them, and their return if that is reversed. */
import type { TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import type { Posted } from "./ledger-entry.js";

/** Removes all serial numbers and batches from sites whose stock was written off without naming them. */
export async function clearNumbers(tx: TenantQueryable, partId: string, written: Posted[]): Promise<void> {
  await tx.query(
    `with written as (select site, id, at from unnest($3::text[], $4::text[], $5::timestamptz[]) w(site, id, at)), batches as (
       update "StockBatch" b set quantity = 0, "writtenOff" = b.quantity, "writtenOffBy" = w.id
       from written w where b."tenantId" = $1 and b."partId" = $2 and b.site = w.site and b.quantity > 0 returning 1
     )
     update "Unit" s set site = null, "movementId" = w.id, "movedAt" = w.at from written w where s."tenantId" = $1 and s."partId" = $2 and s.site = w.site`,
    partId,
    written.map(({ movement }) => movement.site),
    written.map(({ movement }) => movement.id),
    written.map(({ movement }) => movement.performedAt),
  );
}

/** Restores the numbers that `clearNumbers` removed for a reversed movement, unless they have been received since. */
export const restoreNumbers = (tx: TenantQueryable, takenId: string, { id, partId, site, performedAt }: Rows["StockMovement"]) =>
  tx.query(
    `with batches as (
       update "StockBatch" b set quantity = b.quantity + b."writtenOff", "writtenOff" = null, "writtenOffBy" = null
       where b."tenantId" = $1 and b."partId" = $2 and b.site = $3 and b."writtenOffBy" = $4 returning 1
     )
     update "Unit" s set site = $3, "movementId" = $5, "movedAt" = $6
     where s."tenantId" = $1 and s."partId" = $2 and s.site is null and s."movementId" = $4`,
    partId,
    site,
    takenId,
    id,
    performedAt,
  );
