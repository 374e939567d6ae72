/** Dates and numbers as spreadsheets of different languages write them. A form with two meanings is refused. */
import { GraphQLError } from "graphql";
import type { CsvSeparator } from "../../schema/exchange/enums.js";
import { parseDateTime } from "../../schema/scalars.js";

const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?:,?\s+(\d{1,2}:\d\d(?::\d\d)?))?$/;
const slashed = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:,?\s+(\d{1,2}:\d\d(?::\d\d)?))?$/;
const forms = "2020-12-31 or 31.12.2020";

/** The time of an ISO 8601 timestamp, of `31.12.2020`, or of a date with slashes whose day is above 12. Local times are in UTC. */
export function instantOf(cell: string): Date {
  const text = cell.trim();
  const byDay = dotted.exec(text);
  if (byDay) return dateOf(byDay[1]!, byDay[2]!, byDay[3]!, byDay[4]);
  const either = slashed.exec(text);
  if (!either) return parseDateTime(text);
  const [, first, second, year, time] = either;
  const [a, b] = [Number(first), Number(second)];
  if (a <= 12 && b <= 12 && a !== b) throw new GraphQLError(`can be read as two dates; write the date as ${forms}`);
  return b > 12 ? dateOf(second!, first!, year!, time) : dateOf(first!, second!, year!, time);
}

function dateOf(day: string, month: string, year: string, time = "00:00"): Date {
  try {
    return parseDateTime(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}T${time.padStart(time.length > 5 ? 8 : 5, "0")}`);
  } catch {
    throw new GraphQLError(`is not a date of the calendar; write the date as ${forms}`);
  }
}

/** A number with a point for decimals. Where a comma does not separate cells, it can be the decimal sign: 12,5 and 1.234,5. */
export function decimalOf(digits: string, separator: CsvSeparator = "comma"): string {
  if (separator === "comma") return digits;
  if (/^[+-]?\d{1,3}(\.\d{3})+,\d+$/.test(digits)) return digits.replaceAll(".", "").replace(",", ".");
  const grouped = separator === "tab" ? /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/ : /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
  if (grouped.test(digits)) {
    const plain = digits.replace(/[.,]/, "");
    throw new GraphQLError(`can be read as two numbers; write ${plain}, or ${digits.replace(",", ".")}0 for a fraction`);
  }
  return /^[+-]?\d*,\d+$/.test(digits) ? digits.replace(",", ".") : digits;
}
