/** Steps of an order or a procedure, as fields of a form: added, ordered and removed. */
import { t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { type ChangeEvent, useState } from "react";
import type { StepKind } from "../../../../packages/client/src/generated/schema.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { RowButton, useRowFocus } from "../../parts/row-buttons.js";
import { PositionSelect } from "./position-select.js";
import { StepDetails } from "./step-details.js";
import { blankStep, newKey, type StepDraft } from "./step-drafts.js";

const kinds: [StepKind, string][] = [
  ["TASK", t`Task`],
  ["MEASUREMENT", t`Measurement`],
  ["ISOLATE", t`Isolate`],
  ["VERIFY", t`Verify the isolation`],
  ["RELEASE", t`Release`],
  ["EXCHANGE", t`Exchange unit`],
];

interface Props {
  /** Name of the list in the input. Steps of a procedure also have tools, checks and parts. */
  name: "customSteps" | "addSteps" | "steps";
  /** Asset with the components whose units are exchanged. */
  assetId: string | undefined;
  drafts: StepDraft[];
  /** Messages by path, such as `customSteps.0.parameter`. */
  wrong: Record<string, string>;
  onChange: (drafts: StepDraft[]) => void;
}

export function StepFields({ name, assetId, drafts, wrong, onChange }: Props) {
  const [list, setFocus] = useRowFocus();
  const [said, setSaid] = useState("");

  const set = (index: number, change: Partial<StepDraft>) =>
    onChange(drafts.map((one, at) => (at === index ? { ...one, ...change } : one)));
  const add = () => {
    onChange([...drafts, { ...blankStep, key: newKey() }]);
    setFocus({ at: drafts.length, part: "input" });
  };
  const move = (from: number, to: number) => {
    const after = [...drafts];
    after.splice(to, 0, ...after.splice(from, 1));
    onChange(after);
    setFocus({ at: to, part: `[data-move="${to - from}"]:enabled` });
    setSaid(t`Step ${from + 1} is now step ${to + 1}`);
  };
  const remove = (index: number) => {
    onChange(drafts.filter((_, at) => at !== index));
    if (drafts.length > 1) setFocus({ at: Math.max(0, index - 1), part: "[data-remove]" });
  };

  return (
    <fieldset className="stack tight">
      <legend className="strong">{t`Steps`}</legend>
      <ol className="step-fields stack tight" ref={list} aria-label={t`Steps`}>
        {drafts.map((step, index) => (
          <li key={step.key}>
            <StepRow
              step={step}
              number={index + 1}
              count={drafts.length}
              assetId={assetId}
              withDetails={name === "steps"}
              wrongAt={(field) => wrong[`${name}.${index}.${field}`]}
              onChange={(change) => set(index, change)}
              onMove={(by) => move(index, index + by)}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      <span>
        <button type="button" className="button small" onClick={add}>
          <Plus className="icon" aria-hidden />
          {t`Add step`}
        </button>
      </span>
      <span className="hidden-text" role="status">
        {said}
      </span>
    </fieldset>
  );
}

interface RowProps {
  step: StepDraft;
  number: number;
  count: number;
  assetId: string | undefined;
  withDetails: boolean;
  wrongAt: (field: string) => string | undefined;
  onChange: (change: Partial<StepDraft>) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

function StepRow({ step, number, count, assetId, withDetails, wrongAt, onChange, onMove, onRemove }: RowProps) {
  const shared = (field: "estimatedTime" | "parameter" | "unit" | "minimum" | "maximum") => ({
    value: step[field],
    wrong: wrongAt(field),
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ [field]: event.target.value }),
  });
  return (
    <fieldset className="stack tight">
      <legend className="hidden-text">{t`Step ${number}`}</legend>
      <TextField
        label={t`Step ${number}`}
        required
        maxLength={255}
        value={step.description}
        wrong={wrongAt("description")}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <div className="grid-2 keep">
        <Select
          label={t`Kind`}
          value={step.kind}
          wrong={wrongAt("kind")}
          onChange={(event) => onChange({ kind: event.target.value as StepKind })}
        >
          {kinds.map(([kind, word]) => (
            <option key={kind} value={kind}>
              {word}
            </option>
          ))}
        </Select>
        <NumberField label={t`Estimated minutes`} min={0} {...shared("estimatedTime")} />
      </div>
      {step.kind === "MEASUREMENT" && (
        <div className="grid-2 keep">
          <TextField label={t`Measured quantity`} required {...shared("parameter")} />
          <TextField label={t`Unit`} {...shared("unit")} />
          <NumberField label={t`Lowest allowed`} {...shared("minimum")} />
          <NumberField label={t`Highest allowed`} {...shared("maximum")} />
        </div>
      )}
      {step.kind === "EXCHANGE" && (
        <PositionSelect
          assetId={assetId}
          empty={t`Chosen during the work`}
          value={step.componentId}
          wrong={wrongAt("componentId")}
          onChange={(componentId) => onChange({ componentId })}
        />
      )}
      {withDetails && <StepDetails step={step} number={number} wrongAt={wrongAt} onChange={onChange} />}
      <div className="row wrap spread">
        {step.kind === "ISOLATE" || step.kind === "VERIFY" ? (
          <span className="muted small">{t`Always required`}</span>
        ) : (
          <label className="check">
            <input type="checkbox" checked={step.required} onChange={(event) => onChange({ required: event.target.checked })} />
            {t`Required`}
          </label>
        )}
        <span className="row">
          <RowButton
            label={t`Move step ${number} up`}
            data={{ "data-move": -1 }}
            icon={ArrowUp}
            isDisabled={number === 1}
            onClick={() => onMove(-1)}
          />
          <RowButton
            label={t`Move step ${number} down`}
            data={{ "data-move": 1 }}
            icon={ArrowDown}
            isDisabled={number === count}
            onClick={() => onMove(1)}
          />
          <RowButton label={t`Remove step ${number}`} data={{ "data-remove": "" }} icon={Trash2} onClick={onRemove} />
        </span>
      </div>
    </fieldset>
  );
}
