/** A stock count: its sheet, its results, and the steps from draft to approval. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronRight, ClipboardCheck, ClipboardList, EyeOff } from "lucide-react";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { useQuery } from "urql";
import { ApproveStockCount, CountPage as Document, OpenStockCount, RequestRecount } from "../../generated/count.js";
import { useChange } from "../../parts/change.js";
import { useCursor, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, NoRecord } from "../../parts/states.js";
import { count, moment, money } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { CountLine } from "./count-line.js";
import { type Count, CountState, isWaiting, nameOf, scopeOf } from "./count-state.js";
import { CancelCount, PostCount, RejectCount } from "./end-count.js";
import { PrintSheet } from "./print-sheet.js";

const filters = {
  all: { current: true },
  todo: { current: true, counted: false },
  differing: { current: true, counted: true, not: { difference: { min: 0, max: 0 } } },
};

export function CountPage(): ReactNode {
  const { id } = useParams({ from: "/stock/count/$id" });
  const { show } = useSearch({ from: "/stock/count/$id" });
  const navigate = useNavigate({ from: "/stock/count/$id" });
  const list = JSON.stringify([id, show]);
  // Recreating the lines restarts the sheet from its first page.
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { id, filter: filters[show ?? "all"], after },
  });
  // Until the request completes, `data` belongs to the previous page.
  const found = data?.stockCount?.id === id ? data.stockCount : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["STOCK_COUNT"], readAgain, { id });
  const record = useOverlaps(readAgain);
  useTitle(found && nameOf(found));
  if (!found) return <NoRecord isLoading={fetching} error={error} title={t`There is no such count`} onRetry={readAgain} />;
  const currency = data?.stockSettings?.currency;
  const { all, counted, differing, lines, status, blind } = found;
  const todo = all.totalCount - counted.totalCount;
  // In a blind count, differences are hidden until the count is posted.
  const isHidden = blind && status !== "POSTED";
  const figures: [string, string, boolean?][] = [
    [t`Lines`, count(all.totalCount)],
    [t`Counted`, count(counted.totalCount)],
    [t`Differ`, isHidden ? "–" : count(differing.totalCount)],
    [t`Change of value`, status === "POSTED" ? money(found.valueDifference, currency) : "–"],
  ];
  const shown = [
    [undefined, t`All lines`, all.totalCount],
    ...(status === "OPEN" || todo ? ([["todo", status === "OPEN" ? t`To count` : t`Not counted`, todo]] as const) : []),
    ...(isHidden ? [] : ([["differing", t`Differing`, differing.totalCount]] as const)),
  ] as const;

  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/stock" search={{ view: "counts" }}>
          {t`Counts`}
        </Link>
        <ChevronRight className="icon" aria-hidden />
        <Link to="/stock" search={{ view: "counts", site: found.site }}>
          {found.site}
        </Link>
      </nav>
      <div className="page-head" style={{ marginBottom: 14 }}>
        <div>
          <h1>
            {nameOf(found)} <span className="muted">{found.site}</span>
          </h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <CountState of={found} filled />
            <span className="muted">{[scopeOf(found), found.reason].filter(Boolean).join(" · ")}</span>
          </div>
        </div>
        <Actions of={found} todo={todo} onChanged={() => setAfter()} />
      </div>
      <History of={found} />
      {isHidden && status === "OPEN" && (
        <p className="note" style={{ marginBottom: 14 }}>
          <EyeOff className="icon" aria-hidden />
          {t`Blind count: book quantities are shown after posting.`}
        </p>
      )}
      <div className="figures" style={{ marginBottom: 18 }}>
        {figures.map(([label, value]) => (
          <div key={label} className="figure">
            <span className="value">{value}</span>
            <span className="label">{label}</span>
          </div>
        ))}
      </div>
      <fieldset className="chips" aria-label={t`Lines`} style={{ marginBottom: 14 }}>
        {shown.map(([value, label, number]) => (
          <button
            key={label}
            type="button"
            className="chip"
            aria-pressed={show === value}
            onClick={() => void navigate({ search: { show: value }, replace: true, resetScroll: false })}
          >
            {label} <span className="num">{count(number)}</span>
          </button>
        ))}
      </fieldset>
      <section className="card" aria-label={t`Count sheet`} aria-busy={fetching || stale}>
        {lines.nodes.length ? (
          <ul className="list sheet">
            {lines.nodes
              .filter(({ current }) => current)
              .map((line) => (
                <CountLine key={line.id} of={found} line={line} record={record} onRecount={() => setAfter()} />
              ))}
          </ul>
        ) : (
          <Empty
            icon={show === "todo" ? ClipboardCheck : ClipboardList}
            title={show === "todo" ? t`Every line is counted` : show ? t`No line differs from the books` : t`The sheet is empty`}
          />
        )}
        <More hasMore={lines.pageInfo.hasNextPage} isBusy={fetching || stale} onMore={() => setAfter(lines.pageInfo.endCursor)} />
      </section>
    </>
  );
}

/**
 * Runs requests that record lines. Responses to requests that ran at the same time may each lack the other's line in their totals, so the
 * sheet is read again after the last of them.
 */
function useOverlaps(readAgain: () => void): (request: () => Promise<unknown>) => Promise<void> {
  const running = useRef(0);
  const isOverlapping = useRef(false);
  return useCallback(
    async (request) => {
      if (running.current++) isOverlapping.current = true;
      await request();
      if (--running.current || !isOverlapping.current) return;
      isOverlapping.current = false;
      // A failed request would replace the page. After a reconnect the page reloads anyway.
      if (navigator.onLine) readAgain();
    },
    [readAgain],
  );
}

/** Actions on the count, with their principals and times. */
function History({ of }: { of: Count }) {
  const { site, createdByPrincipal, createdAt, postedByPrincipal, postedAt, approvedByPrincipal, approvedAt, rejectedAt, cancelledAt } = of;
  const events = [
    [t`Made`, createdByPrincipal?.name, moment(createdAt, site)],
    postedAt && [t`Posted`, postedByPrincipal?.name, moment(postedAt, site)],
    approvedAt && [t`Approved`, approvedByPrincipal?.name, moment(approvedAt, site)],
    rejectedAt && [t`Rejected`, moment(rejectedAt, site)],
    cancelledAt && [t`Cancelled`, moment(cancelledAt, site)],
  ].filter((facts) => !!facts);
  return (
    <p className="muted small" style={{ marginBottom: 14 }}>
      {events.map((facts) => facts.filter(Boolean).join(", ")).join(" · ")}
      {of.decisionReason && `: ${of.decisionReason}`}
    </p>
  );
}

function Actions({ of, todo, onChanged }: { of: Count; todo: number; onChanged: () => void }) {
  const { can, principalId } = useSession();
  const open = useChange(OpenStockCount);
  const recount = useChange(RequestRecount);
  const approve = useChange(ApproveStockCount);
  const [asked, setAsked] = useState<"post" | "reject" | "cancel">();
  const close = () => setAsked(undefined);
  const { id, status } = of;
  const isOwn = [of.createdByPrincipal?.id, of.postedByPrincipal?.id].includes(principalId);
  const cancel = can("cancelStockCount") && (
    <button type="button" className="button danger" onClick={() => setAsked("cancel")}>
      {t`Cancel the count`}
    </button>
  );
  return (
    <div className="row wrap">
      <PrintSheet of={of} />
      {status === "DRAFT" && (
        <>
          {cancel}
          {can("openStockCount") && (
            <button
              type="button"
              className="button primary"
              disabled={open.isBusy}
              onClick={() => void open.run({ id }, t`Open: it can be counted`).then(onChanged)}
            >
              {t`Open for counting`}
            </button>
          )}
        </>
      )}
      {status === "OPEN" && (
        <>
          {cancel}
          {can("requestRecount") && !of.blind && of.differing.totalCount > 0 && (
            <button
              type="button"
              className="button"
              disabled={recount.isBusy}
              onClick={() => void recount.run({ id, differing: true }, t`To be counted once more`).then(onChanged)}
            >
              {t`Recount differing lines`}
            </button>
          )}
          {can("postStockCount") && (
            <button
              type="button"
              className="button primary"
              disabled={!of.counted.totalCount}
              title={of.counted.totalCount ? undefined : t`Nothing is counted yet`}
              onClick={() => setAsked("post")}
            >
              {t`Post`}
            </button>
          )}
        </>
      )}
      {isWaiting(of) &&
        can("approveStockCount") &&
        (isOwn ? (
          <span className="muted small">{t`Your own: someone else must approve it`}</span>
        ) : (
          <>
            <button type="button" className="button" disabled={approve.isBusy} onClick={() => setAsked("reject")}>
              {t`Reject`}
            </button>
            <button
              type="button"
              className="button primary"
              disabled={approve.isBusy}
              onClick={() => void approve.run({ id }, t`Approved`)}
            >
              {t`Approve`}
            </button>
          </>
        ))}
      {asked === "post" && <PostCount of={of} todo={todo} onClose={close} onDone={onChanged} />}
      {asked === "reject" && <RejectCount of={of} onClose={close} />}
      {asked === "cancel" && <CancelCount of={of} onClose={close} />}
    </div>
  );
}
