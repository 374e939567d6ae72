/** Stock: shortages, all stock, pending approvals, and counts. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheckBig, ClipboardList, ClipboardPlus, PackagePlus, PackageSearch, QrCode, ShoppingCart, X } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { StockPage as Document, type StockPageQuery } from "../../generated/stock.js";
import { useCursor, useDraft, useTitle } from "../../parts/hooks.js";
import { LongList } from "../../parts/long-list.js";
import { More } from "../../parts/more.js";
import { NoCurrency } from "../../parts/no-currency.js";
import { SearchField } from "../../parts/search-field.js";
import { SiteSelect } from "../../parts/site-select.js";
import { Sparkline } from "../../parts/sparkline.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { StockState } from "../../parts/status.js";
import { count, exact, money, unitWord } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Approvals } from "./approvals.js";
import { Catalogue } from "./catalogue.js";
import { CountLines, countFilters, countStates } from "./counts.js";
import { NewCount } from "./new-count.js";
import { OpenTransfers } from "./open-transfers.js";
import { NewPart } from "./part-edit.js";
import { Reorder } from "./reorder.js";

type Level = NonNullable<StockPageQuery["inventory"]>["nodes"][number];

const orders = {
  short: { field: "BELOW_REORDER_POINT", direction: "DESC", thenBy: { field: "PART_NAME" } },
  all: { field: "PART_NAME", thenBy: { field: "SITE" } },
} as const;

export function StockPage(): ReactNode {
  const search = useSearch({ from: "/stock" });
  const { view, site, bin, q, state } = search;
  const { can } = useSession();
  const [making, setMaking] = useState<"part" | "count">();
  const navigate = useNavigate({ from: "/stock" });
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const [draft, setDraft] = useDraft(q ?? "", (text) => choose({ q: text || undefined }));
  useTitle(t`Stock`);
  const list = JSON.stringify([view, site, bin, q, state]);
  const [after, setAfter] = useCursor(list);
  const isAll = view === "all";
  const isCounts = view === "counts";
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      counts: isCounts,
      ...(isCounts
        ? { countFilter: { site, ...(state && countFilters[state]) }, countsAfter: after }
        : {
            filter: { site, location: bin, search: q, ...(!isAll && { lowStock: true }) },
            orderBy: isAll ? orders.all : orders.short,
            after,
          }),
    },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PART", "STOCK_LEVEL", "STOCK_MOVEMENT", "STOCK_ADJUSTMENT", "STOCK_COUNT"], readAgain);
  const inventory = data?.inventory;
  const waiting = data?.stockAdjustments;
  const waitingCounts = data?.waitingCounts;
  const toApprove = (waiting?.totalCount ?? 0) + (waitingCounts?.totalCount ?? 0);
  const unfinished = data?.unfinishedCounts?.totalCount;
  // Until the request completes, `data` belongs to the previous view.
  const counts = isCounts ? data?.stockCounts : undefined;
  const numberOf = (...statuses: string[]) =>
    (data?.inventoryGroups ?? [])
      .filter(({ stockStatus }) => statuses.includes(stockStatus ?? ""))
      .reduce((sum, group) => sum + group.count, 0);

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Stock`}</h1>
          <p>{data?.inventoryTotals ? t`${count(data.inventoryTotals.stockLevels)} stock levels` : " "}</p>
        </div>
        {!isCounts && (
          <Link className="button" to="/labels" search={{ kind: "parts", site, q }}>
            <QrCode className="icon" aria-hidden />
            {t`Print labels`}
          </Link>
        )}
        {!isCounts && can("createPart") && (
          <button type="button" className="button primary" onClick={() => setMaking("part")}>
            <PackagePlus className="icon" aria-hidden />
            {t`New part`}
          </button>
        )}
        {isCounts && can("createStockCount") && (
          <button type="button" className="button primary" disabled={!data?.stockedSites?.length} onClick={() => setMaking("count")}>
            <ClipboardPlus className="icon" aria-hidden />
            {t`New count`}
          </button>
        )}
      </div>
      <div className="figures" style={{ marginBottom: 18 }}>
        <div className="figure">
          <span className="value">{money(data?.inventoryTotals?.totalValue, data?.stockSettings?.currency)}</span>
          <span className="label">{t`Value on hand`}</span>
          <NoCurrency currency={data?.stockSettings?.currency} />
        </div>
        <div className="figure">
          <span className="value">{data ? count(numberOf("OUT")) : "–"}</span>
          <span className="label">{t`Out of stock`}</span>
        </div>
        <div className="figure">
          <span className="value">{data ? count(numberOf("LOW", "CRITICAL")) : "–"}</span>
          <span className="label">{t`Low or critical`}</span>
        </div>
        <div className="figure">
          <span className="value">{waiting ? count(toApprove) : "–"}</span>
          <span className="label">{t`To approve`}</span>
        </div>
      </div>
      <nav className="tabs" aria-label={t`Stock`}>
        <Link
          to="/stock"
          search={{ view: undefined, site, q }}
          aria-current={!view ? "page" : undefined}
          activeOptions={{ exact: true, explicitUndefined: true }}
        >
          {t`Shortages`}
        </Link>
        <Link to="/stock" search={{ view: "all", site, q }} aria-current={isAll ? "page" : undefined}>
          {t`All stock`}
        </Link>
        <Link to="/stock" search={{ view: "parts", q }} aria-current={view === "parts" ? "page" : undefined}>
          {t`Parts`}
        </Link>
        <Link to="/stock" search={{ view: "reorder", site }} aria-current={view === "reorder" ? "page" : undefined}>
          {t`Orders`}
        </Link>
        <Link to="/stock" search={{ view: "approve" }} aria-current={view === "approve" ? "page" : undefined}>
          {t`To approve`}
          {toApprove > 0 && <span className="num">{count(toApprove)}</span>}
        </Link>
        <Link to="/stock" search={{ view: "counts", site }} aria-current={isCounts ? "page" : undefined}>
          {t`Counts`}
          {!!unfinished && <span className="num">{count(unfinished)}</span>}
        </Link>
        <Link to="/stock" search={{ view: "transfers" }} aria-current={view === "transfers" ? "page" : undefined}>
          {t`Transfers`}
        </Link>
      </nav>
      {view === "transfers" ? (
        <OpenTransfers />
      ) : view === "parts" ? (
        <>
          <search className="filters">
            <SearchField placeholder={t`Part name or number`} aria-label={t`Filter parts`} value={draft} onChange={setDraft} />
          </search>
          <Catalogue search={q} />
        </>
      ) : view === "reorder" ? (
        <>
          <search className="filters">
            <SiteSelect sites={data?.sites} site={site} onChange={(one) => choose({ site: one })} />
          </search>
          <Reorder site={site} />
        </>
      ) : view === "approve" ? (
        waiting ? (
          <Approvals adjustments={waiting.nodes} counts={waitingCounts?.nodes ?? []} currency={data?.stockSettings?.currency} />
        ) : fetching ? (
          <LoadingCard />
        ) : (
          <Failed error={error} onRetry={readAgain} />
        )
      ) : isCounts ? (
        <>
          <search className="filters">
            <div className="chips">
              {countStates.map(([value, label]) => (
                <button key={label} type="button" className="chip" aria-pressed={state === value} onClick={() => choose({ state: value })}>
                  {label}
                </button>
              ))}
            </div>
            <SiteSelect sites={data?.sites} site={site} onChange={(one) => choose({ site: one })} />
          </search>
          {!counts && fetching && <LoadingCard lines={8} />}
          {!counts && !fetching && error && <Failed error={error} onRetry={readAgain} />}
          {counts && (
            <section className="card" aria-label={t`Stock counts`} aria-busy={fetching || stale}>
              <CountLines
                counts={counts.nodes}
                currency={data?.stockSettings?.currency}
                empty={
                  <Empty icon={ClipboardList} title={state || site ? t`No counts match these filters` : t`No counts yet`}>
                    {t`Create a count to compare a site's stock with the books. Someone else approves the differences.`}
                  </Empty>
                }
              />
              <More hasMore={counts.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(counts.pageInfo.endCursor)} />
            </section>
          )}
        </>
      ) : (
        <>
          <search className="filters">
            {bin && (
              <button type="button" className="chip" aria-pressed onClick={() => choose({ bin: undefined })}>
                {t`Bin ${bin}`}
                <X className="icon" aria-hidden />
                <span className="hidden-text">, {t`show all bins`}</span>
              </button>
            )}
            <SearchField placeholder={t`Part name or number`} aria-label={t`Filter stock`} value={draft} onChange={setDraft} />
            <SiteSelect sites={data?.sites} site={site} onChange={(one) => choose({ site: one })} />
            {!isAll && (
              <Link className="button" to="/stock" search={{ view: "reorder", site }}>
                <ShoppingCart className="icon" aria-hidden />
                {t`Proposed orders`}
              </Link>
            )}
          </search>
          {!inventory && fetching && <LoadingCard lines={8} />}
          {!inventory && error && <Failed error={error} onRetry={readAgain} />}
          {inventory && (
            <section className="card" aria-label={t`Stock levels`} aria-busy={fetching || stale}>
              {inventory.nodes.length ? (
                <Levels levels={inventory.nodes} />
              ) : (
                <Empty
                  icon={isAll ? PackageSearch : CircleCheckBig}
                  title={isAll || q || site ? t`No stock matches these filters` : t`No shortages`}
                />
              )}
              <More
                hasMore={inventory.pageInfo.hasNextPage}
                isBusy={fetching || stale}
                onMore={() => setAfter(inventory.pageInfo.endCursor)}
              />
            </section>
          )}
        </>
      )}
      {making === "part" && (
        <NewPart onClose={() => setMaking(undefined)} onMade={(id) => void navigate({ to: "/stock/$id", params: { id }, search: {} })} />
      )}
      {making === "count" && (
        <NewCount
          sites={data?.stockedSites ?? []}
          site={site}
          onClose={() => setMaking(undefined)}
          onMade={(id) => void navigate({ to: "/stock/count/$id", params: { id }, search: {} })}
        />
      )}
    </>
  );
}

function Levels({ levels }: { levels: Level[] }) {
  return (
    <LongList rows={levels} kind="level">
      {({ part, site, quantity, availableStock, reorderPoint, belowReorderPoint, stockStatus, movements }, item) => (
        <li {...item} className="clickable">
          <div className="grow">
            <Link className="title clip block" to="/stock/$id" params={{ id: part.id }}>
              {part.name}
            </Link>
            <div className="muted small clip">
              <span className="mono">{part.partNumber}</span> · {site}
            </div>
          </div>
          <span className="wide">
            <Sparkline
              label={t`Balance of ${part.name}: now ${exact(quantity)}`}
              least={reorderPoint}
              points={movements.nodes.map(({ performedAt, newBalance }) => ({ at: performedAt, value: newBalance })).reverse()}
            />
          </span>
          <span className="num right quantity">
            <span className="strong">{exact(availableStock)}</span> <span className="muted small">{unitWord(part.unitOfMeasure)}</span>
            <br />
            <span className="muted small">
              {belowReorderPoint > 0
                ? t`${exact(belowReorderPoint)} short`
                : reorderPoint != null
                  ? t`reorder at ${exact(reorderPoint)}`
                  : ""}
            </span>
          </span>
          <span className="stock-state">
            <StockState value={stockStatus} />
          </span>
        </li>
      )}
    </LongList>
  );
}
