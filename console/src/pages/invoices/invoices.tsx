/** Supplier invoices: the lines on hold, and invoices by state. */
import { t } from "@lingui/core/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { InvoiceList } from "../../generated/invoices.js";
import { useCursor, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { SupplierSelect } from "../../parts/supplier-select.js";
import { useLiveData } from "../../session/live.js";
import { PurchaseTabs } from "../purchases/tabs.js";
import { ViewFilter } from "../purchases/view-filter.js";
import { InvoiceEntry } from "./invoice-entry.js";
import { LinesOnHold } from "./lines-on-hold.js";
import { statusesOf, views } from "./types.js";

export function InvoicesPage(): ReactNode {
  const { view, site, supplier } = useSearch({ from: "/purchases/invoices" });
  const navigate = useNavigate({ from: "/purchases/invoices" });
  const choose = (one?: string) => void navigate({ search: (was) => ({ ...was, supplier: one }), replace: true });
  useTitle(t`Invoices`);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Invoices`}</h1>
          <p>{t`Invoices of suppliers, matched with orders and receipts. They are entered from their order.`}</p>
        </div>
      </div>
      <PurchaseTabs />
      <ViewFilter
        views={views}
        view={view}
        site={site}
        onChange={(chosen) => void navigate({ search: (was) => ({ ...was, ...chosen }), replace: true })}
      />
      {view ? (
        <Invoices key={view} view={view} site={site} supplier={supplier} onSupplier={choose} />
      ) : (
        <LinesOnHold site={site} supplier={supplier} onSupplier={choose} />
      )}
    </>
  );
}

interface Props {
  view: keyof typeof statusesOf;
  site?: string;
  supplier?: string;
  onSupplier: (supplier?: string) => void;
}

function Invoices({ view, site, supplier, onSupplier }: Props) {
  const list = JSON.stringify([view, site, supplier]);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: InvoiceList,
    variables: { filter: { statusIn: statusesOf[view], site, supplierId: supplier }, after },
  });
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["SUPPLIER_INVOICE"], readAgain);
  const invoices = data?.supplierInvoices;
  if (!invoices) return fetching ? <LoadingCard lines={6} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <>
      <SupplierSelect suppliers={data.suppliers?.nodes ?? []} supplier={supplier} onChange={onSupplier} />
      <section className="card" aria-label={t`Invoices`} aria-busy={fetching || stale}>
        {invoices.nodes.length ? (
          <ul className="list">
            {invoices.nodes.map((invoice) => (
              <InvoiceEntry key={invoice.id} invoice={invoice} />
            ))}
          </ul>
        ) : (
          <Empty icon={ReceiptText} title={t`No invoices here`} />
        )}
        <More hasMore={invoices.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(invoices.pageInfo.endCursor)} />
      </section>
    </>
  );
}
