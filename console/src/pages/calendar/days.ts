/** Weeks, starting on Monday. Days are texts such as `2026-11-27`, and belong to no time zone. */
import { addDays, monthStart } from "../../parts/zones.js";

/** The seven days of the day's week. */
export function weekOf(day: string): string[] {
  const start = addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
  return Array.from({ length: 7 }, (_, index) => addDays(start, index));
}

/** The weeks of a month, padded with days of the adjacent months. */
export function weeksOf(first: string): string[][] {
  const weeks: string[][] = [];
  for (let day = weekOf(first)[0]!; day < monthStart(first, 1); day = addDays(day, 7)) weeks.push(weekOf(day));
  return weeks;
}

/** An instant that is the start of the day, or earlier, in every time zone; and one that is the end, or later. */
export const beforeDay = (day: string) => `${addDays(day, -1)}T00:00:00.000Z`;
export const afterDay = (day: string) => `${addDays(day, 2)}T00:00:00.000Z`;

/** Days for which occurrences without a work order are looked for. */
const lateDays = 399;
export const lateSpan = (today: string) => ({ from: beforeDay(addDays(today, -lateDays)), until: beforeDay(addDays(today, 1)) });
