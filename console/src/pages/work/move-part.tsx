/** Issues a part to an order, planned or not, and returns issued parts. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { IssuePart, ReturnPart } from "../../generated/order-parts.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, Select, TextArea, TextField } from "../../parts/field.js";
import { type ChosenPart, PartChoice } from "../../parts/part-choice.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { exact, numberOf, numberText } from "../../parts/words.js";
import { heldOf } from "./held.js";
import type { Order } from "./types.js";

const another = "another";

interface Props {
  order: Order;
  kind: "issue" | "return";
  onRefused: () => void;
  onClose: () => void;
}

export function MovePart({ order, kind, onRefused, onClose }: Props) {
  const isIssue = kind === "issue";
  const issue = useChange(IssuePart, { waits: true, onRefused });
  const giveBack = useChange(ReturnPart, { waits: true, onRefused });
  const { wrong, error, isBusy } = isIssue ? issue : giveBack;
  const lines = order.requiredParts.filter((line) => (isIssue ? line.reserved > 0 : heldOf(line) > 0));
  const suggestedOf = (partId: string) => {
    const line = lines.find((one) => one.partId === partId);
    return line ? numberText(isIssue ? line.reserved : heldOf(line)) : "1";
  };
  const [partId, setPartId] = useState(lines[0]?.partId ?? another);
  const [found, setFound] = useState<ChosenPart>();
  const [quantity, setQuantity] = useState(() => suggestedOf(partId));
  const [batchNumber, setBatchNumber] = useState("");
  const [serials, setSerials] = useState("");
  const part = partId === another ? found : lines.find((one) => one.partId === partId)?.part;
  const serialNumbers = serials.split(/[\n,]/).flatMap((one) => one.trim() || []);
  const amount = part?.tracksSerials && serialNumbers.length ? serialNumbers.length : (numberOf(quantity) ?? 0);
  const refusal = messageBeside(error, "quantity", "batchNumber", "serialNumbers");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!part) return;
    const input = {
      partId: part.id,
      quantity: amount,
      ...(part.tracksSerials && serialNumbers.length && { serialNumbers }),
    };
    const batch = isIssue && part.tracksBatches && batchNumber.trim() ? { batchNumber: batchNumber.trim() } : {};
    const done = isIssue
      ? await issue.run({ id: order.id, input: { ...input, ...batch } }, t`${exact(amount)} issued`)
      : await giveBack.run({ id: order.id, input }, t`${exact(amount)} returned`);
    if (done) onClose();
  };
  return (
    <Dialog title={isIssue ? t`Issue a part` : t`Return a part`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {lines.length > 0 && (
          <Select
            label={t`Part`}
            value={partId}
            onChange={({ target }) => {
              setPartId(target.value);
              setQuantity(suggestedOf(target.value));
            }}
          >
            {lines.map((line) => (
              <option key={line.id} value={line.partId}>
                {line.part.name}
              </option>
            ))}
            {isIssue && <option value={another}>{t`Another part`}</option>}
          </Select>
        )}
        {partId === another && !found && <PartChoice label={t`Find the part`} onChoose={setFound} />}
        {partId === another && found && (
          <div className="note info" style={{ alignItems: "center" }}>
            <span className="grow strong anywhere">{found.name}</span>
            <button type="button" className="button small" onClick={() => setFound(undefined)}>
              {t`Change`}
            </button>
          </div>
        )}
        {part?.tracksSerials && (
          <TextArea
            label={t`Serial numbers`}
            hint={t`One per line`}
            required={isIssue}
            value={serials}
            wrong={wrong.serialNumbers}
            onChange={(event) => setSerials(event.target.value)}
          />
        )}
        {!(part?.tracksSerials && serialNumbers.length) && (
          <NumberField
            label={t`Quantity`}
            min={0}
            required
            value={quantity}
            wrong={wrong.quantity}
            onChange={(event) => setQuantity(event.target.value)}
          />
        )}
        {isIssue && part?.tracksBatches && (
          <TextField
            label={t`Batch`}
            hint={part.tracksSerials ? undefined : t`Empty: the first to expire`}
            value={batchNumber}
            wrong={wrong.batchNumber}
            onChange={(event) => setBatchNumber(event.target.value)}
          />
        )}
        <Refusal text={refusal} />
        <DialogActions verb={isIssue ? t`Issue` : t`Return`} isDisabled={isBusy || !part || !(amount > 0)} onClose={onClose} />
      </form>
    </Dialog>
  );
}
