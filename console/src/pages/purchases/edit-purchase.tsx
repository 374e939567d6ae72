/** Edits a draft purchase order. A concurrent change by another user is reported, not overwritten. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { PurchaseToEdit, type PurchaseToEditQuery, UpdatePurchase } from "../../generated/draft.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { changedMeanwhile, Meanwhile } from "../../parts/meanwhile.js";
import { NoRecord } from "../../parts/states.js";
import { draftOf, mergeDrafts, type PurchaseRecord } from "./draft.js";
import { DraftForm } from "./draft-form.js";

export function EditPurchasePage(): ReactNode {
  const { id } = useParams({ from: "/purchases/$id/edit" });
  // The form starts with the latest version.
  const [{ data, error, fetching }, retry] = useQuery({ query: PurchaseToEdit, variables: { id }, requestPolicy: "network-only" });
  const order = data?.purchaseOrder?.id === id ? data.purchaseOrder : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useTitle(order && t`Edit ${order.number}`);
  if (!data || !order) return <NoRecord isLoading={fetching} error={error} title={t`Purchase order not found`} onRetry={readAgain} />;
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/purchases">{t`Purchases`}</Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/purchases/$id" params={{ id }}>
          {order.number}
        </Link>
      </nav>
      <div className="page-head">
        <div>
          <h1>{t`Edit ${order.number}`}</h1>
          <p>{[order.supplier.name, order.site, order.currency].join(" · ")}</p>
        </div>
      </div>
      <EditForm key={id} data={data} record={order} onReload={readAgain} />
    </>
  );
}

const labels: Record<string, string> = { exchangeRate: t`Exchange rate`, notes: t`Notes for the supplier`, total: t`Lines` };

interface Props {
  data: PurchaseToEditQuery;
  record: PurchaseRecord;
  onReload: () => void;
}

function EditForm({ data, record, onReload }: Props) {
  const navigate = useNavigate();
  const update = useChange(UpdatePurchase, { onRefused: onReload });
  // The version that the form started with. Only this version is overwritten.
  const [base, setBase] = useState(record);
  const [before, setBefore] = useState(() => draftOf(record));
  const [draft, setDraft] = useState(before);
  const { id } = record;
  const leave = () => void navigate({ to: "/purchases/$id", params: { id }, ignoreBlocker: true });
  const changed = changedMeanwhile(update.error);

  /** Takes over the changes of others and keeps what the user entered. */
  const takeOver = () => {
    const now = draftOf(record);
    setDraft(mergeDrafts(before, draft, now));
    setBefore(now);
    setBase(record);
    update.forget();
  };
  return (
    <DraftForm
      draft={draft}
      suppliers={[record.supplier]}
      sites={data.sites}
      stockCurrency={data.stockSettings?.currency}
      isStored
      change={update}
      meanwhile={changed && <Meanwhile changed={changed} labels={labels} isRead={record.version !== base.version} onTakeOver={takeOver} />}
      onDraft={setDraft}
      onSubmit={async ({ exchangeRate, notes, lines }) => {
        if (await update.run({ id, input: { exchangeRate, notes, lines }, expectedVersion: base.version }, t`Saved`)) leave();
      }}
      onCancel={leave}
    />
  );
}
