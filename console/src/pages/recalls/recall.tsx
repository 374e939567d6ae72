/** A recall: its units by state, the work orders that replace them, and the evidence. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronRight, CircleCheck, ClipboardPlus, Download, PackageX, Printer } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useClient, useQuery } from "urql";
import type { UnitState } from "../../../../packages/client/src/generated/schema.js";
import { CloseRecall, RecallPage as Document } from "../../generated/recalls.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { FactList } from "../../parts/facts.js";
import { useCursor, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, messageOf, NoRecord } from "../../parts/states.js";
import { exact, moment, wordOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { saveEvidence } from "./evidence.js";
import { RecallOrdersDialog } from "./recall-orders.js";
import { RecalledUnits } from "./recalled-units.js";
import { choiceText, progressText, type Recall } from "./types.js";

const states = {
  INSTALLED: "installed",
  WITH_WORK_ORDER: "withWorkOrder",
  IN_STOCK: "inStock",
  IN_TRANSIT: "inTransit",
  REMOVED: "removed",
  IN_REPAIR: "inRepair",
  SCRAPPED: "scrapped",
  LOST: "lost",
} as const satisfies Record<UnitState, keyof Recall["counts"]>;

export function RecallPage(): ReactNode {
  const { id } = useParams({ from: "/recalls/$id" });
  const { state } = useSearch({ from: "/recalls/$id" });
  const list = JSON.stringify([id, state]);
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { id, filter: { state }, after },
  });
  const recall = data?.recall?.id === id ? data.recall : undefined;
  const readAgain = useCallback(() => {
    setAfter();
    retry({ requestPolicy: "network-only" });
  }, [setAfter, retry]);
  useLiveData(["COMPONENT", "WORK_ORDER"], readAgain);
  useTitle(recall && t`Recall of ${recall.part.name}`);
  if (!recall)
    return (
      <NoRecord isLoading={fetching} error={error} title={t`Recall not found`} onRetry={readAgain}>
        {t`Check the address, or find the recall in the list.`}
      </NoRecord>
    );
  const { counts, units, stock, openedByPrincipal, closedByPrincipal, closedAt } = recall;
  const unnumbered = stock.filter((one) => one.withoutSerialNumbers > 0);
  const facts: [string, ReactNode][] = [
    [
      t`Part`,
      <Link key="part" to="/stock/$id" params={{ id: recall.part.id }}>
        {recall.part.name} <span className="muted mono small">{recall.part.partNumber}</span>
      </Link>,
    ],
    [t`Recalled units`, choiceText(recall)],
    [t`Reason`, recall.reason],
    [t`Progress`, progressText(counts)],
    [t`Opened`, [moment(recall.openedAt), openedByPrincipal?.name].filter(Boolean).join(" · ")],
    [t`Closed`, closedAt && [moment(closedAt), closedByPrincipal?.name].filter(Boolean).join(" · ")],
    [
      t`Stock without serial numbers`,
      unnumbered.map(({ site, withoutSerialNumbers }) => `${site}: ${exact(withoutSerialNumbers)}`).join(", "),
    ],
  ];
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/recalls" activeOptions={{ exact: true }}>
          {t`Recalls`}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <span>{recall.part.name}</span>
      </nav>
      <div className="page-head">
        <div>
          <h1>{t`Recall of ${recall.part.name}`}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <span className={`status filled ${closedAt ? "calm" : "warn"}`}>
              {closedAt ? <CircleCheck className="icon" aria-hidden /> : <PackageX className="icon" aria-hidden />}
              {closedAt ? wordOf("CLOSED") : wordOf("OPEN")}
            </span>
            <span className="muted">{progressText(counts)}</span>
          </div>
        </div>
        <RecallVerbs recall={recall} onDone={readAgain} />
      </div>
      <div className="stack">
        <section className="card" aria-labelledby="recall-facts">
          <header>
            <h2 id="recall-facts">{t`Recall`}</h2>
          </header>
          <div className="body">
            <progress value={counts.replaced} max={Math.max(counts.toReplace, 1)} aria-label={progressText(counts)} />
            <FactList facts={facts} />
          </div>
        </section>
        <section className="card" aria-labelledby="recall-units" aria-busy={fetching || stale}>
          <header>
            <h2 id="recall-units">{t({ context: "serialised items", message: "Units" })}</h2>
          </header>
          <StateChips counts={counts} state={state} />
          {units.nodes.length ? (
            <RecalledUnits units={units.nodes} />
          ) : (
            <Empty icon={CircleCheck} title={t`No units`}>
              {t`Units that are received later appear here.`}
            </Empty>
          )}
          <More hasMore={units.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(units.pageInfo.endCursor)} />
        </section>
      </div>
      <ZoneNote site={undefined} />
    </>
  );
}

function RecallVerbs({ recall, onDone }: { recall: Recall; onDone: () => void }) {
  const { can } = useSession();
  const client = useClient();
  const close = useChange(CloseRecall, { onRefused: onDone });
  const [dialog, setDialog] = useState<"orders" | "close">();
  const [isSaving, setSaving] = useState(false);
  const isOpen = !recall.closedAt;
  return (
    <div className="row wrap">
      {isOpen && can("createRecallOrders") && recall.counts.installed > 0 && (
        <button type="button" className="button primary" onClick={() => setDialog("orders")}>
          <ClipboardPlus className="icon" aria-hidden />
          {t`Create work orders`}
        </button>
      )}
      {isOpen && can("closeRecall") && (
        <button type="button" className="button" onClick={() => setDialog("close")}>
          <CircleCheck className="icon" aria-hidden />
          {t`Close recall`}
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={isSaving}
        onClick={async () => {
          setSaving(true);
          await saveEvidence(client, recall).finally(() => setSaving(false));
        }}
      >
        <Download className="icon" aria-hidden />
        {t`Save as CSV`}
      </button>
      <button type="button" className="button" onClick={() => print()}>
        <Printer className="icon" aria-hidden />
        {t`Print`}
      </button>
      {dialog === "orders" && <RecallOrdersDialog recall={recall} onClose={() => setDialog(undefined)} onDone={onDone} />}
      {dialog === "close" && (
        <Confirm
          title={t`Close recall`}
          text={t`Its units can be issued and installed again. A closed recall stays as evidence.`}
          verb={t`Close recall`}
          isBusy={close.isBusy}
          refused={close.error && messageOf(close.error)}
          onConfirm={async () => {
            if (!(await close.run({ id: recall.id }, t`The recall is closed`))) return;
            setDialog(undefined);
            onDone();
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}

/** Numbers by state, each of which filters the list. */
function StateChips({ counts, state }: { counts: Recall["counts"]; state: UnitState | undefined }) {
  const navigate = useNavigate({ from: "/recalls/$id" });
  const show = (one: UnitState | undefined) => void navigate({ search: { state: one }, replace: true, resetScroll: false });
  const present = (Object.keys(states) as UnitState[]).filter((one) => counts[states[one]] > 0 || one === state);
  return (
    <ButtonGroup className="chips body" aria-label={t`State`}>
      <button type="button" className="chip" aria-pressed={!state} onClick={() => show(undefined)}>
        {t`All`} <span className="num">{counts.total}</span>
      </button>
      {present.map((one) => (
        <button key={one} type="button" className="chip" aria-pressed={state === one} onClick={() => show(one)}>
          {wordOf(one)} <span className="num">{counts[states[one]]}</span>
        </button>
      ))}
    </ButtonGroup>
  );
}
