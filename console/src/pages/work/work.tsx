/** Work: scheduled work by day and person, all open orders, and reported faults. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheckBig, ClipboardPlus, Inbox, TriangleAlert } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import { WorkList, type WorkListQuery } from "../../generated/work.js";
import { AssignDialog } from "../../parts/assign.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { dueFilter } from "../../parts/due.js";
import { useTitle } from "../../parts/hooks.js";
import { LongList } from "../../parts/long-list.js";
import { More } from "../../parts/more.js";
import { OrderLines } from "../../parts/orders.js";
import { filterOf, peopleOf } from "../../parts/people.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { count, weekday } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { addDays, dayAt, today } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { PeopleChips } from "./people-chips.js";
import { RequestLine, requestsOf, requestViews } from "./requests.js";

type Order = NonNullable<WorkListQuery["workOrders"]>["nodes"][number];

const dues = [
  [undefined, t`Any day`],
  ["today", t`Until today`],
  ["overdue", t`Overdue`],
] as const;
const order = { field: "SCHEDULED_DATE", thenBy: { field: "PRIORITY", direction: "DESC" } } as const;

export function WorkPage(): ReactNode {
  const search = useSearch({ from: "/work" });
  const { person, who, due } = search;
  const navigate = useNavigate({ from: "/work" });
  const me = useSession();
  const { can, role, sites } = me;
  const view = can("workOrders") ? (search.view ?? "day") : "requests";
  useTitle(t`Work`);
  const filter = { pending: true, ...filterOf(search, me), ...(due && { and: [dueFilter(due)] }) };
  // A requester sees only own reports, and follows what becomes of them.
  const reports = can("workOrders") ? search.reports : "mine";
  const list = JSON.stringify([filter, reports]);
  const [page, setPage] = useState<{ list: string; after?: string | null; requestsAfter?: string | null }>({ list });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: WorkList,
    variables: {
      withOrders: can("workOrders"),
      filter,
      people: { pending: true },
      orderBy: order,
      requests: requestsOf(reports, me.authorId),
      after: page.list === list ? page.after : undefined,
      requestsAfter: page.list === list ? page.requestsAfter : undefined,
    },
  });
  const onRefused = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["WORK_ORDER", "WORK_REQUEST"], onRefused);
  const [assigned, setAssigned] = useState<Order>();
  const groups = useMemo(() => byDay(data?.workOrders?.nodes ?? []), [data]);
  const requests = data?.workRequests;
  const isBusy = fetching || stale;
  const canAssign = can("assignWorkOrder") && role !== "TECHNICIAN";

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Work`}</h1>
          <p>{weekday(new Date(), sites.length === 1 ? sites[0] : undefined)}</p>
        </div>
        <div className="row wrap">
          {can("createWorkOrder") && (
            <Link className="button" to="/work/new">
              <ClipboardPlus className="icon" aria-hidden />
              {t`New work order`}
            </Link>
          )}
          {can("reportFault") && (
            <Link className="button primary" to="/report">
              <TriangleAlert className="icon" aria-hidden />
              {t`Report a fault`}
            </Link>
          )}
        </div>
      </div>
      <nav className="tabs" aria-label={t`Work`}>
        {can("workOrders") && (
          <Link
            to="/work"
            search={{ person, who, due }}
            aria-current={view === "day" ? "page" : undefined}
            activeOptions={{ exact: true, explicitUndefined: true }}
          >
            {t`To do`}
            {!!data?.workOrders && <span className="num">{count(data.workOrders.totalCount)}</span>}
          </Link>
        )}
        <Link to="/work" search={{ view: "requests" }} aria-current={view === "requests" ? "page" : undefined}>
          {t`Reported faults`}
          {!!data?.openRequests?.totalCount && <span className="num">{count(data.openRequests.totalCount)}</span>}
        </Link>
      </nav>
      {!data && fetching && <LoadingCard lines={8} />}
      {error && (view === "day" ? !data?.workOrders : !requests) && (
        <div className="card">
          <Failed error={error} onRetry={onRefused} />
        </div>
      )}
      {view === "day" && data?.workOrders && (
        <div aria-busy={isBusy}>
          <PeopleChips
            people={peopleOf(data.workOrderGroups ?? [], me)}
            choice={search}
            onChoose={(choice) => void navigate({ search: { ...choice, due }, replace: true })}
          />
          <ButtonGroup className="chips" aria-label={t`Planned day`} style={{ marginBottom: 16 }}>
            {dues.map(([name, label]) => (
              <button
                key={label}
                type="button"
                className="chip"
                aria-pressed={due === name}
                onClick={() => void navigate({ search: { person, who, due: name }, replace: true })}
              >
                {label}
              </button>
            ))}
          </ButtonGroup>
          {!data.workOrders.nodes.length && (
            <div className="card">
              <Empty icon={CircleCheckBig} title={t`Nothing to do`}>
                {due
                  ? t`No open work matches these filters.`
                  : person === "me"
                    ? t`No open work is assigned to you. You can take unassigned work.`
                    : person === "nobody"
                      ? t`All open work is assigned.`
                      : person || who
                        ? t`No open work is assigned to ${who ?? t`this person`}.`
                        : t`No work is planned.`}
              </Empty>
            </div>
          )}
          <div className="stack">
            {groups.map(([title, orders]) => (
              <section key={title} className="card" aria-label={title}>
                <header>
                  <h2>{title}</h2>
                  <span className="muted small">{count(orders.length)}</span>
                </header>
                <div className="body flush">
                  <OrderLines orders={orders} onAssign={canAssign ? setAssigned : undefined} />
                </div>
              </section>
            ))}
          </div>
          <More
            hasMore={data.workOrders.pageInfo.hasNextPage}
            isBusy={isBusy}
            onMore={() => setPage((was) => ({ ...was, list, after: data.workOrders!.pageInfo.endCursor }))}
          />
        </div>
      )}
      {view === "requests" && can("workOrders") && (
        <ButtonGroup className="chips" aria-label={t`Fault reports`} style={{ marginBottom: 16 }}>
          {requestViews.map(([name, label]) => (
            <button
              key={label}
              type="button"
              className="chip"
              aria-pressed={reports === name}
              onClick={() => void navigate({ search: { view: "requests", reports: name }, replace: true })}
            >
              {label}
            </button>
          ))}
        </ButtonGroup>
      )}
      {view === "requests" && requests && (
        <section className="card" aria-label={t`Reported faults`} aria-busy={isBusy}>
          {requests.nodes.length ? (
            <LongList rows={requests.nodes} kind="request">
              {(request, item) => <RequestLine request={request} item={item} onRefused={onRefused} />}
            </LongList>
          ) : (
            <Empty icon={Inbox} title={t`No reported faults`}>
              {reports === "mine"
                ? t`Faults that you report appear here, with what becomes of them.`
                : reports === "decided"
                  ? t`Accepted and declined reports appear here.`
                  : t`Reported faults appear here until someone accepts or declines them.`}
            </Empty>
          )}
          <More
            hasMore={requests.pageInfo.hasNextPage}
            isBusy={isBusy}
            onMore={() => setPage((was) => ({ ...was, list, requestsAfter: requests.pageInfo.endCursor }))}
          />
        </section>
      )}
      <ZoneNote />
      {assigned && (
        <AssignDialog
          order={data?.workOrders?.nodes.find(({ id }) => id === assigned.id) ?? assigned}
          onRefused={onRefused}
          onClose={() => setAssigned(undefined)}
        />
      )}
    </>
  );
}

/** The orders grouped by day label, each in its site's time zone. Overdue orders come first. */
function byDay(orders: Order[]): [string, Order[]][] {
  const groups = new Map<string, Order[]>([
    [t`Under way`, []],
    [t`Late`, []],
    [t`Today`, []],
    [t`Tomorrow`, []],
    [t`Next 7 days`, []],
    [t`Later`, []],
  ]);
  for (const one of orders) {
    const site = one.asset?.site;
    const date = dayAt(one.scheduledDate, site);
    const now = today(site);
    const group =
      one.status !== "SCHEDULED"
        ? t`Under way`
        : date < now
          ? t`Late`
          : date < addDays(now, 1)
            ? t`Today`
            : date < addDays(now, 2)
              ? t`Tomorrow`
              : date < addDays(now, 7)
                ? t`Next 7 days`
                : t`Later`;
    groups.get(group)!.push(one);
  }
  return [...groups].filter(([, found]) => found.length);
}
