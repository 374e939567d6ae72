import { isTelling } from "./telling.js";

const block = { extension: 0x21, image: 0x2c, trailer: 0x3b };
const label = { graphicControl: 0xf9, comment: 0xfe };

/** Cleans in place. Throws RangeError for an invalid GIF file. */
export function cleanGif(file: Buffer): void {
  let at = 13 + tableBytes(file.readUInt8(10));
  while (at < file.length) {
    const kind = file[at];
    // Decoders stop at the trailer and at unknown blocks.
    if (kind !== block.image && kind !== block.extension) {
      file.fill(0, kind === block.trailer ? at + 1 : at);
      return;
    }
    if (kind === block.image) at = endOfBlocks(file, at + 10 + tableBytes(file.readUInt8(at + 9)) + 1);
    else {
      const end = endOfBlocks(file, at + 2);
      if (file[at + 1] !== label.graphicControl && tells(file, at + 2, end)) blank(file, at, end);
      at = end;
    }
  }
}

const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

function endOfBlocks(file: Buffer, from: number): number {
  let at = from;
  while (at < file.length && file[at]) at += 1 + file[at]!;
  return Math.min(at + 1, file.length);
}

/** Checks the raw bytes, as XMP is stored, and the text without the length bytes of its blocks. */
function tells(file: Buffer, from: number, end: number): boolean {
  const parts: Buffer[] = [];
  for (let at = from; at < end && file[at]; at += 1 + file[at]!) parts.push(file.subarray(at + 1, at + 1 + file[at]!));
  return isTelling(file.subarray(from, end)) || isTelling(Buffer.concat(parts));
}

/** Overwrites with a comment of spaces of the same length. */
function blank(file: Buffer, at: number, end: number): void {
  file[at + 1] = label.comment;
  file.fill(" ", at + 2, end);
  file[end - 1] = 0;
  for (let from = at + 2; from < end - 1; ) {
    const left = end - 1 - from;
    // A block needs at least a length byte and a data byte.
    const size = left > 256 ? Math.min(255, left - 3) : left - 1;
    file[from] = size;
    from += 1 + size;
  }
}
