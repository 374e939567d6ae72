/**
 * Removes metadata that identifies the location, device or owner of a photo. Image data, orientation and colors do not change. The file
 * size does not change either, because removed data is overwritten (docs/decisions.md, "metadata of photos").
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

/** Returns a cleaned copy, or the same buffer if there is nothing to remove. Throws RangeError for unreadable metadata. */
export function withoutTellingMetadata(file: Buffer, contentType: string): Buffer {
  const cleaned = Buffer.from(file);
  cleaners[contentType]!(cleaned);
  return cleaned.equals(file) ? file : cleaned;
}
