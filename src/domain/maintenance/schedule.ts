/**
 * Due dates of procedures (docs/decisions.md, "nextDue"): pure functions of a rule and a number of intervals. Every date is computed
 * from the anchor, not from the previous date, so that month ends and moved days do not drift.
 */
import { LRUCache } from "lru-cache";
import { Temporal } from "temporal-polyfill";
import type { ProcedureFrequency } from "../../schema/maintenance/enums.js";
import type { SchedulingRules } from "../../schema/maintenance/procedure.js";
import { weekdays } from "../../schema/scalars.js";

export interface ScheduleRule {
  frequency: ProcedureFrequency;
  customIntervalDays?: number | null;
  schedulingRules?: Pick<SchedulingRules, "preferredDay" | "avoidWeekends"> | null;
  anchor: Date;
  /** IANA name. Intervals are added in local time. */
  timeZone: string;
}

export interface DueDate {
  at: Date;
  /** Number of intervals since the anchor. */
  steps: number;
  reason: string;
}

const intervals: Record<Exclude<ProcedureFrequency, "custom">, Temporal.DurationLike> = {
  daily: { days: 1 },
  weekly: { days: 7 },
  "bi-weekly": { days: 14 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  "semi-annual": { months: 6 },
  annual: { years: 1 },
};

/** Timestamps have four-digit years. */
const lastYear = 9999;

function intervalOf({ frequency, customIntervalDays }: ScheduleRule): Temporal.Duration | undefined {
  if (frequency === "custom") return customIntervalDays ? Temporal.Duration.from({ days: customIntervalDays }) : undefined;
  return Temporal.Duration.from(intervals[frequency]);
}

const multiply = ({ years, months, days }: Temporal.Duration, steps: number) =>
  Temporal.Duration.from({ years: years * steps, months: months * steps, days: days * steps });

const nameOf = (date: Temporal.PlainDate | Temporal.PlainDateTime) => {
  const day = weekdays[date.dayOfWeek - 1]!;
  return day[0]!.toUpperCase() + day.slice(1);
};

/** Returns the due date `steps` intervals after the anchor; undefined for a custom rule without an interval, or after the year 9998. */
export function dueDate(rule: ScheduleRule, steps: number): DueDate | undefined {
  const interval = intervalOf(rule);
  if (!interval) return undefined;
  const anchor = Temporal.Instant.fromEpochMilliseconds(rule.anchor.getTime()).toZonedDateTimeISO(rule.timeZone).toPlainDateTime();
  if (anchor.year + (interval.years + interval.months / 12 + interval.days / 365) * steps >= lastYear) return undefined;
  const computed = anchor.add(multiply(interval, steps));
  const reasons = [`${rule.frequency} from ${anchor.toPlainDate()}: ${computed.toPlainDate()}`];
  if ((interval.months || interval.years) && computed.day < anchor.day) reasons.push("the month's last day");
  let date = computed;
  const preferred = weekdays.indexOf(rule.schedulingRules?.preferredDay?.toLowerCase() as (typeof weekdays)[number]) + 1;
  if (preferred && date.dayOfWeek !== preferred) {
    date = date.add({ days: (preferred - date.dayOfWeek + 7) % 7 });
    reasons.push(`moved to ${nameOf(date)}`);
  }
  if (rule.schedulingRules?.avoidWeekends && date.dayOfWeek > 5) {
    date = date.add({ days: 8 - date.dayOfWeek });
    reasons.push("off the weekend to Monday");
  }
  return { at: new Date(date.toZonedDateTime(rule.timeZone).epochMilliseconds), steps, reason: reasons.join(", ") };
}

/** Returns the next later due date after that of `steps`. Skips dates moved to the same day, which count once. */
export function dueDateAfter(rule: ScheduleRule, steps: number): DueDate | undefined {
  const before = dueDate(rule, steps);
  for (let next = steps + 1; ; next++) {
    const due = dueDate(rule, next);
    if (!due || !before || due.at > before.at) return due;
  }
}

/** Returns the first due date after `moment`, from step 1 on, by binary search; undefined if there is none. */
export function dueDateBeyond(rule: ScheduleRule, moment: Date): DueDate | undefined {
  const isAfter = (steps: number) => (dueDate(rule, steps)?.at ?? Infinity) > moment;
  let high = 1;
  while (!isAfter(high)) high *= 2;
  for (let low = Math.floor(high / 2) + 1; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return dueDate(rule, high);
}

/** Yields the due dates from that of `steps` until `until`, inclusive. */
export function* dueDatesUntil(rule: ScheduleRule, steps: number, until: Date): Generator<DueDate> {
  for (let due = dueDate(rule, steps); due && due.at <= until; due = dueDateAfter(rule, due.steps)) yield due;
}

/** What is wrong with a name that is no time zone. */
export const unknownTimeZone = "is not a time zone; use an IANA name such as Europe/Copenhagen";

/** Names that were asked for: to find out takes milliseconds. */
const timeZones = new LRUCache<string, boolean>({ max: 1_000, memoMethod: isKnownTimeZone });

function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Whether `name` is a time zone known to the runtime. An offset is none: PostgreSQL reads its sign the other way round. */
export function isTimeZone(name: string): boolean {
  return /^[a-z].{0,99}$/i.test(name) && timeZones.memo(name);
}
