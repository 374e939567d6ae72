/** Invoice lines that do not match their order and receipts, oldest first. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useCallback } from "react";
import { useQuery } from "urql";
import { LinesOnHold as Document, type LinesOnHoldQuery } from "../../generated/invoices.js";
import { useCursor } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { SupplierSelect } from "../../parts/supplier-select.js";
import { amount, day, exact } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { lineName, partUnit } from "../purchases/types.js";
import { differencesOf, onHold } from "./types.js";

interface Props {
  site?: string;
  supplier?: string;
  onSupplier: (supplier?: string) => void;
}

export function LinesOnHold({ site, supplier, onSupplier }: Props) {
  const list = JSON.stringify([site, supplier]);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { filter: { status: "ON_HOLD", site, supplierId: supplier }, after },
  });
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["SUPPLIER_INVOICE", "PURCHASE_ORDER"], readAgain);
  const lines = data?.supplierInvoiceLines;
  if (!lines) return fetching ? <LoadingCard lines={6} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <>
      <SupplierSelect suppliers={data.suppliers?.nodes ?? []} supplier={supplier} onChange={onSupplier} />
      <section className="card" aria-label={onHold} aria-busy={fetching || stale}>
        {lines.nodes.length ? (
          <ul className="list">
            {lines.nodes.map((line) => (
              <LineEntry key={line.id} line={line} />
            ))}
          </ul>
        ) : (
          <Empty icon={CircleCheck} title={t`All posted invoices match`} />
        )}
        <More hasMore={lines.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(lines.pageInfo.endCursor)} />
      </section>
    </>
  );
}

function LineEntry({ line }: { line: NonNullable<LinesOnHoldQuery["supplierInvoiceLines"]>["nodes"][number] }) {
  const { invoice, order, orderLine, site } = line;
  const unit = partUnit(orderLine);
  const figures = [
    t`Received ${exact(orderLine.accepted, unit)}`,
    t`Invoiced ${exact(line.quantity, unit)}`,
    t`Ordered ${amount(line.orderedAmount, invoice.currency)}`,
    t`Invoiced ${amount(line.amount, invoice.currency)}`,
  ];
  return (
    <li className="clickable unit-line">
      <div className="grow stack tight" style={{ minWidth: 200 }}>
        <Link className="title anywhere" to="/purchases/invoices/$id" params={{ id: invoice.id }}>
          {lineName(orderLine)} <span className="muted">{invoice.number}</span>
        </Link>
        <span className="muted small anywhere">{[invoice.supplier.name, site, day(invoice.invoiceDate, site)].join(" · ")}</span>
        <span className="small anywhere">{figures.join(" · ")}</span>
        {differencesOf(line, invoice.currency).map((one) => (
          <span key={one} className="strong small anywhere">
            {one}
          </span>
        ))}
      </div>
      <Link className="small nowrap" to="/purchases/$id" params={{ id: order.id }}>
        {order.number}
      </Link>
    </li>
  );
}
