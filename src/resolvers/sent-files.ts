/** Files of a request, as the domain takes them. */
import type { AttachmentContext, SentFile } from "../domain/files/attachments.js";
import type { IncomingFile } from "../schema/files/upload.js";
import type { Context } from "./context.js";

export const attachmentContext = ({ db, actor, storage, maxAttachmentSize, photos }: Context): AttachmentContext => ({
  ...{ db, actor, storage, photos },
  maxSize: maxAttachmentSize,
});

/** A file as the domain reads it, once it arrives. */
export const sentFile = (file: Promise<IncomingFile>) => async (): Promise<SentFile> => {
  const { filename, mimetype, createReadStream } = await file;
  return { filename, contentType: mimetype, source: createReadStream() };
};
