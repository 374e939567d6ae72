/** Changes of an order's status that record a reason: hold, cancel, reopen. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { HoldOrder } from "../../generated/order.js";
import { CancelOrder, ReopenOrder } from "../../generated/order-actions.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";

const changes = {
  hold: {
    document: HoldOrder,
    title: t`Put the work on hold`,
    label: t`What does it wait for?`,
    placeholder: t`Such as a part, or the line to stop`,
    verb: t`Put on hold`,
    done: t`On hold`,
    isRequired: false,
  },
  cancel: {
    document: CancelOrder,
    title: t`Cancel the work order`,
    text: t`The work will not be done. Its reserved parts are released. This cannot be undone.`,
    label: t`Reason`,
    verb: t`Cancel work order`,
    done: t`Work order cancelled`,
    isRequired: true,
  },
  reopen: {
    document: ReopenOrder,
    title: t`Reopen the work order`,
    text: t`The work is in progress again. Parts already issued stay issued.`,
    label: t`Reason`,
    verb: t`Reopen`,
    done: t`Work order reopened`,
    isRequired: true,
  },
};

interface Props {
  id: string;
  change: keyof typeof changes;
  onRefused: () => void;
  onClose: () => void;
}

export function ReasonDialog({ id, change, onRefused, onClose }: Props) {
  const { document, title, label, verb, done, isRequired, ...texts } = changes[change];
  const send = useChange<object, { id: string; reason: string }>(document as typeof ReopenOrder, { waits: true, onRefused });
  const [reason, setReason] = useState("");
  const refusal = messageBeside(send.error, "reason");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await send.run({ id, reason: reason.trim() }, done)) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {"text" in texts && <p>{texts.text}</p>}
        <Refusal text={refusal} />
        <TextArea
          label={label}
          placeholder={"placeholder" in texts ? texts.placeholder : undefined}
          required={isRequired}
          value={reason}
          wrong={send.wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {change === "cancel" ? t`Back` : t`Cancel`}
          </button>
          <button
            type="submit"
            className={change === "cancel" ? "button danger" : "button primary"}
            disabled={send.isBusy || (isRequired && !reason.trim())}
          >
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
