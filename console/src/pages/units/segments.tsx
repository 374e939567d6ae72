/** Periods of a position or a unit as segments of a time bar. The table below it says the same in full. */
import { t } from "@lingui/core/macro";
import { TimeAxis } from "../../parts/strip.js";
import { day, moment } from "../../parts/words.js";
import { type Period, toneOfUnit } from "./types.js";

interface Props {
  label: string;
  /** Newest first. */
  periods: Pick<Period, "id" | "state" | "condition" | "startedAt" | "endedAt">[];
  /** The text of the segment of the period at this place. */
  nameOf: (index: number) => string;
  site: string | undefined;
}

export function Segments({ label, periods, nameOf, site }: Props) {
  const until = new Date();
  const first = periods.at(-1);
  if (!first) return null;
  const from = new Date(first.startedAt);
  const length = Math.max(1, +until - +from);
  const at = (time: string | null) => Math.min(100, ((time ? +new Date(time) : +until) - +from) / (length / 100));
  return (
    <figure className="strip">
      <ol className="segments" aria-label={label}>
        {periods
          .map((period, index) => ({ ...period, name: nameOf(index) }))
          .reverse()
          .map((period) => (
            <li
              key={period.id}
              className={toneOfUnit(period)}
              style={{ left: `min(${at(period.startedAt)}%, 100% - 3px)`, width: `${at(period.endedAt) - at(period.startedAt)}%` }}
              title={`${period.name}: ${moment(period.startedAt, site)} – ${period.endedAt ? moment(period.endedAt, site) : t`now`}`}
            >
              <span className="clip">{period.name}</span>
            </li>
          ))}
      </ol>
      <TimeAxis from={from} until={until} site={site} />
      <figcaption className="muted small">
        {day(from, site)} – {day(until, site)}
      </figcaption>
    </figure>
  );
}
