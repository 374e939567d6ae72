import { Copy } from "lucide-react";
import { Dialog } from "../../parts/dialog.js";
import { useToast } from "../../parts/toast.js";

/** Displays a secret that is shown only once. */
export function Secret({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      toast("Copied");
    } catch {
      toast("It could not be copied: mark it and copy it by hand.", true);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">
        <p>It is shown this once. Keep it where only those read it who need it.</p>
        <code className="secret mono">{secret}</code>
        <div className="actions">
          {navigator.clipboard && (
            <button type="button" className="button" onClick={() => void copy()}>
              <Copy className="icon" aria-hidden />
              Copy
            </button>
          )}
          <button type="button" className="button primary" onClick={onClose}>
            I have it
          </button>
        </div>
      </div>
    </Dialog>
  );
}
