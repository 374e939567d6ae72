/** Banners: lost connection, changes in the queue, refused changes, scheduler behind. */
import { plural, t } from "@lingui/core/macro";
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
  StartOrder: t`Starting the work`,
  HoldOrder: t`Putting the work on hold`,
  UpdateStep: t`A work order step`,
  FollowUp: t`A follow-up work order`,
  CompleteOrder: t`Completing the work`,
  AddComment: t`A comment`,
  ChangeAlert: t`An alert status`,
  ReportFault: t`A fault report`,
  AddFile: t`A photo or file`,
  AssignOrder: t`Taking the work`,
  AddLabor: t`Time worked`,
  RecordReading: t`A meter reading`,
  RecordCount: t`A counted quantity`,
  IssuePart: t`Issuing a part`,
  ReturnPart: t`Returning a part`,
  CloseOrder: t`Closing the work order`,
};

const schedulerMilliseconds = 300_000;
/** Right after a start of the service, due work waits for the first run of the scheduler, which runs every minute by default. */
const firstRunMilliseconds = 90_000;

/** The time since which due work has no work order, if a run of the scheduler did not change that. Null for roles that cannot act on it. */
function useWorkDueSince(): string | null | undefined {
  const { role, workDueSince } = useSession();
  const mayAct = role === "MANAGER" || role === "ADMIN";
  const [{ data }, readAgain] = useQuery({ query: Scheduler, pause: true });
  useEffect(() => {
    if (!mayAct) return;
    const read = () => readAgain({ requestPolicy: "network-only" });
    const first = workDueSince ? setTimeout(read, firstRunMilliseconds) : undefined;
    const timer = setInterval(read, schedulerMilliseconds);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [mayAct, workDueSince, readAgain]);
  return data?.schedulerStatus?.dueSince;
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
            {t`Work that was due ${ago(dueSince)} has no work order yet. The scheduler is off or behind: report this to the operator of the service.`}
          </span>
        </div>
      )}
      {(!isOnline || isAway || waiting > 0) && (
        <div className="banner" role="status">
          <WifiOff className="icon" aria-hidden />
          <span className="grow">
            {!isOnline
              ? t`No connection. This page may be out of date.`
              : isAway && t`The service does not respond. This page may be out of date.`}{" "}
            {waiting > 0 && plural(waiting, { one: "# change is waiting to be sent.", other: "# changes are waiting to be sent." })}
          </span>
          {isOnline && waiting > 0 && (
            <button type="button" className="button small" onClick={queue.send}>
              {t`Send now`}
            </button>
          )}
        </div>
      )}
      {refused.length > 0 && (
        <div className="banner bad" role="alert">
          <CircleAlert className="icon" aria-hidden />
          <div className="grow">
            <p>{plural(refused.length, { one: "# unsent change was rejected:", other: "# unsent changes were rejected:" })}</p>
            <ul>
              {refused.map((change) => (
                <Refused key={change.idempotencyKey} change={change} />
              ))}
            </ul>
          </div>
          <button type="button" className="button small" onClick={() => queue.dismiss(refused)}>
            {t({ context: "message", message: t`Dismiss` })}
          </button>
        </div>
      )}
    </div>
  );
}

function Refused({ change: { query, variables, reason } }: { change: RefusedChange }) {
  const name = /mutation (\w+)/.exec(query)?.[1] ?? "";
  const { id, input, text = input?.description } = (variables ?? {}) as { id?: string; text?: string; input?: { description?: string } };
  const word = words[name] ?? t`A change`;
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
