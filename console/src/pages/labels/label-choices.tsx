/** The labels to choose from, on the screen. */
import { t } from "@lingui/core/macro";
import { type Label, LabelFace } from "../../parts/label-sheets.js";

interface Props {
  labels: Label[];
  omitted: ReadonlySet<string>;
  onChange: (id: string, isChosen: boolean) => void;
}

export const LabelChoices = ({ labels, omitted, onChange }: Props) => (
  <ul className="label-choices" aria-label={t`Labels`}>
    {labels.map((label) => (
      <li key={label.id} className="card">
        <label>
          <input
            type="checkbox"
            aria-label={[label.code, label.name, label.place].filter(Boolean).join(", ")}
            checked={!omitted.has(label.id)}
            onChange={(event) => onChange(label.id, event.target.checked)}
          />
          <LabelFace label={label} />
        </label>
      </li>
    ))}
  </ul>
);
