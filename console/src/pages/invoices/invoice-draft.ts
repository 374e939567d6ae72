/** A supplier invoice in a form, as texts, and the input that stores it. */
import type { SupplierInvoiceLineInput } from "../../../../packages/client/src/generated/schema.js";
import type { InvoicePageQuery, NewInvoiceQuery } from "../../generated/invoices.js";
import { minus } from "../../parts/decimals.js";
import { numberOf, numberText } from "../../parts/words.js";
import { dayAt, instantAt, today } from "../../parts/zones.js";
import { type OrderLine, priceOf } from "./types.js";

export interface InvoiceLineDraft {
  line: OrderLine;
  /** Empty: the line is not invoiced. */
  quantity: string;
  /** Undefined until the user types another amount than that at the ordered price. */
  amount?: string;
}

export interface InvoiceDraft {
  number: string;
  invoiceDate: string;
  dueDate: string;
  exchangeRate: string;
  notes: string;
  lines: InvoiceLineDraft[];
}

/** A draft with everything that was accepted and not invoiced yet, at the ordered prices. */
export const draftFor = ({ site, lines }: NonNullable<NewInvoiceQuery["purchaseOrder"]>): InvoiceDraft => ({
  number: "",
  invoiceDate: today(site),
  dueDate: "",
  exchangeRate: "",
  notes: "",
  lines: lines.map((line) => {
    const due = minus(line.accepted, line.invoicedQuantity);
    return { line, quantity: due > 0 ? numberText(due) : "" };
  }),
});

/** A stored draft, with the other lines of its orders. */
export function draftOf(invoice: NonNullable<InvoicePageQuery["supplierInvoice"]>, orderLines: OrderLine[]): InvoiceDraft {
  const { number, site, invoiceDate, dueDate, exchangeRate, notes } = invoice;
  const own = new Set(invoice.lines.map(({ orderLine }) => orderLine.id));
  return {
    number,
    invoiceDate: dayAt(invoiceDate, site),
    dueDate: dueDate ? dayAt(dueDate, site) : "",
    exchangeRate: numberText(exchangeRate),
    notes: notes ?? "",
    lines: [
      ...invoice.lines.map((one) => ({ line: one.orderLine, quantity: numberText(one.quantity), amount: numberText(one.amount) })),
      ...orderLines.filter(({ id }) => !own.has(id)).map((line) => ({ line, quantity: "" })),
    ],
  };
}

/** The amount of a line: the one typed, else that of the quantity at the ordered price. */
export function amountText({ line, quantity, amount }: InvoiceLineDraft, currency: string): string {
  const invoiced = numberOf(quantity);
  return amount ?? (invoiced === undefined || invoiced < 0 ? "" : numberText(priceOf(invoiced, line, currency)));
}

/** The lines that are invoiced. The service numbers its errors in this order. */
export const invoicedLines = (lines: InvoiceLineDraft[]): InvoiceLineDraft[] => lines.filter(({ quantity }) => quantity.trim());

/** Days are stored as noon at the site. */
const noon = (day: string, site: string): string => instantAt(day, "12:00", site).toISOString();

export const inputOf = (draft: InvoiceDraft, site: string, currency: string, isForeign: boolean) => ({
  number: draft.number.trim(),
  invoiceDate: noon(draft.invoiceDate, site),
  dueDate: draft.dueDate ? noon(draft.dueDate, site) : null,
  exchangeRate: isForeign ? (numberOf(draft.exchangeRate) ?? null) : null,
  notes: draft.notes.trim() || null,
  lines: invoicedLines(draft.lines).map(
    (one): SupplierInvoiceLineInput => ({
      orderLineId: one.line.id,
      quantity: numberOf(one.quantity) ?? 0,
      amount: numberOf(amountText(one, currency)) ?? 0,
    }),
  ),
});

export type InvoiceInput = ReturnType<typeof inputOf>;

/** Takes over the changes of others, except in what the user changed. */
export const mergeDrafts = (before: InvoiceDraft, draft: InvoiceDraft, now: InvoiceDraft): InvoiceDraft => ({
  ...now,
  ...Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== before[name as keyof InvoiceDraft])),
});
