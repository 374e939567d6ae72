/** A supplier: facts, the parts that it sells, and its orders. */
import { t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { Archive, ArchiveRestore, ChevronRight, Pencil, Plus, ReceiptText } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { SupplierPage as Document, type SupplierPageQuery, UpdateSupplier } from "../../generated/suppliers.js";
import { useChange } from "../../parts/change.js";
import { FactsCard } from "../../parts/facts.js";
import { useTitle } from "../../parts/hooks.js";
import { messageOf, NoRecord, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { amount, day } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { SupplierFigures } from "./supplier-figures.js";
import { SupplierForm } from "./supplier-form.js";
import { SupplierParts } from "./supplier-parts.js";

type Supplier = NonNullable<SupplierPageQuery["supplier"]>;

export function SupplierPage(): ReactNode {
  const { id } = useParams({ from: "/suppliers/$id" });
  const { can } = useSession();
  const [after, setAfter] = useState<string | null>();
  const [isEdited, setEdited] = useState(false);
  const update = useChange(UpdateSupplier);
  const [{ data, error, fetching, stale }, retry] = useQuery({ query: Document, variables: { id, after } });
  const supplier = data?.supplier?.id === id ? data.supplier : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["SUPPLIER_ACCOUNT", "SUPPLIER_PART", "PURCHASE_ORDER"], readAgain);
  useTitle(supplier?.name);
  if (!supplier) return <NoRecord isLoading={fetching} error={error} title={t`Supplier not found`} onRetry={readAgain} />;
  const { name, isActive, version, contact } = supplier;
  const activate = (active: boolean) =>
    void update
      .run({ id, input: { isActive: active }, expectedVersion: version }, active ? t`${name} is active again` : t`${name} is deactivated`)
      .then(readAgain);
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/suppliers">{t`Suppliers`}</Link>
        <ChevronRight className="icon" aria-hidden />
        <span>{name}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{name}</h1>
          {!isActive && <Status value="DECOMMISSIONED" label={t`Deactivated`} filled />}
        </div>
        <div className="stack tight">
          <div className="row wrap">
            {can("supplierInvoices") && (
              <Link className="button" to="/purchases/invoices" search={{ view: "all", supplier: id }}>
                <ReceiptText className="icon" aria-hidden />
                {t`Invoices`}
              </Link>
            )}
            {can("updateSupplier") && (
              <button type="button" className="button" disabled={update.isBusy} onClick={() => activate(!isActive)}>
                {isActive ? <Archive className="icon" aria-hidden /> : <ArchiveRestore className="icon" aria-hidden />}
                {isActive ? t`Deactivate` : t`Reactivate`}
              </button>
            )}
            {can("updateSupplier") && (
              <button type="button" className="button" onClick={() => setEdited(true)}>
                <Pencil className="icon" aria-hidden />
                {t`Edit`}
              </button>
            )}
            {isActive && can("createPurchaseOrder") && (
              <Link className="button primary" to="/purchases/new" search={{ supplier: id }}>
                <Plus className="icon" aria-hidden />
                {t`New purchase order`}
              </Link>
            )}
          </div>
          <Refusal text={update.error && !isEdited && messageOf(update.error)} />
        </div>
      </div>
      <div className="columns">
        <div className="stack">
          <SupplierParts supplier={supplier} isBusy={fetching || stale} onChanged={readAgain} onMore={setAfter} />
          <Orders supplier={supplier} />
        </div>
        <div className="stack">
          <FactsCard
            facts={[
              [t`Supplier number`, supplier.number],
              [t`Email address`, contact?.email],
              [t`Phone`, contact?.phone],
              [t`Currency`, supplier.currency],
              [t`Payment terms`, supplier.paymentTerms],
              [t`Delivery terms`, supplier.deliveryTerms],
              [t`Id in another system`, supplier.externalId],
              [t`Notes`, supplier.notes],
            ]}
          />
          <SupplierFigures id={id} />
        </div>
      </div>
      {isEdited && <SupplierForm supplier={supplier} onClose={() => setEdited(false)} onReload={readAgain} />}
    </>
  );
}

const Orders = ({ supplier: { id, purchaseOrders } }: { supplier: Supplier }) => (
  <section className="card" aria-labelledby="supplier-orders">
    <header>
      <h2 id="supplier-orders">{t`Purchase orders`}</h2>
      {purchaseOrders.pageInfo.hasNextPage && (
        <Link className="small" to="/purchases" search={{ supplier: id }}>
          {t`All`}
        </Link>
      )}
    </header>
    <div className="body flush">
      {purchaseOrders.nodes.length ? (
        <ul className="list">
          {purchaseOrders.nodes.map((order) => (
            <li key={order.id} className="clickable unit-line">
              <div className="grow stack tight">
                <Link className="title" to="/purchases/$id" params={{ id: order.id }}>
                  {order.number}
                </Link>
                <span className="muted small anywhere">{[order.site, day(order.createdAt, order.site)].join(" · ")}</span>
              </div>
              <span className="num nowrap">{amount(order.total, order.currency)}</span>
              <Status value={order.status} />
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted" style={{ padding: "2px 18px 18px" }}>
          {t`No purchase orders yet.`}
        </p>
      )}
    </div>
  </section>
);
