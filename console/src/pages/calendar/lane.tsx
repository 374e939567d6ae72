import { t } from "@lingui/core/macro";
import { TriangleAlert } from "lucide-react";
import { type DragEvent, useState } from "react";
import { dayWord, timeSpent } from "../../parts/words.js";
import { today as todayAt } from "../../parts/zones.js";
import { type Handles, OrderCard } from "./card.js";
import { capacityOf, dayOfOrder, type Lane, minutesOf, nobody, type PlannedOrder } from "./lanes.js";

const longDay = { weekday: "long", day: "numeric", month: "long" } as const;

interface Props {
  lane: Lane;
  week: readonly string[];
  site: string | undefined;
  orders: readonly PlannedOrder[];
  handles: Handles | undefined;
  onDrop: (id: string, day: string) => void;
}

export function LaneRow({ lane, week, site, orders, handles, onDrop }: Props) {
  const [over, setOver] = useState<string>();
  const today = todayAt(site);
  const drop = (event: DragEvent, day: string) => {
    event.preventDefault();
    setOver(undefined);
    onDrop(event.dataTransfer.getData("text/plain"), day);
  };
  return (
    <section className="lane" aria-label={lane.name}>
      <header className="row wrap">
        <h3 className="anywhere">{lane.name}</h3>
        {lane.crew && <span className="muted small">{t`Crew`}</span>}
        <Load orders={orders} days={week} lane={lane} isWeek />
      </header>
      <ol className="lane-days">
        {week.map((day) => {
          const ofDay = orders.filter((order) => dayOfOrder(order) === day);
          return (
            <li
              key={day}
              data-day={day}
              className={`lane-day${over === day ? " over" : ""}${day === today ? " today" : ""}${ofDay.length ? "" : " free"}`}
              aria-label={dayWord(day, longDay)}
              {...(handles && {
                onDragOver: (event: DragEvent) => {
                  event.preventDefault();
                  setOver(day);
                },
                onDragLeave: () => setOver((was) => (was === day ? undefined : was)),
                onDrop: (event: DragEvent) => drop(event, day),
              })}
            >
              <span className="only-phone small strong">{dayWord(day, { weekday: "short", day: "numeric", month: "short" })}</span>
              <Load orders={ofDay} days={[day]} lane={lane} />
              <ul className="entries">
                {ofDay.map((order) => (
                  <li key={order.id}>
                    <OrderCard order={order} handles={handles} />
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface LoadProps {
  orders: readonly PlannedOrder[];
  days: readonly string[];
  lane: Lane;
  isWeek?: boolean;
}

/** Planned time and capacity, such as `9 h of 8 h, 1 h over`. */
function Load({ orders, days, lane, isWeek }: LoadProps) {
  if (!orders.length && !isWeek) return null;
  const minutes = minutesOf(orders);
  const capacity = capacityOf(days);
  const planned = timeSpent(minutes);
  if (lane.key === nobody.key) return <span className="load small muted">{isWeek ? t`${planned} this week` : planned}</span>;
  const text = isWeek ? t`${planned} of ${timeSpent(capacity)} this week` : t`${planned} of ${timeSpent(capacity)}`;
  if (minutes <= capacity) return <span className="load small muted">{text}</span>;
  return (
    <span className="load small status bad">
      <TriangleAlert className="icon" aria-hidden />
      {capacity ? t`${text}, ${timeSpent(minutes - capacity)} over` : t`${planned}, no capacity`}
    </span>
  );
}
