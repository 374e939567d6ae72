/** Period of reports: a start, and an exclusive end. */
import { ArgsType, Field } from "type-graphql";
import { badInput } from "./errors.js";
import { DateTime } from "./scalars.js";

@ArgsType()
export class PeriodArgs {
  @Field(() => DateTime, { nullable: true, description: "Start of the period. Default: one year before the end." })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "End of the period (exclusive). Default: now." })
  to?: Date | null;
}

export interface Period {
  from: Date;
  to: Date;
}

/** Longest period in years. Bounds the number of months in a trend. */
const mostYears = 20;

/** Throws BAD_USER_INPUT naming from if the period is empty or longer than `mostYears`. */
export function checkedPeriod({ from, to }: PeriodArgs, now: Date): Period {
  const end = to ?? now;
  const begin = from ?? yearsBefore(end, 1);
  if (begin >= end) throw badInput({ from: "must be before to" });
  if (begin < yearsBefore(end, mostYears)) throw badInput({ from: "must be at most 20 years before to" });
  return { from: begin, to: end };
}

/** As PostgreSQL subtracts years: a year before 29 February is 28 February, unless that is a leap year too. */
function yearsBefore(at: Date, years: number): Date {
  const [year, month] = [at.getUTCFullYear() - years, at.getUTCMonth()];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(at.getUTCDate(), lastDay), ...timeOf(at)));
}

const timeOf = (at: Date): [number, number, number, number] => [
  at.getUTCHours(),
  at.getUTCMinutes(),
  at.getUTCSeconds(),
  at.getUTCMilliseconds(),
];
