/** Completes an order: time spent, parts used, failure found. */
import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { CompleteOrder } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { plus } from "../../parts/decimals.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, TextArea } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { exact, numberOf, numberText } from "../../parts/words.js";
import { CodeFields, codeFields, codeInput, codesOf } from "./failure-codes.js";
import { heldOf } from "./held.js";
import { workedMinutes } from "./labor.js";
import { type PartDraft, PartFields, partsOf } from "./part-fields.js";
import { releaseOf, requiredSteps } from "./step-rules.js";
import type { Code, Line, Order } from "./types.js";

/** Held, and still reserved. After a reopening, the issues of the first completion count. */
const expectedOf = (line: Line): number => plus(heldOf(line), line.reserved);

interface Props {
  order: Order;
  codes: Code[];
  onRefused: () => void;
  onClose: () => void;
}

export function Complete({ order, codes, onRefused, onClose }: Props) {
  const complete = useChange(CompleteOrder, { waits: true, onRefused });
  const [minutes, setMinutes] = useState(() => (order.labor.length ? numberText(workedMinutes(order)) : ""));
  const [notes, setNotes] = useState(order.notes ?? "");
  const [draft, setDraft] = useState(() => codesOf(order));
  const [used, setUsed] = useState(() => order.requiredParts.map((one) => numberText(expectedOf(one))));
  const [unplanned, setUnplanned] = useState<PartDraft[]>([]);
  const open = requiredSteps(order.steps).length;
  const release = releaseOf(order.steps);
  const outside = order.steps.filter(
    (step) => step.result === "FAIL" && !order.followUps.some(({ followUpOfStep }) => followUpOfStep === step.order),
  );
  const isRepair = order.type === "CORRECTIVE";
  const refusal = messageBeside(complete.error, "duration", "usedParts", "notes", ...(isRepair ? codeFields : []));
  const wrongPart = (index: number) => complete.wrong[`usedParts.${index}.quantity`] ?? complete.wrong[`usedParts.${index}.partId`];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await complete.run(
      {
        id: order.id,
        input: {
          duration: numberOf(minutes),
          ...(notes.trim() && { notes: notes.trim() }),
          ...(isRepair && codeInput(draft)),
          usedParts: [
            ...order.requiredParts.map(({ partId }, index) => ({ partId, quantity: numberOf(used[index]!)! })),
            ...partsOf(unplanned),
          ],
        },
      },
      t`Work completed`,
    );
    if (done) onClose();
  };

  return (
    <Dialog title={t`Complete the work`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {open > 0 && (
          <p className="note warn">
            {plural(open, {
              one: "One required step is open. Do it or skip it first.",
              other: "# required steps are open. Do or skip them first.",
            })}
          </p>
        )}
        {release && <p className="note warn">{t`The asset is isolated. Do step ${release.order}, ${release.description}, first.`}</p>}
        {outside.length > 0 && (
          <div className="note warn stack tight">
            <p>
              {plural(outside.length, {
                one: "One measurement is outside its limits without a follow-up work order.",
                other: "# measurements are outside their limits without a follow-up work order.",
              })}
            </p>
            <ul>
              {outside.map((step) => (
                <li key={step.id} className="anywhere">
                  {t`Step ${step.order}, ${step.parameter ?? ""}: ${exact(step.value, step.unit ?? "")}`}
                </li>
              ))}
            </ul>
          </div>
        )}
        <Refusal text={refusal} />
        <NumberField
          label={t`Time spent, minutes`}
          min={0}
          value={minutes}
          wrong={complete.wrong.duration}
          hint={order.labor.length ? t`The time entered as labor.` : t`Leave empty to count from the start of the work.`}
          onChange={(event) => setMinutes(event.target.value)}
        />
        <fieldset className="stack tight">
          <legend className="strong">{t`Parts used`}</legend>
          {order.requiredParts.map(({ id, part, quantity }, index) => (
            <NumberField
              key={id}
              label={`${part.name}, ${quantity ? t`planned ${exact(quantity)}` : t`not planned`}`}
              min={0}
              required
              value={used[index]!}
              wrong={wrongPart(index)}
              onChange={(event) => setUsed((was) => was.map((one, at) => (at === index ? event.target.value : one)))}
            />
          ))}
          <PartFields
            label={t`Add a part that was not planned`}
            drafts={unplanned}
            without={order.requiredParts.map(({ partId }) => partId)}
            wrongAt={(index) => wrongPart(order.requiredParts.length + index)}
            onChange={setUnplanned}
          />
        </fieldset>
        {isRepair && <CodeFields order={order} codes={codes} draft={draft} wrong={complete.wrong} onChange={setDraft} />}
        <TextArea label={t`Notes`} value={notes} wrong={complete.wrong.notes} onChange={(event) => setNotes(event.target.value)} />
        <DialogActions
          verb={complete.isBusy ? t`Completing …` : t`Complete`}
          isDisabled={complete.isBusy || open > 0 || !!release}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
