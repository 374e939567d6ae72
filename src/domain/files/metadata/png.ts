import { cleanThumbnail } from "./jpeg.js";
import { isTelling } from "./telling.js";
import { cleanTiff } from "./tiff.js";

/** Ancillary chunks without text. Chunks whose name begins with a capital letter are critical and belong to the image. */
const plain = new Set(
  ["iCCP gAMA cHRM sRGB sBIT bKGD hIST tRNS pHYs sPLT tIME acTL fcTL fdAT cICP mDCV cLLI"].flatMap((names) => names.split(" ")),
);

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Cleans in place. Throws RangeError for an invalid PNG file. */
export function cleanPng(file: Buffer): void {
  let at = 8;
  while (at + 12 <= file.length) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) throw new RangeError("a chunk beyond the end");
    const type = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, end - 4);
    if (type === "eXIf") cleanTiff(data.toString("latin1", 0, 4) === "Exif" ? data.subarray(6) : data, cleanThumbnail);
    else if (/^[a-z]/.test(type) && !plain.has(type) && tells(type, data)) blank(file, at, data);
    if (type === "eXIf" || file.toString("latin1", at + 4, at + 8) !== type)
      file.writeUInt32BE(crc32(file.subarray(at + 4, end - 4)), end - 4);
    at = end;
    if (type === "IEND") break;
  }
  file.fill(0, Math.min(at, file.length));
}

/** Overwrites with an empty comment of the same length. */
function blank(file: Buffer, at: number, data: Buffer): void {
  file.write("tEXt", at + 4, "latin1");
  data.fill(" ");
  data.write(data.length < 8 ? "-\0" : "Comment\0", "latin1");
}

/** Compressed text is not read and counts as identifying. */
function tells(type: string, data: Buffer): boolean {
  const keyword = data.toString("latin1", 0, Math.max(0, data.indexOf(0)));
  const isCompressed = type === "zTXt" || (type === "iTXt" && data[keyword.length + 1] === 1);
  return isCompressed || isTelling(data) || /^raw profile type (?!icc)/i.test(keyword);
}
