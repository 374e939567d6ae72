/** Hours and failures of a position or of a unit. */
import { plural, t } from "@lingui/core/macro";
import { type ReactNode, useId } from "react";
import type { UnitFiguresFragment } from "../../generated/units.js";
import { Explanation, explanations } from "../../parts/explanation.js";
import { FactList } from "../../parts/facts.js";
import { count, figure } from "../../parts/words.js";

const inHours = (value: number) => figure(value, "h");

const sources: Record<string, string> = {
  METER: t`by the run-hour meter`,
  CALENDAR: t`by the calendar`,
  MIXED: t`partly by the run-hour meter`,
};

type Estimate = NonNullable<UnitFiguresFragment["weibull"]>["shape"];

const between = ({ value, lower, upper }: Estimate, shown: (value: number) => string) =>
  t`${shown(value)} (${shown(lower)} to ${shown(upper)})`;

interface Props {
  figures: UnitFiguresFragment;
  /** The unit's own hours, installations with an unknown start included. */
  hoursOfUnit?: { total: number; basis: string | null };
}

export function UnitFigures({ figures, hoursOfUnit }: Props): ReactNode {
  const id = useId();
  const { failures, censored, excluded, mttf, mttfLowerBound90, weibull } = figures;
  const { total, basis } = hoursOfUnit ?? { total: figures.hours, basis: figures.basis };
  return (
    <section className="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{t`Reliability`}</h2>
      </header>
      <div className="body stack">
        <FactList
          facts={[
            [t`Operating hours`, basis && `${inHours(total)} · ${sources[basis]}`],
            [t`Failures`, count(failures)],
            [t`Removed otherwise or still running`, count(censored)],
            [
              t`Mean time to failure (MTTF)`,
              mttf == null ? mttfLowerBound90 != null && t`over ${inHours(mttfLowerBound90)} (90% confidence)` : inHours(mttf),
            ],
            [t`B10 life`, weibull && between(weibull.b10Life, inHours)],
            [t`Weibull shape`, weibull && between(weibull.shape, figure)],
          ]}
        />
        {excluded > 0 && (
          <p className="muted small">
            {plural(excluded, {
              one: "# installation is left out, because its start is unknown.",
              other: "# installations are left out, because their start is unknown.",
            })}
          </p>
        )}
        <Explanation of={t`Mean time to failure (MTTF)`} text={explanations.mttf} />
      </div>
    </section>
  );
}
