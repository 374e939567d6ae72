/** Proposed orders, and the work that lacks parts. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheckBig, Download } from "lucide-react";
import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { Reorder as Document, type ReorderQuery } from "../../generated/reorder.js";
import { saveCsv } from "../../parts/csv.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { day, exact, figure, money, unitWord } from "../../parts/words.js";
import { today } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { canRecord, RecordOrder } from "./record-order.js";

type Proposal = NonNullable<ReorderQuery["reorderProposals"]>[number];
type Shortage = NonNullable<ReorderQuery["shortages"]>[number];

const unitOf = ({ unitOfMeasure }: { unitOfMeasure: string | null }) => unitWord(unitOfMeasure);

export function Reorder({ site }: { site?: string }) {
  const [{ data, error, fetching, stale }, retry] = useQuery({ query: Document, variables: { site, shortages: { site } } });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PART", "STOCK_LEVEL", "STOCK_MOVEMENT", "WORK_ORDER"], readAgain);
  if (!data?.reorderProposals) return fetching ? <LoadingCard lines={8} /> : <Failed error={error} onRetry={readAgain} />;
  const { reorderProposals: proposals, shortages } = data;
  return (
    <div className="stack" aria-busy={fetching || stale}>
      <section className="card" aria-labelledby="proposals">
        <header>
          <h2 id="proposals">{t`Proposed orders`}</h2>
          {proposals.length > 0 && (
            <button type="button" className="button small" onClick={() => save(proposals)}>
              <Download className="icon" aria-hidden />
              {t`Save as CSV`}
            </button>
          )}
        </header>
        {proposals.length ? (
          <ul className="list">
            {proposals.map((one) => (
              <ProposalLine key={`${one.part.id} ${one.site}`} proposal={one} onReload={readAgain} />
            ))}
          </ul>
        ) : (
          <Empty icon={CircleCheckBig} title={t`Nothing to order`}>
            {t`Parts appear here when their stock and open orders fall to the reorder point or the minimum.`}
          </Empty>
        )}
      </section>
      {!!shortages?.length && (
        <section className="card" aria-labelledby="lacking">
          <header>
            <h2 id="lacking">{t`Work that lacks parts`}</h2>
          </header>
          <ul className="list">
            {shortages.map((one) => (
              <ShortageLine key={`${one.part.id} ${one.site} ${one.date}`} shortage={one} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function ProposalLine({ proposal, onReload }: { proposal: Proposal; onReload: () => void }) {
  const { can } = useSession();
  const [isOrdering, setOrdering] = useState(false);
  const { part, site, quantity, projectedStock, reorderPoint, onOrder, orderUntil, leadTime, estimatedCost, currency } = proposal;
  const facts = [
    site,
    part.supplier?.name,
    leadTime != null && t`${figure(leadTime)} days to deliver`,
    t`${exact(projectedStock)} expected`,
    reorderPoint != null && t`reorder at ${exact(reorderPoint)}`,
    onOrder > 0 && t`${exact(onOrder)} on order`,
  ];
  return (
    <li className="clickable" style={{ flexWrap: "wrap" }}>
      <div className="grow" style={{ minWidth: 200 }}>
        <Link className="title clip block" to="/stock/$id" params={{ id: part.id }}>
          {part.name} <span className="muted mono small">{part.partNumber}</span>
        </Link>
        <div className="muted small">{facts.filter(Boolean).join(" · ")}</div>
      </div>
      {part.isCritical && <Status value="CRITICAL" />}
      {orderUntil && <span className="muted small nowrap">{t`order by ${day(orderUntil, site)}`}</span>}
      <span className="num right nowrap">
        <span className="strong">{exact(quantity, unitOf(part))}</span>
        <br />
        <span className="muted small">{money(estimatedCost, currency)}</span>
      </span>
      {can("updatePart") && canRecord(proposal) && (
        <button type="button" className="button small" onClick={() => setOrdering(true)}>
          {t`Ordered …`} <span className="hidden-text">{part.name}</span>
        </button>
      )}
      {isOrdering && <RecordOrder proposal={proposal} onClose={() => setOrdering(false)} onDone={onReload} />}
    </li>
  );
}

function ShortageLine({ shortage: { part, site, date, missing, onHand, neededFor } }: { shortage: Shortage }) {
  return (
    <li className="clickable" style={{ flexWrap: "wrap" }}>
      <div className="grow" style={{ minWidth: 200 }}>
        <Link className="title clip block" to="/stock/$id" params={{ id: part.id }}>
          {part.name} <span className="muted mono small">{part.partNumber}</span>
        </Link>
        <div className="muted small">
          {site} ·{" "}
          {neededFor.map(({ workOrder, procedure, dueAt }) => (
            <span key={`${workOrder?.id ?? procedure?.id} ${dueAt}`}>
              {workOrder ? (
                <Link to="/work/$id" params={{ id: workOrder.id }}>
                  {workOrder.title}
                </Link>
              ) : (
                procedure && (
                  <Link to="/procedures/$id" params={{ id: procedure.id }}>
                    {procedure.name}
                  </Link>
                )
              )}
              {", "}
              {day(dueAt, site)}{" "}
            </span>
          ))}
        </div>
      </div>
      <span className="num right nowrap">
        <span className="strong">{t`${exact(missing, unitOf(part))} short`}</span>
        <br />
        <span className="muted small">{t`by ${day(date, site)}, ${exact(onHand)} on hand`}</span>
      </span>
    </li>
  );
}

const save = (proposals: Proposal[]) =>
  saveCsv(t`orders ${today()}`, [
    [
      t`Part number`,
      t`Part`,
      t`Site`,
      t`Supplier`,
      t`Supplier's part number`,
      t`Quantity`,
      t`Unit`,
      t`Unit cost`,
      t`Cost`,
      t`Currency`,
      t`Order by`,
    ],
    ...proposals.map(({ part, site, quantity, unitCost, estimatedCost, currency, orderUntil }) => [
      part.partNumber,
      part.name,
      site,
      part.supplier?.name,
      part.supplier?.partNumber,
      quantity,
      unitOf(part),
      unitCost,
      estimatedCost,
      currency,
      orderUntil && day(orderUntil, site),
    ]),
  ]);
