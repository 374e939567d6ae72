/** Figures of the period as tiles. Each opens its records, and says how it is computed and how it differs from the period before. */
import { t } from "@lingui/core/macro";
import { Explanation } from "../../parts/explanation.js";
import { changeOf, measures } from "./measures.js";
import type { Measured } from "./use-figures.js";

interface Props {
  /** Ids of the measures shown. Default: all. */
  only?: string[];
  data: Measured;
  before?: Measured;
  currency?: string | null;
  onOpen: (rows: string) => void;
}

export function Tiles({ only, data, before, currency, onOpen }: Props) {
  return (
    <ul className="figures wide-figures" aria-label={t`Figures`}>
      {measures
        .filter(({ id }) => !only || only.includes(id))
        .map((measure) => {
          const value = measure.readOf(data);
          const note = measure.note?.(data);
          const change = before && changeOf(measure, data, before, currency);
          return (
            <li key={measure.id} className="figure">
              <button type="button" className="opens" aria-haspopup="dialog" onClick={() => onOpen(measure.id)}>
                <span className="value">{value == null ? t`Unknown` : measure.format(value, currency)}</span>
                <span className="label">{measure.label}</span>
              </button>
              {value == null && <span className="small muted">{measure.unknown?.(data)}</span>}
              {value != null && note && <span className="small muted">{note}</span>}
              {change && <span className="small">{change}</span>}
              <Explanation of={measure.label} text={measure.explanation} />
            </li>
          );
        })}
    </ul>
  );
}
