/** A button that selects a picture or a file, or opens the camera. Files of other kinds are refused with a message. */
import { t } from "@lingui/core/macro";
import { ImagePlus, Paperclip } from "lucide-react";
import { useRef } from "react";
import { photoKinds, readChosen } from "./photo-kinds.js";
import { useToast } from "./toast.js";

interface Props {
  label: string;
  accept?: string;
  isBusy?: boolean;
  busyLabel?: string;
  onFile: (file: File) => void;
  icon?: "photo" | "file";
}

export function Upload({ label, accept = photoKinds, isBusy, busyLabel = t`Sending …`, onFile, icon = "photo" }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const toast = useToast();
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
        onChange={async ({ target }) => {
          const files = [...(target.files ?? [])];
          target.value = "";
          const { accepted, wrong } = await readChosen(files, accept);
          if (wrong) toast(wrong, true);
          if (accepted[0]) onFile(accepted[0]);
        }}
      />
    </>
  );
}
