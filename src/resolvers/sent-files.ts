/** Files of a request, in the form that the domain accepts. */
import type { AttachmentContext, SentFile } from "../domain/files/attachments.js";
import type { IncomingFile } from "../schema/files/upload.js";
import type { Context } from "./context.js";

export const attachmentContext = ({
  data: { db, outside },
  caller: { actor },
  services: { storage, maxAttachmentSize, photos },
}: Context): AttachmentContext => ({
  db,
  actor,
  storage,
  photos,
  maxSize: maxAttachmentSize,
  outside,
});

/** A file that the domain can read as soon as it arrives. */
export const sentFile = (file: Promise<IncomingFile>) => async (): Promise<SentFile> => {
  const { filename, mimetype, createReadStream } = await file;
  return { filename, contentType: mimetype, source: createReadStream() };
};
