import { cleanThumbnail } from "./jpeg.js";
import { cleanXmp, isTelling } from "./telling.js";
import { cleanTiff } from "./tiff.js";

const image = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);

/** Cleans in place. Throws RangeError for an invalid WebP file. */
export function cleanWebp(file: Buffer): void {
  const end = Math.min(file.length, 8 + file.readUInt32LE(4));
  let at = 12;
  while (at + 8 <= end) {
    const type = file.toString("latin1", at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const data = file.subarray(at + 8, Math.min(end, at + 8 + size));
    if (type === "EXIF") cleanTiff(data.toString("latin1", 0, 4) === "Exif" ? data.subarray(6) : data, cleanThumbnail);
    else if (type === "XMP ") cleanXmp(data);
    else if (!image.has(type) && isTelling(data)) data.fill(0);
    // Chunks of an odd length are padded with a byte.
    at += 8 + size + (size & 1);
  }
  file.fill(0, end);
}
