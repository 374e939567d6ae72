/** Stock: shortages, all stock, pending approvals, and counts. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheckBig, ClipboardList, ClipboardPlus, PackageSearch, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { StockPage as Document, type StockPageQuery } from "../../generated/stock.js";
import { useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Sparkline } from "../../parts/sparkline.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { StockState } from "../../parts/status.js";
import { count, figure, money, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Approvals } from "./approvals.js";
import { CountLines, countFilters, countStates } from "./counts.js";
import { NewCount } from "./new-count.js";

type Level = NonNullable<StockPageQuery["inventory"]>["nodes"][number];

const orders = {
  short: { field: "BELOW_REORDER_POINT", direction: "DESC", thenBy: { field: "PART_NAME" } },
  all: { field: "PART_NAME", thenBy: { field: "SITE" } },
} as const;

export function StockPage(): ReactNode {
  const search = useSearch({ from: "/stock" });
  const { view, site, q, state } = search;
  const { can } = useSession();
  const [isMaking, setMaking] = useState(false);
  const navigate = useNavigate({ from: "/stock" });
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const [draft, setDraft] = useDraft(q ?? "", (text) => choose({ q: text || undefined }));
  useTitle("Stock");
  const list = JSON.stringify([view, site, q, state]);
  const [page, setPage] = useState<{ list: string; after?: string | null }>({ list });
  const isAll = view === "all";
  const isCounts = view === "counts";
  const after = page.list === list ? page.after : undefined;
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      counts: isCounts,
      ...(isCounts
        ? { countFilter: { site, ...(state && countFilters[state]) }, countsAfter: after }
        : { filter: { site, search: q, ...(!isAll && { lowStock: true }) }, orderBy: isAll ? orders.all : orders.short, after }),
    },
  });
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
          <h1>Stock</h1>
          <p>{data?.inventoryTotals ? `${count(data.inventoryTotals.stockLevels)} stock levels` : " "}</p>
        </div>
        {isCounts && can("createStockCount") && (
          <button type="button" className="button primary" disabled={!data?.stockedSites?.length} onClick={() => setMaking(true)}>
            <ClipboardPlus className="icon" aria-hidden />
            New count
          </button>
        )}
      </div>
      <div className="figures" style={{ marginBottom: 18 }}>
        <div className="figure">
          <span className="value">{money(data?.inventoryTotals?.totalValue, data?.stockSettings?.currency)}</span>
          <span className="label">Value on hand</span>
        </div>
        <div className="figure">
          <span className="value">{data ? count(numberOf("OUT")) : "–"}</span>
          <span className="label">Out of stock</span>
        </div>
        <div className="figure">
          <span className="value">{data ? count(numberOf("LOW", "CRITICAL")) : "–"}</span>
          <span className="label">Low or critical</span>
        </div>
        <div className="figure">
          <span className="value">{waiting ? count(toApprove) : "–"}</span>
          <span className="label">To approve</span>
        </div>
      </div>
      <nav className="tabs" aria-label="Stock">
        <Link
          to="/stock"
          search={{ view: undefined, site, q }}
          aria-current={!view ? "page" : undefined}
          activeOptions={{ exact: true, explicitUndefined: true }}
        >
          Shortages
        </Link>
        <Link to="/stock" search={{ view: "all", site, q }} aria-current={isAll ? "page" : undefined}>
          All stock
        </Link>
        <Link to="/stock" search={{ view: "approve" }} aria-current={view === "approve" ? "page" : undefined}>
          To approve{toApprove > 0 && <span className="num">{count(toApprove)}</span>}
        </Link>
        <Link to="/stock" search={{ view: "counts", site }} aria-current={isCounts ? "page" : undefined}>
          Counts{!!unfinished && <span className="num">{count(unfinished)}</span>}
        </Link>
      </nav>
      {view === "approve" ? (
        waiting ? (
          <Approvals adjustments={waiting.nodes} counts={waitingCounts?.nodes ?? []} currency={data?.stockSettings?.currency} />
        ) : fetching ? (
          <LoadingCard />
        ) : (
          <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />
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
          {!counts && !fetching && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
          {counts && (
            <section className="card" aria-label="Stock counts" aria-busy={fetching || stale}>
              <CountLines
                counts={counts.nodes}
                currency={data?.stockSettings?.currency}
                empty={
                  <Empty icon={ClipboardList} title={state || site ? "No counts match these filters" : "No counts yet"}>
                    Create a count to compare a site's stock with the books. Someone else approves the differences.
                  </Empty>
                }
              />
              <More
                hasMore={counts.pageInfo.hasNextPage}
                isBusy={fetching || stale}
                onMore={() => setPage({ list, after: counts.pageInfo.endCursor })}
              />
            </section>
          )}
        </>
      ) : (
        <>
          <search className="filters">
            <div className="with-icon">
              <Search className="icon" aria-hidden />
              <input
                className="input"
                type="search"
                placeholder="Part name or number"
                aria-label="Filter stock"
                value={draft}
                onChange={(event) => setDraft(event.target.value)}
              />
            </div>
            <SiteSelect sites={data?.sites} site={site} onChange={(one) => choose({ site: one })} />
          </search>
          {!inventory && fetching && <LoadingCard lines={8} />}
          {!inventory && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
          {inventory && (
            <section className="card" aria-label="Stock levels" aria-busy={fetching || stale}>
              {inventory.nodes.length ? (
                <Levels levels={inventory.nodes} />
              ) : (
                <Empty
                  icon={isAll ? PackageSearch : CircleCheckBig}
                  title={isAll || q || site ? "No stock matches these filters" : "No shortages"}
                />
              )}
              <More
                hasMore={inventory.pageInfo.hasNextPage}
                isBusy={fetching || stale}
                onMore={() => setPage({ list, after: inventory.pageInfo.endCursor })}
              />
            </section>
          )}
        </>
      )}
      {isMaking && (
        <NewCount
          sites={data?.stockedSites ?? []}
          site={site}
          onClose={() => setMaking(false)}
          onMade={(id) => void navigate({ to: "/stock/count/$id", params: { id }, search: {} })}
        />
      )}
    </>
  );
}

interface SiteSelectProps {
  sites: StockPageQuery["sites"] | undefined;
  site?: string;
  onChange: (site?: string) => void;
}

const SiteSelect = ({ sites, site, onChange }: SiteSelectProps) => (
  <select className="input" aria-label="Site" value={site ?? ""} onChange={(event) => onChange(event.target.value || undefined)}>
    <option value="">All sites</option>
    {sites?.map((one) => (
      <option key={one.id} value={one.name}>
        {one.displayName}
      </option>
    ))}
  </select>
);

function Levels({ levels }: { levels: Level[] }) {
  return (
    <ul className="list">
      {levels.map(({ id, part, site, quantity, availableStock, reorderPoint, belowReorderPoint, stockStatus, movements }) => (
        <li key={id} className="clickable">
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
              label={`Balance of ${part.name}: now ${figure(quantity)}`}
              least={reorderPoint}
              points={movements.nodes.map(({ performedAt, newBalance }) => ({ at: performedAt, value: newBalance })).reverse()}
            />
          </span>
          <span className="num right quantity">
            <span className="strong">{figure(availableStock)}</span>{" "}
            <span className="muted small">{part.unitOfMeasure ? wordOf(part.unitOfMeasure).toLowerCase() : ""}</span>
            <br />
            <span className="muted small">
              {belowReorderPoint > 0
                ? `${figure(belowReorderPoint)} short`
                : reorderPoint != null
                  ? `reorder at ${figure(reorderPoint)}`
                  : ""}
            </span>
          </span>
          <span className="stock-state">
            <StockState value={stockStatus} />
          </span>
        </li>
      ))}
    </ul>
  );
}
