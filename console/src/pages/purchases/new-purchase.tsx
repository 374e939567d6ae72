/** Creates a draft purchase order, also for a part or a work order. */
import { t } from "@lingui/core/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { CreatePurchase, NewPurchase as Document, type NewPurchaseQuery } from "../../generated/draft.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { newLine, type PurchaseDraft } from "./draft.js";
import { DraftForm } from "./draft-form.js";

export function NewPurchasePage(): ReactNode {
  const { part, workOrder, supplier } = useSearch({ from: "/purchases/new" });
  const [{ data, error, fetching }, retry] = useQuery({
    query: Document,
    variables: { part: part ?? "", withPart: !!part, workOrder: workOrder ?? "", withWorkOrder: !!workOrder },
  });
  useTitle(t`New purchase order`);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`New purchase order`}</h1>
          <p>{t`A draft. It is submitted, approved and sent afterwards.`}</p>
        </div>
      </div>
      {data ? (
        <NewForm key={[part, workOrder, supplier].join()} data={data} supplier={supplier} />
      ) : fetching ? (
        <LoadingCard lines={10} />
      ) : (
        <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />
      )}
    </>
  );
}

function firstDraft({ suppliers, sites, part, workOrder }: NewPurchaseQuery, supplier: string | undefined, own: string[]): PurchaseDraft {
  const offered = part?.supplierParts.find(({ isPreferred }) => isPreferred) ?? part?.supplierParts[0];
  const known = suppliers?.nodes ?? [];
  const supplierId = [supplier, offered?.supplierId].find((one) => known.some(({ id }) => id === one));
  const names = own.length ? own : (sites ?? []).map(({ name }) => name).filter(Boolean);
  const site = [workOrder?.asset?.site, part?.site].find((one) => one && names.includes(one));
  const needed = workOrder ? { id: workOrder.id, title: workOrder.title } : undefined;
  return {
    supplierId: supplierId ?? "",
    site: site ?? (names.length === 1 ? names[0]! : ""),
    currency: "",
    exchangeRate: "",
    notes: "",
    lines: part || needed ? [newLine({ part: part ?? undefined, workOrder: needed })] : [],
  };
}

function NewForm({ data, supplier }: { data: NewPurchaseQuery; supplier: string | undefined }) {
  const navigate = useNavigate();
  const { sites: own } = useSession();
  const create = useChange(CreatePurchase);
  const [draft, setDraft] = useState(() => firstDraft(data, supplier, own));
  const { supplierId, site } = draft;
  return (
    <DraftForm
      draft={draft}
      suppliers={data.suppliers?.nodes ?? []}
      sites={data.sites}
      stockCurrency={data.stockSettings?.currency}
      change={create}
      onDraft={setDraft}
      onSubmit={async ({ currency, ...input }) => {
        const made = await create.run({ input: { supplierId, site, currency: currency || undefined, ...input } }, t`Draft created`);
        const order = made?.createPurchaseOrder;
        if (order) void navigate({ to: "/purchases/$id", params: { id: order.id }, ignoreBlocker: true });
      }}
      onCancel={() => void navigate({ to: "/purchases" })}
    />
  );
}
