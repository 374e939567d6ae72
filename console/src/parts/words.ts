/** Labels for enum values, dates and numbers. */
const named: Record<string, string> = {
  IN_PROGRESS: "In progress",
  ON_HOLD: "On hold",
  ADMIN: "Administrator",
  GRAPHQL: "GraphQL",
  REST: "REST",
  WEBSOCKET: "WebSocket",
};

/** `IN_PROGRESS` → `In progress`. Also handles enum values that this version doesn't know. */
export const wordOf = (value: string | null | undefined): string =>
  value ? (named[value] ?? value.charAt(0).toUpperCase() + value.slice(1).toLowerCase().replaceAll("_", " ")) : "–";

const formats = new Map<string, Intl.DateTimeFormat>();
function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = JSON.stringify(options);
  if (!formats.has(id)) formats.set(id, new Intl.DateTimeFormat(undefined, options));
  return formats.get(id)!;
}
const shown = (value: string | Date | null | undefined, options: Intl.DateTimeFormatOptions): string =>
  value ? format(options).format(new Date(value)) : "–";

export const day = (value: string | Date | null | undefined) => shown(value, { day: "numeric", month: "short", year: "numeric" });
export const shortDay = (value: string | Date | null | undefined) => shown(value, { day: "numeric", month: "short" });
export const weekday = (value: string | Date) => shown(value, { weekday: "long", day: "numeric", month: "long" });
export const time = (value: string | Date | null | undefined) => shown(value, { hour: "2-digit", minute: "2-digit" });
export const moment = (value: string | Date | null | undefined) =>
  shown(value, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
export const month = (value: string | Date) => shown(value, { month: "short", year: "numeric" });

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
/** `3 days ago`, `in 2 weeks`. */
export function ago(value: string | Date, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000;
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  return relative.format(Math.round(seconds / size), unit);
}

const plain = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
export const count = (value: number) => plain.format(value);
export const figure = (value: number | null | undefined, unit = "") =>
  value == null ? "–" : `${compact.format(value)}${unit && ` ${unit}`}`;
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });
/** An unrounded figure, for counts and readings. */
export const exact = (value: number | null | undefined, unit = "") => (value == null ? "–" : `${whole.format(value)}${unit && ` ${unit}`}`);
/** `+2`, `-1`, `0`. */
export const signed = (value: number) => `${value > 0 ? "+" : ""}${whole.format(value)}`;
/** Parses a number with a decimal comma or point. Undefined if the text is not a number. */
export function numberOf(text: string): number | undefined {
  const number = Number(text.trim().replace(",", "."));
  return text.trim() && Number.isFinite(number) ? number : undefined;
}
/** A message from the service, with its timestamps in local format. */
export const withDates = (message: string | undefined): string | undefined =>
  message?.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => moment(instant));
/** Formats a percentage from 0 to 100. */
export const percent = (value: number | null | undefined) =>
  value == null ? "–" : new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 }).format(value / 100);
export function money(value: number | null | undefined, currency?: string | null): string {
  if (value == null) return "–";
  const digits = { maximumFractionDigits: Math.abs(value) >= 1000 ? 0 : 2 };
  return new Intl.NumberFormat(undefined, currency ? { style: "currency", currency, ...digits } : digits).format(value);
}
export const hours = (value: number | null | undefined) =>
  value == null ? "–" : value >= 48 ? `${figure(value / 24)} d` : `${figure(value)} h`;

/** Formats minutes as hours and minutes. */
export function timeSpent(minutes: number): string {
  const whole = Math.round(minutes);
  if (whole < 60) return figure(minutes < 10 ? minutes : whole, "min");
  return [`${count(Math.floor(whole / 60))} h`, whole % 60 ? `${whole % 60} min` : ""].filter(Boolean).join(" ");
}

/** True if the day is before today. */
export function isOverdue(value: string): boolean {
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  return new Date(value) < today;
}
