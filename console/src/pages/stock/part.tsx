/** A part: its stock at each site over time, and its movements. */
import { Link, useParams } from "@tanstack/react-router";
import { ChevronRight, ClipboardCheck, PackagePlus, SearchX, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { PartPage as Document } from "../../generated/stock.js";
import { useTitle } from "../../parts/hooks.js";
import { Sparkline } from "../../parts/sparkline.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { StockState } from "../../parts/status.js";
import { figure, moment, money, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { MoveDialog, type Movement } from "./move.js";

export function PartPage(): ReactNode {
  const { id } = useParams({ from: "/stock/$id" });
  const { can } = useSession();
  const [moving, setMoving] = useState<{ kind: Movement; site: string }>();
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  // Until the request completes, `data` belongs to the previous page.
  const part = data?.part?.id === id ? data.part : undefined;
  useTitle(part?.name);
  if (!part) {
    if (fetching) return <LoadingCard lines={9} />;
    if (error?.networkError) return <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />;
    return <Empty icon={SearchX} title="There is no such part" />;
  }
  const unit = part.unitOfMeasure ? wordOf(part.unitOfMeasure).toLowerCase() : "";
  const facts: [string, string | null | undefined][] = [
    ["Manufacturer", part.manufacturer],
    ["Manufacturer part number", part.manufacturerPartNumber],
    ["Category", part.category],
    ["Supplier", part.supplier?.name],
    ["Lead time", part.leadTime != null ? `${figure(part.leadTime)} days` : null],
    ["Unit cost", part.unitCost != null ? money(part.unitCost, part.currency) : null],
    ["Barcode", part.barcode],
  ];
  return (
    <>
      <nav className="crumbs" aria-label="Place">
        <Link to="/stock" activeOptions={{ exact: true }}>
          Stock
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <span className="mono">{part.partNumber}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{part.name}</h1>
          {part.description && <p>{part.description}</p>}
        </div>
      </div>
      <div className="columns">
        <div className="stack">
          {part.stockLevels.map((level) => (
            <section key={level.id} className="card" aria-label={`Stock at ${level.site}`}>
              <header>
                <h2>{level.site}</h2>
                <StockState value={level.stockStatus} />
              </header>
              <div className="body stack">
                <div className="row wrap" style={{ gap: 24, alignItems: "flex-end" }}>
                  {(
                    [
                      ["On hand", level.quantity],
                      ["Available", level.availableStock],
                      ["On order", level.onOrder],
                      ["Reorder at", level.reorderPoint],
                    ] as const
                  ).map(([label, value]) => (
                    <div key={label}>
                      <div className="big num">
                        {figure(value)} <small className="muted">{value != null && unit}</small>
                      </div>
                      <div className="muted small">{label}</div>
                    </div>
                  ))}
                  <div className="grow" style={{ minWidth: 160 }}>
                    <Sparkline
                      label={`Balance at ${level.site}: now ${figure(level.quantity)}`}
                      least={level.reorderPoint}
                      width={320}
                      height={44}
                      points={level.movements.nodes
                        .map(({ performedAt, newBalance }) => ({ at: performedAt, value: newBalance }))
                        .reverse()}
                    />
                  </div>
                </div>
                <div className="row wrap">
                  {can("receiveStock") && (
                    <button type="button" className="button small" onClick={() => setMoving({ kind: "receive", site: level.site })}>
                      <PackagePlus className="icon" aria-hidden />
                      Receive
                    </button>
                  )}
                  {can("adjustStock") && (
                    <>
                      <button type="button" className="button small" onClick={() => setMoving({ kind: "count", site: level.site })}>
                        <ClipboardCheck className="icon" aria-hidden />
                        Count
                      </button>
                      <button type="button" className="button small" onClick={() => setMoving({ kind: "adjust", site: level.site })}>
                        <SlidersHorizontal className="icon" aria-hidden />
                        Adjust
                      </button>
                    </>
                  )}
                </div>
              </div>
            </section>
          ))}
          <section className="card" aria-labelledby="movements">
            <header>
              <h2 id="movements">Movements</h2>
              <span className="muted small">The last {part.movements.nodes.length}</span>
            </header>
            {part.movements.nodes.length ? (
              <ul className="list">
                {part.movements.nodes.map(
                  ({ id: movementId, type, quantity, newBalance, site, performedAt, performedByName, reason, reference, workOrder }) => (
                    <li key={movementId}>
                      <div className="grow">
                        <div>
                          <span className="strong">{wordOf(type)}</span>{" "}
                          {workOrder ? (
                            <Link to="/work/$id" params={{ id: workOrder.id }}>
                              {workOrder.title}
                            </Link>
                          ) : (
                            <span className="muted">{reason ?? reference}</span>
                          )}
                        </div>
                        <div className="muted small clip">
                          {site} · {performedByName} · {moment(performedAt)}
                        </div>
                      </div>
                      <span className="num right nowrap">
                        <span className="strong">
                          {quantity > 0 ? "+" : ""}
                          {figure(quantity)}
                        </span>
                        <br />
                        <span className="muted small">{figure(newBalance)} left</span>
                      </span>
                    </li>
                  ),
                )}
              </ul>
            ) : (
              <Empty icon={SearchX} title="No stock movements yet" />
            )}
          </section>
        </div>
        <div className="stack">
          <section className="card" aria-labelledby="part-facts">
            <header>
              <h2 id="part-facts">Facts</h2>
            </header>
            <div className="body">
              <dl className="facts">
                {facts
                  .filter(([, value]) => value)
                  .map(([name, value]) => (
                    <div key={name} style={{ display: "contents" }}>
                      <dt>{name}</dt>
                      <dd>{value}</dd>
                    </div>
                  ))}
              </dl>
            </div>
          </section>
          {part.compatibleAssets.length > 0 && (
            <section className="card" aria-labelledby="fits">
              <header>
                <h2 id="fits">Fits</h2>
              </header>
              <div className="body stack tight">
                {part.compatibleAssets.slice(0, 20).map((asset) => (
                  <Link key={asset.id} to="/asset/$id" params={{ id: asset.id }}>
                    {asset.name} <span className="muted small">{asset.site}</span>
                  </Link>
                ))}
              </div>
            </section>
          )}
        </div>
      </div>
      {moving && (
        <MoveDialog
          part={part}
          kind={moving.kind}
          level={part.stockLevels.find(({ site }) => site === moving.site)!}
          onClose={() => setMoving(undefined)}
          onDone={() => {
            setMoving(undefined);
            retry({ requestPolicy: "network-only" });
          }}
        />
      )}
    </>
  );
}
