/** The planner's month: planned and due work. Work is moved by drag and drop, or from its dialog with the keyboard. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type DragEvent, type ReactNode, useCallback, useMemo, useState } from "react";
import { useQuery } from "urql";
import { CalendarPage as Document, MoveOrder } from "../../generated/calendar.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { filterOf, peopleOf } from "../../parts/people.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { toneOf } from "../../parts/status.js";
import { count, shortDay, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { dateOfKey, keyOf, monthOf, onDay, shift, weeksOf } from "./days.js";
import { EntryDialog } from "./entry.js";
import { canMove, type Entry } from "./types.js";

const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const weekdayName = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });

/** Entries that a day shows before it is expanded. */
const mostEntries = 6;

export function CalendarPage(): ReactNode {
  const search = useSearch({ from: "/calendar" });
  const { month, site, person, who } = search;
  const navigate = useNavigate({ from: "/calendar" });
  const choose = (change: Partial<typeof search>) => void navigate({ search: (was) => ({ ...was, ...change }), replace: true });
  const me = useSession();
  const { can } = me;
  const [over, setOver] = useState<string>();
  const [shown, setShown] = useState<string>();
  const [opened, setOpened] = useState<string>();
  const first = useMemo(() => dateOfKey(month) ?? monthOf(new Date()), [month]);
  const weeks = useMemo(() => weeksOf(first), [first]);
  const days = weeks.flat();
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      from: days[0]!.toISOString(),
      until: shift(days.at(-1)!, 1).toISOString(),
      asset: site ? { site } : undefined,
      workOrder: filterOf(search, me),
    },
  });
  const onRefused = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  const move = useChange(MoveOrder, { onRefused });
  useTitle("Calendar");
  const today = keyOf(new Date());

  const byDay = useMemo(() => {
    const found = new Map<string, Entry[]>();
    for (const entry of data?.calendar ?? []) {
      const day = keyOf(new Date(entry.workOrder?.scheduledDate ?? entry.date));
      found.set(day, [...(found.get(day) ?? []), entry]);
    }
    return found;
  }, [data]);
  const idOf = ({ workOrder, procedure, asset, occurrence, date }: Entry) =>
    workOrder?.id ?? [procedure?.id, asset?.id, occurrence, date].join(" ");
  const entry = data?.calendar?.find((one) => idOf(one) === shown);

  const moveTo = (order: NonNullable<Entry["workOrder"]>, day: string) => {
    const date = dateOfKey(day);
    if (!date || keyOf(new Date(order.scheduledDate)) === day) return;
    const scheduledDate = onDay(new Date(order.scheduledDate), date);
    void move.run(
      { id: order.id, input: { scheduledDate: scheduledDate.toISOString() }, expectedVersion: order.version },
      `Moved to ${shortDay(scheduledDate)}`,
    );
  };
  const onDrop = (event: DragEvent, day: string) => {
    event.preventDefault();
    setOver(undefined);
    const order = data?.calendar?.find(({ workOrder }) => workOrder?.id === event.dataTransfer.getData("text/plain"))?.workOrder;
    if (order) moveTo(order, day);
  };
  const { others } = peopleOf(data?.workOrderGroups ?? [], me);
  const chosen = others.findIndex((one) => one.person === person && one.who === who);

  return (
    <>
      <div className="page-head">
        <div>
          <h1>{monthName.format(first)}</h1>
          <p>{data?.calendar ? `${count(data.calendar.length)} planned or due` : " "}</p>
        </div>
        <div className="row wrap">
          <select
            className="input auto"
            aria-label="Site"
            value={site ?? ""}
            onChange={(event) => choose({ site: event.target.value || undefined })}
          >
            <option value="">All sites</option>
            {data?.sites?.map((one) => (
              <option key={one.id} value={one.name}>
                {one.displayName}
              </option>
            ))}
          </select>
          <select
            className="input auto"
            aria-label="Person"
            value={chosen < 0 ? (person ?? who ?? "") : chosen}
            onChange={({ target: { value } }) =>
              choose({
                person: others[+value]?.person,
                who: others[+value]?.who,
                ...(["me", "nobody"].includes(value) && { person: value }),
              })
            }
          >
            <option value="">Everyone</option>
            {can("assignWorkOrder") && <option value="me">My work</option>}
            <option value="nobody">Unassigned</option>
            {/* A person without open work who is still in the URL. */}
            {chosen < 0 && (person ?? who) && !["me", "nobody"].includes(person ?? "") && (
              <option value={person ?? who}>{who ?? "This person"}</option>
            )}
            {others.map((one, index) => (
              <option key={one.person ?? `text ${one.who}`} value={index}>
                {one.name}
              </option>
            ))}
          </select>
          <span className="row" style={{ gap: 4 }}>
            <Link
              className="button icon-only"
              aria-label="Previous month"
              to="/calendar"
              search={{ ...search, month: keyOf(monthOf(first, -1)).slice(0, 7) }}
            >
              <ChevronLeft className="icon" aria-hidden />
            </Link>
            <Link className="button" to="/calendar" search={{ ...search, month: undefined }}>
              Today
            </Link>
            <Link
              className="button icon-only"
              aria-label="Next month"
              to="/calendar"
              search={{ ...search, month: keyOf(monthOf(first, 1)).slice(0, 7) }}
            >
              <ChevronRight className="icon" aria-hidden />
            </Link>
          </span>
        </div>
      </div>
      {!data && fetching && <LoadingCard lines={12} />}
      {!data?.calendar && error && (
        <div className="card">
          <Failed error={error} onRetry={onRefused} />
        </div>
      )}
      {data?.calendar && (
        <section className="card month" aria-label={monthName.format(first)} aria-busy={fetching || stale}>
          <div className="weekdays" aria-hidden>
            {weeks[0]!.map((day) => (
              <span key={day.getDay()}>{weekdayName.format(day)}</span>
            ))}
          </div>
          <ol className="days">
            {days.map((day) => {
              const key = keyOf(day);
              const entries = byDay.get(key) ?? [];
              const visible = key === opened || entries.length <= mostEntries + 1 ? entries : entries.slice(0, mostEntries);
              const isOther = day.getMonth() !== first.getMonth();
              return (
                <li
                  key={key}
                  data-day={key}
                  className={`day${isOther ? " other" : ""}${key === today ? " today" : ""}${over === key ? " over" : ""}${entries.length ? "" : " free"}`}
                  aria-label={longDay.format(day)}
                  onDragOver={(event) => {
                    event.preventDefault();
                    setOver(key);
                  }}
                  onDragLeave={() => setOver((was) => (was === key ? undefined : was))}
                  onDrop={(event) => onDrop(event, key)}
                >
                  <span className="day-number num">
                    <span className="only-phone">{weekdayName.format(day)} </span>
                    {day.getDate()}
                  </span>
                  <ul className="entries">
                    {visible.map((one) => {
                      const { workOrder, procedure, asset } = one;
                      const isDraggable = canMove(one) && can("updateWorkOrder");
                      return (
                        <li key={idOf(one)}>
                          <button
                            type="button"
                            className={`entry ${workOrder ? toneOf(workOrder.status === "SCHEDULED" ? workOrder.priority : workOrder.status) : "due"}`}
                            draggable={isDraggable}
                            onDragStart={(event) => {
                              event.dataTransfer.setData("text/plain", workOrder?.id ?? "");
                              event.dataTransfer.effectAllowed = "move";
                            }}
                            onClick={() => setShown(idOf(one))}
                            title={[
                              workOrder?.title ?? procedure?.name,
                              asset?.name,
                              workOrder ? wordOf(workOrder.status) : "Due, no work order yet",
                            ].join(" · ")}
                          >
                            <span className="clip">{workOrder?.title ?? procedure?.name}</span>
                            {!workOrder && <span className="hidden-text">, due, no work order yet</span>}
                          </button>
                        </li>
                      );
                    })}
                    {entries.length > mostEntries + 1 && (
                      <li>
                        <button
                          type="button"
                          className="entry more"
                          aria-expanded={key === opened}
                          onClick={() => setOpened(key === opened ? undefined : key)}
                        >
                          {key === opened ? "Show fewer" : `${entries.length - mostEntries} more`}
                        </button>
                      </li>
                    )}
                  </ul>
                </li>
              );
            })}
          </ol>
          <p className="legend small muted">
            <span className="entry calm">Planned</span>
            <span className="entry info">Under way</span>
            <span className="entry good">Done</span>
            <span className="entry due">Due, no work order yet</span>
          </p>
        </section>
      )}
      {entry && <EntryDialog entry={entry} onMove={moveTo} onRefused={onRefused} onClose={() => setShown(undefined)} />}
    </>
  );
}
