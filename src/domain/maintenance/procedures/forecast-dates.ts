/** Due dates of many procedures, with a limit on computing time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PlannedDate } from "./plan-dates.js";
import { type ProjectedProcedure, projectedDates } from "./projection.js";

/** A date takes 0.1 ms or more. Dates without a work order count too. */
const mostDates = 20_000;
/** Dates and their results between yields to the event loop. */
const turnAfter = 200;

/**
 * Passes each date that gets a work order to `take`, procedure by procedure. `take` returns the number of its results. Throws the error of
 * `tooMany` after 20,000 dates, including overdue dates and those without a work order.
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
