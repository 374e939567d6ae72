/** A component as a position: the unit that is there now, and those that were. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronRight, PackageMinus, PackagePlus, Replace, ScanBarcode, TriangleAlert } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { PositionPage as Document } from "../../generated/units.js";
import { useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SiteContext } from "../../parts/site.js";
import { Empty, NoRecord } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { wordOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { type Exchange, ExchangeDialog } from "./exchange.js";
import { PeriodTable } from "./period-table.js";
import { InUnit } from "./place.js";
import { Segments } from "./segments.js";
import { SwapButton } from "./swap.js";
import { type Installation, makerOf, type Position } from "./types.js";
import { UnitFigures } from "./unit-figures.js";

export function PositionPage(): ReactNode {
  const { id } = useParams({ from: "/component/$id" });
  const [page, setPage] = useState<{ id: string; after?: string | null }>({ id });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { id, after: page.id === id ? page.after : undefined },
  });
  // Until the request completes, `data` belongs to the previous page.
  const position = data?.component?.id === id ? data.component : undefined;
  const readAgain = useCallback(() => {
    setPage({ id });
    retry({ requestPolicy: "network-only" });
  }, [id, retry]);
  useLiveData(["COMPONENT"], readAgain, { id });
  useTitle(position?.name);
  if (!position)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Component not found`} onRetry={readAgain}>
        {t`It may have been deleted. Check the address, or find the component in its asset.`}
      </NoRecord>
    );
  const { asset, ancestors } = position;
  const { nodes, pageInfo } = position.installations;
  const present = nodes.find(({ endedAt }) => !endedAt);
  return (
    <SiteContext value={asset?.site}>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/plant">{t`Plant`}</Link>
        {asset && (
          <>
            <ChevronRight className="icon" aria-hidden />
            <Link to="/asset/$id" params={{ id: asset.id }} search={{ tab: "components", component: id }}>
              {asset.name}
            </Link>
          </>
        )}
        {ancestors.map((one) => (
          <span key={one.id} style={{ display: "contents" }}>
            <ChevronRight className="icon" aria-hidden />
            <Link to="/component/$id" params={{ id: one.id }}>
              {one.name}
            </Link>
          </span>
        ))}
      </nav>
      <div className="page-head">
        <div>
          <h1>{position.name}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={position.status} filled />
            <span className="muted">{[wordOf(position.type), makerOf(position)].filter(Boolean).join(" · ")}</span>
            {position.heldBy && <InUnit unit={position.heldBy} />}
          </div>
        </div>
        <Verbs position={position} present={present} onDone={readAgain} />
      </div>
      <div className="stack">
        <section className="card" aria-labelledby="position-units" aria-busy={fetching || stale}>
          <header>
            <h2 id="position-units">{t({ context: "serialised items", message: "Units" })}</h2>
          </header>
          {nodes.length ? (
            <>
              <div className="body">
                <Segments
                  label={t`Units over time`}
                  periods={nodes}
                  nameOf={(index) => nodes[index]!.unit.serialNumber}
                  site={asset?.site}
                />
              </div>
              <PeriodTable
                label={t`Installations`}
                periods={nodes}
                head={[t({ context: "serialised item", message: "Unit" })]}
                cellsOf={({ unit }) => [
                  <span key="unit">
                    <Link className="mono" to="/units/$id" params={{ id: unit.id }}>
                      {unit.serialNumber}
                    </Link>
                    <span className="muted small block">{makerOf(unit)}</span>
                  </span>,
                ]}
                unitOf={({ unit }) => unit}
                onDone={readAgain}
              />
              <More hasMore={pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setPage({ id, after: pageInfo.endCursor })} />
            </>
          ) : (
            <Empty icon={ScanBarcode} title={t`No unit has been here yet`}>
              {t`Units are items with a serial number. The first one is installed here, or entered as the component's serial number.`}
            </Empty>
          )}
        </section>
        <UnitFigures figures={position.unitReliability} />
      </div>
      <ZoneNote site={asset?.site} />
    </SiteContext>
  );
}

interface VerbsProps {
  position: Position;
  present: Installation | undefined;
  onDone: () => void;
}

function Verbs({ position, present, onDone }: VerbsProps) {
  const { act } = useSearch({ from: "/component/$id" });
  const navigate = useNavigate({ from: "/component/$id" });
  const { can } = useSession();
  const [asked, setAsked] = useState<Exchange>();
  const usual: Exchange = present ? "exchange" : "install";
  const kind = asked ?? (act && usual);
  const close = () => {
    setAsked(undefined);
    if (act) void navigate({ search: {}, replace: true });
  };
  return (
    <div className="row wrap">
      {can("exchangeUnit") && (
        <button type="button" className="button primary" aria-haspopup="dialog" onClick={() => setAsked(usual)}>
          {present ? <Replace className="icon" aria-hidden /> : <PackagePlus className="icon" aria-hidden />}
          {present ? t`Exchange unit` : t`Install unit`}
        </button>
      )}
      {can("exchangeUnit") && present && (
        <button type="button" className="button" aria-haspopup="dialog" onClick={() => setAsked("remove")}>
          <PackageMinus className="icon" aria-hidden />
          {t`Remove unit`}
        </button>
      )}
      {present && <SwapButton component={present.component!} unit={present.unit} since={present.startedAt} onDone={onDone} />}
      {can("reportFault") && position.asset && (
        <Link className="button" to="/report" search={{ asset: position.asset.id, component: position.id }}>
          <TriangleAlert className="icon" aria-hidden />
          {t`Report a fault`}
        </Link>
      )}
      {kind && can("exchangeUnit") && (
        <ExchangeDialog key={kind} position={position} present={present} kind={kind} onClose={close} onDone={onDone} />
      )}
    </div>
  );
}
