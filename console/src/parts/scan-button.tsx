import { t } from "@lingui/core/macro";
import { ScanQrCode } from "lucide-react";
import { lazy, Suspense, useState } from "react";

const Scan = lazy(async () => ({ default: (await import("./scan.js")).Scan }));

/** Opens the camera and returns the text of the code. */
interface Props {
  /** Default: `Scan`. */
  verb?: string;
  onCode: (text: string) => void;
}

export function ScanButton({ verb, onCode }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <ScanQrCode className="icon" aria-hidden />
        {verb ?? t`Scan`}
      </button>
      {isOpen && (
        <Suspense>
          <Scan
            onClose={() => setOpen(false)}
            onCode={(text) => {
              setOpen(false);
              onCode(text);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
