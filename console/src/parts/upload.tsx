/** A button that selects a picture or a file, or opens the camera. */
import { t } from "@lingui/core/macro";
import { ImagePlus, Paperclip } from "lucide-react";
import { useRef } from "react";

interface Props {
  label: string;
  accept?: string;
  isBusy?: boolean;
  busyLabel?: string;
  onFile: (file: File) => void;
  icon?: "photo" | "file";
}

export function Upload({ label, accept = "image/*", isBusy, busyLabel = t`Sending …`, onFile, icon = "photo" }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const Icon = icon === "photo" ? ImagePlus : Paperclip;
  return (
    <>
      <button type="button" className="button small" disabled={isBusy} onClick={() => input.current?.click()}>
        <Icon className="icon" aria-hidden />
        {isBusy ? busyLabel : label}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        className="hidden-text"
        tabIndex={-1}
        aria-label={label}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
