/** Alerts, newest first. The list updates automatically. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { BellOff, Check, ClipboardList, Eye, MessageSquare, Radio } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useQuery } from "urql";
import { ChangeAlert, AlertsPage as Document, OrderFromAlert } from "../../generated/alerts.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useChange } from "../../parts/change.js";
import { useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { Empty, Failed, Loading } from "../../parts/states.js";
import { Status, toneOf } from "../../parts/status.js";
import { ago, count, moment, wordOf } from "../../parts/words.js";
import { type LiveAlert, useLiveAlerts } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Bulk, Dismiss, Rate } from "./actions.js";
import { type Alert, activeStatuses } from "./types.js";

const severities = ["CRITICAL", "WARNING", "INFO"] as const;
/** Each view has the name of the status that it lists. */
const statuses = {
  active: activeStatuses,
  open: ["OPEN"],
  acknowledged: ["ACKNOWLEDGED"],
  in_progress: ["IN_PROGRESS"],
  resolved: ["RESOLVED"],
  dismissed: ["DISMISSED"],
  all: undefined,
} satisfies Record<string, Alert["status"][] | undefined>;
const views = ["active", "open", "acknowledged", "in_progress", "resolved", "dismissed", "all"] as const;

/** Live alerts kept beside the list. A page that stays open reads its list again instead of growing. */
const mostLive = 500;

export function AlertsPage(): ReactNode {
  const { view = "active", severity, q, id } = useSearch({ from: "/alerts" });
  const navigate = useNavigate({ from: "/alerts" });
  useTitle(t`Alerts`);
  const status: Alert["status"][] | undefined = statuses[view];
  const [draft, setDraft] = useDraft(
    q ?? "",
    (text) => void navigate({ search: (was) => ({ ...was, q: text || undefined }), replace: true }),
  );
  const list = JSON.stringify([view, severity, q]);
  const [page, setPage] = useState<{ list: string; after?: string | null }>({ list });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      filter: { ...(status && { status }), severity, ...(q && { or: [{ titleContains: q }, { messageContains: q }] }) },
      after: page.list === list ? page.after : undefined,
      id: id ?? "",
      withId: !!id,
    },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  const chosen = data?.chosen?.id === id ? data?.chosen : undefined;
  const [live, setLive] = useState<Map<string, LiveAlert>>(new Map());
  useLiveAlerts((alert) => setLive((was) => new Map(was).set(alert.id, alert)), readAgain);
  useEffect(() => {
    if (live.size <= mostLive) return;
    setLive(new Map());
    readAgain();
  }, [live, readAgain]);

  const alerts = useMemo(() => {
    const read = data?.notifications?.nodes ?? [];
    const known = new Set(read.map((alert) => alert.id));
    const word = q?.toLowerCase();
    const fits = (alert: Alert) =>
      (!status || status.includes(alert.status)) &&
      (!severity || alert.severity === severity) &&
      (!word || [alert.title, alert.message].some((text) => text.toLowerCase().includes(word)));
    const merged = read.map((alert) => {
      const newer = live.get(alert.id);
      return newer && newer.version > alert.version ? newer : alert;
    });
    const added = [...live.values()].filter((alert) => !known.has(alert.id)).reverse();
    // Alerts that the user handled here stay in place until the user leaves the page.
    const fitting = [...added.filter(fits), ...merged.filter((alert) => fits(alert) || live.has(alert.id))];
    // An alert opened by a link is shown even if the filter excludes it.
    return chosen && !fitting.some((alert) => alert.id === chosen.id) ? [chosen, ...fitting] : fitting;
  }, [data, live, status, severity, q, chosen]);
  const active = data?.notificationGroups ?? [];
  const isActive = !!status?.every((one) => activeStatuses.includes(one));
  const countOf = (of: readonly string[] | undefined, ofSeverity?: string) =>
    active
      .filter((group) => of?.includes(group.status!) && (!ofSeverity || group.severity === ofSeverity))
      .reduce((sum, group) => sum + group.count, 0);
  const { can } = useSession();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const selection = alerts.filter((alert) => selected.has(alert.id) && activeStatuses.includes(alert.status));
  const selectable = alerts.filter((alert) => activeStatuses.includes(alert.status));
  const select = (ids: string[], isSelected: boolean) =>
    setSelected((was) => new Set(isSelected ? [...was, ...ids] : [...was].filter((one) => !ids.includes(one))));

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Alerts`}</h1>
          <p className="row">
            <Radio className="icon" aria-hidden /> {t`Live: new alerts appear automatically.`}
          </p>
        </div>
      </div>
      <nav className="tabs" aria-label={t`Alerts by state`}>
        {views.map((name) => {
          const number = ["open", "acknowledged", "in_progress"].includes(name) ? countOf(statuses[name]) : 0;
          return (
            <Link
              key={name}
              to="/alerts"
              search={{ view: name === "active" ? undefined : name, severity, q }}
              aria-current={view === name ? "page" : undefined}
              activeOptions={{ exact: true, explicitUndefined: true }}
            >
              {wordOf(name.toUpperCase())}
              {number > 0 && <span className="num">{count(number)}</span>}
            </Link>
          );
        })}
      </nav>
      <div className="row wrap" style={{ marginBottom: 14 }}>
        <SearchField placeholder={t`Words in title or text …`} aria-label={t`Filter alerts`} value={draft} onChange={setDraft} />
        <ButtonGroup className="chips" aria-label={t`Severity`}>
          {severities.map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={severity === one}
              onClick={() => void navigate({ search: (was) => ({ ...was, severity: severity === one ? undefined : one }), replace: true })}
            >
              <Status value={one} />
              {isActive && <span className="num">{count(countOf(status, one))}</span>}
            </button>
          ))}
        </ButtonGroup>
      </div>
      {can("changeNotificationStatus") && selectable.length > 0 && (
        <Bulk selectable={selectable} selection={selection} onSelect={select} onDone={readAgain} />
      )}
      <section className="card" aria-label={t`Alerts`} aria-busy={fetching || stale}>
        {!data?.notifications && fetching && (
          <div className="body" style={{ paddingTop: 20 }}>
            <Loading />
          </div>
        )}
        {!data?.notifications && error && <Failed error={error} onRetry={readAgain} />}
        {data?.notifications && !alerts.length && (
          <Empty icon={BellOff} title={view === "all" ? t`No alerts` : t`No alerts in this state`}>
            {severity || q ? t`No alert matches the filters.` : t`New alerts appear here.`}
          </Empty>
        )}
        {alerts.length > 0 && (
          <ul className="list" aria-live="polite" aria-relevant="additions">
            {alerts.map((alert) => (
              <AlertLine
                key={alert.id}
                alert={alert}
                isChosen={alert.id === id}
                isNew={live.has(alert.id)}
                isSelected={selected.has(alert.id)}
                onSelect={(isSelected) => select([alert.id], isSelected)}
                onRefused={readAgain}
              />
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
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onRefused: () => void;
}

function AlertLine({ alert, isChosen, isNew, isSelected, onSelect, onRefused }: LineProps) {
  const { can } = useSession();
  const change = useChange(ChangeAlert, { waits: true, onRefused });
  const order = useChange(OrderFromAlert, { onRefused });
  const navigate = useNavigate();
  const [element, setElement] = useState<HTMLLIElement | null>(null);
  const { id, title, message, severity, status, asset, createdAt, occurrences, workOrders, type, isConditionMet, feedback } = alert;
  const [asked, setAsked] = useState<"dismiss" | "rate">();
  const site = asset?.site;
  const pending = workOrders.find((one) => ["SCHEDULED", "IN_PROGRESS", "ON_HOLD"].includes(one.status)) ?? workOrders[0];
  const isEnded = !activeStatuses.includes(status);
  const mayChange = can("changeNotificationStatus");
  useEffect(() => {
    if (isChosen) element?.scrollIntoView({ block: "center" });
  }, [isChosen, element]);

  return (
    <li ref={setElement} className={`alert ${toneOf(severity)}${isChosen ? " is-chosen" : ""}${isNew ? " is-new" : ""}`}>
      {mayChange && !isEnded && (
        <input
          type="checkbox"
          className="tick"
          aria-label={t`Select ${title}`}
          checked={isSelected}
          onChange={(event) => onSelect(event.target.checked)}
        />
      )}
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
          <time dateTime={createdAt} title={moment(createdAt, site)}>
            {ago(createdAt)}
          </time>
          {occurrences > 1 && ` · ${t`${occurrences} times`}`}
        </p>
        {isConditionMet && !isEnded && (
          <p className="small status warn">{t`The condition is still met: resolve the alert after the repair.`}</p>
        )}
        {alert.shelvedUntil && status === "DISMISSED" && (
          <p className="small muted">{t`Shelved until ${moment(alert.shelvedUntil, site)}`}</p>
        )}
        {feedback?.verdict && (
          <p className="small muted">
            {wordOf(feedback.verdict)}
            {feedback.comments && `: ${feedback.comments}`}
          </p>
        )}
      </div>
      <div className="alert-side">
        <Status value={status} />
        <div className="row wrap">
          {status === "OPEN" && mayChange && (
            <button
              type="button"
              className="button small"
              disabled={change.isBusy}
              onClick={() => void change.run({ id, status: "ACKNOWLEDGED" }, t`Acknowledged`)}
            >
              <Eye className="icon" aria-hidden />
              {t`Acknowledge`}
            </button>
          )}
          {!isEnded && mayChange && (
            <>
              <button
                type="button"
                className="button small"
                disabled={change.isBusy || !!isConditionMet}
                title={isConditionMet ? t`The condition is still met` : undefined}
                onClick={() => void change.run({ id, status: "RESOLVED" }, t`Resolved`)}
              >
                <Check className="icon" aria-hidden />
                {t`Resolve`}
              </button>
              <button type="button" className="button small" onClick={() => setAsked("dismiss")}>
                <BellOff className="icon" aria-hidden />
                {t`Dismiss as false`}
              </button>
            </>
          )}
          {can("addNotificationFeedback") && (
            <button type="button" className="button small" onClick={() => setAsked("rate")}>
              <MessageSquare className="icon" aria-hidden />
              {t`Feedback`}
            </button>
          )}
          {pending ? (
            <Link className="button small" to="/work/$id" params={{ id: pending.id }}>
              <ClipboardList className="icon" aria-hidden />
              {t`Open work order`}
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
                  const made = (await order.run({ id }, t`Work order created`))?.createWorkOrderFromNotification;
                  if (made) void navigate({ to: "/work/$id", params: { id: made.id } });
                }}
              >
                <ClipboardList className="icon" aria-hidden />
                {t`Create work order`}
              </button>
            )
          )}
        </div>
      </div>
      {asked === "dismiss" && <Dismiss alerts={[alert]} onClose={() => setAsked(undefined)} onDone={() => setAsked(undefined)} />}
      {asked === "rate" && <Rate alert={alert} onClose={() => setAsked(undefined)} />}
    </li>
  );
}
