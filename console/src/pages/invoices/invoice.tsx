/** A supplier invoice: facts and lines with the three-way match, and the actions that its status and the role allow. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { InvoicePage as Document } from "../../generated/invoices.js";
import { FactsCard } from "../../parts/facts.js";
import { useTitle } from "../../parts/hooks.js";
import { NoRecord } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { amount, day, exact, moment } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { InvoiceActions } from "./invoice-actions.js";
import { InvoiceLines } from "./invoice-lines.js";
import { hasLinesOnHold, type Invoice, onHold } from "./types.js";

export function InvoicePage(): ReactNode {
  const { id } = useParams({ from: "/purchases/invoices/$id" });
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  const invoice = data?.supplierInvoice?.id === id ? data.supplierInvoice : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["SUPPLIER_INVOICE", "PURCHASE_ORDER"], readAgain);
  useTitle(invoice && t`Invoice ${invoice.number}`);
  if (!invoice)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Invoice not found`} onRetry={readAgain}>
        {t`Check the address, or find the invoice in the list.`}
      </NoRecord>
    );
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/purchases/invoices" activeOptions={{ exact: true }}>
          {t`Invoices`}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <span>{invoice.number}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{t`Invoice ${invoice.number}`}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={invoice.status} filled />
            {hasLinesOnHold(invoice) && <Status value="ON_HOLD" label={onHold} filled />}
            <Link to="/suppliers/$id" params={{ id: invoice.supplier.id }}>
              {invoice.supplier.name}
            </Link>
          </div>
        </div>
        <InvoiceActions invoice={invoice} onRefused={readAgain} />
      </div>
      <div className="stack">
        <FactsCard facts={factsOf(invoice, data?.stockSettings?.currency ?? "")} />
        <InvoiceLines invoice={invoice} onRefused={readAgain} />
      </div>
      <ZoneNote site={invoice.site} />
    </>
  );
}

function factsOf(invoice: Invoice, stockCurrency: string): [string, ReactNode][] {
  const { site, currency, exchangeRate } = invoice;
  const by = (at: string | null, name?: string) => at && [moment(at, site), name].filter(Boolean).join(" · ");
  const orders = new Map(invoice.lines.map(({ order }) => [order.id, order.number]));
  const links = [...orders].map(([id, number]) => (
    <Link key={id} to="/purchases/$id" params={{ id }}>
      {number}
    </Link>
  ));
  return [
    [t`Purchase order`, <span className="row wrap">{links}</span>],
    [t`Site`, site],
    [t`Date`, day(invoice.invoiceDate, site)],
    [t`Due`, invoice.dueDate && day(invoice.dueDate, site)],
    [t`Total`, amount(invoice.total, currency)],
    [t`Value of 1 ${currency} in ${stockCurrency}`, exchangeRate !== null && exact(exchangeRate)],
    [t`Notes`, invoice.notes],
    [t`Created`, by(invoice.createdAt, invoice.createdByPrincipal?.name)],
    [t`Posted`, by(invoice.postedAt, invoice.postedByPrincipal?.name)],
    [t`Cancelled`, by(invoice.cancelledAt)],
    [t`Reason of the cancellation`, invoice.cancellationReason],
  ];
}
