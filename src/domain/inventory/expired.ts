/** Batches past their expiry: on hand, but not available (docs/stock.md, "Serial and batch numbers"). */

/** SQL of what expired of batches of the part and site of a stock level. */
const batches = (level: string) => `coalesce((select sum(b.quantity) from "StockBatch" b
    where b."tenantId" = $1 and b."partId" = ${level}."partId" and b.site = ${level}.site and b."expiryDate" < now()), 0)`;

/** SQL of the same as far as it is there, as the view `Stock` has it: issues need not name batches. */
export const expiredStock = (level: string) => `least(${batches(level)}, greatest(${level}.quantity - ${level}.blocked, 0))`;
