/** A purchase order: facts, approval, lines and invoices, with the actions that its status and the role allow. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { PurchasePage as Document } from "../../generated/purchases.js";
import { FactList } from "../../parts/facts.js";
import { useTitle } from "../../parts/hooks.js";
import { NoRecord } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { amount, moment } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { OrderInvoices } from "./order-invoices.js";
import { PurchaseActions } from "./purchase-actions.js";
import { PurchaseLines } from "./purchase-lines.js";
import type { Purchase } from "./types.js";

export function PurchasePage(): ReactNode {
  const { id } = useParams({ from: "/purchases/$id" });
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  const order = data?.purchaseOrder?.id === id ? data.purchaseOrder : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PURCHASE_ORDER", "STOCK_MOVEMENT", "SUPPLIER_INVOICE"], readAgain);
  useTitle(order && t`Purchase order ${order.number}`);
  if (!order)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Purchase order not found`} onRetry={readAgain}>
        {t`Check the address, or find the order in the list.`}
      </NoRecord>
    );
  const approval = approvalFacts(order).filter(([, value]) => value);
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/purchases" activeOptions={{ exact: true }}>
          {t`Purchases`}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <span>{order.number}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{t`Purchase order ${order.number}`}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={order.status} filled />
            <span className="muted">{order.supplier.name}</span>
          </div>
        </div>
        <PurchaseActions order={order} onRefused={readAgain} />
      </div>
      <div className="stack">
        <Section id="purchase-facts" title={t`Facts`} facts={factsOf(order)} />
        {approval.length > 0 && <Section id="purchase-approval" title={t`Approval`} facts={approval} />}
        <PurchaseLines
          order={order}
          receipts={data?.goodsReceipts?.nodes ?? []}
          currency={data?.stockSettings?.currency}
          onChanged={readAgain}
        />
        <OrderInvoices order={order} invoices={data?.supplierInvoices?.nodes ?? []} />
      </div>
      <ZoneNote site={order.site} />
    </>
  );
}

type Facts = [string, ReactNode][];

const Section = ({ id, title, facts }: { id: string; title: string; facts: Facts }) => (
  <section className="card" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
    </header>
    <div className="body">
      <FactList facts={facts} />
    </div>
  </section>
);

/** A time and a name, if the time is known. */
const by = (order: Purchase, at: string | null | undefined, name?: string) =>
  at && [moment(at, order.site), name].filter(Boolean).join(" · ");

const factsOf = (order: Purchase): Facts => [
  [t`Supplier`, [order.supplier.name, order.supplier.number].filter(Boolean).join(" · ")],
  [t`Site`, order.site],
  [t`Total`, amount(order.total, order.currency)],
  [t`Notes`, order.notes],
  [t`Created`, by(order, order.createdAt, order.createdByPrincipal?.name)],
  [t`Sent`, by(order, order.sentAt)],
  [t`Cancelled`, by(order, order.cancelledAt)],
  [t`Reason of the cancellation`, order.cancellationReason],
];

function approvalFacts(order: Purchase): Facts {
  const { approverPrincipal, approvedFor, approverId } = order;
  return [
    [t`Rule`, order.approvalRule],
    [t`Approver`, approverPrincipal?.name],
    [t`Submitted`, by(order, order.submittedAt, order.submittedByPrincipal?.name)],
    [t`Approved`, by(order, order.approvedAt, order.approvedByPrincipal?.name)],
    // A delegate approves for the person that the rule names.
    [t`Approved for`, approvedFor && approvedFor === approverId && approverPrincipal?.name],
    [t`Declined`, by(order, order.declinedAt)],
    [t`Reason of the decision`, order.decisionReason],
  ];
}
