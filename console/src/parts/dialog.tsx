import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from "react";
import { hasChanges, mayDiscard } from "./unsaved.js";

/**
 * Modal window. The browser traps the focus, and Escape closes the window. Before a form with unsaved changes is lost, the user is asked;
 * `onClose` itself does not ask.
 */
export function Dialog({ title, onClose, children, bare }: { title: string; onClose: () => void; children: ReactNode; bare?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    if (!dialog.open) dialog.showModal();
    // Returns the focus to the previous element.
    return () => before?.focus({ preventScroll: true });
  }, []);
  const leave = (event?: SyntheticEvent) => {
    const dialog = element.current!;
    if (!hasChanges(dialog)) return onClose();
    event?.preventDefault();
    // Browsers close a dialog at the second Escape in a row, without asking the page.
    if (!dialog.open) dialog.showModal();
    void mayDiscard(dialog).then((isDiscarded) => isDiscarded && onClose());
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        // A file field's own `cancel` arrives here too. The window closes now rather than at `close`, which the browser reports after
        // further keys: a Ctrl+K in between would find the finder still open.
        if (event.target === element.current) leave(event);
      }}
      onClose={() => leave()}
      onMouseDown={(event) => {
        if (event.target === element.current) leave();
      }}
    >
      <div className={bare ? "hidden-text" : "dialog-head"}>
        <h2 id={id}>{title}</h2>
        {!bare && (
          <button type="button" className="button plain small icon-only" aria-label={t`Close`} onClick={() => leave()}>
            <X className="icon" aria-hidden />
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}

interface DialogActionsProps {
  /** Label of the button that submits the form. */
  verb: string;
  isDisabled?: boolean;
  onClose: () => void;
}

/** The buttons at the end of a dialog's form. */
export function DialogActions({ verb, isDisabled, onClose }: DialogActionsProps) {
  return (
    <div className="actions">
      <button type="button" className="button" onClick={onClose}>
        {t`Cancel`}
      </button>
      <button type="submit" className="button primary" disabled={isDisabled}>
        {verb}
      </button>
    </div>
  );
}

/** Shows the result of what a dialog did. */
export const DoneDialog = ({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) => (
  <Dialog title={title} onClose={onClose}>
    <div className="dialog-body">
      {children}
      <div className="actions">
        <button type="button" className="button primary" onClick={onClose}>
          {t({ context: "button", message: "Done" })}
        </button>
      </div>
    </div>
  </Dialog>
);
