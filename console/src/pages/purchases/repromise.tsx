/** Records the delivery date that a supplier promises now. The first date stays. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { RepromisePurchaseLine } from "../../generated/purchases.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { instantAt, localAt } from "../../parts/zones.js";
import { lineName, type PurchaseLine, promiseOf } from "./types.js";

export function RepromiseDialog({ line, onRefused, onClose }: { line: PurchaseLine; onRefused: () => void; onClose: () => void }) {
  const send = useChange(RepromisePurchaseLine, { onRefused });
  const promise = promiseOf(line);
  const [date, setDate] = useState(promise ? localAt(promise, line.site)[0] : "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The line is late when the day has passed.
    const repromisedAt = instantAt(date, "23:59", line.site).toISOString();
    if (await send.run({ id: line.id, repromisedAt }, t`Date changed`)) onClose();
  };
  return (
    <Dialog title={t`Delivery date of ${lineName(line)}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <Refusal text={messageBeside(send.error, "repromisedAt")} />
        <TextField
          label={t`Promised date`}
          type="date"
          required
          value={date}
          wrong={send.wrong.repromisedAt}
          onChange={(event) => setDate(event.target.value)}
        />
        <DialogActions verb={t`Change date`} isDisabled={send.isBusy || !date} onClose={onClose} />
      </form>
    </Dialog>
  );
}
