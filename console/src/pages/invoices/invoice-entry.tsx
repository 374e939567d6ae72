/** An invoice in a list. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Status } from "../../parts/status.js";
import { amount, day } from "../../parts/words.js";
import { hasLinesOnHold, type ListedInvoice, onHold } from "./types.js";

export function InvoiceEntry({ invoice }: { invoice: ListedInvoice }) {
  const { id, number, supplier, site, status, total, currency, invoiceDate, dueDate } = invoice;
  const facts = [site, day(invoiceDate, site), dueDate && t`due ${day(dueDate, site)}`];
  return (
    <li className="clickable unit-line">
      <div className="grow stack tight">
        <Link className="title anywhere" to="/purchases/invoices/$id" params={{ id }}>
          {number} <span className="muted">{supplier.name}</span>
        </Link>
        <span className="muted small anywhere">{facts.filter(Boolean).join(" · ")}</span>
      </div>
      <span className="num nowrap">{amount(total, currency)}</span>
      <Status value={status} />
      {hasLinesOnHold(invoice) && <Status value="ON_HOLD" label={onHold} />}
    </li>
  );
}
