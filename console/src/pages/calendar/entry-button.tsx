import { t } from "@lingui/core/macro";
import { TriangleAlert } from "lucide-react";
import type { DragEvent } from "react";
import { doerOf } from "../../parts/people.js";
import { toneOf } from "../../parts/status.js";
import { dayWord, wordOf } from "../../parts/words.js";
import { dayOf, type Entry, isLate } from "./types.js";

interface EntryProps {
  entry: Entry;
  /** Shows the entry's day too. */
  withDay?: boolean;
  /** Shows the asset, the assigned person and the state too. */
  isDetailed?: boolean;
  isDraggable?: boolean;
  onDragStart?: (event: DragEvent, entry: Entry) => void;
  onShow: () => void;
}

export function EntryButton({ entry, withDay, isDetailed, isDraggable = false, onDragStart, onShow }: EntryProps) {
  const { workOrder, procedure, asset } = entry;
  const tone = workOrder ? toneOf(workOrder.status === "SCHEDULED" ? workOrder.priority : workOrder.status) : "due";
  const late = isLate(entry);
  const state = workOrder ? wordOf(workOrder.status) : t`Due, no work order yet`;
  return (
    <button
      type="button"
      className={`entry ${tone}${late ? " late" : ""}${isDetailed ? " detailed" : ""}`}
      draggable={isDraggable}
      onDragStart={(event) => onDragStart?.(event, entry)}
      onClick={onShow}
      title={[workOrder?.title ?? procedure?.name, asset?.name, state, late && t`Overdue`].filter(Boolean).join(" · ")}
    >
      {late && <TriangleAlert className="icon" aria-hidden />}
      <span className="clip">
        {withDay && <span className="num nowrap">{dayWord(dayOf(entry), { day: "numeric", month: "short", year: "numeric" })} </span>}
        {workOrder?.title ?? procedure?.name}
      </span>
      {isDetailed && (
        <span className="small muted">
          {[asset && `${asset.name}, ${asset.site}`, workOrder && (doerOf(workOrder) ?? t`Not assigned`), state, late && t`Overdue`]
            .filter(Boolean)
            .join(" · ")}
        </span>
      )}
      {!isDetailed && (!workOrder || late) && (
        <span className="hidden-text">
          {[late && t`overdue`, !workOrder && t`due, no work order yet`].filter(Boolean).map((text) => `, ${text}`)}
        </span>
      )}
    </button>
  );
}
