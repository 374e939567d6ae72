/** Labels for enum values, dates and numbers. */
import { t } from "@lingui/core/macro";
import { locale } from "../language/language.js";
import { enumLabels, unitLabels } from "./enum-labels.js";
import { typedNumber, writtenNumber } from "./typed-number.js";
import { differs, zoneOf } from "./zones.js";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `IN_PROGRESS` → `In progress`. Also handles enum values that this version doesn't know, and free text such as types of assets. */
export const wordOf = (value: string | null | undefined): string =>
  value ? (enumLabels[value] ?? capital(unitLabels[value] ?? value.toLowerCase().replaceAll("_", " "))) : "–";

/** A unit of measure as it follows a quantity. Empty if unknown. */
export const unitWord = (unit: string | null | undefined): string => (unit ? (unitLabels[unit] ?? unit.toLowerCase()) : "");

type Value = string | Date | null | undefined;
type Site = string | null | undefined;

const formats = new Map<string, Intl.DateTimeFormat>();
function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = JSON.stringify(options);
  if (!formats.has(id)) formats.set(id, new Intl.DateTimeFormat(locale, options));
  return formats.get(id)!;
}
/** Dates in the time zone of a site. A time of day names the zone where it differs from the browser's. */
function shown(value: Value, site: Site, options: Intl.DateTimeFormatOptions): string {
  if (!value) return "–";
  const at = new Date(value);
  const timeZone = zoneOf(site);
  const name = options.hour && differs(timeZone, at.getTime()) ? ({ timeZoneName: "short" } as const) : {};
  return format({ ...options, ...name, timeZone }).format(at);
}

const dayOptions = { day: "numeric", month: "short", year: "numeric" } as const;
const timeOptions = { hour: "2-digit", minute: "2-digit" } as const;
export const day = (value: Value, site?: Site) => shown(value, site, dayOptions);
export const weekday = (value: string | Date, site?: Site) => shown(value, site, { weekday: "long", day: "numeric", month: "long" });
export const withoutYear = (value: Value, site?: Site) => shown(value, site, { day: "numeric", month: "short" });
export const moment = (value: Value, site?: Site) => shown(value, site, { ...dayOptions, ...timeOptions });
export const month = (value: string | Date, site?: Site) => shown(value, site, { month: "short", year: "numeric" });
export const shortMonth = (value: string | Date, site?: Site) => shown(value, site, { month: "short", year: "2-digit" });

/** A day such as `2026-11-27`, or the first of a month such as `2026-11`, which belongs to no time zone. */
export const dayWord = (day: string, options: Intl.DateTimeFormatOptions): string =>
  format({ ...options, timeZone: "UTC" }).format(new Date(day));

/** Names of weekdays in the graph, from Monday. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** `monday` → `Monday`. 1 January 2024 was a Monday. */
export const weekdayName = (name: string): string =>
  dayWord(`2024-01-0${1 + weekdays.findIndex((one) => one === name.toLowerCase())}`, { weekday: "long" });

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
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

const plain = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
export const count = (value: number) => plain.format(value);
export const figure = (value: number | null | undefined, unit = "") =>
  value == null ? "–" : `${compact.format(value)}${unit && ` ${unit}`}`;
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
/** An unrounded figure, for counts and readings. */
export const exact = (value: number | null | undefined, unit = "") => (value == null ? "–" : `${whole.format(value)}${unit && ` ${unit}`}`);
/** `+2`, `-1`, `0`. */
export const signed = (value: number) => `${value > 0 ? "+" : ""}${whole.format(value)}`;
/** The number that a text means in the console's language. Undefined if the text is no number, or could be two. */
export function numberOf(text: string): number | undefined {
  const typed = typedNumber(text, locale);
  return typeof typed === "number" ? typed : undefined;
}
/** The reason why a typed text is not a number. Undefined for numbers and empty texts. */
export function notANumber(text: string): string | undefined {
  const typed = typedNumber(text, locale);
  if (!text.trim() || typeof typed === "number") return undefined;
  if (!typed) return t`Not a number`;
  const [fraction, thousands] = [numberText(typed.fraction), numberText(typed.whole)];
  return t`${text.trim()} can be read as ${fraction} or ${thousands}; write ${thousands} or ${fraction}`;
}
/** A number in a text field, as `numberOf` reads it. */
export const numberText = (value: number | null | undefined): string => (value == null ? "" : writtenNumber(value, locale));
/** A message from the service, with its timestamps in local format. */
export const withDates = (message: string | undefined, site?: Site): string | undefined =>
  message?.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => moment(instant, site));
/** Formats a percentage from 0 to 100. */
export const percent = (value: number | null | undefined) =>
  value == null ? "–" : new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }).format(value / 100);
export function money(value: number | null | undefined, currency?: string | null): string {
  if (value == null) return "–";
  const digits = { maximumFractionDigits: Math.abs(value) >= 1000 ? 0 : 2 };
  return new Intl.NumberFormat(locale, currency ? { style: "currency", currency, ...digits } : digits).format(value);
}
/** An amount to the last cent, for bills and sums. */
export const amount = (value: number, currency?: string | null): string =>
  new Intl.NumberFormat(locale, currency ? { style: "currency", currency } : { minimumFractionDigits: 2, maximumFractionDigits: 4 }).format(
    value,
  );
export const hours = (value: number | null | undefined) =>
  value == null ? "–" : value >= 48 ? `${figure(value / 24)} d` : `${figure(value)} h`;

/** Formats minutes as hours and minutes. */
export function timeSpent(minutes: number): string {
  const whole = Math.round(minutes);
  if (whole < 60) return figure(minutes < 10 ? minutes : whole, "min");
  return [`${count(Math.floor(whole / 60))} h`, whole % 60 ? t`${whole % 60} min` : ""].filter(Boolean).join(" ");
}
