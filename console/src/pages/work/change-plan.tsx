/** Changes what a pending order plans: its description, steps and parts. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { ChangePlan } from "../../generated/order-actions.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { numberText } from "../../parts/words.js";
import { heldOf } from "./held.js";
import { type PartDraft, PartFields, partsOf } from "./part-fields.js";
import { type StepDraft, stepsOf } from "./step-drafts.js";
import { StepFields } from "./step-fields.js";
import type { Order } from "./types.js";

/** Steps that the service removes. Others are skipped with a reason. */
const isRemovable = ({ status, required, kind }: Order["steps"][number]) =>
  status === "PENDING" && !required && (kind === "TASK" || kind === "MEASUREMENT" || kind === "EXCHANGE");

export function ChangePlanDialog({ order, onRefused, onClose }: { order: Order; onRefused: () => void; onClose: () => void }) {
  const change = useChange(ChangePlan, { onRefused });
  const [base] = useState(order);
  const [description, setDescription] = useState(base.description ?? "");
  const [removed, setRemoved] = useState<number[]>([]);
  const [added, setAdded] = useState<StepDraft[]>([]);
  const planned = base.requiredParts.filter(({ quantity }) => quantity > 0);
  const [parts, setParts] = useState<PartDraft[]>(() => planned.map(({ part, quantity }) => ({ part, quantity: numberText(quantity) })));
  const removable = base.steps.filter(isRemovable);
  const before = new Map(planned.map(({ partId, quantity }) => [partId, quantity]));
  const changed = partsOf(parts).filter(({ partId, quantity }) => before.get(partId) !== quantity);
  const gone = planned.filter(({ partId }) => !parts.some(({ part }) => part.id === partId));
  const input = {
    ...(description.trim() !== (base.description ?? "") && { description: description.trim() || null }),
    ...(removed.length && { removeSteps: removed }),
    ...(added.length && { addSteps: stepsOf(added) }),
    ...(changed.length && { parts: changed }),
    ...(gone.length && { removeParts: gone.map(({ partId }) => partId) }),
  };
  const { wrong, error, isBusy } = change;
  const refusal = messageBeside(error, "description", "addSteps", "parts");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await change.run({ id: base.id, expectedVersion: base.version, input }, t`Saved`)) onClose();
  };
  const toggle = (number: number, isRemoved: boolean) =>
    setRemoved(isRemoved ? [...removed, number] : removed.filter((one) => one !== number));
  return (
    <Dialog title={t`Change the plan`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit} aria-busy={isBusy}>
        <TextArea
          label={t`Description`}
          value={description}
          wrong={wrong.description}
          onChange={(event) => setDescription(event.target.value)}
        />
        {removable.length > 0 && (
          <fieldset className="stack tight">
            <legend className="strong">{t`Remove steps`}</legend>
            {removable.map(({ order: number, description: text }) => (
              <label key={number} className="check anywhere">
                <input type="checkbox" checked={removed.includes(number)} onChange={({ target }) => toggle(number, target.checked)} />
                {`${number}. ${text}`}
              </label>
            ))}
          </fieldset>
        )}
        <StepFields name="addSteps" assetId={base.assetId} drafts={added} wrong={wrong} onChange={setAdded} />
        <fieldset className="stack tight">
          <legend className="strong">{t`Parts`}</legend>
          {planned.some((line) => heldOf(line) > 0) && <p className="hint">{t`Quantities include what is already issued.`}</p>}
          <PartFields
            label={t`Add a part`}
            drafts={parts}
            wrongAt={(index) => {
              const at = changed.findIndex(({ partId }) => partId === parts[index]?.part.id);
              return wrong[`parts.${at}.quantity`] ?? wrong[`parts.${at}.partId`];
            }}
            onChange={setParts}
          />
        </fieldset>
        <Refusal text={refusal} />
        <DialogActions verb={isBusy ? t`Saving …` : t`Save`} isDisabled={isBusy || !Object.keys(input).length} onClose={onClose} />
      </form>
    </Dialog>
  );
}
