/** Changes of a purchase order or an invoice that record a reason. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { AcceptDifference, CancelInvoice } from "../../generated/invoices.js";
import { ApprovePurchase, CancelPurchase, CancelPurchaseLine, ClosePurchase, DeclinePurchase } from "../../generated/purchases.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";

const changes = {
  approve: {
    document: ApprovePurchase,
    title: t`Approve the purchase order`,
    text: t`The order can be sent afterwards, but no longer be changed.`,
    verb: t`Approve`,
    done: t`Purchase order approved`,
    isRequired: false,
  },
  decline: {
    document: DeclinePurchase,
    title: t`Decline the purchase order`,
    text: t`The order is a draft again, with the reason.`,
    verb: t`Decline`,
    done: t`Purchase order declined`,
    isRequired: true,
  },
  cancel: {
    document: CancelPurchase,
    title: t`Cancel the purchase order`,
    text: t`Everything that is open is cancelled. This cannot be undone. Tell the supplier if the order was sent.`,
    verb: t`Cancel purchase order`,
    done: t`Purchase order cancelled`,
    isRequired: true,
  },
  close: {
    document: ClosePurchase,
    title: t`Close the purchase order`,
    text: t`Everything that is open is cancelled. This cannot be undone.`,
    verb: t`Close purchase order`,
    done: t`Purchase order closed`,
    isRequired: false,
  },
  cancelLine: {
    document: CancelPurchaseLine,
    title: t`Cancel the line`,
    text: t`The open quantity is cancelled. With the last open line, the order is cancelled.`,
    verb: t`Cancel line`,
    done: t`Line cancelled`,
    isRequired: true,
  },
  acceptDifference: {
    document: AcceptDifference,
    title: t`Accept the difference`,
    text: t`The line is matched in spite of its difference, and the cost of its receipts is corrected to the invoiced amount.`,
    verb: t`Accept the difference`,
    done: t`Difference accepted`,
    isRequired: true,
  },
  cancelInvoice: {
    document: CancelInvoice,
    title: t`Cancel the invoice`,
    text: t`Its corrections are reversed. Its number and its receipts are free for another invoice. This cannot be undone.`,
    verb: t`Cancel invoice`,
    done: t`Invoice cancelled`,
    isRequired: true,
  },
};

interface Props {
  /** Id of the order, of the invoice, or of the line. */
  id: string;
  change: keyof typeof changes;
  expectedVersion?: number;
  onRefused: () => void;
  onClose: () => void;
}

export function ReasonDialog({ id, change, expectedVersion, onRefused, onClose }: Props) {
  const { document, title, text, verb, done, isRequired } = changes[change];
  const send = useChange<object, { id: string; reason: string; expectedVersion?: number }>(document as typeof DeclinePurchase, {
    onRefused,
  });
  const [reason, setReason] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const versioned = expectedVersion === undefined ? {} : { expectedVersion };
    if (await send.run({ id, reason: reason.trim(), ...versioned }, done)) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>{text}</p>
        <Refusal text={messageBeside(send.error, "reason")} />
        <TextArea
          label={t`Reason`}
          required={isRequired}
          value={reason}
          wrong={send.wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t`Back`}
          </button>
          <button
            type="submit"
            className={change === "approve" || change === "acceptDifference" ? "button primary" : "button danger"}
            disabled={send.isBusy || (isRequired && !reason.trim())}
          >
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
