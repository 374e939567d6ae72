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
  gaps: t`Calendar time from the end of a failure to the start of the next failure of the same asset, both in the period. The median has as many shorter as longer intervals. Assets that failed once or never have no interval, so the true times are longer than those shown.`,
  mtbf: t`Operating time divided by failures (MTBF), pooled over all assets. Without failures, the lower bound is the value that the true MTBF exceeds with 90 % confidence.`,
  mttr: t`Mean length of the failures that ended in the period, from the start of the downtime to restoration. Waiting time is included.`,
  planned: t`Man-hours of work approved before the week in which it began, as a share of all man-hours of the orders finished in the period. Orders of the scheduler are approved with their procedure, others when they are created. Man-hours are the labor entries of an order, otherwise its duration. Weeks start on Monday at the site.`,
  hoursByType: t`Hours of the work orders completed in the month, by their type. Corrective work repairs faults; all other types prevent or improve. The share of planned work is computed in another way: by the time of approval.`,
  downtime: t`Hours of required time in which the assets were down, by month in UTC. Open downtimes run to now.`,
  stock: t`Quantity on hand times the moving average, now.`,
} as const;
