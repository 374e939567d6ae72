import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";

/** A modal window: the browser keeps the focus within it, and Escape closes it. */
export function Dialog({ title, onClose, children, bare }: { title: string; onClose: () => void; children: ReactNode; bare?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    if (!dialog.open) dialog.showModal();
    // The keyboard goes on where it was.
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
          <button type="button" className="button plain small icon-only" aria-label="Close" onClick={onClose}>
            <X className="icon" aria-hidden />
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}
