/** Transfers stock from one site to another. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { TransferStock } from "../../generated/moves.js";
import { StartTransfer } from "../../generated/transfers.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, Select, TextField } from "../../parts/field.js";
import { usePlaces } from "../../parts/places.js";
import { messageBeside } from "../../parts/states.js";
import { exact, numberOf } from "../../parts/words.js";
import { NumberFields, noNumbers, numbersInput } from "./numbers.js";
import type { MoveProps } from "./types.js";

const fields = ["quantity", "toSite", "reason", "batchNumber", "serialNumbers"];

export function TransferDialog({ part, batches, site, onClose, onDone }: MoveProps) {
  const transfer = useChange(TransferStock);
  const start = useChange(StartTransfer);
  const [isLater, setLater] = useState(false);
  const places = usePlaces();
  const [amount, setAmount] = useState("");
  const [chosen, setTo] = useState<string>();
  const [reason, setReason] = useState("");
  const [numbers, setNumbers] = useState(noNumbers);
  const { isBusy, error, wrong } = isLater ? start : transfer;
  const quantity = numberOf(amount);
  const level = part.stockLevels.find((one) => one.site === site);
  const names = [...part.stockLevels.map((one) => one.site), ...places.map(({ name }) => name)];
  const others = [...new Set(names)].filter((one) => one !== site);
  const to = chosen ?? others[0];
  const target = part.stockLevels.find((one) => one.site === to);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (quantity === undefined || !to) return;
    const { batchNumber, serialNumbers } = numbersInput(numbers, site);
    const input = { fromSite: site, toSite: to, quantity, batchNumber, serialNumbers, reason: reason.trim() || undefined };
    const done = isLater
      ? await start.run({ partId: part.id, input }, t`${exact(quantity)} reserved for ${to}`)
      : await transfer.run({ partId: part.id, input }, t`${exact(quantity)} transferred to ${to}`);
    if (done) onDone();
  };

  return (
    <Dialog title={t`Transfer stock from ${site}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">{t`${part.name}: ${exact(level?.availableStock ?? 0)} available.`}</p>
        <div className="field-grid">
          <Select
            label={t`To site`}
            hint={target?.location ? t`Goes to bin ${target.location}` : undefined}
            value={to ?? ""}
            wrong={wrong.toSite}
            onChange={(event) => setTo(event.target.value)}
          >
            {others.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          <NumberField
            label={t`Quantity`}
            required
            value={amount}
            wrong={wrong.quantity}
            onChange={(event) => setAmount(event.target.value)}
          />
        </div>
        <TextField label={t`Reason`} value={reason} wrong={wrong.reason} onChange={(event) => setReason(event.target.value)} />
        <NumberFields
          part={part}
          batches={batches.filter((one) => one.site === site)}
          values={numbers}
          wrong={wrong}
          isArrival={false}
          onChange={setNumbers}
        />
        <label className="check">
          <input type="checkbox" checked={isLater} onChange={(event) => setLater(event.target.checked)} />
          {t`Reserve it now, ship and receive it later`}
        </label>
        {messageBeside(error, ...fields) && (
          <p className="note bad" role="alert">
            {messageBeside(error, ...fields)}
          </p>
        )}
        <DialogActions verb={isBusy ? t`Saving …` : t`Transfer`} isDisabled={isBusy || quantity === undefined || !to} onClose={onClose} />
      </form>
    </Dialog>
  );
}
