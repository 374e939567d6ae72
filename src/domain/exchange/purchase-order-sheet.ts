/** The sheet of purchase orders, one row per line. It is only exported: orders are written with their approval and numbers (docs/supply.md). */
import { badInput } from "../../schema/errors.js";
import { PurchaseOrderStatus } from "../../schema/inventory/supply/purchase-enums.js";
import { Currency, Name, NonNegative, ShortText, StockSite, Text } from "../../schema/scalars.js";
import { date, number, text, word } from "./cells.js";
import { keysetPieces } from "./export.js";
import type { Sheet } from "./sheet.js";

const columns = [
  text(Name, "number"),
  text(Name, "externalId"),
  text(Name, "supplierExternalId"),
  text(Name, "supplier"),
  text(StockSite, "site"),
  word("status", Object.values(PurchaseOrderStatus)),
  text(Currency, "currency"),
  number(NonNegative, "exchangeRate"),
  date("sentAt"),
  number(NonNegative, "position"),
  text(Name, "partNumber"),
  text(Text, "description"),
  number(NonNegative, "quantity"),
  text(ShortText, "unit"),
  number(NonNegative, "unitFactor"),
  number(NonNegative, "price"),
  number(NonNegative, "amount"),
  number(NonNegative, "accepted"),
  number(NonNegative, "cancelled"),
  number(NonNegative, "openQuantity"),
  date("promisedAt"),
  date("repromisedAt"),
];

const decimals = ["quantity", "unitFactor", "price", "amount", "accepted", "cancelled", "openQuantity"];

const lines = `
  select o.number, o."externalId", a."externalId" as "supplierExternalId", a.name as supplier, l.site, o.status, o.currency,
    trim_scale(o."exchangeRate")::text as "exchangeRate", o."sentAt", l.position, p."partNumber", l.description, l.unit,
    ${decimals.map((field) => `trim_scale(l."${field}")::text as "${field}"`).join(", ")}, l."promisedAt", l."repromisedAt"
  from "PurchaseOrder" o join "PurchaseOrderLine" l on l."tenantId" = $1 and l."orderId" = o.id
  join "SupplierAccount" a on a."tenantId" = $1 and a.id = o."supplierId" left join "Part" p on p."tenantId" = $1 and p.id = l."partId"
  where o."tenantId" = $1 and (o.number, l.position) > ($2, $3::int)`;

export const purchaseOrderSheet: Sheet = {
  name: "purchase-orders",
  roles: ["manager"],
  columns,
  keysOf: () => [],
  begin() {
    throw badInput({ sheet: "is only exported; create purchase orders with createPurchaseOrder" });
  },
  pieces: (db, write) =>
    keysetPieces<{ number: string; position: number }>(
      (last, limit) => db.query(`${lines} order by o.number, l.position limit ${limit}`, last?.number ?? "", last?.position ?? 0),
      write,
    ),
};
