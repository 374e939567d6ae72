/** The form of a procedure, to create or edit one. */
import { t } from "@lingui/core/macro";
import { type FormEvent, type ReactNode, useState } from "react";
import { useQuery } from "urql";
import type { ProcedureStatus, SafetyRequirement } from "../../../../packages/client/src/generated/schema.js";
import { EditorAsset } from "../../generated/editor.js";
import { AssetChoice, ChosenAsset } from "../../parts/asset-choice.js";
import type { Change } from "../../parts/change.js";
import { NumberField, Select, TextArea, TextField } from "../../parts/field.js";
import { messageOf, Refusal } from "../../parts/states.js";
import { wordOf } from "../../parts/words.js";
import { ZoneNote } from "../../parts/zone-note.js";
import { PartFields } from "../work/part-fields.js";
import { PrioritySelect } from "../work/plan-fields.js";
import { StepFields } from "../work/step-fields.js";
import { ConditionFields, MeterFields } from "./counter-fields.js";
import type { Draft } from "./draft.js";
import { DatePreview } from "./preview.js";
import { ScheduleFields } from "./schedule-fields.js";

const statuses: ProcedureStatus[] = ["ACTIVE", "DRAFT", "INACTIVE", "ARCHIVED"];
const safety: SafetyRequirement[] = ["LOCKOUT_TAGOUT", "PPE", "ELECTRICAL_SAFETY", "CHEMICAL_SAFETY", "CONFINED_SPACE", "HOT_WORK"];

/** Paths of the messages that a field shows. */
const besideField = [
  /^(name|description|estimatedDuration|requiredSkills|frequency|customIntervalDays|anchor|missedPolicy|suppressedById)$/,
  /^schedulingRules\.(preferredDay|leadTime)$/,
  /^meters\.\d+\.(interval|meterId|dueAtTotal)$/,
  /^conditions\.\d+\.(parameter|threshold|unit|violations|samples|minimumDuration|hysteresis)$/,
  /^steps\.\d+\.(description|kind|estimatedTime|parameter|unit|minimum|maximum|componentId|tools|checkpoints|safetyNote)$/,
  /^(steps\.\d+\.)?parts\.\d+\.(quantity|partId)$/,
];

/** The message, except what fields show. */
function refusalOf({ wrong, error }: Pick<Change<unknown, never>, "wrong" | "error">): string | undefined {
  const paths = Object.keys(wrong);
  if (!paths.length) return error && messageOf(error);
  const other = paths.filter((path) => !besideField.some((one) => one.test(path)));
  return other.map((path) => `${wordOf(path.replace(/Id$/, ""))}: ${wrong[path]}.`).join(" ");
}

interface Props {
  /** Id of the stored procedure. Undefined for a new one. */
  id?: string;
  draft: Draft;
  /** The stored values. Undefined for a new procedure. */
  before?: Draft;
  onDraft: (draft: Draft) => void;
  verb: string;
  change: Pick<Change<unknown, never>, "wrong" | "error" | "isBusy">;
  isDisabled?: boolean;
  /** A concurrent change, instead of the message. */
  meanwhile?: ReactNode;
  onSubmit: (site: string | undefined) => void;
  onCancel: () => void;
}

export function ProcedureForm({ id, draft, before, onDraft, verb, change, isDisabled, meanwhile, onSubmit, onCancel }: Props) {
  const { wrong, isBusy } = change;
  const [{ data, fetching }] = useQuery({ query: EditorAsset, variables: { id: draft.assetId }, pause: !draft.assetId });
  const asset = data?.asset?.id === draft.assetId ? data.asset : undefined;
  const [isChoosing, setChoosing] = useState(false);
  const set = (values: Partial<Draft>) => onDraft({ ...draft, ...values });
  const site = asset?.site;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(site);
  };
  return (
    <form className="card narrow-wide" onSubmit={submit} aria-busy={isBusy}>
      <div className="body stack form-sections">
        {draft.assetId && !isChoosing ? (
          <ChosenAsset asset={asset} unknown={fetching ? "…" : t`Unknown asset`} onChange={() => setChoosing(true)} />
        ) : (
          <AssetChoice
            onChoose={(assetId) => {
              setChoosing(false);
              // Meters, covering procedures and components belong to the asset.
              const steps = draft.steps.map((step) => ({ ...step, componentId: "" }));
              if (assetId !== draft.assetId) set({ assetId, meters: [], suppressedById: "", steps });
            }}
          />
        )}
        <TextField
          label={t`Name`}
          required
          maxLength={255}
          value={draft.name}
          wrong={wrong.name}
          onChange={({ target }) => set({ name: target.value })}
        />
        <div className="grid-2 keep">
          <PrioritySelect value={draft.priority} onChange={(priority) => set({ priority })} />
          <Select label={t`Status`} value={draft.status} onChange={({ target }) => set({ status: target.value as ProcedureStatus })}>
            {statuses
              .filter((one) => id || one === "ACTIVE" || one === "DRAFT")
              .map((one) => (
                <option key={one} value={one}>
                  {wordOf(one)}
                </option>
              ))}
          </Select>
        </div>
        <TextArea
          label={t`Description`}
          hint={t`Becomes the description of the work orders`}
          value={draft.description}
          wrong={wrong.description}
          onChange={({ target }) => set({ description: target.value })}
        />
        <fieldset className="stack">
          <legend className="strong">{t`Schedule`}</legend>
          <ScheduleFields id={id} draft={draft} asset={asset} wrong={wrong} onChange={set} />
          <DatePreview id={id} draft={draft} before={before} site={site} />
          <MeterFields meters={asset?.meters ?? []} drafts={draft.meters} wrong={wrong} onChange={(meters) => set({ meters })} />
          <ConditionFields drafts={draft.conditions} wrong={wrong} onChange={(conditions) => set({ conditions })} />
        </fieldset>
        <StepFields
          name="steps"
          assetId={draft.assetId || undefined}
          drafts={draft.steps}
          wrong={wrong}
          onChange={(steps) => set({ steps })}
        />
        <fieldset className="stack tight">
          <legend className="strong">{t`Parts of the whole procedure`}</legend>
          <PartFields
            label={t`Add a part`}
            withOptional
            drafts={draft.parts}
            wrongAt={(index) => wrong[`parts.${index}.quantity`] ?? wrong[`parts.${index}.partId`]}
            onChange={(parts) => set({ parts })}
          />
        </fieldset>
        <fieldset className="stack tight">
          <legend className="strong">{t`Safety and skills`}</legend>
          <div className="checks-grid">
            {safety.map((one) => (
              <label key={one} className="check">
                <input
                  type="checkbox"
                  checked={draft.safetyRequirements.includes(one)}
                  onChange={({ target }) =>
                    set({
                      safetyRequirements: safety.filter((each) =>
                        each === one ? target.checked : draft.safetyRequirements.includes(each),
                      ),
                    })
                  }
                />
                {wordOf(one)}
              </label>
            ))}
          </div>
          <div className="grid-2">
            <TextArea
              label={t`Required skills`}
              hint={t`One a line`}
              rows={2}
              value={draft.requiredSkills}
              wrong={wrong.requiredSkills}
              onChange={({ target }) => set({ requiredSkills: target.value })}
            />
            <NumberField
              label={t`Planned duration, minutes`}
              min={0}
              value={draft.estimatedDuration}
              wrong={wrong.estimatedDuration}
              onChange={({ target }) => set({ estimatedDuration: target.value })}
            />
          </div>
        </fieldset>
        <ZoneNote site={site} />
        {meanwhile ?? <Refusal text={refusalOf(change)} />}
        <div className="actions stays">
          <button type="button" className="button" onClick={onCancel}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button primary" disabled={!draft.assetId || !draft.name.trim() || isBusy || isDisabled}>
            {isBusy ? t`Saving …` : verb}
          </button>
        </div>
      </div>
    </form>
  );
}
