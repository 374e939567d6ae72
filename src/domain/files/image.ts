/** Validates photos by content: two decoders must agree on the format (docs/interface.md 8; docs/decisions.md, "accepted photos"). */
import { open } from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import sharp, { type Sharp } from "sharp";
import { DecodingSlots } from "./decoding-slots.js";
import { withoutTellingMetadata } from "./metadata/clean.js";

export const photoTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const thumbnailSide = 320;
const decodingSeconds = 20;

// No photo is decoded twice, and each slot of `DecodingSlots` is one thread.
sharp.cache(false);
sharp.concurrency(1);

export interface PhotoRules {
  /** All frames together. */
  maxPixels: number;
  /** Limits of concurrent decoding: images, and bytes of memory in total. */
  maxDecoding: number;
  maxDecodingBytes: number;
  /** Whether photos keep location and serial numbers in their metadata. */
  keepLocation: boolean;
}

/** A file that does not match its declared type, with the reason. */
export class BadFile extends Error {}

const sharpFormat: Record<string, string> = { "image/jpeg": "jpeg", "image/png": "png", "image/gif": "gif", "image/webp": "webp" };

/**
 * Signatures of other formats, to reject polyglot files. Long enough not to occur by chance in 25 MB of compressed image data, unlike a
 * plain `<svg`.
 */
const otherFormats = /<script|<\?php|<html|<svg\s+[a-z:]+\s*=|%PDF-\d/i;
const zipEnd = Buffer.from("PK\x05\x06");

/** Reads overlapping chunks, so that memory use does not depend on the file size. */
async function containsOtherFormat(path: string, size: number): Promise<boolean> {
  const handle = await open(path, "r");
  try {
    const chunk = Buffer.alloc(65_536);
    const overlap = 100;
    for (let at = 0; at < size; at += chunk.length - overlap) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      if (otherFormats.test(chunk.toString("latin1", 0, bytesRead))) return true;
    }
    const tail = Buffer.alloc(Math.min(size, 65_557));
    await handle.read(tail, 0, tail.length, size - tail.length);
    return tail.includes(zipEnd);
  } finally {
    await handle.close();
  }
}

/** Validates photos, removes location and serial numbers, and creates thumbnails. */
export class PhotoReader {
  private readonly slots: DecodingSlots;

  constructor(private readonly rules: PhotoRules) {
    this.slots = new DecodingSlots(rules.maxDecoding, rules.maxDecodingBytes);
  }

  /**
   * Returns the thumbnail of a file of `size` bytes, and overwrites its identifying metadata in place. Throws BadFile unless it is a valid
   * photo of `contentType`. Waits for a decoding slot, shared fairly between tenants.
   */
  async prepare({ path, size }: { path: string; size: number }, contentType: string, tenantId: string): Promise<Buffer> {
    const detected = (await fileTypeFromFile(path))?.mime;
    if (detected !== contentType)
      throw new BadFile(
        photoTypes.includes(detected ?? "") ? `is ${detected}, not ${contentType}` : "is not a JPG, PNG, GIF or WebP image",
      );
    if (await containsOtherFormat(path, size)) throw new BadFile("is more than an image");
    const { width, height } = await this.dimensions(path, contentType);
    return this.slots.run(tenantId, width * height, async () => {
      const thumbnail = await this.thumbnail(path, contentType, width, height);
      if (!this.rules.keepLocation) await cleanFile(path, contentType).catch(asBadPhoto("has metadata that cannot be read"));
      return thumbnail;
    });
  }

  /** Reads only the header. */
  private async dimensions(path: string, contentType: string): Promise<{ width: number; height: number }> {
    const { format, width, height, pages = 1 } = await this.open(path).metadata().catch(this.refused);
    if (format !== sharpFormat[contentType]) throw new BadFile(`is ${format}, not ${contentType}`);
    if (width * height * pages > this.rules.maxPixels) throw this.tooManyPixels();
    return { width, height };
  }

  /**
   * A WebP image of at most 320 × 320 pixels, upright, without metadata. Only a full decode detects a truncated image, and `extract`
   * prevents the decoder from reading at reduced scale. It comes first, because sharp would otherwise rotate the full-size image. The WebP
   * decoder reads the whole file at any scale, and at full scale holds the image twice, at 8 bytes per pixel.
   */
  private thumbnail(path: string, contentType: string, width: number, height: number): Promise<Buffer> {
    const image = this.open(path);
    if (contentType !== "image/webp") image.extract({ left: 0, top: 0, width, height });
    return image
      .autoOrient()
      .resize(thumbnailSide, thumbnailSide, { fit: "inside", withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer()
      .catch(this.refused);
  }

  private open(path: string): Sharp {
    return sharp(path, { limitInputPixels: this.rules.maxPixels, failOn: "error" }).timeout({ seconds: decodingSeconds });
  }

  private readonly refused = (error: Error): never => {
    throw /pixel limit/.test(error.message) ? this.tooManyPixels() : new BadFile("cannot be read as an image");
  };

  private tooManyPixels(): BadFile {
    const { maxPixels } = this.rules;
    return new BadFile(`has more than ${maxPixels % 1e5 ? `${maxPixels} pixels` : `${maxPixels / 1e6} million pixels`}`);
  }
}

/** Maps errors about the file's content to BadFile. I/O errors are not the file's fault and are rethrown. */
const asBadPhoto =
  (problem: string) =>
  (error: unknown): never => {
    throw error instanceof RangeError ? new BadFile(problem) : error;
  };

async function cleanFile(path: string, contentType: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    const file = await handle.readFile();
    const cleaned = withoutTellingMetadata(file, contentType);
    if (cleaned === file) return;
    await handle.write(cleaned, 0, cleaned.length, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
