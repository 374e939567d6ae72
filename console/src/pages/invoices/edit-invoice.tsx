/** Edits a draft invoice. A concurrent change by another user is reported, not overwritten. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import { InvoicePage as Document, InvoiceableLines, UpdateInvoice } from "../../generated/invoices.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { changedMeanwhile, Meanwhile } from "../../parts/meanwhile.js";
import { NoRecord } from "../../parts/states.js";
import { draftOf, mergeDrafts } from "./invoice-draft.js";
import { InvoiceForm } from "./invoice-form.js";
import type { Invoice, OrderLine } from "./types.js";

export function EditInvoicePage(): ReactNode {
  const { id } = useParams({ from: "/purchases/invoices/$id/edit" });
  // The form starts with the latest version.
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id }, requestPolicy: "network-only" });
  const invoice = data?.supplierInvoice?.id === id ? data.supplierInvoice : undefined;
  const orderIds = useMemo(() => [...new Set(invoice?.lines.map(({ order }) => order.id))], [invoice]);
  const [others] = useQuery({ query: InvoiceableLines, variables: { orderIds }, pause: !orderIds.length });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useTitle(invoice && t`Edit ${invoice.number}`);
  const orderLines = others.data?.purchaseOrderLines?.nodes;
  if (!data || !invoice || (!orderLines && !others.error))
    return (
      <NoRecord isLoading={fetching || others.fetching} error={error ?? others.error} title={t`Invoice not found`} onRetry={readAgain} />
    );
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/purchases/invoices">{t`Invoices`}</Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/purchases/invoices/$id" params={{ id }}>
          {invoice.number}
        </Link>
      </nav>
      <div className="page-head">
        <div>
          <h1>{t`Edit ${invoice.number}`}</h1>
          <p>{[invoice.supplier.name, invoice.site, invoice.currency].join(" · ")}</p>
        </div>
      </div>
      <EditForm
        key={id}
        invoice={invoice}
        orderLines={orderLines ?? []}
        stockCurrency={data.stockSettings?.currency}
        onReload={readAgain}
      />
    </>
  );
}

const labels: Record<string, string> = {
  number: t`Number of the invoice`,
  invoiceDate: t`Date`,
  dueDate: t`Due date`,
  exchangeRate: t`Exchange rate`,
  notes: t`Notes`,
  total: t`Lines`,
};

interface Props {
  invoice: Invoice;
  /** All lines of its orders. */
  orderLines: OrderLine[];
  stockCurrency: string | null | undefined;
  onReload: () => void;
}

function EditForm({ invoice, orderLines, stockCurrency, onReload }: Props) {
  const navigate = useNavigate();
  const update = useChange(UpdateInvoice, { onRefused: onReload });
  // The version that the form started with. Only this version is overwritten.
  const [base, setBase] = useState(invoice);
  const [before, setBefore] = useState(() => draftOf(invoice, orderLines));
  const [draft, setDraft] = useState(before);
  const { id, site, currency } = invoice;
  const leave = () => void navigate({ to: "/purchases/invoices/$id", params: { id }, ignoreBlocker: true });
  const changed = changedMeanwhile(update.error);

  /** Takes over the changes of others and keeps what the user entered. */
  const takeOver = () => {
    const now = draftOf(invoice, orderLines);
    setDraft(mergeDrafts(before, draft, now));
    setBefore(now);
    setBase(invoice);
    update.forget();
  };
  return (
    <InvoiceForm
      draft={draft}
      site={site}
      currency={currency}
      stockCurrency={stockCurrency}
      change={update}
      meanwhile={changed && <Meanwhile changed={changed} labels={labels} isRead={invoice.version !== base.version} onTakeOver={takeOver} />}
      onDraft={setDraft}
      onSubmit={async (input) => {
        if (await update.run({ id, input, expectedVersion: base.version }, t`Saved`)) leave();
      }}
      onCancel={leave}
    />
  );
}
