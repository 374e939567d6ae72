/** Suppliers of parts and services, by name. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Store } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { SupplierList } from "../../generated/suppliers.js";
import { useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { PurchaseTabs } from "../purchases/tabs.js";
import { SupplierForm } from "./supplier-form.js";

export function SuppliersPage(): ReactNode {
  const { q } = useSearch({ from: "/suppliers" });
  const navigate = useNavigate({ from: "/suppliers" });
  const { can } = useSession();
  const [isNew, setNew] = useState(false);
  const [text, setText] = useDraft(q ?? "", (value) => void navigate({ search: { q: value.trim() || undefined }, replace: true }));
  const [page, setPage] = useState<{ q?: string; after?: string | null }>({ q });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: SupplierList,
    variables: { filter: { search: q }, after: page.q === q ? page.after : undefined },
  });
  const readAgain = useCallback(() => {
    setPage({ q });
    retry({ requestPolicy: "network-only" });
  }, [q, retry]);
  useLiveData(["SUPPLIER_ACCOUNT"], readAgain);
  useTitle(t`Suppliers`);
  const suppliers = data?.suppliers;
  return (
    <>
      <div className="page-head">
        <h1>{t`Suppliers`}</h1>
        {can("createSupplier") && (
          <button type="button" className="button primary" onClick={() => setNew(true)}>
            <Plus className="icon" aria-hidden />
            {t`New supplier`}
          </button>
        )}
      </div>
      <PurchaseTabs />
      <div className="row wrap" style={{ marginBottom: 14 }}>
        <SearchField placeholder={t`Name or number`} aria-label={t`Find a supplier`} value={text} onChange={setText} />
      </div>
      {suppliers ? (
        <section className="card" aria-label={t`Suppliers`} aria-busy={fetching || stale}>
          {suppliers.nodes.length ? (
            <ul className="list">
              {suppliers.nodes.map(({ id, name, number, currency, contact, isActive }) => (
                <li key={id} className="clickable unit-line">
                  <div className="grow stack tight">
                    <Link className="title anywhere" to="/suppliers/$id" params={{ id }}>
                      {name}
                    </Link>
                    <span className="muted small anywhere">
                      {[number, contact?.email, contact?.phone, currency].filter(Boolean).join(" · ")}
                    </span>
                  </div>
                  {!isActive && <Status value="DECOMMISSIONED" label={t`Deactivated`} />}
                </li>
              ))}
            </ul>
          ) : (
            <Empty icon={Store} title={q ? t`No supplier found` : t`No suppliers yet`} />
          )}
          <More
            hasMore={suppliers.pageInfo.hasNextPage}
            isBusy={fetching || stale}
            onMore={() => setPage({ q, after: suppliers.pageInfo.endCursor })}
          />
        </section>
      ) : fetching ? (
        <LoadingCard lines={6} />
      ) : (
        <Failed error={error} onRetry={readAgain} />
      )}
      {isNew && (
        <SupplierForm onClose={() => setNew(false)} onMade={(id) => void navigate({ to: "/suppliers/$id", params: { id }, search: {} })} />
      )}
    </>
  );
}
