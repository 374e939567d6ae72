/**
 * Validates attachments by content: photos, PDF and text. Files other than photos are stored unchanged and never displayed inline
 * (docs/work.md).
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { fileTypeFromFile } from "file-type";
import { BadFile, type PhotoReader, photoTypes } from "./image.js";

const pdf = "application/pdf";
const texts = ["text/plain", "text/csv"];

export const attachmentTypes = [...photoTypes, pdf, ...texts];

/** Whether a browser may display the file inline. */
export const isShownInline = (contentType: string): boolean => photoTypes.includes(contentType);

interface StoredFile {
  path: string;
  size: number;
}

/** Throws BadFile unless the whole file is UTF-8 text. */
async function checkText(path: string): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) {
      if ((chunk as Buffer).includes(0)) throw new BadFile("is not text");
      decoder.decode(chunk as Buffer, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new BadFile("is not text in UTF-8") : error;
  }
}

/**
 * Validates a file. Returns the thumbnail of an image, whose identifying metadata is overwritten in place, or undefined for other files.
 * Throws BadFile.
 */
export async function judge(photos: PhotoReader, file: StoredFile, contentType: string, tenantId: string): Promise<Buffer | undefined> {
  if (isShownInline(contentType)) return photos.prepare(file, contentType, tenantId);
  const detected = (await fileTypeFromFile(file.path))?.mime;
  if (contentType === pdf ? detected !== pdf : detected) throw new BadFile(`is ${detected ?? "something else"}, not ${contentType}`);
  if (contentType !== pdf) await checkText(file.path);
  return undefined;
}

/** SHA-256 of the file, in hexadecimal. */
export async function sha256Of({ path }: StoredFile): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
