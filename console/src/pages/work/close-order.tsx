/** Closes a completed order after a check. Corrective work needs its failure codes. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { CloseOrder as Document } from "../../generated/order-actions.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { CodeFields, codeFields, codeInput, codesOf } from "./failure-codes.js";
import type { Code, Order } from "./types.js";

interface Props {
  order: Order;
  codes: Code[];
  onRefused: () => void;
  onClose: () => void;
}

export function CloseOrder({ order, codes, onRefused, onClose }: Props) {
  const close = useChange(Document, { waits: true, onRefused });
  const [draft, setDraft] = useState(() => codesOf(order));
  const isRepair = order.type === "CORRECTIVE";
  const refusal = messageBeside(close.error, ...(isRepair ? codeFields : []));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = isRepair ? codeInput(draft) : {};
    if (await close.run({ id: order.id, input }, t`Work order closed`)) onClose();
  };
  return (
    <Dialog title={t`Close the work order`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>{t`Close it after checking the work. Time, parts and costs can no longer be changed afterwards.`}</p>
        <Refusal text={refusal} />
        {isRepair && <CodeFields order={order} codes={codes} draft={draft} wrong={close.wrong} isRequired onChange={setDraft} />}
        <DialogActions verb={t`Close work order`} isDisabled={close.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
