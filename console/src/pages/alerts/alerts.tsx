/** Alerts, newest first. The list updates automatically. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { BellOff, Radio } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useQuery } from "urql";
import { AlertsPage as Document } from "../../generated/alerts.js";
import { ButtonGroup } from "../../parts/button-group.js";
import { useCursor, useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { Empty, Failed, Loading } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, wordOf } from "../../parts/words.js";
import { type LiveAlert, useLiveAlerts } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Bulk } from "./actions.js";
import { AlertLine } from "./alert-line.js";
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
  const [after, setAfter] = useCursor(list);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      filter: { ...(status && { status }), severity, ...(q && { or: [{ titleContains: q }, { messageContains: q }] }) },
      after,
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
            onMore={() => setAfter(data.notifications!.pageInfo.endCursor)}
          />
        )}
      </section>
    </>
  );
}
