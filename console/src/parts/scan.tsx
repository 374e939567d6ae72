/** Scans a code with the camera, or reads it from a photo. */

import { t } from "@lingui/core/macro";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Dialog } from "./dialog.js";
import { codeReader } from "./read-code.js";
import { Refusal } from "./states.js";
import { Upload } from "./upload.js";

interface Props {
  onCode: (text: string) => void;
  onClose: () => void;
}

const pauseMilliseconds = 120;

export function Scan({ onCode, onClose }: Props): ReactNode {
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<"starting" | "scanning" | "none">("starting");
  const [wrong, setWrong] = useState<string>();
  const [isReading, setReading] = useState(false);
  const found = useEffectEvent(onCode);

  useEffect(() => {
    let isOpen = true;
    let camera: MediaStream | undefined;
    const scan = async () => {
      const [stream, read] = await Promise.all([
        navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" }, audio: false }),
        codeReader(),
      ]);
      camera = stream;
      if (!isOpen) return stop();
      const element = video.current!;
      element.srcObject = stream;
      await element.play();
      setState("scanning");
      while (isOpen) {
        const text = await read(element);
        if (text && isOpen) return found(text);
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      }
    };
    const stop = () => {
      for (const track of camera?.getTracks() ?? []) track.stop();
    };
    // Without HTTPS a page has no camera.
    scan().catch(() => isOpen && setState("none"));
    return () => {
      isOpen = false;
      stop();
    };
  }, []);

  const readPhoto = async (file: File) => {
    setReading(true);
    setWrong(undefined);
    try {
      const [picture, read] = await Promise.all([createImageBitmap(file), codeReader()]);
      const text = await read(picture);
      picture.close();
      if (text) return onCode(text);
      setWrong(t`The photo has no readable code. Take it closer, with the whole code in view.`);
    } catch {
      setWrong(t`The photo could not be read. Choose another one.`);
    } finally {
      setReading(false);
    }
  };

  return (
    <Dialog title={t`Scan a label`} onClose={onClose}>
      <div className="dialog-body">
        {state === "none" ? (
          <p className="note info">{t`The camera cannot be used here. Take or choose a photo of the code.`}</p>
        ) : (
          <video ref={video} className="camera" muted playsInline aria-label={t`Camera`} />
        )}
        <p className="muted small" role="status">
          {state === "starting" ? t`Starting the camera …` : state === "scanning" ? t`Hold the code in front of the camera.` : ""}
        </p>
        <Refusal text={wrong} />
        <div className="actions">
          <Upload label={t`Choose a photo`} isBusy={isReading} busyLabel={t`Reading …`} onFile={(file) => void readPhoto(file)} />
          <button type="button" className="button small" onClick={onClose}>
            {t`Cancel`}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
