import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";

/** Modal window. The browser traps the focus, and Escape closes the window. */
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
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div className={bare ? "hidden-text" : "dialog-head"}>
        <h2 id={id}>{title}</h2>
        {!bare && (
          <button type="button" className="button plain small icon-only" aria-label={t`Close`} onClick={onClose}>
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
