/** Purchase orders by state, the lines that are late, and the goods in quarantine. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, ShoppingCart } from "lucide-react";
import { type ReactNode, useCallback } from "react";
import { useQuery } from "urql";
import { PurchaseList } from "../../generated/purchases.js";
import { useCursor, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { SupplierSelect } from "../../parts/supplier-select.js";
import { amount, day } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { LateLines } from "./late-lines.js";
import { Quarantine } from "./quarantine.js";
import { PurchaseTabs } from "./tabs.js";
import { type ListedPurchase, nextPromise, statusesOf, views } from "./types.js";
import { ViewFilter } from "./view-filter.js";

export function PurchasesPage(): ReactNode {
  const { view, site } = useSearch({ from: "/purchases" });
  const navigate = useNavigate({ from: "/purchases" });
  const { can } = useSession();
  useTitle(t`Purchases`);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Purchases`}</h1>
          <p>{t`Orders of parts and services from suppliers.`}</p>
        </div>
        {can("createPurchaseOrder") && (
          <Link className="button primary" to="/purchases/new">
            <Plus className="icon" aria-hidden />
            {t`New purchase order`}
          </Link>
        )}
      </div>
      <PurchaseTabs />
      <ViewFilter
        views={views}
        view={view}
        site={site}
        onChange={(chosen) => void navigate({ search: (was) => ({ ...was, ...chosen }), replace: true })}
      />
      {view === "late" ? <LateLines site={site} /> : view === "quarantine" ? <Quarantine site={site} /> : <Orders />}
    </>
  );
}

function Orders() {
  const { view, site, supplier } = useSearch({ from: "/purchases" });
  const navigate = useNavigate({ from: "/purchases" });
  const list = JSON.stringify([view, site, supplier]);
  const [after, setAfter] = useCursor(list);
  const statusIn = view && view !== "late" && view !== "quarantine" ? statusesOf[view] : undefined;
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: PurchaseList,
    variables: { filter: { statusIn, site, supplierId: supplier }, after },
  });
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["PURCHASE_ORDER"], readAgain);
  const orders = data?.purchaseOrders;
  if (!orders) return fetching ? <LoadingCard lines={6} /> : <Failed error={error} onRetry={readAgain} />;
  return (
    <>
      <SupplierSelect
        suppliers={data.suppliers?.nodes ?? []}
        supplier={supplier}
        onChange={(one) => void navigate({ search: (was) => ({ ...was, supplier: one }), replace: true })}
      />
      <section className="card" aria-label={t`Purchase orders`} aria-busy={fetching || stale}>
        {orders.nodes.length ? (
          <ul className="list">
            {orders.nodes.map((order) => (
              <OrderEntry key={order.id} order={order} />
            ))}
          </ul>
        ) : (
          <Empty icon={ShoppingCart} title={t`No purchase orders here`} />
        )}
        <More hasMore={orders.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(orders.pageInfo.endCursor)} />
      </section>
    </>
  );
}

function OrderEntry({ order }: { order: ListedPurchase }) {
  const { id, number, supplier, site, status, total, currency, lines } = order;
  const promise = nextPromise(lines);
  return (
    <li className="clickable unit-line">
      <div className="grow stack tight">
        <Link className="title anywhere" to="/purchases/$id" params={{ id }}>
          {number} <span className="muted">{supplier.name}</span>
        </Link>
        <span className="muted small anywhere">{[site, promise && t`promised ${day(promise, site)}`].filter(Boolean).join(" · ")}</span>
      </div>
      <span className="num nowrap">{amount(total, currency)}</span>
      <Status value={status} />
    </li>
  );
}
