/** Records that a proposed order was placed, so that its quantity counts as on order. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { RecordOrder as Document, type ReorderQuery } from "../../generated/reorder.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { exact, numberOf, numberText, unitWord } from "../../parts/words.js";

type Proposal = NonNullable<ReorderQuery["reorderProposals"]>[number];

/** A part has one open order, which counts at its only site, otherwise at the part's default site. */
export const canRecord = ({ part, site }: Proposal): boolean => part.stockLevels.length === 1 || part.site === site;

interface Props {
  proposal: Proposal;
  onClose: () => void;
  onDone: () => void;
}

export function RecordOrder({ proposal: { part, site, quantity }, onClose, onDone }: Props) {
  const record = useChange(Document);
  const [text, setText] = useState(numberText(quantity));
  const ordered = numberOf(text);
  const wrong = record.wrong["input.lastOrderQuantity"] ?? record.wrong.lastOrderQuantity;
  const message = messageBeside(record.error, "lastOrderQuantity");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (ordered === undefined) return;
    const variables = { id: part.id, quantity: ordered, date: new Date().toISOString(), expectedVersion: part.version };
    if (await record.run(variables, t`${exact(ordered)} on order`)) onClose();
    onDone();
  };
  return (
    <Dialog title={t`Order of ${part.name}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {part.supplier?.name ? t`For ${site}, from ${part.supplier.name}.` : t`For ${site}.`}{" "}
          {t`The order is open until the quantity is received. It replaces an earlier order of this part.`}
        </p>
        <NumberField
          label={[t`Quantity ordered`, unitWord(part.unitOfMeasure)].filter(Boolean).join(", ")}
          required
          value={text}
          wrong={wrong}
          onChange={(event) => setText(event.target.value)}
        />
        <Refusal text={message} />
        <DialogActions verb={t`Record the order`} isDisabled={record.isBusy || ordered === undefined} onClose={onClose} />
      </form>
    </Dialog>
  );
}
