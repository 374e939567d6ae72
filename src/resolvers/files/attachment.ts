import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import type { Rows } from "../../database/rows/catalogue.js";
import * as attachments from "../../domain/files/attachments.js";
import { type FileVariant, fileLink } from "../../domain/files/file-links.js";
import { Deletion } from "../../schema/deletion.js";
import { badInput } from "../../schema/errors.js";
import { Attachment, AttachmentInput, AttachmentOwnerInput } from "../../schema/files/attachment.js";
import { type IncomingFile, Upload } from "../../schema/files/upload.js";
import type { Context } from "../context.js";
import { fileWork } from "../cost.js";
import { attachmentContext, sentFile } from "../sent-files.js";

function ownerOf(input: AttachmentOwnerInput): attachments.AttachmentOwner {
  const [owner, second] = (["workOrderId", "workRequestId", "assetId"] as const).flatMap((column) => {
    const id = input[column];
    return id == null ? [] : [{ column, id }];
  });
  if (!owner || second) throw badInput({ owner: "must hold one of workOrderId, workRequestId and assetId" });
  return owner;
}

const signedLink = async (id: string, variant: FileVariant, { caller: { actor, baseUrl }, data: { secret } }: Context) =>
  fileLink({ tenantId: actor.tenantId, id, variant }, baseUrl, await secret());

@Resolver(() => Attachment)
export class AttachmentResolver {
  @FieldResolver(() => String)
  url(@Root() { id }: Rows["Attachment"], @Ctx() context: Context): Promise<string> {
    return signedLink(id, "original", context);
  }

  @FieldResolver(() => String)
  async thumbnailUrl(@Root() { id, thumbnailKey }: Rows["Attachment"], @Ctx() context: Context): Promise<string | null> {
    return thumbnailKey ? signedLink(id, "thumbnail", context) : null;
  }

  @Authorized("technician", "requester")
  @Mutation(() => Attachment, {
    complexity: fileWork,
    description:
      "Adds a file to a work order, a work request or an asset. The content must be an image, a PDF, text or CSV. Requesters can add files to their own OPEN requests.",
  })
  uploadAttachment(
    @Arg("owner", () => AttachmentOwnerInput, { description: "Work order, work request or asset that the file belongs to." })
    owner: AttachmentOwnerInput,
    @Arg("file", () => Upload, { description: "File to upload." }) file: Promise<IncomingFile>,
    @Ctx() context: Context,
    @Arg("input", () => AttachmentInput, { nullable: true, description: "Details of the file. Default: none." }) input?: AttachmentInput,
  ): Promise<Rows["Attachment"]> {
    return attachments.uploadAttachment(attachmentContext(context), ownerOf(owner), sentFile(file), input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => Deletion, { description: "Soft-deletes an attachment. Allowed for its uploader and for managers." })
  deleteAttachment(
    @Arg("id", () => ID, { description: "Id of the attachment." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Deletion> {
    return attachments.deleteAttachment(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => Attachment, { description: "Restores a deleted attachment. Allowed for its uploader and for managers." })
  restoreAttachment(
    @Arg("id", () => ID, { description: "Id of a deleted attachment." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Rows["Attachment"]> {
    return attachments.restoreAttachment(db, actor, id);
  }
}
