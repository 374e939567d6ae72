/** Supplier invoices as the pages show them, and their differences in words. */
import { t } from "@lingui/core/macro";
import type { SupplierInvoiceLineStatus, SupplierInvoiceStatus } from "../../../../packages/client/src/generated/schema.js";
import type { InvoicedLineFragment, InvoicePageQuery, ListedInvoiceFragment, MatchedLineFragment } from "../../generated/invoices.js";
import { minus, proportion } from "../../parts/decimals.js";
import { amount, exact } from "../../parts/words.js";
import { digitsOf } from "../purchases/draft.js";
import { partUnit } from "../purchases/types.js";

export type Invoice = NonNullable<InvoicePageQuery["supplierInvoice"]>;
export type InvoiceLine = Invoice["lines"][number];
export type ListedInvoice = ListedInvoiceFragment;
/** An order line that can be invoiced. */
export type OrderLine = InvoicedLineFragment;

/** Keyed by the value in the URL. The first view lists lines. */
export const statusesOf: Record<"drafts" | "posted" | "all", SupplierInvoiceStatus[] | undefined> = {
  drafts: ["DRAFT"],
  posted: ["POSTED"],
  all: undefined,
};

export const onHold = t({ context: "supplier invoice", message: "On hold" });

export const views = [
  [undefined, onHold],
  ["drafts", t`Drafts`],
  ["posted", t`Posted`],
  ["all", t`All invoices`],
] as const;

/** Labels of the statuses that other records name otherwise. */
export const lineLabels: Partial<Record<SupplierInvoiceLineStatus, string>> = { ON_HOLD: onHold, ACCEPTED: t`Difference accepted` };

export const hasLinesOnHold = ({ lines }: { lines: { status: SupplierInvoiceLineStatus }[] }): boolean =>
  lines.some(({ status }) => status === "ON_HOLD");

/** The price of a quantity of an order line, in the unit of the part. */
export const priceOf = (quantity: number, { price, unitFactor }: Pick<OrderLine, "price" | "unitFactor">, currency: string): number =>
  proportion(quantity, price, unitFactor, digitsOf(currency));

/** The ordered quantity without what is cancelled, in the unit of the part. */
export const orderedQuantity = ({ quantity, unitFactor, cancelled }: OrderLine): number =>
  minus(proportion(quantity, unitFactor, 1, 4), cancelled);

/** The quantity of an invoice line that no receipt covers: it was not received, or other invoices cover its receipts. */
function missingQuantity({ quantity, matchedQuantity, orderLine }: MatchedLineFragment): number {
  const ofOthers = minus(orderLine.matchedQuantity, matchedQuantity);
  return Math.max(0, minus(quantity, minus(orderLine.accepted, ofOthers)));
}

/** The differences of an invoice line from its order and receipts. None for lines of cancelled invoices. */
export function differencesOf(line: MatchedLineFragment, currency: string): string[] {
  if (line.status === "CANCELLED") return [];
  const missing = missingQuantity(line);
  const over = minus(line.amount, line.orderedAmount);
  const [sum, ordered] = [amount(Math.abs(over), currency), amount(line.orderedAmount, currency)];
  const words = [
    missing > 0 && t`Quantity: ${exact(missing, partUnit(line.orderLine))} without a receipt`,
    over > 0 && t`Price: ${sum} more than the ordered ${ordered}`,
    over < 0 && t`Price: ${sum} less than the ordered ${ordered}`,
    line.status === "ON_HOLD" && !missing && !over && t`Receipts cover the line now: match the invoice again`,
  ];
  return words.filter((one) => one !== false);
}
