/** Proposed orders, and the work that lacks parts. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate } from "@tanstack/react-router";
import { CircleCheckBig, Download } from "lucide-react";
import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { Reorder as Document, DraftPurchaseOrders, type ReorderQuery } from "../../generated/reorder.js";
import { useChange } from "../../parts/change.js";
import { saveCsv } from "../../parts/csv.js";
import { Empty, Failed, LoadingCard, messageOf, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, day, exact, figure, money, unitWord, wordOf } from "../../parts/words.js";
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
  useLiveData(["PART", "PURCHASE_ORDER", "STOCK_LEVEL", "STOCK_MOVEMENT", "WORK_ORDER"], readAgain);
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
          <ProposalList proposals={proposals} onReload={readAgain} />
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

const keyOf = ({ part, site }: Proposal) => JSON.stringify([part.id, site]);

/** Maximum number of proposals of a request. */
const mostDrafts = 200;

function ProposalList({ proposals, onReload }: { proposals: Proposal[]; onReload: () => void }) {
  const { can } = useSession();
  const navigate = useNavigate();
  const draft = useChange(DraftPurchaseOrders, { onRefused: onReload });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const canDraft = can("draftPurchaseOrders");
  const orderable = proposals.filter(({ offer }) => offer?.price != null).slice(0, mostDrafts);
  const selected = orderable.filter((one) => chosen.has(keyOf(one)));
  const choose = (keys: string[], isChosen: boolean) => {
    const others = [...chosen].filter((key) => !keys.includes(key));
    setChosen(new Set(isChosen ? [...others, ...keys] : others));
  };
  const createDrafts = async () => {
    const input = { proposals: selected.map(({ part, site }) => ({ partId: part.id, site })) };
    if (await draft.run({ input }, t`Drafts created`)) void navigate({ to: "/purchases", search: { view: "drafts" } });
  };
  return (
    <>
      {canDraft && orderable.length > 0 && (
        <div className="row wrap" style={{ padding: "8px 16px" }}>
          <label className="check grow">
            <input
              type="checkbox"
              checked={selected.length === orderable.length}
              onChange={(event) => choose(orderable.map(keyOf), event.target.checked)}
            />
            {t`All with a supplier and a price`}
          </label>
          <button
            type="button"
            className="button primary small"
            disabled={!selected.length || draft.isBusy}
            onClick={() => void createDrafts()}
          >
            {t`Create drafts`} <span className="num">{count(selected.length)}</span>
          </button>
          {draft.error && <Refusal text={messageOf(draft.error)} />}
        </div>
      )}
      <ul className="list">
        {proposals.map((one) => (
          <ProposalLine
            key={keyOf(one)}
            proposal={one}
            onReload={onReload}
            isChosen={chosen.has(keyOf(one))}
            onChoose={canDraft && orderable.includes(one) ? (isChosen) => choose([keyOf(one)], isChosen) : undefined}
          />
        ))}
      </ul>
    </>
  );
}

interface LineProps {
  proposal: Proposal;
  onReload: () => void;
  isChosen: boolean;
  /** Absent if the proposal cannot become a draft. */
  onChoose?: (isChosen: boolean) => void;
}

function ProposalLine({ proposal, onReload, isChosen, onChoose }: LineProps) {
  const { can } = useSession();
  const [isOrdering, setOrdering] = useState(false);
  const { part, site, quantity, projectedStock, effectiveReorderPoint, onOrder, inDrafts, orderUntil, leadTime } = proposal;
  const { offer, estimatedCost, currency, sources } = proposal;
  const facts = [
    site,
    offer?.supplier.name ?? part.supplier?.name ?? t`no supplier`,
    leadTime != null && t`${figure(leadTime)} days to deliver`,
    t`${exact(projectedStock)} expected`,
    t`reorder at ${exact(effectiveReorderPoint)}`,
    onOrder > 0 && t`${exact(onOrder)} on order`,
    inDrafts > 0 && t`${exact(inDrafts)} in drafts`,
    offer?.nextBreak && t`${exact(offer.nextBreak.quantity)} cost less: ${money(offer.nextBreak.cost, offer.currency)}`,
  ];
  return (
    <li className="clickable" style={{ flexWrap: "wrap" }}>
      {onChoose && (
        <label className="check">
          <input type="checkbox" checked={isChosen} onChange={(event) => onChoose(event.target.checked)} />
          <span className="hidden-text">{t`Order ${part.name}, ${site}`}</span>
        </label>
      )}
      <div className="grow" style={{ minWidth: 200 }}>
        <Link className="title clip block" to="/stock/$id" params={{ id: part.id }}>
          {part.name} <span className="muted mono small">{part.partNumber}</span>
        </Link>
        <div className="muted small">{facts.filter(Boolean).join(" · ")}</div>
        <details className="explanation small">
          <summary>
            {t`Why?`} <span className="hidden-text">{part.name}</span>
          </summary>
          <ul className="muted">
            {sources.map(({ figure: name, value, source }) => (
              <li key={name}>
                {wordOf(name)}: <span className="num">{exact(value)}</span>, {wordOf(source)}
              </li>
            ))}
          </ul>
        </details>
      </div>
      {part.isCritical && <Status value="CRITICAL" />}
      {orderUntil && <span className="muted small nowrap">{t`order by ${day(orderUntil, site)}`}</span>}
      <span className="num right nowrap">
        <span className="strong">{offer ? exact(offer.quantity, offer.unit ?? unitOf(part)) : exact(quantity, unitOf(part))}</span>
        <br />
        <span className="muted small">{offer?.cost != null ? money(offer.cost, offer.currency) : money(estimatedCost, currency)}</span>
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
    ...proposals.map(({ part, site, quantity, unitCost, estimatedCost, currency, orderUntil, offer }) => [
      part.partNumber,
      part.name,
      site,
      offer?.supplier.name ?? part.supplier?.name,
      part.supplier?.partNumber,
      quantity,
      unitOf(part),
      unitCost,
      estimatedCost,
      currency,
      orderUntil && day(orderUntil, site),
    ]),
  ]);
