/** Alerts, newest first. The list updates automatically. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { BellOff, ClipboardList, Eye, Radio } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useQuery } from "urql";
import { type AlertsPageQuery, ChangeAlert, AlertsPage as Document, OrderFromAlert } from "../../generated/alerts.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { Empty, Failed, Loading } from "../../parts/states.js";
import { Status, toneOf } from "../../parts/status.js";
import { ago, count, moment, wordOf } from "../../parts/words.js";
import { type LiveAlert, useLiveAlerts } from "../../session/live.js";
import { useSession } from "../../session/session.js";

type Alert = NonNullable<AlertsPageQuery["notifications"]>["nodes"][number];

const severities = ["CRITICAL", "WARNING", "INFO"] as const;
const statuses = { open: ["OPEN", "ACKNOWLEDGED", "IN_PROGRESS"], ended: ["RESOLVED", "DISMISSED"], all: undefined } as const;
const views = [
  [undefined, "Active"],
  ["ended", "Closed"],
  ["all", "All"],
] as const;

export function AlertsPage(): ReactNode {
  const { view, severity, id } = useSearch({ from: "/alerts" });
  const navigate = useNavigate({ from: "/alerts" });
  useTitle("Alerts");
  const status = statuses[view ?? "open"] as Alert["status"][] | undefined;
  const list = JSON.stringify([view, severity]);
  const [page, setPage] = useState<{ list: string; after?: string | null }>({ list });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      filter: { ...(status && { status: [...status] }), severity },
      after: page.list === list ? page.after : undefined,
      id: id ?? "",
      withId: !!id,
    },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  const chosen = data?.chosen?.id === id ? data?.chosen : undefined;
  const [live, setLive] = useState<Map<string, LiveAlert>>(new Map());
  useLiveAlerts((alert) => setLive((was) => new Map(was).set(alert.id, alert)), readAgain);

  const alerts = useMemo(() => {
    const read = data?.notifications?.nodes ?? [];
    const known = new Set(read.map((alert) => alert.id));
    const fits = (alert: Alert) => (!status || status.includes(alert.status)) && (!severity || alert.severity === severity);
    const merged = read.map((alert) => {
      const newer = live.get(alert.id);
      return newer && newer.version > alert.version ? newer : alert;
    });
    const added = [...live.values()].filter((alert) => !known.has(alert.id)).reverse();
    // Alerts that the user handled here stay in place until the user leaves the page.
    const fitting = [...added.filter(fits), ...merged.filter((alert) => fits(alert) || live.has(alert.id))];
    // An alert opened by a link is shown even if the filter excludes it.
    return chosen && !fitting.some((alert) => alert.id === chosen.id) ? [chosen, ...fitting] : fitting;
  }, [data, live, status, severity, chosen]);
  const countOf = (one: string) => data?.notificationGroups?.find((group) => group.severity === one)?.count ?? 0;

  return (
    <>
      <div className="page-head">
        <div>
          <h1>Alerts</h1>
          <p className="row">
            <Radio className="icon" aria-hidden /> Live: new alerts appear automatically.
          </p>
        </div>
      </div>
      <nav className="tabs" aria-label="Alerts by state">
        {views.map(([name, label]) => (
          <Link
            key={label}
            to="/alerts"
            search={{ view: name, severity }}
            aria-current={view === name ? "page" : undefined}
            activeOptions={{ exact: true, explicitUndefined: true }}
          >
            {label}
          </Link>
        ))}
      </nav>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that filter, not fields of a form */}
      <div className="chips" role="group" aria-label="Severity" style={{ marginBottom: 14 }}>
        {severities.map((one) => (
          <button
            key={one}
            type="button"
            className="chip"
            aria-pressed={severity === one}
            onClick={() => void navigate({ search: (was) => ({ ...was, severity: severity === one ? undefined : one }), replace: true })}
          >
            <Status value={one} />
            {!view && <span className="num">{count(countOf(one))}</span>}
          </button>
        ))}
      </div>
      <section className="card" aria-label="Alerts" aria-busy={fetching || stale}>
        {!data?.notifications && fetching && (
          <div className="body" style={{ paddingTop: 20 }}>
            <Loading />
          </div>
        )}
        {!data?.notifications && error && <Failed error={error} onRetry={readAgain} />}
        {data?.notifications && !alerts.length && (
          <Empty icon={BellOff} title={view ? "No alerts" : "No active alerts"}>
            {severity ? "No alert of this severity. Choose another severity." : "New alerts appear here."}
          </Empty>
        )}
        {alerts.length > 0 && (
          <ul className="list" aria-live="polite" aria-relevant="additions">
            {alerts.map((alert) => (
              <AlertLine key={alert.id} alert={alert} isChosen={alert.id === id} isNew={live.has(alert.id)} onRefused={readAgain} />
            ))}
          </ul>
        )}
        {data?.notifications && (
          <More
            hasMore={data.notifications.pageInfo.hasNextPage}
            isBusy={fetching || stale}
            onMore={() => setPage({ list, after: data.notifications!.pageInfo.endCursor })}
          />
        )}
      </section>
    </>
  );
}

interface LineProps {
  alert: Alert;
  isChosen: boolean;
  isNew: boolean;
  onRefused: () => void;
}

function AlertLine({ alert, isChosen, isNew, onRefused }: LineProps) {
  const { can } = useSession();
  const change = useChange(ChangeAlert, { waits: true, onRefused });
  const order = useChange(OrderFromAlert, { onRefused });
  const navigate = useNavigate();
  const [element, setElement] = useState<HTMLLIElement | null>(null);
  const { id, title, message, severity, status, asset, createdAt, occurrences, workOrders, type } = alert;
  const pending = workOrders.find((one) => ["SCHEDULED", "IN_PROGRESS", "ON_HOLD"].includes(one.status)) ?? workOrders[0];
  const isEnded = status === "RESOLVED" || status === "DISMISSED";
  useEffect(() => {
    if (isChosen) element?.scrollIntoView({ block: "center" });
  }, [isChosen, element]);

  return (
    <li ref={setElement} className={`alert ${toneOf(severity)}${isChosen ? " is-chosen" : ""}${isNew ? " is-new" : ""}`}>
      <div className="grow stack tight">
        <div className="row wrap">
          <Status value={severity} filled />
          <h3>{title}</h3>
        </div>
        {message !== title && <p className="muted said">{message}</p>}
        <p className="small muted">
          {asset && (
            <>
              <Link to="/asset/$id" params={{ id: asset.id }}>
                {asset.name}
              </Link>
              {` · ${asset.site} · `}
            </>
          )}
          {wordOf(type)} ·{" "}
          <time dateTime={createdAt} title={moment(createdAt)}>
            {ago(createdAt)}
          </time>
          {occurrences > 1 && ` · ${occurrences} times`}
        </p>
      </div>
      <div className="alert-side">
        <Status value={status} />
        <div className="row wrap">
          {status === "OPEN" && can("changeNotificationStatus") && (
            <button
              type="button"
              className="button small"
              disabled={change.isBusy}
              onClick={() => void change.run({ id, status: "ACKNOWLEDGED" }, "Acknowledged")}
            >
              <Eye className="icon" aria-hidden />
              Acknowledge
            </button>
          )}
          {pending ? (
            <Link className="button small" to="/work/$id" params={{ id: pending.id }}>
              <ClipboardList className="icon" aria-hidden />
              Open work order
            </Link>
          ) : (
            !isEnded &&
            asset &&
            can("createWorkOrderFromNotification") && (
              <button
                type="button"
                className="button small"
                disabled={order.isBusy}
                onClick={async () => {
                  const made = (await order.run({ id }, "Work order created"))?.createWorkOrderFromNotification;
                  if (made) void navigate({ to: "/work/$id", params: { id: made.id } });
                }}
              >
                <ClipboardList className="icon" aria-hidden />
                Create work order
              </button>
            )
          )}
        </div>
      </div>
    </li>
  );
}
