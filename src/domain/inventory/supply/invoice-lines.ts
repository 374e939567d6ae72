/** Lines of supplier invoices: checks against the order lines, and the invoice's total. */
import type { TenantQueryable } from "../../../database/database.js";
import { type Inserts, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { insertRows } from "../../../database/rows/writer.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { PurchaseOrderStatus } from "../../../schema/inventory/supply/purchase-enums.js";
import type { SupplierInvoiceLineInput } from "../../../schema/inventory/supply/supplier-invoice-input.js";
import type { Actor } from "../../access/keys.js";
import { foreignSite, isForeign } from "../../access/site-guard.js";

type Invoice = Rows["SupplierInvoice"];

/** Maximum number of lines of an invoice. */
const mostLines = 200;

/** The order line that an invoice line names. All are null if it names none. */
interface Known {
  orderId: string | null;
  status: PurchaseOrderStatus;
  site: string;
  supplierId: string;
  currency: string;
  /** Price of the invoiced quantity, and whether the amount has no more digits than the currency. */
  orderedAmount: number;
  isRounded: boolean;
}

/**
 * The order line of each line, in order. Lines of orders that the supplier has do not change. Throws BAD_USER_INPUT for another number of
 * lines.
 */
export function knownLines(tx: TenantQueryable, lines: readonly SupplierInvoiceLineInput[]): Promise<Known[]> {
  if (!lines.length || lines.length > mostLines) throw badInput({ lines: `must have from 1 to ${mostLines} lines` });
  return tx.query<Known>(
    `select o.id as "orderId", o.status, l.site, o."supplierId", o.currency, price_of(e.quantity, l."unitFactor", l.price, o.currency) as "orderedAmount",
       round(e.amount, currency_digits(o.currency)) = e.amount as "isRounded"
     from jsonb_array_elements($2::jsonb) with ordinality j(item, place)
     cross join lateral jsonb_to_record(j.item) as e("orderLineId" text, quantity numeric, amount numeric)
     left join "PurchaseOrderLine" l on l."tenantId" = $1 and l.id = e."orderLineId" left join "PurchaseOrder" o on o."tenantId" = $1 and o.id = l."orderId"
     order by j.place`,
    JSON.stringify(lines),
  );
}

const isSent = (status: PurchaseOrderStatus) => ["sent", "partly_received", "received", "closed"].includes(status);

/** The fields of a line that do not suit its invoice, with the reasons. */
function errorsOf(
  { orderId, supplierId, currency, isRounded }: Known,
  invoice: Pick<Invoice, "supplierId" | "currency">,
  isRepeated: boolean,
): Record<string, string> {
  if (orderId === null) return { orderLineId: "names no order line; use the id of an existing one" };
  if (isRepeated) return { orderLineId: "is duplicated; add up the quantities and amounts of the order line" };
  if (supplierId !== invoice.supplierId) return { orderLineId: "names a line of another supplier's order" };
  if (currency !== invoice.currency) return { orderLineId: `names a line in ${currency}; the invoice is in ${invoice.currency}` };
  return isRounded ? {} : { amount: `must be rounded to the digits of ${currency}` };
}

/**
 * Inserts the lines of an invoice that has none. Throws BAD_USER_INPUT naming the fields of lines that do not suit the invoice, CONFLICT with
 * the status of an order that was not sent, FORBIDDEN for another site.
 */
export async function insertInvoiceLines(
  tx: TenantQueryable,
  actor: Actor,
  invoice: Invoice,
  lines: SupplierInvoiceLineInput[],
  known: Known[],
): Promise<void> {
  const details: Record<string, string> = {};
  const seen = new Set<string>();
  const rows = lines.map((line, i): Inserts["SupplierInvoiceLine"] => {
    const { orderId, status, site, orderedAmount } = known[i]!;
    const errors = errorsOf(known[i]!, invoice, seen.has(line.orderLineId));
    seen.add(line.orderLineId);
    for (const [field, reason] of Object.entries(errors)) details[`lines.${i}.${field}`] = reason;
    if (orderId !== null && isForeign(actor, site)) throw foreignSite();
    if (orderId !== null && !Object.keys(errors).length && !isSent(status))
      throw conflict("The order was not sent to the supplier", { status: status.toUpperCase() }).about(`lines.${i}.orderLineId`);
    return { ...line, invoiceId: invoice.id, position: i + 1, orderId: orderId ?? "", site, orderedAmount };
  });
  if (Object.keys(details).length) throw badInput(details);
  await insertRows(tx, "SupplierInvoiceLine", rows);
}

/** Sets the total of an invoice from its lines. Returns the invoice. */
export async function setInvoiceTotal(tx: TenantQueryable, id: string): Promise<Invoice> {
  const [invoice] = await tx.query<Invoice>(
    `update "SupplierInvoice" i set total = (select coalesce(sum(l.amount), 0) from "SupplierInvoiceLine" l where l."tenantId" = $1 and l."invoiceId" = $2)
     where i."tenantId" = $1 and i.id = $2 returning ${rowColumns("SupplierInvoice", "i")}`,
    id,
  );
  return invoice!;
}
