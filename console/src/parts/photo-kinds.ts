/** Kinds of files that the service accepts, told from the first bytes as the service does. */
import { t } from "@lingui/core/macro";
import { typeOf } from "./file-type.js";

const photos = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const texts = ["text/plain", "text/csv"];

/** Values of a file field's `accept`. */
export const photoKinds = photos.join(",");
export const fileKinds = [...photos, "application/pdf", ...texts].join(",");

/** The file, with the type of its content. Undefined if the kind is not accepted. */
async function acceptable(file: File, accept: string): Promise<File | undefined> {
  const type = typeOf(new Uint8Array(await file.slice(0, 16).arrayBuffer())) ?? texts.find((one) => one === file.type);
  if (!type || !accept.split(",").includes(type)) return undefined;
  return type === file.type ? file : new File([file], file.name, { type });
}

/** Sorts chosen files into accepted ones and, if others are among them, a message that names these. */
export async function readChosen(files: readonly File[], accept: string): Promise<{ accepted: File[]; wrong: string | undefined }> {
  const read = await Promise.all(files.map((file) => acceptable(file, accept)));
  const names = files
    .filter((_, index) => !read[index])
    .map(({ name }) => name)
    .join(", ");
  const accepted = read.filter((file) => file !== undefined);
  if (!names) return { accepted, wrong: undefined };
  return {
    accepted,
    wrong:
      accept === photoKinds
        ? t`Choose a JPEG, PNG, GIF or WebP image instead of ${names}.`
        : t`Choose a JPEG, PNG, GIF or WebP image, a PDF, a plain text or a CSV file instead of ${names}.`,
  };
}
