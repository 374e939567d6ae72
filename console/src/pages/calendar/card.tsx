import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CalendarArrowUp, TriangleAlert } from "lucide-react";
import type { DragEvent } from "react";
import { isPending } from "../../parts/orders.js";
import { Status, toneOf } from "../../parts/status.js";
import { day, timeSpent } from "../../parts/words.js";
import { daysLate, isLateOrder, minutesOf, type PlannedOrder } from "./lanes.js";

/** How cards are selected and moved. Undefined for roles that may not. */
export interface Handles {
  selected: ReadonlySet<string>;
  onSelect: (id: string, isSelected: boolean) => void;
  onMove: (order: PlannedOrder) => void;
}

interface Props {
  order: PlannedOrder;
  handles: Handles | undefined;
  withDay?: boolean;
}

export function OrderCard({ order, handles, withDay }: Props) {
  const { id, title, status, priority, asset, estimatedDuration, scheduledDate } = order;
  const isLate = isLateOrder(order);
  const days = daysLate(order);
  const isMovable = !!handles && isPending(status);
  const time = timeSpent(minutesOf([order]));
  const onDragStart = (event: DragEvent) => {
    event.dataTransfer.setData("text/plain", id);
    event.dataTransfer.effectAllowed = "move";
    // The link inside would be dragged without its card.
    event.dataTransfer.setDragImage(event.currentTarget, 12, 12);
  };
  return (
    <article
      className={`entry plan-card ${toneOf(status === "SCHEDULED" ? priority : status)}${isLate ? " late" : ""}`}
      aria-label={title}
      draggable={isMovable}
      onDragStart={onDragStart}
    >
      {isMovable && (
        <div className="plan-handles">
          <label className="plan-check">
            <input
              type="checkbox"
              aria-label={t`Select ${title}`}
              checked={handles.selected.has(id)}
              onChange={(event) => handles.onSelect(id, event.target.checked)}
            />
          </label>
          <button
            type="button"
            className="button plain small icon-only"
            aria-label={t`Move ${title}`}
            onClick={() => handles.onMove(order)}
          >
            <CalendarArrowUp className="icon" aria-hidden />
          </button>
        </div>
      )}
      <Link className="two-lines anywhere" to="/work/$id" params={{ id }}>
        {title}
      </Link>
      {asset && <span className="small clip">{asset.name}</span>}
      <span className="small row wrap">
        <Status value={status === "SCHEDULED" ? priority : status} />
        <span>{estimatedDuration === null ? t`${time} (assumed)` : time}</span>
      </span>
      {isLate && (
        <span className="small row">
          <TriangleAlert className="icon" aria-hidden />
          {plural(days, { one: "# day late", other: "# days late" })}
        </span>
      )}
      {withDay && <span className="small">{t`Planned for ${day(scheduledDate, asset?.site)}`}</span>}
    </article>
  );
}
