/** Receives what arrived of an order line: accepted and rejected quantities. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { ReceivePurchaseLine } from "../../generated/purchases.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { NumberField, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { exact, numberOf, numberText } from "../../parts/words.js";
import { NumberFields, noNumbers, numbersInput } from "../stock/numbers.js";
import { lineName, type Purchase, type PurchaseLine, partUnit } from "./types.js";

interface Props {
  order: Purchase;
  line: PurchaseLine;
  /** Currency of the stock. */
  currency: string | null | undefined;
  onDone: () => void;
  onRefused: () => void;
  onClose: () => void;
}

const shownFields = [
  "accepted",
  "rejected",
  "rejectionReason",
  "deliveryNote",
  "exchangeRate",
  "batchNumber",
  "expiryDate",
  "serialNumbers",
];

export function ReceiveDialog({ order, line, currency, onDone, onRefused, onClose }: Props) {
  const receive = useChange(ReceivePurchaseLine, { onRefused });
  const [acceptedText, setAccepted] = useState(numberText(line.openQuantity));
  const [rejectedText, setRejected] = useState("");
  const [reason, setReason] = useState("");
  const [deliveryNote, setDeliveryNote] = useState("");
  const [rate, setRate] = useState(numberText(order.exchangeRate));
  const [numbers, setNumbers] = useState(noNumbers);
  const { error, isBusy, wrong } = receive;
  const { part, site } = line;
  const accepted = numberOf(acceptedText);
  const rejected = numberOf(rejectedText) ?? 0;
  const unit = partUnit(line);
  const isForeign = !!currency && currency !== order.currency;
  const isTracked = !!part && !!accepted;
  const withUnit = (label: string) => [label, unit].filter(Boolean).join(", ");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (accepted === undefined) return;
    const input = {
      accepted,
      rejected,
      rejectionReason: rejected ? reason.trim() : undefined,
      deliveryNote: deliveryNote.trim() || undefined,
      ...(isForeign && { exchangeRate: numberOf(rate) }),
      ...(isTracked && numbersInput(numbers, site)),
    };
    const done = [t`${exact(accepted)} received`, rejected && t`${exact(rejected)} rejected`].filter(Boolean).join(", ");
    if (!(await receive.run({ id: line.id, input }, done))) return;
    onDone();
    onClose();
  };

  return (
    <Dialog title={t`Receive ${lineName(line)}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p className="muted">
          {t`${exact(line.openQuantity, unit)} open at ${site}.`} {outcomeOf(line)}
        </p>
        <div className="field-grid">
          <NumberField
            label={withUnit(t`Accepted`)}
            required
            min={0}
            value={acceptedText}
            wrong={wrong.accepted}
            onChange={(event) => setAccepted(event.target.value)}
          />
          <NumberField
            label={withUnit(t`Rejected`)}
            min={0}
            value={rejectedText}
            wrong={wrong.rejected}
            onChange={(event) => setRejected(event.target.value)}
          />
          {rejected > 0 && (
            <TextField
              label={t`Reason of the rejection`}
              required
              value={reason}
              wrong={wrong.rejectionReason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
          <TextField
            label={t`Delivery note`}
            value={deliveryNote}
            wrong={wrong.deliveryNote}
            onChange={(event) => setDeliveryNote(event.target.value)}
          />
          {isForeign && (
            <NumberField
              label={t`Value of 1 ${order.currency} in ${currency}`}
              hint={t`Fixed at the receipt`}
              required
              value={rate}
              wrong={wrong.exchangeRate}
              onChange={(event) => setRate(event.target.value)}
            />
          )}
        </div>
        {isTracked && <NumberFields part={part} batches={[]} values={numbers} wrong={wrong} isArrival onChange={setNumbers} />}
        <Refusal text={messageBeside(error, ...shownFields)} />
        <DialogActions
          verb={isBusy ? t`Saving …` : t`Receive`}
          isDisabled={isBusy || accepted === undefined || (!accepted && !rejected)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

/** Effect of a receipt on the books. */
function outcomeOf({ part, workOrder }: PurchaseLine): string {
  if (part) return t`Accepted goods are added to the stock. Rejected goods stay open.`;
  return workOrder
    ? t`The cost is added to the work order “${workOrder.title}”.`
    : t`The line has no work order, so its cost is only recorded.`;
}
