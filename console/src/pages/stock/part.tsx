/** A part: its stock at each site over time, and its movements. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronRight, PackagePlus, SearchX } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { PartPage as Document } from "../../generated/stock.js";
import { factLabel } from "../../parts/fact-label.js";
import { FactsCard } from "../../parts/facts.js";
import { useTitle } from "../../parts/hooks.js";
import { usePlaces } from "../../parts/places.js";
import { PurchasedLines } from "../../parts/purchased-lines.js";
import { Empty, NoRecord } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { exact, figure, moment, money, wordOf } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { LevelCard } from "./level-card.js";
import { MoveDialog } from "./move.js";
import { PartActions } from "./part-actions.js";
import { EditLevel } from "./part-edit.js";
import { PartSuppliers } from "./part-suppliers.js";
import { reasonWord } from "./reasons.js";
import { Transfers } from "./transfers.js";
import type { Movement } from "./types.js";

export function PartPage(): ReactNode {
  const { id } = useParams({ from: "/stock/$id" });
  const { act } = useSearch({ from: "/stock/$id" });
  const navigate = useNavigate({ from: "/stock/$id" });
  const { can, sites } = useSession();
  const [moving, setMoving] = useState<{ kind: Movement; site: string }>();
  const [editing, setEditing] = useState<string>();
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  // Until the request completes, `data` belongs to the previous page.
  const part = data?.part?.id === id ? data.part : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PART", "STOCK_LEVEL", "STOCK_MOVEMENT"], readAgain);
  useTitle(part?.name);
  const levels = part?.stockLevels ?? [];
  const batches = (part && data?.batches) ?? [];
  const edited = levels.find(({ site }) => site === editing);
  const places = usePlaces(!!part && !levels.length);
  // The part's own site, if the key may change it. Otherwise a site of the key, or the first.
  const firstSite = [part?.site, sites[0], places[0]?.name].find((one) => one && (!sites.length || sites.includes(one)));
  const usual = (levels.find(({ site }) => sites.includes(site)) ?? levels[0])?.site ?? firstSite;
  const asked = act === "receive" && usual && can("receiveStock") ? { kind: act, site: usual } : undefined;
  const shown = moving ?? asked;
  const close = () => {
    setMoving(undefined);
    if (act) void navigate({ search: {}, replace: true });
  };
  if (!part) return <NoRecord isLoading={fetching} error={error} title={t`There is no such part`} onRetry={readAgain} />;
  const facts: [string, string | null | undefined][] = [
    [t`Manufacturer`, part.manufacturer],
    [t`Manufacturer part number`, part.manufacturerPartNumber],
    [t`Category`, part.category],
    [t`Unit`, part.unitOfMeasure && wordOf(part.unitOfMeasure)],
    [t`Needed to operate`, part.isCritical ? t`Yes` : null],
    [t`Supplier`, part.supplier?.name],
    [t`Supplier's part number`, part.supplier?.partNumber],
    [t`Supplier's email address`, part.supplier?.contact?.email],
    [t`Supplier's phone`, part.supplier?.contact?.phone],
    [t`Lead time`, part.leadTime != null ? t`${figure(part.leadTime)} days` : null],
    [t`Unit cost`, part.unitCost != null ? money(part.unitCost, part.currency) : null],
    [t`Barcode`, part.barcode],
    [t`Id in another system`, part.externalId],
    ...Object.entries(part.specifications).flatMap(([name, value]): [string, string][] =>
      typeof value === "object" ? [] : [[factLabel(name), String(value)]],
    ),
  ];
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/stock" activeOptions={{ exact: true }}>
          {t`Stock`}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <span className="mono">{part.partNumber}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{part.name}</h1>
          {part.description && <p>{part.description}</p>}
          {!part.isActive && <Status value="DECOMMISSIONED" label={t`Deactivated`} filled />}
        </div>
        <PartActions part={part} onReload={readAgain} />
      </div>
      <div className="columns">
        <div className="stack">
          {levels.map((level) => (
            <LevelCard
              key={level.id}
              part={part}
              level={level}
              batches={batches.filter(({ site }) => site === level.site)}
              onMove={(kind) => setMoving({ kind, site: level.site })}
              onEdit={() => setEditing(level.site)}
            />
          ))}
          {!!data?.stockTransfers?.nodes.length && <Transfers transfers={data.stockTransfers.nodes} onReload={readAgain} />}
          {!levels.length && (
            <section className="card" aria-label={t`Stock`}>
              <Empty
                icon={PackagePlus}
                title={t`No stock yet`}
                action={
                  can("receiveStock") &&
                  firstSite && (
                    <button type="button" className="button primary" onClick={() => setMoving({ kind: "receive", site: firstSite })}>
                      {t`Receive`}
                    </button>
                  )
                }
              >
                {t`The first receipt adds the part to a site.`}
              </Empty>
            </section>
          )}
          <section className="card" aria-labelledby="movements">
            <header>
              <h2 id="movements">{t`Movements`}</h2>
              <span className="muted small">{t`The last ${part.movements.nodes.length}`}</span>
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
                            <span className="muted">{reason ? reasonWord(reason) : reference}</span>
                          )}
                        </div>
                        <div className="muted small clip">
                          {site} · {performedByName} · {moment(performedAt, site)}
                        </div>
                      </div>
                      <span className="num right nowrap">
                        <span className="strong">
                          {quantity > 0 ? "+" : ""}
                          {exact(quantity)}
                        </span>
                        <br />
                        <span className="muted small">{t`${exact(newBalance)} left`}</span>
                      </span>
                    </li>
                  ),
                )}
              </ul>
            ) : (
              <Empty icon={SearchX} title={t`No stock movements yet`} />
            )}
          </section>
        </div>
        <div className="stack">
          <FactsCard facts={facts} />
          <PartSuppliers part={part} prices={data?.priceHistory ?? []} />
          <PurchasedLines lines={data?.purchaseOrderLines?.nodes ?? []} forPart={part.isActive ? id : undefined} />
          {part.compatibleAssets.length > 0 && (
            <section className="card" aria-labelledby="fits">
              <header>
                <h2 id="fits">{t`Fits`}</h2>
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
      {edited && <EditLevel part={part} level={edited} onClose={() => setEditing(undefined)} onReload={readAgain} />}
      {shown && (
        <MoveDialog
          part={part}
          kind={shown.kind}
          batches={batches}
          site={shown.site}
          onSite={(site) => setMoving({ ...shown, site })}
          onClose={close}
          onDone={() => {
            close();
            readAgain();
          }}
        />
      )}
    </>
  );
}
