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
      toast("Copying failed. Select the text and copy it manually.", true);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">
        <p>It is shown only once. Store it in a safe place.</p>
        <code className="secret mono">{secret}</code>
        <div className="actions">
          {navigator.clipboard && (
            <button type="button" className="button" onClick={() => void copy()}>
              <Copy className="icon" aria-hidden />
              Copy
            </button>
          )}
          <button type="button" className="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}
