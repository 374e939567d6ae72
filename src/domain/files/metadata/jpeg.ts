import { cleanXmp, isTelling } from "./telling.js";
import { cleanTiff } from "./tiff.js";

const segment = { SOI: 0xd8, EOI: 0xd9, SOS: 0xda, APP0: 0xe0, APP1: 0xe1, APP2: 0xe2, APP13: 0xed, APP14: 0xee, APP15: 0xef, COM: 0xfe };
const start = Buffer.from([0xff, segment.SOI, 0xff]);

const starts = (data: Buffer, text: string) => data.toString("latin1", 0, text.length) === text;
const xmp = "http://ns.adobe.com/xap/1.0/\0";
const xmpExtension = "http://ns.adobe.com/xmp/extension/\0";

/** Cleans in place. Throws RangeError for an invalid JPEG file. */
export function cleanJpeg(file: Buffer): void {
  const first = cleanImage(file);
  let at = first.end;
  // Data after the image: previews and depth maps, which are JPEG files, and vendor data such as videos and notes.
  while (at < file.length) {
    const next = first.hasMore ? file.indexOf(start, at) : -1;
    file.fill(0, at, next === -1 ? file.length : next);
    if (next === -1) return;
    try {
      at = next + cleanImage(file.subarray(next)).end;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      file.fill(0, next);
      return;
    }
  }
}

/** Cleans the image at the start. `hasMore`: its metadata declares further images. */
function cleanImage(file: Buffer): { end: number; hasMore: boolean } {
  let hasMore = false;
  let at = 2;
  while (at + 4 <= file.length) {
    const marker = file[at + 1]!;
    // Decoders skip bytes between segments.
    if (file[at] !== 0xff || marker === 0xff || marker === 0) at++;
    else if (marker === segment.EOI) return { end: at + 2, hasMore };
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= segment.SOI)) at += 2;
    else {
      const end = at + 2 + file.readUInt16BE(at + 2);
      if (end < at + 4 || end > file.length) throw new RangeError("a segment beyond the end");
      const data = file.subarray(at + 4, end);
      if (marker === segment.APP2 && starts(data, "MPF\0")) hasMore = true;
      if ((marker >= segment.APP0 && marker <= segment.APP15) || marker === segment.COM) cleanSegment(marker, data);
      at = marker === segment.SOS ? endOfScan(file, end) : end;
    }
  }
  return { end: file.length, hasMore };
}

function cleanSegment(marker: number, data: Buffer): void {
  if (marker === segment.APP1 && starts(data, "Exif\0")) cleanTiff(data.subarray(6), cleanThumbnail);
  else if (marker === segment.APP1 && starts(data, xmp)) cleanXmp(data.subarray(xmp.length));
  // Photoshop resources contain IPTC, and a name can be split across the parts of extended XMP.
  else if (marker === segment.APP13 || starts(data, xmpExtension)) data.fill(0);
  else if (!isOfImage(marker, data) && isTelling(data)) data.fill(0);
}

/** Colors, other images in the file, and measurements of thermal cameras. */
const isOfImage = (marker: number, data: Buffer): boolean =>
  marker === segment.APP0 ||
  marker === segment.APP14 ||
  (marker === segment.APP1 && starts(data, "FLIR\0")) ||
  (marker === segment.APP2 && (starts(data, "ICC_PROFILE\0") || starts(data, "MPF\0")));

/** A thumbnail within EXIF can contain EXIF of its own. */
export function cleanThumbnail(image: Buffer): void {
  if (image[0] !== 0xff || image[1] !== segment.SOI) return;
  try {
    cleanImage(image);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    image.fill(0);
  }
}

/** Image data ends at a marker that is neither an escaped 0xff nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.length;
}
