/**
 * EXIF data has the structure of a TIFF file without an image. Location, serial numbers and owner are removed; all other values keep their
 * offsets.
 */
import { isTelling } from "./telling.js";

const orientationTag = 0x0112;
/** Tags that hold offsets of other directories. */
const directories = new Set([0x8769, 0xa005, 0x014a]);
const removed = new Set([
  0x02bc, // XMP
  0x83bb, // IPTC
  0x8649, // Photoshop resources, which contain IPTC
  0x8825, // GPS
  0x927c, // MakerNote
  0xa430, // CameraOwnerName
  0xa431, // BodySerialNumber
  0xa435, // LensSerialNumber
  0xc62f, // CameraSerialNumber
  0xc634, // DNGPrivateData
  0xfde8, // OwnerName
  0xfde9, // SerialNumber
]);
/** Free-text tags: ImageDescription, UserComment, XPTitle, XPComment, XPKeywords, XPSubject. */
const texts = new Set([0x010e, 0x9286, 0x9c9b, 0x9c9c, 0x9c9e, 0x9c9f]);
/** Tags with the offsets of embedded images, each with the tag of the lengths: StripOffsets, JPEGInterchangeFormat. */
const images = [
  [0x0111, 0x0117],
  [0x0201, 0x0202],
] as const;
const bytesOf = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const entryBytes = 12;

interface Entry {
  tag: number;
  type: number;
  count: number;
  raw: Buffer;
  /** Offset of the value. */
  at: number;
  size: number;
}

/** Cleans in place. Passes each embedded image to `cleanThumbnail`. Unreadable data is removed entirely, except the orientation. */
export function cleanTiff(tiff: Buffer, cleanThumbnail: (image: Buffer) => void): void {
  const cleaner = new TiffCleaner(tiff, cleanThumbnail);
  try {
    cleaner.run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    writeOrientation(tiff, cleaner.orientation);
  }
}

class TiffCleaner {
  orientation: number | undefined;
  private readonly isLittle: boolean;
  private readonly kept: [from: number, to: number][] = [[0, 8]];
  private readonly seen = new Set<number>();
  private hasRemoved = false;

  constructor(
    private readonly tiff: Buffer,
    private readonly cleanThumbnail: (image: Buffer) => void,
  ) {
    this.isLittle = tiff[0] === 0x49;
  }

  run(): void {
    if (this.u16(2) !== 42) throw new RangeError("no TIFF");
    for (let at = this.u32(4); at; at = this.directory(at));
    if (this.hasRemoved) this.clearUnreferenced();
  }

  /** Returns the offset of the next directory, or 0. */
  private directory(at: number): number {
    if (this.seen.has(at) || this.seen.size > 100) throw new RangeError("a cycle");
    this.seen.add(at);
    const count = this.u16(at);
    const start = at + 2;
    const end = start + count * entryBytes;
    if (end > this.tiff.length) throw new RangeError("a directory beyond the end");
    const next = end + 4 <= this.tiff.length ? this.u32(end) : 0;
    const entries = Array.from({ length: count }, (_, i) => this.entry(start + i * entryBytes));
    for (const entry of entries) if (entry.tag === orientationTag) this.orientation ??= this.u16(entry.at);
    const staying = entries.filter((entry) => this.stays(entry));
    for (const entry of staying) this.follow(entry);
    for (const [places, sizes] of images) this.followImages(staying, places, sizes);
    if (staying.length < count) this.rewrite(at, staying, next, end);
    this.keep(at, start + staying.length * entryBytes + 4);
    return next;
  }

  private entry(at: number): Entry {
    const [tag, type, count] = [this.u16(at), this.u16(at + 2), this.u32(at + 4)];
    const size = (bytesOf[type] ?? 0) * count;
    return { tag, type, count, size, at: size > 4 ? this.u32(at + 8) : at + 8, raw: Buffer.from(this.tiff.subarray(at, at + entryBytes)) };
  }

  private stays({ tag, at, size }: Entry): boolean {
    if (removed.has(tag) || at + size > this.tiff.length) return false;
    return !(texts.has(tag) && isTelling(this.tiff.subarray(at, at + size)));
  }

  private follow(entry: Entry): void {
    if (entry.size > 4) this.keep(entry.at, entry.at + entry.size);
    if (directories.has(entry.tag)) for (const at of this.numbers(entry)) this.directory(at);
  }

  private followImages(entries: Entry[], places: number, sizes: number): void {
    const [place, size] = [places, sizes].map((wanted) => entries.find(({ tag }) => tag === wanted));
    if (!place || !size) return;
    const lengths = this.numbers(size);
    for (const [i, at] of this.numbers(place).entries()) {
      this.keep(at, at + (lengths[i] ?? 0));
      this.cleanThumbnail(this.tiff.subarray(at, at + (lengths[i] ?? 0)));
    }
  }

  private numbers({ type, count, at }: Entry): number[] {
    if (type !== 3 && type !== 4 && type !== 13) return [];
    return Array.from({ length: Math.min(count, 1000) }, (_, i) => (type === 3 ? this.u16(at + 2 * i) : this.u32(at + 4 * i)));
  }

  /** Inline values move with their entries. Values that other entries refer to stay in place. */
  private rewrite(at: number, entries: Entry[], next: number, end: number): void {
    this.hasRemoved = true;
    this.tiff.fill(0, at, Math.min(end + 4, this.tiff.length));
    this.tiff[this.isLittle ? "writeUInt16LE" : "writeUInt16BE"](entries.length, at);
    for (const [i, { raw }] of entries.entries()) raw.copy(this.tiff, at + 2 + i * entryBytes);
    this.tiff[this.isLittle ? "writeUInt32LE" : "writeUInt32BE"](next, at + 2 + entries.length * entryBytes);
  }

  /** Overwrites removed directories and values, and the data that they refer to. */
  private clearUnreferenced(): void {
    let from = 0;
    for (const [start, end] of this.kept.sort(([a], [b]) => a - b)) {
      if (start > from) this.tiff.fill(0, from, start);
      from = Math.max(from, end);
    }
    if (from < this.tiff.length) this.tiff.fill(0, from);
  }

  private keep(from: number, to: number): void {
    this.kept.push([from, Math.min(to, this.tiff.length)]);
  }

  private u16 = (at: number): number => this.tiff[this.isLittle ? "readUInt16LE" : "readUInt16BE"](at);
  private u32 = (at: number): number => this.tiff[this.isLittle ? "readUInt32LE" : "readUInt32BE"](at);
}

/** Overwrites everything with a directory that contains only the orientation. */
function writeOrientation(tiff: Buffer, orientation: number | undefined): void {
  tiff.fill(0);
  if (orientation === undefined || tiff.length < 26) return;
  tiff.write("II*\0", "latin1");
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(orientationTag, 10);
  tiff.writeUInt16LE(3, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
}
