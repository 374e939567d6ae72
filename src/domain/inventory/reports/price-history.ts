/** Prices at which a part was ordered (docs/supply.md, "Figures"). */
import type { TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import { badInput } from "../../../schema/errors.js";
import type { PriceHistoryArgs, PurchasePrice } from "../../../schema/inventory/reports/purchase-report.js";

const price = `round(l.price / l."unitFactor", 4)`;

/** Lines of sent orders that were not cancelled as a whole, newest first. Throws BAD_USER_INPUT naming first. */
export async function priceHistory(db: TenantQueryable, { partId, first }: PriceHistoryArgs): Promise<PurchasePrice[]> {
  if (first < 1 || first > 1_000) throw badInput({ first: "must be from 1 to 1,000" });
  return db.query(
    `select l.id as "lineId", o.id as "orderId", o."supplierId", o."sentAt" as "orderedAt", o.currency, round(l.quantity * l."unitFactor", 4) as quantity,
       ${price} as "unitPrice", ${exactText(price)} as "unitPriceExact"
     from "PurchaseOrderLine" l join "PurchaseOrder" o on o."tenantId" = $1 and o.id = l."orderId" and o."sentAt" is not null
     where l."tenantId" = $1 and l."partId" = $2 and (l.accepted > 0 or l."openQuantity" > 0)
     order by o."sentAt" desc, o.number desc, l.position limit $3`,
    partId,
    first,
  );
}
