/** Expired batches: on hand but not available (docs/stock.md, "Serial and batch numbers"). */

/** SQL of the quantity of expired batches of the part and site of a stock level. */
const batches = (level: string) => `coalesce((select sum(b.quantity) from "StockBatch" b
    where b."tenantId" = $1 and b."partId" = ${level}."partId" and b.site = ${level}.site and b."expiryDate" < now()), 0)`;

/** SQL of the same, limited to the unblocked stock on hand, because issues need not name batches. As in the view `Stock`. */
export const expiredStock = (level: string) => `least(${batches(level)}, greatest(${level}.quantity - ${level}.blocked, 0))`;
