/** Work: scheduled work by day and person, all open orders, and reported faults. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheckBig, Inbox, OctagonAlert, TriangleAlert } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import { AcceptRequest, DeclineRequest, WorkList, type WorkListQuery } from "../../generated/work.js";
import { AssignDialog } from "../../parts/assign.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import { useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { OrderLines } from "../../parts/orders.js";
import { type Choice, filterOf, type People, peopleOf } from "../../parts/people.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { ago, count, weekday } from "../../parts/words.js";
import { useSession } from "../../session/session.js";

type Order = NonNullable<WorkListQuery["workOrders"]>["nodes"][number];
type Request = NonNullable<WorkListQuery["workRequests"]>["nodes"][number];

const order = { field: "SCHEDULED_DATE", thenBy: { field: "PRIORITY", direction: "DESC" } } as const;

/** Maximum number of person chips. People with the most work come first. */
const mostChips = 6;

export function WorkPage(): ReactNode {
  const search = useSearch({ from: "/work" });
  const { person, who } = search;
  const navigate = useNavigate({ from: "/work" });
  const me = useSession();
  const { can, role } = me;
  const view = can("workOrders") ? (search.view ?? "day") : "requests";
  useTitle("Work");
  const filter = { pending: true, ...filterOf(search, me) };
  const list = JSON.stringify(filter);
  const [page, setPage] = useState<{ list: string; after?: string | null; requestsAfter?: string | null }>({ list });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: WorkList,
    variables: {
      filter,
      people: { pending: true },
      orderBy: order,
      after: page.list === list ? page.after : undefined,
      requestsAfter: page.requestsAfter,
    },
  });
  const onRefused = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  const [assigned, setAssigned] = useState<Order>();
  const groups = useMemo(() => byDay(data?.workOrders?.nodes ?? []), [data]);
  const requests = data?.workRequests;
  const isBusy = fetching || stale;
  const canAssign = can("assignWorkOrder") && role !== "TECHNICIAN";

  return (
    <>
      <div className="page-head">
        <div>
          <h1>Work</h1>
          <p>{weekday(new Date())}</p>
        </div>
        {can("reportFault") && (
          <Link className="button primary" to="/report">
            <TriangleAlert className="icon" aria-hidden />
            Report a fault
          </Link>
        )}
      </div>
      <nav className="tabs" aria-label="Work">
        {can("workOrders") && (
          <Link
            to="/work"
            search={{ person, who }}
            aria-current={view === "day" ? "page" : undefined}
            activeOptions={{ exact: true, explicitUndefined: true }}
          >
            To do{!!data?.workOrders && <span className="num">{count(data.workOrders.totalCount)}</span>}
          </Link>
        )}
        <Link to="/work" search={{ view: "requests" }} aria-current={view === "requests" ? "page" : undefined}>
          Reported faults{!!requests?.totalCount && <span className="num">{count(requests.totalCount)}</span>}
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
            onChoose={(choice) => void navigate({ search: choice, replace: true })}
          />
          {!data.workOrders.nodes.length && (
            <div className="card">
              <Empty icon={CircleCheckBig} title="Nothing to do">
                {person === "me"
                  ? "No open work is assigned to you. You can take unassigned work."
                  : person === "nobody"
                    ? "All open work is assigned."
                    : person || who
                      ? `No open work is assigned to ${who ?? "this person"}.`
                      : "No work is planned."}
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
      {view === "requests" && requests && (
        <section className="card" aria-label="Reported faults" aria-busy={isBusy}>
          {requests.nodes.length ? (
            <ul className="list">
              {requests.nodes.map((request) => (
                <RequestLine key={request.id} request={request} onRefused={onRefused} />
              ))}
            </ul>
          ) : (
            <Empty icon={Inbox} title="No reported faults">
              Reported faults appear here until someone accepts or declines them.
            </Empty>
          )}
          <More
            hasMore={requests.pageInfo.hasNextPage}
            isBusy={isBusy}
            onMore={() => setPage((was) => ({ ...was, list, requestsAfter: requests.pageInfo.endCursor }))}
          />
        </section>
      )}
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

interface ChipsProps {
  people: People;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** Filter by assignee: the user's own work and unassigned work first. */
function PeopleChips({ people: { mine, nobodys, others }, choice, onChoose }: ChipsProps) {
  const { can } = useSession();
  const isChosen = ({ person, who }: Choice) => choice.person === person && choice.who === who;
  const chips = others.length > mostChips ? [...others].sort((a, b) => b.count - a.count).slice(0, mostChips) : others;
  const rest = others.filter((one) => !chips.includes(one));
  const chosenOfRest = rest.findIndex(isChosen);
  const chip = (label: string, to: Choice, number?: number) => (
    <button
      key={to.person ?? `text ${to.who}`}
      type="button"
      className="chip"
      aria-pressed={isChosen(to)}
      onClick={() => onChoose(isChosen(to) ? {} : to)}
    >
      <span className="clip">{label}</span>
      {number !== undefined && <span className="num">{count(number)}</span>}
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that filter, not fields of a form
    <div className="chips" role="group" aria-label="Person" style={{ marginBottom: 16 }}>
      {chip("Everyone", {})}
      {(can("assignWorkOrder") || mine > 0) && chip("My day", { person: "me" }, mine)}
      {chip("Unassigned", { person: "nobody" }, nobodys)}
      {chips.map(({ name, person, who, count: number }) => chip(name, { person, who }, number))}
      {rest.length > 0 && (
        <select
          className="input auto chip-select"
          aria-label="Another person"
          value={chosenOfRest < 0 ? "" : chosenOfRest}
          onChange={({ target: { value } }) => onChoose(value ? { person: rest[+value]!.person, who: rest[+value]!.who } : {})}
        >
          <option value="">Another person</option>
          {rest.map(({ name, person, who, count: number }, index) => (
            <option key={person ?? `text ${who}`} value={index}>
              {`${name} (${number})`}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** The orders grouped by day label. Overdue orders come first. */
function byDay(orders: Order[]): [string, Order[]][] {
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const dayAt = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days);
  const groups = new Map<string, Order[]>([
    ["Under way", []],
    ["Late", []],
    ["Today", []],
    ["Tomorrow", []],
    ["Next 7 days", []],
    ["Later", []],
  ]);
  for (const one of orders) {
    const date = new Date(one.scheduledDate);
    const group =
      one.status !== "SCHEDULED"
        ? "Under way"
        : date < today
          ? "Late"
          : date < dayAt(1)
            ? "Today"
            : date < dayAt(2)
              ? "Tomorrow"
              : date < dayAt(7)
                ? "Next 7 days"
                : "Later";
    groups.get(group)!.push(one);
  }
  return [...groups].filter(([, found]) => found.length);
}

function RequestLine({ request, onRefused }: { request: Request; onRefused: () => void }) {
  const { can } = useSession();
  const accept = useChange(AcceptRequest, { onRefused });
  const decline = useChange(DeclineRequest, { onRefused });
  const navigate = useNavigate();
  const [isDeclining, setDeclining] = useState(false);
  const [reason, setReason] = useState("");
  const { id, asset, description, urgency, productionStopped, occurredAt, createdByPrincipal, attachments } = request;
  return (
    <li style={{ alignItems: "flex-start", flexWrap: "wrap" }}>
      {attachments[0]?.thumbnailUrl && (
        <a className="thumb big" href={attachments[0].url} target="_blank" rel="noreferrer">
          <img src={attachments[0].thumbnailUrl} alt="Reported fault" />
        </a>
      )}
      <div className="grow stack tight" style={{ minWidth: 220 }}>
        <span className="strong said">{description}</span>
        <span className="muted small">
          {asset && (
            <Link to="/asset/$id" params={{ id: asset.id }}>
              {asset.name}
            </Link>
          )}
          {asset && ` · ${asset.site} · `}
          {createdByPrincipal?.name} {ago(occurredAt)}
        </span>
        <span className="row wrap">
          <Status value={urgency} />
          {productionStopped && (
            <span className="status bad">
              <OctagonAlert className="icon" aria-hidden />
              Production stopped
            </span>
          )}
        </span>
      </div>
      {can("acceptWorkRequest") && (
        <span className="row">
          <button type="button" className="button small" onClick={() => setDeclining(true)}>
            Decline
          </button>
          <button
            type="button"
            className="button small primary"
            disabled={accept.isBusy}
            onClick={async () => {
              const done = await accept.run({ id }, "Work order created");
              const orderId = done?.acceptWorkRequest?.workOrderId;
              if (orderId) void navigate({ to: "/work/$id", params: { id: orderId } });
            }}
          >
            Create work order
          </button>
        </span>
      )}
      {isDeclining && (
        <Dialog title="Decline the report" onClose={() => setDeclining(false)}>
          <form
            className="dialog-body"
            onSubmit={async (event) => {
              event.preventDefault();
              if (await decline.run({ id, reason }, "Report declined")) setDeclining(false);
            }}
          >
            <TextArea
              label="Why"
              hint="The reporter sees this reason."
              required
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              wrong={decline.wrong.reason}
            />
            <div className="actions">
              <button type="button" className="button" onClick={() => setDeclining(false)}>
                Cancel
              </button>
              <button type="submit" className="button primary" disabled={decline.isBusy}>
                Decline
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </li>
  );
}
