/**
 * Removes from a photo's metadata what tells where it was taken, with which device and whose that is. Image data, orientation and
 * colours stay as they are, and so does the file's size: what is removed is overwritten (docs/decisions.md, "metadata of photos").
 */
import { cleanGif } from "./gif.js";
import { cleanJpeg } from "./jpeg.js";
import { cleanPng } from "./png.js";
import { cleanWebp } from "./webp.js";

const cleaners: Record<string, (file: Buffer) => void> = {
  "image/jpeg": cleanJpeg,
  "image/png": cleanPng,
  "image/gif": cleanGif,
  "image/webp": cleanWebp,
};

/** Returns a cleaned copy, or the same buffer if there is nothing to remove. Throws RangeError for metadata that cannot be read. */
export function withoutTellingMetadata(file: Buffer, contentType: string): Buffer {
  const cleaned = Buffer.from(file);
  cleaners[contentType]!(cleaned);
  return cleaned.equals(file) ? file : cleaned;
}
