/**
 * Due dates of procedures (docs/decisions.md, "nextDue"), as pure functions of a rule and a number of intervals. Every date is computed
 * from the anchor, not from the previous date, so that month ends and moved days do not drift.
 */
import { LRUCache } from "lru-cache";
import { Temporal } from "temporal-polyfill";
import type { Holiday } from "../../../schema/assets/place.js";
import type { DateReasonKind, DateShift, ProcedureFrequency } from "../../../schema/maintenance/enums.js";
import type { SchedulingRules } from "../../../schema/maintenance/procedures/procedure.js";
import { weekdays } from "../../../schema/scalars.js";

export interface ScheduleRule {
  frequency: ProcedureFrequency;
  customIntervalDays?: number | null;
  schedulingRules?: Pick<SchedulingRules, "preferredDay" | "avoidWeekends"> | null;
  /** Dates of a statutory procedure only move to an earlier day. */
  statutory?: boolean;
  /** Moves dates on days off and holidays in the direction of `shift`. */
  workingDaysOnly?: boolean;
  shift?: DateShift;
  anchor: Date;
  /** IANA name. Intervals are added in local time. */
  timeZone: string;
  /** Working days of the site. Default: Monday to Friday. */
  workingDays?: readonly string[] | null;
  holidays?: readonly Holiday[] | null;
}

/** One step in the computation of the date. */
export interface DateReason {
  kind: DateReasonKind;
  text: string;
}

export interface DueDate {
  at: Date;
  /** Number of intervals since the anchor. */
  steps: number;
  reasons: DateReason[];
  /** The texts of `reasons`. */
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

/** The length of each interval in whole days. */
export const daysOf: Record<Exclude<ProcedureFrequency, "custom">, number> = {
  daily: 1,
  weekly: 7,
  "bi-weekly": 14,
  monthly: 30,
  quarterly: 91,
  "semi-annual": 182,
  annual: 365,
};

export const intervalDays = ({ frequency, customIntervalDays }: Pick<ScheduleRule, "frequency" | "customIntervalDays">): number =>
  frequency === "custom" ? (customIntervalDays ?? 0) : daysOf[frequency];

export const dayMs = 86_400_000;

type Interval = Pick<ScheduleRule, "frequency" | "customIntervalDays">;

/** Tolerance before and after the due date (docs/decisions.md, "compliance"). One day for a plan without dates. */
export function toleranceMs(rule: Interval): number {
  const days = intervalDays(rule);
  return Math.min(Math.max(days / 10, 1), 28, days ? days / 2 : 1) * dayMs;
}

/** Latest time at which work due then is on time. Statutory work must be completed by the end of its day. */
export function lastInTime(rule: Interval & Pick<ScheduleRule, "statutory" | "timeZone">, due: Date): Date {
  const last = due.getTime() + toleranceMs(rule);
  if (!rule.statutory) return new Date(last);
  const midnight = localTime(due, rule.timeZone).toPlainDate().add({ days: 1 }).toZonedDateTime(rule.timeZone);
  return new Date(Math.min(last, midnight.epochMilliseconds - 1));
}

const nameOf = (date: Temporal.PlainDate | Temporal.PlainDateTime) => {
  const day = weekdays[date.dayOfWeek - 1]!;
  return day[0]!.toUpperCase() + day.slice(1);
};

const localTime = (at: Date, timeZone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();

/** The calendar date of a moment at a site. */
export const localDay = (at: Date, timeZone: string): string => localTime(at, timeZone).toPlainDate().toString();

/** After this many consecutive days off, the date does not move. */
const mostDaysOff = 366;

const mondayToFriday = weekdays.slice(0, 5);

/** Moves a date to the next working day in the direction of the rule. Adds a reason for each holiday on the way. */
function toWorkingDay(rule: ScheduleRule, date: Temporal.PlainDateTime, reasons: DateReason[]): Temporal.PlainDateTime {
  const workingDays = new Set<string>(rule.workingDays?.length ? rule.workingDays : mondayToFriday);
  const holidays = new Map((rule.holidays ?? []).map(({ date: day, name }) => [day, name]));
  const direction = rule.statutory || rule.shift === "earlier" ? -1 : 1;
  const passed: DateReason[] = [];
  let moved = date;
  for (let days = 0; days < mostDaysOff; days++) {
    const day = moved.toPlainDate().toString();
    const holiday = holidays.get(day);
    if (holiday !== undefined) passed.push({ kind: "holiday", text: `${day} is a holiday (${holiday})` });
    else if (!workingDays.has(weekdays[moved.dayOfWeek - 1]!)) passed.push({ kind: "day_off", text: `${day} is no working day` });
    else {
      if (days) {
        const kind = direction < 0 ? "moved_earlier" : "moved_later";
        reasons.push(...passed, { kind, text: `moved ${direction < 0 ? "earlier" : "later"} to ${nameOf(moved)} ${day}` });
      }
      return moved;
    }
    moved = moved.add({ days: direction });
  }
  return date;
}

/** The last anchor in local time. The many dates of a plan have the same, and its conversion takes a third of the time of a date. */
let lastAnchor: { ms: number; timeZone: string; local: Temporal.PlainDateTime } | undefined;

function localAnchor({ anchor, timeZone }: ScheduleRule): Temporal.PlainDateTime {
  const ms = anchor.getTime();
  if (lastAnchor?.ms !== ms || lastAnchor.timeZone !== timeZone) lastAnchor = { ms, timeZone, local: localTime(anchor, timeZone) };
  return lastAnchor.local;
}

/** Returns the due date `steps` intervals after the anchor. Undefined for a custom rule without an interval, and after the year 9998. */
export function dueDate(rule: ScheduleRule, steps: number): DueDate | undefined {
  const interval = intervalOf(rule);
  if (!interval) return undefined;
  const anchor = localAnchor(rule);
  if (anchor.year + (interval.years + interval.months / 12 + interval.days / 365) * steps >= lastYear) return undefined;
  const computed = anchor.add(multiply(interval, steps));
  const reasons: DateReason[] = [{ kind: "interval", text: `${rule.frequency} from ${anchor.toPlainDate()}: ${computed.toPlainDate()}` }];
  if ((interval.months || interval.years) && computed.day < anchor.day) reasons.push({ kind: "month_end", text: "the month's last day" });
  let date = computed;
  const preferred = weekdays.indexOf(rule.schedulingRules?.preferredDay?.toLowerCase() as (typeof weekdays)[number]) + 1;
  if (preferred && date.dayOfWeek !== preferred) {
    const later = (preferred - date.dayOfWeek + 7) % 7;
    date = date.add({ days: rule.statutory ? later - 7 : later });
    reasons.push({ kind: "preferred_day", text: `moved ${rule.statutory ? "back " : ""}to ${nameOf(date)}` });
  }
  if (rule.schedulingRules?.avoidWeekends && date.dayOfWeek > 5) {
    date = date.add({ days: rule.statutory ? 5 - date.dayOfWeek : 8 - date.dayOfWeek });
    reasons.push({ kind: "weekend", text: `off the weekend to ${nameOf(date)}` });
  }
  if (rule.workingDaysOnly) date = toWorkingDay(rule, date, reasons);
  const at = new Date(date.toZonedDateTime(rule.timeZone).epochMilliseconds);
  return { at, steps, reasons, reason: reasons.map(({ text }) => text).join(", ") };
}

/** Returns the next due date after that of `steps`, which is `at`. Dates moved to the same day count once. */
export function dueDateAfter(rule: ScheduleRule, steps: number, at = dueDate(rule, steps)?.at): DueDate | undefined {
  for (let next = steps + 1; ; next++) {
    const due = dueDate(rule, next);
    if (!due || !at || due.at > at) return due;
  }
}

/** Returns the first due date after `moment`, from step `first` on. Undefined if there is none. */
export function dueDateBeyond(rule: ScheduleRule, moment: Date, first = 1): DueDate | undefined {
  const begin = dueDate(rule, first);
  if (!begin || begin.at > moment) return begin;
  const isAfter = (steps: number) => (dueDate(rule, steps)?.at ?? Infinity) > moment;
  // The last step that is not after, and one that is. The search begins at the step that the interval's length suggests.
  let low = first;
  let high = first + Math.max(1, Math.floor((moment.getTime() - begin.at.getTime()) / (intervalDays(rule) * dayMs)));
  for (let width = 1; !isAfter(high); width *= 2) {
    low = high;
    high += width;
  }
  for (let width = 1; high - width > low && isAfter(high - width); width *= 2) high -= width;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isAfter(middle)) high = middle;
    else low = middle;
  }
  return dueDate(rule, high);
}

/** Yields the due dates from that of `steps` until `until`, inclusive. */
export function* dueDatesUntil(rule: ScheduleRule, steps: number, until: Date): Generator<DueDate> {
  for (let due = dueDate(rule, steps); due && due.at <= until; due = dueDateAfter(rule, due.steps, due.at)) yield due;
}

/** The problem of an invalid time zone name. */
export const unknownTimeZone = "is not a time zone; use an IANA name such as Europe/Copenhagen";

/** Caches checked names, because a check takes milliseconds. */
const timeZones = new LRUCache<string, boolean>({ max: 1_000, memoMethod: isKnownTimeZone });

function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Whether the runtime knows `name` as a time zone. Offsets are rejected, because PostgreSQL inverts their sign. */
export function isTimeZone(name: string): boolean {
  return /^[a-z].{0,99}$/i.test(name) && timeZones.memo(name);
}
