/** Meters and readings by which a procedure is due, as fields of its form. */
import { t } from "@lingui/core/macro";
import { Plus, Trash2 } from "lucide-react";
import type { ChangeEvent } from "react";
import type { TriggerOperator } from "../../../../packages/client/src/generated/schema.js";
import type { EditorAssetQuery } from "../../generated/editor.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { exact } from "../../parts/words.js";
import { newKey } from "../work/step-drafts.js";
import type { ConditionDraft, MeterDraft } from "./draft.js";
import { operatorWords } from "./schedule-words.js";

type Meters = NonNullable<EditorAssetQuery["asset"]>["meters"];

interface Props<Row> {
  drafts: Row[];
  wrong: Record<string, string>;
  onChange: (drafts: Row[]) => void;
}

export function MeterFields({ meters, drafts, wrong, onChange }: Props<MeterDraft> & { meters: Meters }) {
  const free = meters.filter(({ id }) => !drafts.some((one) => one.meterId === id));
  const set = (index: number, values: Partial<MeterDraft>) =>
    onChange(drafts.map((one, at) => (at === index ? { ...one, ...values } : one)));
  return (
    <div className="stack tight">
      {drafts.map(({ meterId, interval, dueAtTotal }, index) => {
        const meter = meters.find(({ id }) => id === meterId);
        const name = meter?.name ?? t`Deleted meter`;
        return (
          <fieldset key={meterId} className="stack tight boxed">
            <legend className="hidden-text">{t`Due by ${name}`}</legend>
            <div className="grid-2 keep">
              <NumberField
                label={meter ? t`Every, ${meter.unit} of ${name}` : t`Every`}
                min={0}
                required
                value={interval}
                wrong={wrong[`meters.${index}.interval`] ?? wrong[`meters.${index}.meterId`]}
                onChange={({ target }) => set(index, { interval: target.value })}
              />
              <NumberField
                label={t`Next due at`}
                min={0}
                hint={meter && t`Now at ${exact(meter.usage.total, meter.unit)}. Leave empty to count from now.`}
                value={dueAtTotal}
                wrong={wrong[`meters.${index}.dueAtTotal`]}
                onChange={({ target }) => set(index, { dueAtTotal: target.value })}
              />
            </div>
            <RemoveButton label={t`Remove ${name}`} onClick={() => onChange(drafts.filter((_, at) => at !== index))} />
          </fieldset>
        );
      })}
      {free.length > 0 && (
        <Select
          label={t`Also due by a meter`}
          value=""
          onChange={({ target }) => onChange([...drafts, { meterId: target.value, interval: "", dueAtTotal: "" }])}
        >
          <option value="">{t`Choose a meter …`}</option>
          {free.map(({ id, name, unit }) => (
            <option key={id} value={id}>
              {name} ({unit})
            </option>
          ))}
        </Select>
      )}
    </div>
  );
}

const blank: Omit<ConditionDraft, "key"> = {
  parameter: "",
  operator: "GREATER_THAN",
  threshold: "",
  unit: "",
  violations: "1",
  samples: "",
  minimumDuration: "",
  hysteresis: "",
};

export function ConditionFields({ drafts, wrong, onChange }: Props<ConditionDraft>) {
  return (
    <div className="stack tight">
      {drafts.map((one, index) => (
        <ConditionRow
          key={one.key}
          number={index + 1}
          draft={one}
          wrongAt={(field) => wrong[`conditions.${index}.${field}`]}
          onChange={(values) => onChange(drafts.map((each, at) => (at === index ? { ...each, ...values } : each)))}
          onRemove={() => onChange(drafts.filter((_, at) => at !== index))}
        />
      ))}
      <span>
        <button type="button" className="button small" onClick={() => onChange([...drafts, { ...blank, key: newKey() }])}>
          <Plus className="icon" aria-hidden />
          {t`Also due by readings`}
        </button>
      </span>
    </div>
  );
}

interface RowProps {
  number: number;
  draft: ConditionDraft;
  wrongAt: (field: string) => string | undefined;
  onChange: (values: Partial<ConditionDraft>) => void;
  onRemove: () => void;
}

function ConditionRow({ number: place, draft, wrongAt, onChange, onRemove }: RowProps) {
  const shared = (field: Exclude<keyof ConditionDraft, "key" | "operator">) => ({
    value: draft[field],
    wrong: wrongAt(field),
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => onChange({ [field]: target.value }),
  });
  return (
    <fieldset className="stack tight boxed">
      <legend className="hidden-text">{t`Readings, condition ${place}`}</legend>
      <div className="grid-2 keep">
        <TextField label={t`Measured quantity`} required maxLength={255} {...shared("parameter")} />
        <Select label={t`Is`} value={draft.operator} onChange={({ target }) => onChange({ operator: target.value as TriggerOperator })}>
          {Object.entries(operatorWords).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
        <NumberField label={t`Threshold`} required {...shared("threshold")} />
        <TextField label={t`Unit`} {...shared("unit")} />
        <NumberField label={t`Violations needed`} min={1} isWhole {...shared("violations")} />
        <NumberField label={t`Among the last readings`} min={1} isWhole placeholder={draft.violations} {...shared("samples")} />
        <NumberField label={t`For at least, minutes`} min={0} {...shared("minimumDuration")} />
        <NumberField label={t`Must return by`} min={0} {...shared("hysteresis")} />
      </div>
      <RemoveButton label={t`Remove condition ${place}`} onClick={onRemove} />
    </fieldset>
  );
}

const RemoveButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <span className="right">
    <button type="button" className="button plain small icon-only" aria-label={label} onClick={onClick}>
      <Trash2 className="icon" aria-hidden />
    </button>
  </span>
);
