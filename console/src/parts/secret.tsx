import { t } from "@lingui/core/macro";
import { Copy } from "lucide-react";
import type { ReactNode } from "react";
import { Dialog } from "./dialog.js";
import { useToast } from "./toast.js";

interface SecretProps {
  title: string;
  secret: string;
  onClose: () => void;
  children?: ReactNode;
}

/** Displays a secret that is shown only once. */
export function Secret({ title, secret, onClose, children }: SecretProps) {
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      toast(t`Copied`);
    } catch {
      toast(t`Copying failed. Select the text and copy it manually.`, true);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">
        <p>{t`It is shown only once. Store it in a safe place.`}</p>
        <code className="secret mono">{secret}</code>
        {children}
        <div className="actions">
          {navigator.clipboard && (
            <button type="button" className="button" onClick={() => void copy()}>
              <Copy className="icon" aria-hidden />
              {t`Copy`}
            </button>
          )}
          <button type="button" className="button primary" onClick={onClose}>
            {t({ context: "button", message: "Done" })}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
