/** What counts as a photo: judged by its bytes, by two readers that must agree (interface.md section 8). */
import { open } from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import sharp from "sharp";

export const photoTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const maxPixels = 50_000_000;
const thumbnailSide = 320;

const sharpFormat: Record<string, string> = { "image/jpeg": "jpeg", "image/png": "png", "image/gif": "gif", "image/webp": "webp" };

/**
 * Marks of other formats that a browser or a reader might see in an image that is also something else. Long enough that
 * 25 MB of compressed picture do not hold one by chance, as they do `<svg`.
 */
const foreign = /<script|<\?php|<html|<svg\s+[a-z:]+\s*=|%PDF-\d/i;
const zipEnd = Buffer.from("PK\x05\x06");

/** Reads in pieces that overlap, so that memory does not grow with the file. */
async function holdsAnotherFormat(path: string, size: number): Promise<boolean> {
  const handle = await open(path, "r");
  try {
    const piece = Buffer.alloc(65_536);
    const overlap = 100;
    for (let at = 0; at < size; at += piece.length - overlap) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (foreign.test(piece.toString("latin1", 0, bytesRead))) return true;
    }
    const tail = Buffer.alloc(Math.min(size, 65_557));
    await handle.read(tail, 0, tail.length, size - tail.length);
    return tail.includes(zipEnd);
  } finally {
    await handle.close();
  }
}

/** What is wrong with a file that claims to be a photo of `contentType`; undefined where nothing is. */
export async function imageProblem(path: string, size: number, contentType: string): Promise<string | undefined> {
  const seen = (await fileTypeFromFile(path))?.mime;
  if (seen !== contentType)
    return photoTypes.includes(seen ?? "") ? `is ${seen}, not ${contentType}` : "is not a JPG, PNG, GIF or WebP image";
  if (await holdsAnotherFormat(path, size)) return "is more than an image";
  try {
    const image = sharp(path, { limitInputPixels: maxPixels, failOn: "error" });
    const { format, width, height } = await image.metadata();
    if (format !== sharpFormat[contentType]) return `is ${format}, not ${contentType}`;
    if (width * height > maxPixels) return `has more than ${maxPixels / 1e6} million pixels`;
    // Only decoding all of it tells a whole image from a header; to one pixel, row by row, and not at a fraction of its size.
    await image.extract({ left: 0, top: 0, width, height }).resize(1, 1, { fit: "fill" }).raw().toBuffer();
  } catch (error) {
    return /pixel limit/.test((error as Error).message) ? `has more than ${maxPixels / 1e6} million pixels` : "cannot be read as an image";
  }
  return undefined;
}

/** At most 320 pixels wide and high, upright, without the original's metadata. */
export const thumbnailOf = (path: string): Promise<Buffer> =>
  sharp(path, { limitInputPixels: maxPixels })
    .rotate()
    .resize(thumbnailSide, thumbnailSide, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
