/** Days in the browser's time zone. */
export const keyOf = (date: Date): string =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

/** Accepts `2026-11-23`, or `2026-11` for the first of the month. */
export function dateOfKey(key: string | undefined): Date | undefined {
  const found = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(key ?? "");
  return found ? new Date(Number(found[1]), Number(found[2]) - 1, Number(found[3] ?? 1)) : undefined;
}

export const shift = (date: Date, days: number) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** The first day of the date's month, or of the month `later` months on. */
export const monthOf = (date: Date, later = 0) => new Date(date.getFullYear(), date.getMonth() + later, 1);

/** The weeks of a month, starting on Monday, padded with days of the adjacent months. */
export function weeksOf(first: Date): Date[][] {
  const start = shift(first, -((first.getDay() + 6) % 7));
  const weeks: Date[][] = [];
  for (let day = start; day.getMonth() === first.getMonth() || day <= first; day = shift(day, 7))
    weeks.push(Array.from({ length: 7 }, (_, index) => shift(day, index)));
  return weeks;
}

/** The same time of day on another day. */
export const onDay = (time: Date, day: Date) =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), time.getHours(), time.getMinutes(), time.getSeconds());
