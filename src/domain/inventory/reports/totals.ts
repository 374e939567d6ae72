/** Sums of stock levels, and of what they sent and has not arrived (docs/stock.md, "Transfers"). */
import type { TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import { Bindings } from "../../../database/rows/rows.js";
import type { InventoryTotals } from "../../../schema/inventory/stock/inventory.js";
import type { Where } from "../../../schema/where.js";

/** Totals of the stock levels that match the condition. */
export async function inventoryTotals(db: TenantQueryable, condition: Where): Promise<InventoryTotals> {
  const { bind, values } = new Bindings();
  const where = condition.render(bind);
  const [totals] = await db.query<InventoryTotals>(
    `select l."stockLevels", l.quantity, ${exactText("l.quantity")} as "quantityExact", l.reserved, ${exactText("l.reserved")} as "reservedExact",
       l."totalValue", ${exactText('l."totalValue"')} as "totalValueExact", u.quantity as "inTransit", ${exactText("u.quantity")} as "inTransitExact",
       u.value as "inTransitValue", ${exactText("u.value")} as "inTransitValueExact"
     from (
       select count(*)::int as "stockLevels", coalesce(sum(quantity), 0) as quantity, coalesce(sum("reservedStock"), 0) as reserved, coalesce(sum("totalValue"), 0) as "totalValue"
       from "Stock" where "tenantId" = $1 and "deletedAt" is null${where}
     ) l cross join (
       select coalesce(sum(t."inTransit"), 0) as quantity, coalesce(sum(t."inTransitValue"), 0) as value from "StockTransfer" t
       where t."tenantId" = $1 and t.status = 'shipped' and (t."partId", t."fromSite") in (select "partId", site from "Stock" where "tenantId" = $1${where})
     ) u`,
    ...values,
  );
  return totals!;
}
