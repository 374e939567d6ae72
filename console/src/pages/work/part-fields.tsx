/** Parts of an order or a procedure with their quantities, as fields of a form. */
import { t } from "@lingui/core/macro";
import { Trash2 } from "lucide-react";
import { NumberField } from "../../parts/field.js";
import { type ChosenPart, PartChoice } from "../../parts/part-choice.js";
import { numberOf, unitWord } from "../../parts/words.js";

export interface PartDraft {
  part: ChosenPart;
  quantity: string;
  /** Only parts of procedures can be optional. */
  isOptional?: boolean;
}

export const partsOf = (drafts: PartDraft[]) => drafts.map(({ part, quantity }) => ({ partId: part.id, quantity: numberOf(quantity)! }));

interface Props {
  label: string;
  drafts: PartDraft[];
  /** Ids of parts that the form lists elsewhere. */
  without?: string[];
  /** Whether parts can be optional. */
  withOptional?: boolean;
  /** The message at a draft's quantity. */
  wrongAt: (index: number) => string | undefined;
  onChange: (drafts: PartDraft[]) => void;
}

export function PartFields({ label, drafts, without = [], withOptional, wrongAt, onChange }: Props) {
  return (
    <div className="stack tight">
      {drafts.map(({ part, quantity, isOptional = false }, index) => (
        <div key={part.id} className={withOptional ? "row wrap" : "row"} style={{ alignItems: "flex-end" }}>
          <div className="grow">
            <NumberField
              label={`${part.name}, ${unitWord(part.unitOfMeasure) || t`quantity`}`}
              min={0}
              required
              value={quantity}
              wrong={wrongAt(index)}
              onChange={({ target }) => onChange(drafts.map((one, at) => (at === index ? { ...one, quantity: target.value } : one)))}
            />
          </div>
          {withOptional && (
            <label className="check">
              <input
                type="checkbox"
                aria-label={t`${part.name} is optional`}
                checked={isOptional}
                onChange={({ target }) => onChange(drafts.map((one, at) => (at === index ? { ...one, isOptional: target.checked } : one)))}
              />
              {t`Optional`}
            </label>
          )}
          <button
            type="button"
            className="button icon-only"
            aria-label={t`Remove ${part.name}`}
            onClick={() => onChange(drafts.filter((_, at) => at !== index))}
          >
            <Trash2 className="icon" aria-hidden />
          </button>
        </div>
      ))}
      <PartChoice
        label={label}
        without={[...without, ...drafts.map(({ part }) => part.id)]}
        onChoose={(part) => onChange([...drafts, { part, quantity: "1" }])}
      />
    </div>
  );
}
