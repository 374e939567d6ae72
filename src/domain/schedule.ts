/**
 * Due dates of procedures (decisions.md, "nextDue"): pure functions of a rule and a count of steps. A date is counted from the
 * anchor, never from the date before, so that month ends and moved days do not drift.
 */
import { Temporal } from "temporal-polyfill";
import type { SchedulingRules } from "../schema/procedure.js";
import { weekdays } from "../schema/scalars.js";
import type { ProcedureFrequency } from "../schema/work-vocabulary.js";

export interface ScheduleRule {
  frequency: ProcedureFrequency;
  customIntervalDays?: number | null;
  schedulingRules?: Pick<SchedulingRules, "preferredDay" | "avoidWeekends"> | null;
  anchor: Date;
  /** IANA name: the wall clock that dates are counted by. */
  timeZone: string;
}

export interface DueDate {
  at: Date;
  /** How many steps of the frequency from the anchor. */
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

/** Beyond it a wall clock has no four-digit year. */
const lastYear = 9999;

function intervalOf({ frequency, customIntervalDays }: ScheduleRule): Temporal.Duration | undefined {
  if (frequency === "custom") return customIntervalDays ? Temporal.Duration.from({ days: customIntervalDays }) : undefined;
  return Temporal.Duration.from(intervals[frequency]);
}

const times = ({ years, months, days }: Temporal.Duration, steps: number) =>
  Temporal.Duration.from({ years: years * steps, months: months * steps, days: days * steps });

const nameOf = (date: Temporal.PlainDate | Temporal.PlainDateTime) => {
  const day = weekdays[date.dayOfWeek - 1]!;
  return day[0]!.toUpperCase() + day.slice(1);
};

/** The due date that many steps from the anchor; undefined where the rule has none. */
export function dueDate(rule: ScheduleRule, steps: number): DueDate | undefined {
  const interval = intervalOf(rule);
  if (!interval) return undefined;
  const anchor = Temporal.Instant.fromEpochMilliseconds(rule.anchor.getTime()).toZonedDateTimeISO(rule.timeZone).toPlainDateTime();
  // Beyond the calendar's end there are no dates.
  if (anchor.year + (interval.years + interval.months / 12 + interval.days / 365) * steps >= lastYear) return undefined;
  const counted = anchor.add(times(interval, steps));
  const reasons = [`${rule.frequency} from ${anchor.toPlainDate()}: ${counted.toPlainDate()}`];
  if ((interval.months || interval.years) && counted.day < anchor.day) reasons.push("the month's last day");
  let date = counted;
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

/** The first due date after that of `steps`: dates that are moved onto the same day are one. */
export function dueDateAfter(rule: ScheduleRule, steps: number): DueDate | undefined {
  const before = dueDate(rule, steps);
  for (let next = steps + 1; ; next++) {
    const due = dueDate(rule, next);
    if (!due || !before || due.at > before.at) return due;
  }
}

/** The first due date of step 1 or a later one that is after a moment, found without walking there; undefined where none is. */
export function dueDateBeyond(rule: ScheduleRule, moment: Date): DueDate | undefined {
  const isBeyond = (steps: number) => (dueDate(rule, steps)?.at ?? Infinity) > moment;
  let high = 1;
  while (!isBeyond(high)) high *= 2;
  for (let low = Math.floor(high / 2) + 1; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    if (isBeyond(middle)) high = middle;
    else low = middle + 1;
  }
  return dueDate(rule, high);
}

/** Due dates from that of `steps` on, until a moment. */
export function* dueDatesUntil(rule: ScheduleRule, steps: number, until: Date): Generator<DueDate> {
  for (let due = dueDate(rule, steps); due && due.at <= until; due = dueDateAfter(rule, due.steps)) yield due;
}

/** Whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
