/** Reads the multipart form of a fault page: its fields first, then photos, which are stored as they arrive. */
import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { FastifyRequest } from "fastify";
import type { SentFile } from "../domain/files/attachments.js";
import { badInput } from "../schema/errors.js";

export type Fields = Record<string, string>;

interface Intake {
  /** Most bytes of a field. */
  fieldSize: number;
  /** Called once with all fields, before the first photo, or at the end. Returns false to read no photo. */
  begin(fields: Fields, hasPhotos: boolean): Promise<boolean>;
  /** Stores one photo, after the previous one. Returns false to read no further. */
  store(file: SentFile): Promise<boolean>;
}

/**
 * Resolves once the form was read, or once no more of it is wanted. Throws BAD_USER_INPUT for a malformed form, an error with status 413 for a
 * field that is too long, and the errors of `begin` and `store`.
 */
export function readReportForm(request: FastifyRequest, { fieldSize, begin, store }: Intake): Promise<void> {
  const { raw } = request;
  const read = new Promise<void>((resolve, reject) => {
    const form = formOf(request, fieldSize);
    const fields: Fields = {};
    /** The photos so far, one after the other. Undefined before the first. */
    let received: Promise<boolean> | undefined;
    let isStopped = false;
    let current: Readable | undefined;
    const stop = (error: Error) => {
      isStopped = true;
      current?.destroy(error);
      reject(error);
    };
    form.on("field", (name, value, _isNameCut, isCut) => {
      if (isCut) stop(tooLong());
      // The fields were checked before the first photo.
      else if (received) stop(badInput({ [name]: "must be before the photos" }));
      else fields[name] = value;
    });
    form.on("file", (_name, file, filename, _encoding, contentType) => {
      file.on("error", () => {});
      // Browsers send an empty part if no photo was chosen.
      if (!filename) return void file.resume();
      received = (received ?? begin(fields, true)).then((goesOn) => {
        current = file;
        return goesOn && !isStopped && store({ filename: filename.slice(-255), contentType, source: file });
      });
      received.then((goesOn) => goesOn || resolve(), stop);
    });
    form.on("finish", () => {
      (received ?? begin(fields, false)).then(() => resolve(), reject);
    });
    const incomplete = () => stop(badInput({ body: "was not sent to its end" }));
    form.on("error", incomplete);
    raw.on("aborted", incomplete);
    raw.pipe(form);
  });
  return read.finally(() => {
    raw.unpipe();
    raw.resume();
  });
}

const tooLong = () => Object.assign(new Error("The form is too long"), { statusCode: 413 });

function formOf({ headers }: FastifyRequest, fieldSize: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, "content-type": headers["content-type"] ?? "" },
      limits: { fields: 10, fieldSize, files: 20, parts: 30 },
    });
  } catch {
    throw badInput({ body: "must be a multipart form" });
  }
}
