/** Spend by supplier and category (docs/supply.md, "Figures"). $2 and $3 are the period, $4 a site, $5 a supplier. */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import type { PurchaseSpend, PurchaseSpendArgs } from "../../../schema/inventory/reports/purchase-report.js";
import { checkedPeriod } from "../../../schema/period.js";
import { receiptValue } from "../stock/unit-values.js";

/** Maximum rows of a response. */
const most = 1_000;

/**
 * CTE of the receipts of the period and their value in the currency of the stock: of parts as in the ledger, with corrections; of services
 * and fixed assets, which have no value there, the price of the order at the rate of the receipt.
 */
export const spent = `spent as (
    select o."supplierId", p.category, l."partId" is null as "isService",
      case when m.id is null or m.valuation = 'none' then round(g.accepted * l.price * coalesce(g."exchangeRate", 1) / l."unitFactor", 4) else ${receiptValue("m")} end as value
    from "GoodsReceipt" g join "PurchaseOrderLine" l on l."tenantId" = $1 and l.id = g."lineId"
    join "PurchaseOrder" o on o."tenantId" = $1 and o.id = l."orderId" and ($5::text is null or o."supplierId" = $5)
    left join "Part" p on p."tenantId" = $1 and p.id = l."partId" left join "StockMovement" m on m."tenantId" = $1 and m.id = g."movementId"
    where g."tenantId" = $1 and g.accepted > 0 and g."reversedAt" is null and g."receivedAt" >= $2::timestamptz and g."receivedAt" < $3::timestamptz
      and ($4::text is null or g.site = $4)
  )`;

const rowsBy = {
  supplier: { supplierId: `"supplierId"`, category: "null::text" },
  category: { supplierId: "null::text", category: "category" },
};

const sums = {
  parts: `coalesce(sum(value) filter (where not "isService"), 0)`,
  services: `coalesce(sum(value) filter (where "isService"), 0)`,
  total: "sum(value)",
};
const amounts = Object.entries(sums).map(([name, sum]) => `${sum} as "${name}", ${exactText(sum)} as "${name}Exact"`);

/** Spend, greatest first. Throws BAD_USER_INPUT naming from. */
export function purchaseSpend(db: TenantQueryable, { by, site, supplierId, ...given }: PurchaseSpendArgs): Promise<PurchaseSpend[]> {
  const { from, to } = checkedPeriod(given, nowDate());
  const row = rowsBy[by];
  return db.query(
    `${plannedEachTime}with ${spent} select ${row.supplierId} as "supplierId", ${row.category} as category, ${amounts.join(", ")}
     from spent group by 1, 2 order by sum(value) desc, 1, 2 limit ${most}`,
    from,
    to,
    site ?? null,
    supplierId ?? null,
  );
}
