/** Banners: lost connection, changes in the queue, refused changes, scheduler behind. */
import { Link } from "@tanstack/react-router";
import { CalendarClock, CircleAlert, WifiOff } from "lucide-react";
import { useEffect } from "react";
import { useQuery } from "urql";
import { Scheduler } from "../generated/banner.js";
import { useOnline } from "../parts/hooks.js";
import { ago } from "../parts/words.js";
import type { RefusedChange } from "../session/queue.js";
import { useAway, useRefused, useSession, useWaiting } from "../session/session.js";

/** Labels of queueable changes, by operation name. */
const words: Record<string, string> = {
  StartOrder: "Starting the work",
  HoldOrder: "Putting the work on hold",
  UpdateStep: "A work order step",
  CompleteOrder: "Completing the work",
  AddComment: "A comment",
  ChangeAlert: "An alert status",
  ReportFault: "A fault report",
  AssignOrder: "Taking the work",
  AddLabor: "Time worked",
  RecordReading: "A meter reading",
  RecordCount: "A counted quantity",
};

const schedulerMilliseconds = 300_000;

/** The time since which due work has no work order. Null for roles that cannot act on it. */
function useWorkDueSince(): string | null | undefined {
  const { role, workDueSince } = useSession();
  const mayAct = role === "MANAGER" || role === "ADMIN";
  const [{ data }, readAgain] = useQuery({ query: Scheduler, pause: true });
  useEffect(() => {
    if (!mayAct) return;
    const timer = setInterval(() => readAgain({ requestPolicy: "network-only" }), schedulerMilliseconds);
    return () => clearInterval(timer);
  }, [mayAct, readAgain]);
  if (!mayAct) return null;
  return data?.schedulerStatus ? data.schedulerStatus.dueSince : workDueSince;
}

export function Banner() {
  const { queue } = useSession();
  const dueSince = useWorkDueSince();
  const isOnline = useOnline();
  const isAway = useAway();
  const waiting = useWaiting();
  const refused = useRefused();
  if (isOnline && !isAway && !waiting && !refused.length && !dueSince) return <span />;
  return (
    <div className="banners">
      {dueSince && (
        <div className="banner" role="status">
          <CalendarClock className="icon" aria-hidden />
          <span className="grow">
            Work that was due {ago(dueSince)} has no work order yet. The scheduler is off or behind: report this to the operator of the
            service.
          </span>
        </div>
      )}
      {(!isOnline || isAway || waiting > 0) && (
        <div className="banner" role="status">
          <WifiOff className="icon" aria-hidden />
          <span className="grow">
            {!isOnline
              ? "No connection. This page may be out of date. "
              : isAway && "The service does not respond. This page may be out of date. "}
            {waiting > 0 && (waiting === 1 ? "1 change is waiting to be sent." : `${waiting} changes are waiting to be sent.`)}
          </span>
          {isOnline && waiting > 0 && (
            <button type="button" className="button small" onClick={queue.send}>
              Send now
            </button>
          )}
        </div>
      )}
      {refused.length > 0 && (
        <div className="banner bad" role="alert">
          <CircleAlert className="icon" aria-hidden />
          <div className="grow">
            <p>{refused.length === 1 ? "1 unsent change was rejected:" : `${refused.length} unsent changes were rejected:`}</p>
            <ul>
              {refused.map((change) => (
                <Refused key={change.idempotencyKey} change={change} />
              ))}
            </ul>
          </div>
          <button type="button" className="button small" onClick={queue.dismiss}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

function Refused({ change: { query, variables, reason } }: { change: RefusedChange }) {
  const name = /mutation (\w+)/.exec(query)?.[1] ?? "";
  const { id, input, text = input?.description } = (variables ?? {}) as { id?: string; text?: string; input?: { description?: string } };
  const word = words[name] ?? "A change";
  return (
    <li>
      {!id ? (
        word
      ) : name === "ChangeAlert" ? (
        <Link to="/alerts" search={{ id }}>
          {word}
        </Link>
      ) : (
        <Link to="/work/$id" params={{ id }}>
          {word}
        </Link>
      )}
      {text && ` “${text}”`}: {reason}
    </li>
  );
}
