/** The period of the reports, and the one before of the same months. */
import { t } from "@lingui/core/macro";
import { addDays, dayAt, instantAt, localAt, monthStart } from "../../parts/zones.js";

export const periods = { "3": t`3 months`, "6": t`6 months`, "12": t`12 months`, "24": t`24 months` } as const;
export type Months = keyof typeof periods;

export interface Period {
  from: string;
  to: string;
}

/** The day `months` earlier, or the last day of that month if it is shorter. */
function earlier(day: string, months: number): string {
  const start = monthStart(day, -months);
  const last = addDays(monthStart(start, 1), -1);
  const same = start.slice(0, 8) + day.slice(8);
  return same > last ? last : same;
}

/** Whole months and the current month so far. The period before ends at the same day and time, so that both have the same length. */
export function periodsOf(months: Months, now: Date, site: string | undefined): { current: Period; before: Period } {
  const [day, time] = localAt(now, site);
  const length = Number(months);
  const start = (later: number) => instantAt(monthStart(day, later), "00:00", site).toISOString();
  return {
    current: { from: start(1 - length), to: now.toISOString() },
    before: { from: start(1 - 2 * length), to: instantAt(earlier(day, length), time, site).toISOString() },
  };
}

/** The part of a period in a month, whose first day is given. Ends at the last millisecond, because filters include both ends. */
export function monthWithin({ from, to }: Period, month: string, site: string | undefined): Period {
  const start = instantAt(month, "00:00", site);
  const end = new Date(instantAt(monthStart(month, 1), "00:00", site).getTime() - 1);
  return {
    from: new Date(Math.max(start.getTime(), Date.parse(from))).toISOString(),
    to: new Date(Math.min(end.getTime(), Date.parse(to))).toISOString(),
  };
}

/** The part of a period in a UTC month, whose first day is given. Ends before the next month, because reliability excludes the end. */
export function utcMonthWithin({ from, to }: Period, month: string): Period {
  const start = `${month}T00:00:00.000Z`;
  const end = `${monthStart(month, 1)}T00:00:00.000Z`;
  return { from: start > from ? start : from, to: end < to ? end : to };
}

/** First days of the months of a period, oldest first. */
export function monthsOf({ from, to }: Period, site: string | undefined): string[] {
  const months: string[] = [];
  for (let month = monthStart(dayAt(from, site)); month <= dayAt(to, site); month = monthStart(month, 1)) months.push(month);
  return months;
}
