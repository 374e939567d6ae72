/** An alert in the list, with its actions. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate } from "@tanstack/react-router";
import { BellOff, Check, ClipboardList, Eye, MessageSquare } from "lucide-react";
import { useEffect, useState } from "react";
import { ChangeAlert, OrderFromAlert } from "../../generated/alerts.js";
import { useChange } from "../../parts/change.js";
import { Status, toneOf } from "../../parts/status.js";
import { ago, moment, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Dismiss, Rate } from "./actions.js";
import { type Alert, activeStatuses } from "./types.js";

interface Props {
  alert: Alert;
  isChosen: boolean;
  isNew: boolean;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onRefused: () => void;
}

export function AlertLine({ alert, isChosen, isNew, isSelected, onSelect, onRefused }: Props) {
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
          <p className="small status warn wrap-text">{t`The condition is still met: resolve the alert after the repair.`}</p>
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
