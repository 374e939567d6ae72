import { CircleCheck, Factory, type LucideIcon, SearchCheck, SearchX, Trash2, Wrench } from "lucide-react";
import { type Period, stateWord, toneOfUnit } from "./types.js";

const icons: Partial<Record<Period["state"], LucideIcon>> = { INSTALLED: Factory, IN_REPAIR: Wrench, SCRAPPED: Trash2, LOST: SearchX };

export function UnitState({ period, filled }: { period: Pick<Period, "state" | "condition">; filled?: boolean }) {
  const Icon = icons[period.state] ?? (period.condition === "UNSERVICEABLE" ? SearchCheck : CircleCheck);
  return (
    <span className={`status ${toneOfUnit(period)}${filled ? " filled" : ""}`}>
      <Icon className="icon" aria-hidden />
      {stateWord(period)}
    </span>
  );
}
