import { type FormEvent, useState } from "react";
import { HoldOrder } from "../../generated/order.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";

/** Puts the work on hold and records the reason. */
export function Hold({ id, onRefused, onClose }: { id: string; onRefused: () => void; onClose: () => void }) {
  const hold = useChange(HoldOrder, { waits: true, onRefused });
  const [reason, setReason] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await hold.run({ id, reason: reason.trim() || undefined }, "On hold")) onClose();
  };
  return (
    <Dialog title="Put the work on hold" onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextArea
          label="What does it wait for?"
          placeholder="Such as a part, or the line to stop"
          value={reason}
          wrong={hold.wrong.reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={hold.isBusy}>
            Put on hold
          </button>
        </div>
      </form>
    </Dialog>
  );
}
