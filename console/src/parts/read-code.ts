/** Reads codes from pictures: with the browser's detector, or without one with a decoder of QR codes that is loaded when needed. */

/** https://wicg.github.io/shape-detection-api. Missing in Firefox, Safari and Chromium on some systems. */
interface Detector {
  detect(picture: CanvasImageSource): Promise<{ rawValue: string }[]>;
}
interface DetectorClass {
  new (): Detector;
  getSupportedFormats(): Promise<string[]>;
}

export type ReadCode = (picture: HTMLVideoElement | ImageBitmap) => Promise<string | undefined>;

/** Longer sides are reduced: the decoder's time grows with the number of pixels. */
const longestSide = 1600;
/** For the attempts at one picture. */
const milliseconds = 300;

const sizeOf = (picture: HTMLVideoElement | ImageBitmap) =>
  "videoWidth" in picture ? [picture.videoWidth, picture.videoHeight] : [picture.width, picture.height];

export async function codeReader(): Promise<ReadCode> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass };
  const formats = await BarcodeDetector?.getSupportedFormats().catch((): string[] => []);
  if (BarcodeDetector && formats?.includes("qr_code")) {
    const detector = new BarcodeDetector();
    return async (picture) => (await detector.detect(picture))[0]?.rawValue;
  }
  const { decodeQR } = await import("qr/decode.js");
  const canvas = document.createElement("canvas");
  return async (picture) => {
    const [fullWidth = 0, fullHeight = 0] = sizeOf(picture);
    if (!fullWidth || !fullHeight) return undefined;
    const scale = Math.min(1, longestSide / Math.max(fullWidth, fullHeight));
    const [width, height] = [Math.round(fullWidth * scale), Math.round(fullHeight * scale)];
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    // Behind transparent pictures.
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.drawImage(picture, 0, 0, width, height);
    try {
      return decodeQR({ width, height, data: context.getImageData(0, 0, width, height).data }, { timeLimit: milliseconds });
    } catch {
      // The picture has no code.
      return undefined;
    }
  };
}
