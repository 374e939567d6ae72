/** A work order: its steps, material and results. */
import { Link, useParams } from "@tanstack/react-router";
import { Bell, ChevronRight, Pause, Play, SearchX, UserRoundPlus } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { AssignOrder } from "../../generated/assign.js";
import { OrderPage as Document, StartOrder } from "../../generated/order.js";
import { AssignDialog } from "../../parts/assign.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { doerOf } from "../../parts/people.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { day, figure, isOverdue, moment, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Complete } from "./complete.js";
import { Hold } from "./hold.js";
import { Labor } from "./labor.js";
import { Files, Remarks } from "./remarks.js";
import { Steps } from "./steps.js";
import type { Order } from "./types.js";

export function OrderPage(): ReactNode {
  const { id } = useParams({ from: "/work/$id" });
  const { can } = useSession();
  const [asked, setAsked] = useState<"complete" | "hold">();
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  // Another user may have acted first.
  const onRefused = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  const start = useChange(StartOrder, { waits: true, onRefused });
  const close = () => setAsked(undefined);
  // Until the request completes, `data` belongs to the previous page.
  const order = data?.workOrder?.id === id ? data.workOrder : undefined;
  useTitle(order?.title);

  if (!order) {
    if (fetching) return <LoadingCard lines={10} />;
    if (error && !error.graphQLErrors.some(({ extensions }) => extensions?.code === "NOT_FOUND"))
      return <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />;
    return <Empty icon={SearchX} title="There is no such work order" />;
  }
  const isRunning = order.status === "IN_PROGRESS";
  const isPending = ["SCHEDULED", "IN_PROGRESS", "ON_HOLD"].includes(order.status);
  const done = order.steps.filter(({ status }) => status === "COMPLETED" || status === "SKIPPED").length;

  return (
    <>
      <nav className="crumbs" aria-label="Place">
        <Link to="/work" activeOptions={{ exact: true }}>
          Work
        </Link>
        {order.asset && (
          <>
            <ChevronRight className="icon" aria-hidden />
            <Link to="/asset/$id" params={{ id: order.asset.id }}>
              {order.asset.name}
            </Link>
          </>
        )}
      </nav>
      <div className="page-head">
        <div>
          <h1>{order.title}</h1>
          <div className="row wrap" style={{ marginTop: 8 }}>
            <Status value={order.status} filled />
            <Status value={order.priority} label={`${wordOf(order.priority)} priority`} />
            <span className="muted">{wordOf(order.type)}</span>
          </div>
        </div>
        {isPending && can("startWorkOrder") && (
          <div className="row wrap">
            {isRunning && (
              <button type="button" className="button" onClick={() => setAsked("hold")}>
                <Pause className="icon" aria-hidden />
                Put on hold
              </button>
            )}
            {isRunning ? (
              <button type="button" className="button primary" onClick={() => setAsked("complete")}>
                Complete
              </button>
            ) : (
              <button
                type="button"
                className="button primary"
                disabled={start.isBusy}
                onClick={() => void start.run({ id }, "Work started")}
              >
                <Play className="icon" aria-hidden />
                {order.status === "ON_HOLD" ? "Resume" : "Start work"}
              </button>
            )}
          </div>
        )}
      </div>
      <div className="columns">
        <div className="stack">
          {order.notification && (
            <Link className="note warn" to="/alerts" search={{ id: order.notification.id }}>
              <Bell className="icon" aria-hidden />
              <span>From the alert “{order.notification.title}”</span>
            </Link>
          )}
          {order.gapWarning && <p className="note warn">Done early. Gap to the next date: {order.gapWarning.text}.</p>}
          {order.description && (
            <section className="card">
              <div className="body" style={{ paddingTop: 16 }}>
                <p className="said">{order.description}</p>
              </div>
            </section>
          )}
          <section className="card" aria-labelledby="steps">
            <header>
              <h2 id="steps">Steps</h2>
              {order.steps.length > 0 && (
                <span className="row small muted">
                  <progress value={done} max={order.steps.length} aria-label="Steps done" />
                  <span className="num">
                    {done} of {order.steps.length}
                  </span>
                </span>
              )}
            </header>
            <div className="body flush">
              <Steps order={order} canWork={isRunning && can("startWorkOrder")} onRefused={onRefused} />
            </div>
          </section>
          <section className="card" aria-labelledby="order-parts">
            <header>
              <h2 id="order-parts">Parts</h2>
            </header>
            <div className="body flush">
              {order.requiredParts.length ? (
                <ul className="list">
                  {order.requiredParts.map(({ id: partId, part, quantity, usedQuantity, short, site, status }) => (
                    <li key={partId}>
                      <div className="grow">
                        <div className="strong clip">{part.name}</div>
                        <div className="muted small clip">
                          <span className="mono">{part.partNumber}</span> · {site}
                        </div>
                      </div>
                      {short > 0 && <span className="status bad">{figure(short)} missing</span>}
                      <span className="num nowrap">
                        {figure(usedQuantity ?? quantity)}{" "}
                        <span className="muted small">{part.unitOfMeasure ? wordOf(part.unitOfMeasure).toLowerCase() : ""}</span>
                      </span>
                      <Status value={status} />
                    </li>
                  ))}
                </ul>
              ) : (
                <p className="muted" style={{ padding: "2px 18px 18px" }}>
                  No parts are planned.
                </p>
              )}
            </div>
          </section>
          <Labor order={order} onRefused={onRefused} />
          <Remarks order={order} />
        </div>
        <div className="stack">
          <section className="card" aria-labelledby="plan">
            <header>
              <h2 id="plan">Plan</h2>
            </header>
            <div className="body">
              <dl className="facts">
                <dt>Planned for</dt>
                <dd>
                  {isPending && isOverdue(order.scheduledDate) ? (
                    <span className="status warn">{day(order.scheduledDate)}</span>
                  ) : (
                    day(order.scheduledDate)
                  )}
                </dd>
                <dt>Assigned to</dt>
                <dd>
                  <Assignee order={order} isPending={isPending} onRefused={onRefused} />
                </dd>
                {order.asset && (
                  <>
                    <dt>Asset</dt>
                    <dd>
                      <Link to="/asset/$id" params={{ id: order.asset.id }}>
                        {order.asset.name}
                      </Link>
                    </dd>
                    <dt>Place</dt>
                    <dd>{[order.asset.site, order.asset.area].filter(Boolean).join(", ")}</dd>
                  </>
                )}
                {order.procedure && (
                  <>
                    <dt>Procedure</dt>
                    <dd>{order.procedure.name}</dd>
                  </>
                )}
                {order.estimatedDuration != null && (
                  <>
                    <dt>Estimated</dt>
                    <dd>{figure(order.estimatedDuration)} min</dd>
                  </>
                )}
                {order.startedAt && (
                  <>
                    <dt>Started</dt>
                    <dd>{moment(order.startedAt)}</dd>
                  </>
                )}
                {order.completedAt && (
                  <>
                    <dt>Completed</dt>
                    <dd>{moment(order.completedAt)}</dd>
                  </>
                )}
                {order.duration != null && (
                  <>
                    <dt>Duration</dt>
                    <dd>{figure(order.duration)} min</dd>
                  </>
                )}
                {order.failureMode && (
                  <>
                    <dt>Failure</dt>
                    <dd>{wordOf(order.failureMode)}</dd>
                  </>
                )}
                {order.holdReason && order.status === "ON_HOLD" && (
                  <>
                    <dt>On hold</dt>
                    <dd className="said">{order.holdReason}</dd>
                  </>
                )}
                {order.notes && (
                  <>
                    <dt>Notes</dt>
                    <dd className="said">{order.notes}</dd>
                  </>
                )}
              </dl>
            </div>
          </section>
          <Files order={order} />
        </div>
      </div>
      {asked === "complete" && <Complete order={order} codes={data?.failureCodes ?? []} onRefused={onRefused} onClose={close} />}
      {asked === "hold" && <Hold id={order.id} onRefused={onRefused} onClose={close} />}
    </>
  );
}

/** Managers assign the work to anyone. Others can take unassigned work. */
function Assignee({ order, isPending, onRefused }: { order: Order; isPending: boolean; onRefused: () => void }) {
  const { can, role, principalId } = useSession();
  const take = useChange(AssignOrder, { waits: true, onRefused });
  const [isAssigning, setAssigning] = useState(false);
  const doer = doerOf(order);
  const isManager = role !== "TECHNICIAN";
  return (
    <div className="stack tight">
      <span>
        {doer ?? "Nobody"}
        {order.assignee?.id === principalId && <span className="muted"> (you)</span>}
      </span>
      {isPending && can("assignWorkOrder") && (isManager || !order.assignee) && (
        <span>
          <button
            type="button"
            className="button small"
            disabled={take.isBusy}
            onClick={() => (isManager ? setAssigning(true) : void take.run({ id: order.id, principalId }, "It is yours"))}
          >
            <UserRoundPlus className="icon" aria-hidden />
            {isManager ? (order.assignee ? "Reassign" : "Assign") : "Take it"}
          </button>
        </span>
      )}
      {isAssigning && <AssignDialog order={order} onRefused={onRefused} onClose={() => setAssigning(false)} />}
    </div>
  );
}
