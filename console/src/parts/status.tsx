/** A status as an icon, a word and a color. Each conveys the status without the others. */
import { t } from "@lingui/core/macro";
import {
  AlertTriangle,
  Archive,
  ArrowDown,
  ArrowUp,
  Ban,
  Check,
  CheckCheck,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleX,
  Clock,
  Eye,
  Info,
  type LucideIcon,
  Minus,
  OctagonAlert,
  Pause,
  Play,
  RefreshCw,
  SignalHigh,
  Wrench,
} from "lucide-react";
import { wordOf } from "./words.js";

export type Tone = "good" | "info" | "warn" | "bad" | "calm";

const looks: Record<string, [Tone, LucideIcon, string?]> = {
  // Assets and components
  OPERATIONAL: ["good", CircleCheck],
  MAINTENANCE: ["info", Wrench],
  OFFLINE: ["bad", CircleX],
  PENDING: ["warn", CircleDashed],
  DECOMMISSIONED: ["calm", Archive],
  FAULTY: ["warn", AlertTriangle],
  FAILED: ["bad", CircleX],
  REPLACED: ["calm", RefreshCw],
  // Work orders, their steps and requests
  SCHEDULED: ["calm", Clock],
  IN_PROGRESS: ["info", Play],
  ON_HOLD: ["warn", Pause],
  COMPLETED: ["good", Check],
  CLOSED: ["calm", CheckCheck],
  CANCELLED: ["calm", Ban],
  SKIPPED: ["calm", Minus],
  ACCEPTED: ["good", Check],
  DECLINED: ["calm", Ban],
  WITHDRAWN: ["calm", Ban],
  // Purchase orders
  AWAITING_APPROVAL: ["warn", CircleDashed],
  APPROVED: ["info", Check],
  SENT: ["good", CheckCheck],
  MATCHED: ["good", CheckCheck],
  // Procedures
  ACTIVE: ["good", CircleCheck],
  DRAFT: ["calm", CircleDashed],
  INACTIVE: ["warn", Pause],
  ARCHIVED: ["calm", Archive],
  // Alerts
  OPEN: ["bad", CircleDot],
  ACKNOWLEDGED: ["warn", Eye],
  RESOLVED: ["good", Check],
  DISMISSED: ["calm", Ban],
  CRITICAL: ["bad", CircleAlert],
  WARNING: ["warn", AlertTriangle],
  INFO: ["info", Info],
  // Priorities
  HIGH: ["warn", ArrowUp],
  MEDIUM: ["calm", SignalHigh],
  LOW: ["calm", ArrowDown],
  // Stock
  ADEQUATE: ["good", Check],
  OUT: ["bad", CircleX, t`Out of stock`],
  EXCESS: ["info", ArrowUp],
  RESERVED: ["good", Check],
  ISSUED: ["info", CheckCheck],
  RELEASED: ["calm", Minus],
};

export function Status({ value, filled, label }: { value: string; filled?: boolean; label?: string }) {
  const [tone, Icon, word] = looks[value] ?? (["calm", CircleDot] as const);
  return (
    <span className={`status ${tone}${filled ? " filled" : ""}`}>
      <Icon className="icon" aria-hidden />
      {label ?? word ?? wordOf(value)}
    </span>
  );
}

/** `LOW` and `CRITICAL` stock have their own labels. */
export const StockState = ({ value }: { value: string }) =>
  value === "LOW" ? (
    <span className="status warn">
      <ArrowDown className="icon" aria-hidden />
      {t({ context: "stock level", message: "Low" })}
    </span>
  ) : (
    <Status value={value} />
  );

export const toneOf = (value: string): Tone => looks[value]?.[0] ?? "calm";

export const ProductionStopped = () => (
  <span className="status bad">
    <OctagonAlert className="icon" aria-hidden />
    {t`Production stopped`}
  </span>
);
