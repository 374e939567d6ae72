/** Due dates of many procedures at once, within bounds of time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PlannedDate } from "./plan-dates.js";
import { type ProjectedProcedure, projectedDates } from "./projection.js";

/** Each takes a tenth of a millisecond and more: those that pass without an order are computed too. */
const mostDates = 20_000;
/** Dates, and what is made of them, after which other requests have their turn. */
const turnAfter = 200;

/**
 * Hands over each date until then that gets a work order, procedure by procedure; `take` returns how much it made of it. Throws the error of `tooMany` where
 * it takes more than 20,000 dates to find them, overdue ones and those that pass included.
 */
export async function eachDueDate(
  procedures: readonly ProjectedProcedure[],
  { now, until }: Record<"now" | "until", Date>,
  tooMany: () => Error,
  take: (procedure: ProjectedProcedure, date: PlannedDate) => number,
): Promise<void> {
  let computed = 0;
  let sinceTurn = 0;
  for (const procedure of procedures) {
    for (const date of projectedDates(procedure, now, until)) {
      if (++computed > mostDates) throw tooMany();
      sinceTurn += date.outcome ? 1 : take(procedure, date);
      if (sinceTurn <= turnAfter) continue;
      sinceTurn = 0;
      await nextTurn();
    }
  }
}
