/** Open commitments: amounts of order lines that suppliers still owe (docs/supply.md, "Figures"). */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import type { PurchaseCommitment, PurchaseCommitmentArgs } from "../../../schema/inventory/reports/purchase-report.js";
import { isLateLine, isOpenLine } from "../../../schema/inventory/supply/purchase-order.js";
import { lastPromised } from "./supplier-performance.js";

const amount = "sum(c.amount)";

/** Open amounts by month and currency: late ones first, then by month, those without a date last. */
export const purchaseCommitments = (db: TenantQueryable, { supplierId, site }: PurchaseCommitmentArgs): Promise<PurchaseCommitment[]> =>
  db.query(
    `${plannedEachTime}select c.month, c."isLate", c.currency, count(*)::int as lines, ${amount} as amount, ${exactText(amount)} as "amountExact"
     from (
       select l."isLate", l.currency, round(l."openQuantity" * l.price / l."unitFactor", currency_digits(l.currency)) as amount,
         case when not l."isLate" then to_char(${lastPromised} at time zone coalesce(z."timeZone", 'UTC'), 'YYYY-MM-"01"') end as month
       from (
         select l.site, l."orderId", l.currency, l."openQuantity", l.price, l."unitFactor", l."promisedAt", l."repromisedAt",
           ${isLateLine} is true as "isLate"
         from "PurchaseOrderLine" l where "tenantId" = $1 and ${isOpenLine}
       ) l
       left join "SiteSetting" z on z."tenantId" = $1 and z.site = l.site
       where ($2::text is null or l.site = $2)
         and ($3::text is null or l."orderId" in (select o.id from "PurchaseOrder" o where o."tenantId" = $1 and o."supplierId" = $3))
     ) c group by 1, 2, 3 order by c."isLate" desc, c.month nulls last, c.currency`,
    site ?? null,
    supplierId ?? null,
  );
