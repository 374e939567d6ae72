/**
 * The planner's month: planned and due work, as a grid or as an agenda. Work is moved by drag and drop, or from its dialog with the keyboard.
 */
import { t } from "@lingui/core/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { type DragEvent, type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import { CalendarPage as Document, MoveOrder } from "../../generated/calendar.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { filterOf, peopleOf } from "../../parts/people.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { count, dayWord } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { addDays, instantAt, localAt, monthStart, today as todayAt } from "../../parts/zones.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Agenda } from "./agenda.js";
import { PeriodChoice, SiteChoice, ViewChoice } from "./choices.js";
import { afterDay, beforeDay, lateSpan, weeksOf } from "./days.js";
import { EntryDialog } from "./entry.js";
import { EntryButton } from "./entry-button.js";
import { canMove, dayOf, type Entry, idOf, isLate } from "./types.js";

const monthOptions = { month: "long", year: "numeric" } as const;
const dayOptions = { day: "numeric", month: "long", year: "numeric" } as const;
const longDay = { weekday: "long", day: "numeric", month: "long" } as const;

/** Entries that a day shows before it is expanded. */
const mostEntries = 6;

/** Days of an agenda that starts today. */
const agendaDays = 31;

export function Month({ isAgenda }: { isAgenda: boolean }): ReactNode {
  const search = useSearch({ from: "/calendar" });
  const { month, site, person, who, late: lateKind } = search;
  const navigate = useNavigate({ from: "/calendar" });
  const choose = (change: Partial<typeof search>) => void navigate({ search: (was) => ({ ...was, ...change }), replace: true });
  const me = useSession();
  const { can } = me;
  const [over, setOver] = useState<string>();
  const [shown, setShown] = useState<string>();
  const [opened, setOpened] = useState<string>();
  const today = todayAt(site);
  const first = monthStart(month ? `${month}-01` : today);
  const isAhead = isAgenda && !month;
  const title = isAhead ? t`From ${dayWord(today, dayOptions)}` : dayWord(first, monthOptions);
  const weeks = useMemo(() => weeksOf(first), [first]);
  const ofWeeks = weeks.flat();
  const ofMonth = ofWeeks.filter((day) => day.slice(0, 7) === first.slice(0, 7));
  const ahead = Array.from({ length: agendaDays }, (_, index) => addDays(today, index));
  const days = isAhead ? ahead : isAgenda ? ofMonth : ofWeeks;
  const workOrder = filterOf(search, me);
  const asset = site ? { site } : undefined;
  const span = lateSpan(today);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      from: beforeDay(days[0]!),
      until: afterDay(days.at(-1)!),
      asset,
      workOrder,
      overdue: { pending: true, scheduledUntil: afterDay(today), asset, ...workOrder },
      lateFrom: span.from,
      lateUntil: span.until,
      everyone: !workOrder,
    },
  });
  const onRefused = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  const move = useChange(MoveOrder, { onRefused });
  useLiveData(["WORK_ORDER", "PROCEDURE"], onRefused);
  useTitle(t`Calendar`);

  const byDay = useMemo(() => {
    const found = new Map<string, Entry[]>();
    for (const entry of data?.calendar ?? []) {
      const day = dayOf(entry);
      found.set(day, [...(found.get(day) ?? []), entry]);
    }
    return found;
  }, [data]);
  const late = useMemo(() => {
    const orders = (data?.overdue?.nodes ?? []).map(
      (order): Entry => ({
        date: order.scheduledDate,
        dueDate: null,
        occurrence: null,
        gapWarning: null,
        asset: order.asset,
        procedure: order.procedure,
        workOrder: order,
      }),
    );
    const wanted = lateKind === "unordered" ? (data?.late ?? []) : [...orders, ...(data?.late ?? [])];
    return wanted.filter(isLate).sort((a, b) => a.date.localeCompare(b.date));
  }, [data, lateKind]);
  const all = [...(data?.calendar ?? []), ...late];
  const entry = all.find((one) => idOf(one) === shown);
  const isNext = ({ workOrder: order, procedure, asset: of, date }: Entry) =>
    !order && !all.some((one) => !one.workOrder && one.procedure?.id === procedure?.id && one.asset?.id === of?.id && one.date < date);
  const visibleCount = days.reduce((sum, day) => sum + (byDay.get(day)?.length ?? 0), 0);

  const moveTo = ({ workOrder: order, asset: of }: Entry, day: string) => {
    if (!order) return;
    const [from, time] = localAt(order.scheduledDate, of?.site);
    if (from === day) return;
    void move.run(
      { id: order.id, input: { scheduledDate: instantAt(day, time, of?.site).toISOString() }, expectedVersion: order.version },
      t`Moved to ${dayWord(day, { day: "numeric", month: "short" })}`,
    );
  };
  const onDrop = (event: DragEvent, day: string) => {
    event.preventDefault();
    setOver(undefined);
    const dropped = all.find((one) => one.workOrder?.id === event.dataTransfer.getData("text/plain"));
    if (dropped) moveTo(dropped, day);
  };
  const onDragStart = (event: DragEvent, { workOrder: order }: Entry) => {
    event.dataTransfer.setData("text/plain", order?.id ?? "");
    event.dataTransfer.effectAllowed = "move";
  };
  const { others } = peopleOf(data?.workOrderGroups ?? [], me);
  const chosen = others.findIndex((one) => one.person === person && one.who === who);

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{title}</h1>
          <p>{data?.calendar ? t`${count(visibleCount)} planned or due` : " "}</p>
        </div>
        <div className="row wrap">
          <ViewChoice />
          <SiteChoice sites={data?.sites} />
          <select
            className="input auto"
            aria-label={t`Person`}
            value={chosen < 0 ? (person ?? who ?? "") : chosen}
            onChange={({ target: { value } }) =>
              choose({
                person: others[+value]?.person,
                who: others[+value]?.who,
                ...(["me", "nobody"].includes(value) && { person: value }),
              })
            }
          >
            <option value="">{t`Everyone`}</option>
            {can("assignWorkOrder") && <option value="me">{t`My work`}</option>}
            <option value="nobody">{t`Unassigned`}</option>
            {/* A person without open work who is still in the URL. */}
            {chosen < 0 && (person ?? who) && !["me", "nobody"].includes(person ?? "") && (
              <option value={person ?? who}>{who ?? t`This person`}</option>
            )}
            {others.map((one, index) => (
              <option key={one.person ?? `text ${one.who}`} value={index}>
                {one.name}
              </option>
            ))}
          </select>
          <PeriodChoice period="month" before={monthStart(first, -1).slice(0, 7)} after={monthStart(first, 1).slice(0, 7)} />
        </div>
      </div>
      {!data && fetching && <LoadingCard lines={12} />}
      {!data?.calendar && error && (
        <div className="card">
          <Failed error={error} onRetry={onRefused} />
        </div>
      )}
      {late.length > 0 && (
        <section className="card overdue" aria-labelledby="overdue">
          <header>
            <h2 id="overdue">{lateKind ? t`Overdue, no work order yet` : t`Overdue`}</h2>
            {lateKind && (
              <button type="button" className="button small" onClick={() => choose({ late: undefined })}>
                {t`Show all overdue work`}
              </button>
            )}
            <span className="muted small num">
              {data?.overdue?.pageInfo.hasNextPage && !lateKind ? t`${count(late.length)} or more` : count(late.length)}
            </span>
          </header>
          <ul className="body entries">
            {late.map((one) => (
              <li key={idOf(one)}>
                <EntryButton
                  entry={one}
                  withDay
                  isDetailed={isAgenda}
                  isDraggable={canMove(one) && can("updateWorkOrder")}
                  onDragStart={onDragStart}
                  onShow={() => setShown(idOf(one))}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      {data?.calendar && isAgenda && (
        <Agenda days={days} today={today} byDay={byDay} label={title} isBusy={fetching || stale} onShow={setShown} />
      )}
      {data?.calendar && !isAgenda && (
        <section className="card month" aria-label={title} aria-busy={fetching || stale}>
          <div className="weekdays" aria-hidden>
            {weeks[0]!.map((day) => (
              <span key={day}>{dayWord(day, { weekday: "short" })}</span>
            ))}
          </div>
          <ol className="days">
            {days.map((key) => {
              const entries = byDay.get(key) ?? [];
              const visible = key === opened || entries.length <= mostEntries + 1 ? entries : entries.slice(0, mostEntries);
              const isOther = key.slice(0, 7) !== first.slice(0, 7);
              return (
                <li
                  key={key}
                  data-day={key}
                  className={`day${isOther ? " other" : ""}${key === today ? " today" : ""}${over === key ? " over" : ""}${entries.length ? "" : " free"}`}
                  aria-label={dayWord(key, longDay)}
                  onDragOver={(event) => {
                    event.preventDefault();
                    setOver(key);
                  }}
                  onDragLeave={() => setOver((was) => (was === key ? undefined : was))}
                  onDrop={(event) => onDrop(event, key)}
                >
                  <span className="day-number num">
                    <span className="only-phone">{dayWord(key, { weekday: "short" })} </span>
                    {Number(key.slice(8))}
                  </span>
                  <ul className="entries">
                    {visible.map((one) => (
                      <li key={idOf(one)}>
                        <EntryButton
                          entry={one}
                          isDraggable={canMove(one) && can("updateWorkOrder")}
                          onDragStart={onDragStart}
                          onShow={() => setShown(idOf(one))}
                        />
                      </li>
                    ))}
                    {entries.length > mostEntries + 1 && (
                      <li>
                        <button
                          type="button"
                          className="entry more"
                          aria-expanded={key === opened}
                          onClick={() => setOpened(key === opened ? undefined : key)}
                        >
                          {key === opened ? t`Show fewer` : t`${entries.length - mostEntries} more`}
                        </button>
                      </li>
                    )}
                  </ul>
                </li>
              );
            })}
          </ol>
          <p className="legend small muted">
            <span className="entry calm">{t`Planned`}</span>
            <span className="entry info">{t`Under way`}</span>
            <span className="entry good">{t`Done`}</span>
            <span className="entry due">{t`Due, no work order yet`}</span>
            <span className="entry late">
              <TriangleAlert className="icon" aria-hidden />
              {t`Overdue`}
            </span>
          </p>
        </section>
      )}
      <ZoneNote site={site} />
      {entry && (
        <EntryDialog entry={entry} isNext={isNext(entry)} onMove={moveTo} onRefused={onRefused} onClose={() => setShown(undefined)} />
      )}
    </>
  );
}
