/** Validates photos by content: two decoders must agree on the format (docs/interface.md 8; docs/decisions.md, "what is a photo"). */
import { open } from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import sharp from "sharp";

export const photoTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const maxPixels = 50_000_000;
const thumbnailSide = 320;

const sharpFormat: Record<string, string> = { "image/jpeg": "jpeg", "image/png": "png", "image/gif": "gif", "image/webp": "webp" };

/**
 * Signatures of other formats, to reject polyglot files. Long enough not to occur by chance in 25 MB of compressed image data, as
 * `<svg` alone would.
 */
const otherFormats = /<script|<\?php|<html|<svg\s+[a-z:]+\s*=|%PDF-\d/i;
const zipEnd = Buffer.from("PK\x05\x06");

/** Reads overlapping chunks, so that memory use does not depend on the file's size. */
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

/** Returns why the file is not a valid photo of `contentType`, or undefined if it is valid. `size` is in bytes. */
export async function imageProblem(path: string, size: number, contentType: string): Promise<string | undefined> {
  const detected = (await fileTypeFromFile(path))?.mime;
  if (detected !== contentType)
    return photoTypes.includes(detected ?? "") ? `is ${detected}, not ${contentType}` : "is not a JPG, PNG, GIF or WebP image";
  if (await containsOtherFormat(path, size)) return "is more than an image";
  try {
    const image = sharp(path, { limitInputPixels: maxPixels, failOn: "error" });
    const { format, width, height } = await image.metadata();
    if (format !== sharpFormat[contentType]) return `is ${format}, not ${contentType}`;
    if (width * height > maxPixels) return `has more than ${maxPixels / 1e6} million pixels`;
    // Only a full decode detects a truncated image. `extract` prevents the decoder from reading at reduced scale; the 1 × 1 target keeps memory low.
    await image.extract({ left: 0, top: 0, width, height }).resize(1, 1, { fit: "fill" }).raw().toBuffer();
  } catch (error) {
    return /pixel limit/.test((error as Error).message) ? `has more than ${maxPixels / 1e6} million pixels` : "cannot be read as an image";
  }
  return undefined;
}

/** Returns a WebP image of at most 320 × 320 pixels, rotated upright, without the original's metadata. */
export const thumbnailOf = (path: string): Promise<Buffer> =>
  sharp(path, { limitInputPixels: maxPixels })
    .rotate()
    .resize(thumbnailSide, thumbnailSide, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
