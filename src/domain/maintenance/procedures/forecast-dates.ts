/** Due dates of many procedures, with a limit on computing time. */
import { hasPlainDates, type PlannedDate } from "./plan-dates.js";
import { type ProjectedProcedure, projectedDates } from "./projection.js";
import { planOf } from "./timed-procedures.js";
import { inTurns } from "./turns.js";

/** A date takes 0.1 ms or more. Dates without a work order count too. */
const mostDates = 20_000;

/**
 * Passes each date that gets a work order to `take`, procedure by procedure. Throws the error of
 * `tooMany` after 20,000 dates, including those without a work order.
 */
export async function eachDueDate(
  procedures: readonly ProjectedProcedure[],
  { now, until }: { now: Date; until: Date | ((procedure: ProjectedProcedure) => Date) },
  tooMany: () => Error,
  take: (procedure: ProjectedProcedure, date: PlannedDate) => void,
): Promise<void> {
  let computed = 0;
  const turn = inTurns();
  for (const procedure of procedures) {
    const end = until instanceof Date ? until : until(procedure);
    for (const date of projectedDates(procedure, now, end, hasPlainDates(planOf(procedure)))) {
      if (++computed > mostDates) throw tooMany();
      if (!date.outcome) take(procedure, date);
      await turn();
    }
    await turn();
  }
}
