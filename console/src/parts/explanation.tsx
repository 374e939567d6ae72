import { t } from "@lingui/core/macro";
/** How a figure is computed, opened on demand. */
export function Explanation({ of, text }: { of: string; text: string }) {
  return (
    <details className="explanation small">
      <summary>{t`How is “${of}” computed?`}</summary>
      <p className="muted">{text}</p>
    </details>
  );
}

/** Definitions of the figures, as in docs/work.md ("Downtime and reliability"). */
export const explanations = {
  costs: t`Sum of labor, parts, contractors and other costs of the work orders completed in the period. Parts are valued at the moving average when issued, minus returns. Costs that nobody entered are missing from the sum.`,
  compliance: t`Planned dates done in time, as a share of the dates that fell due. In time means within a tenth of the interval, at least one day and at most 28 days or half the interval. Statutory work has no tolerance. Cancelled, skipped and collapsed dates count as missed. Work that can still be done in time is left out.`,
  availability: t`Time in which the assets were up, as a share of the time in which they were required. Standby, no demand and external causes are not required time. Overlapping downtimes count once. For several assets, the hours are added up before dividing.`,
  failures: t`Losses of the required function that began in the period. Failures that overlap or adjoin count once.`,
  gaps: t`Operating time from the end of a failure to the start of the next failure of the same asset, both in the period. Other downtimes and time when the asset was not required do not count. The median has as many shorter as longer intervals. Assets that failed once or never have no interval, so the true times are longer than those shown.`,
  mtbf: t`Operating time divided by failures (MTBF), pooled over all assets. Without failures, the lower bound is the value that the true MTBF exceeds with 90 % confidence.`,
  mttr: t`Mean length of the failures that ended in the period, from the start of the downtime to restoration. Waiting time is included.`,
  mttf: t`Operating hours divided by failures. Hours are those of the run-hour meter while a unit was installed, otherwise calendar time. Units that were removed for other reasons, or that still run, count with their hours. Without failures, the lower bound is exceeded with 90 % confidence. From five failures on, a Weibull distribution is fitted; ranges have 90 % confidence.`,
  badActors: t`Positions in which several units failed, and units that failed in several positions, with at least three failures in the period. They are compared with units of the same part elsewhere, or of the same manufacturer and model. Expected are the failures at the rate of the others. Listed are those that chance explains with a probability of at most 1 %.`,
  planned: t`Man-hours of work approved before the week in which it began, as a share of all man-hours of the orders finished in the period. Orders of the scheduler are approved with their procedure, others when they are created. Man-hours are the labor entries of an order, otherwise its duration. Weeks start on Monday at the site.`,
  hoursByType: t`Hours of the work orders completed in the month, by their type. Corrective work repairs faults; all other types prevent or improve. The share of planned work is computed in another way: by the time of approval.`,
  downtime: t`Hours of required time in which the assets were down, by month in UTC. Open downtimes run to now.`,
  onTimeInFull: t`Order lines of which the ordered quantity was accepted by the end of the last promised day at the site, as a share of the lines due in the period. Lines cancelled as a whole are left out. The lead time is the median of the days from sending to the last receipt, of lines completed in the period. Spend is the value of the receipts in the period.`,
  spend: t`Value of the receipts in the period at the prices of the orders, corrected to the invoices, and of accepted services, in the currency of the stock. Reversed receipts are left out.`,
  commitments: t`Price of the open quantities of sent orders, now, by the month of the last promised date.`,
  stockouts: t`Days in the period on which a critical part had no stock at a site where it is kept.`,
  stock: t`Quantity on hand times the moving average, now.`,
} as const;
