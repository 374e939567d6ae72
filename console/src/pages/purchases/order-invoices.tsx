/** Invoices with lines of a purchase order, oldest first, and a link that enters another one. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../session/session.js";
import { InvoiceEntry } from "../invoices/invoice-entry.js";
import type { ListedInvoice } from "../invoices/types.js";
import { isInvoiceable, type Purchase } from "./types.js";

/** Nothing if there are no invoices and the user cannot enter one. */
export function OrderInvoices({ order, invoices }: { order: Purchase; invoices: ListedInvoice[] }) {
  const { can } = useSession();
  const canEnter = isInvoiceable(order) && can("createSupplierInvoice");
  if (!invoices.length && !canEnter) return null;
  return (
    <section className="card" aria-labelledby="purchase-invoices">
      <header>
        <h2 id="purchase-invoices">{t`Invoices`}</h2>
        {canEnter && (
          <Link className="button small" to="/purchases/invoices/new" search={{ order: order.id }}>
            {t`Enter invoice`}
          </Link>
        )}
      </header>
      <div className="body flush">
        {invoices.length ? (
          <ul className="list">
            {invoices.map((invoice) => (
              <InvoiceEntry key={invoice.id} invoice={invoice} />
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {t`No invoices yet.`}
          </p>
        )}
      </div>
    </section>
  );
}
