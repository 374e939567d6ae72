import { t } from "@lingui/core/macro";
import { Dialog } from "./dialog.js";
import { Refusal } from "./states.js";

interface Props {
  title: string;
  text: string;
  verb: string;
  isBusy: boolean;
  /** Reason for the rejection. */
  refused?: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirmation of an action that cannot be undone. */
export const Confirm = ({ title, text, verb, isBusy, refused, onConfirm, onClose }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <div className="dialog-body">
      <p>{text}</p>
      <Refusal text={refused} />
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          {t`Cancel`}
        </button>
        <button type="button" className="button danger" disabled={isBusy} onClick={onConfirm}>
          {verb}
        </button>
      </div>
    </div>
  </Dialog>
);
