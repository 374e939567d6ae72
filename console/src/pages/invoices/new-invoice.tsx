/** Enters an invoice for a purchase order: a draft, which is posted afterwards. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { CreateInvoice, NewInvoice as Document, type NewInvoiceQuery } from "../../generated/invoices.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { Empty, NoRecord } from "../../parts/states.js";
import { draftFor } from "./invoice-draft.js";
import { InvoiceForm } from "./invoice-form.js";

export function NewInvoicePage(): ReactNode {
  const { order: id } = useSearch({ from: "/purchases/invoices/new" });
  // The quantities to invoice are those of now.
  const [{ data, error, fetching }, retry] = useQuery({
    query: Document,
    variables: { order: id ?? "" },
    pause: !id,
    requestPolicy: "network-only",
  });
  const order = data?.purchaseOrder?.id === id ? data?.purchaseOrder : undefined;
  useTitle(t`New invoice`);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`New invoice`}</h1>
          <p>
            {order ? [order.supplier.name, order.number, order.site, order.currency].join(" · ") : t`A draft. It is posted afterwards.`}
          </p>
        </div>
      </div>
      {data && order ? (
        <NewForm key={id} order={order} stockCurrency={data.stockSettings?.currency} />
      ) : id ? (
        <NoRecord
          isLoading={fetching}
          error={error}
          title={t`Purchase order not found`}
          onRetry={() => retry({ requestPolicy: "network-only" })}
        />
      ) : (
        <Empty
          icon={ReceiptText}
          title={t`An invoice is entered from its purchase order`}
          action={
            <Link className="button" to="/purchases">
              {t`Purchase orders`}
            </Link>
          }
        />
      )}
    </>
  );
}

interface Props {
  order: NonNullable<NewInvoiceQuery["purchaseOrder"]>;
  stockCurrency: string | null | undefined;
}

function NewForm({ order, stockCurrency }: Props) {
  const navigate = useNavigate();
  const create = useChange(CreateInvoice);
  const [draft, setDraft] = useState(() => draftFor(order));
  const { site, currency, supplier } = order;
  return (
    <InvoiceForm
      draft={draft}
      site={site}
      currency={currency}
      stockCurrency={stockCurrency}
      change={create}
      onDraft={setDraft}
      onSubmit={async (input) => {
        const made = await create.run({ input: { supplierId: supplier.id, site, currency, ...input } }, t`Draft created`);
        const invoice = made?.createSupplierInvoice;
        if (invoice) void navigate({ to: "/purchases/invoices/$id", params: { id: invoice.id }, ignoreBlocker: true });
      }}
      onCancel={() => void navigate({ to: "/purchases/$id", params: { id: order.id } })}
    />
  );
}
