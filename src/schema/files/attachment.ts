import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { author, many, one, Relations } from "../relation.js";
import { DateTime, Name, ShortText, Text, Url } from "../scalars.js";
import { Where } from "../where.js";
import { DocumentKind } from "./enums.js";

const isAttached = () => new Where().add(`"uploadedAt" is not null`);

/** The attachments of a work order or a work request. */
export const attachments = (options: { forRequesters?: boolean } = {}) =>
  many("Attachment", {
    ...options,
    relation: "attachments",
    where: isAttached,
    order: ["uploadedAt", "id"],
    usual: 3,
    description: "Photos and files, oldest first, at most 100.",
  });

/** Documents of the asset, excluding files of work on it. */
export const documents = () =>
  many("Attachment", {
    relation: "documents",
    where: () => isAttached().add(`kind is not null`),
    order: ["uploadedAt", "id"],
    usual: 3,
    description: "Manuals, drawings, certificates and other documents, oldest first, at most 100.",
  });

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "File of a work order or a work request, or document of an asset: an image, a PDF, text or CSV.",
})
@Relations({
  uploadedByPrincipal: author("uploadedBy", "Person or system that uploaded the file."),
  asset: one("Asset", { description: "Asset of the file or of the work. Null while the asset is deleted." }),
  workOrder: one("WorkOrder", { description: "Work order of the file. Null if there is none." }),
  workRequest: one("WorkRequest", { description: "Work request of the file. Null if there is none." }),
})
export class Attachment {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset of the file or of the work, also while the asset is deleted." })
  assetId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the work order of the file. Null if there is none." })
  workOrderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work request of the file. Null if there is none." })
  workRequestId?: string | null;

  @Field(() => DocumentKind, { nullable: true, description: "Kind of document. Null for files of work." })
  kind?: DocumentKind | null;

  @Field(() => String, { nullable: true, description: "Title of a document of an asset. Null for files of work." })
  title?: string | null;

  @Field(() => String, { nullable: true, description: "Revision of a document, e.g. C. Null if none was entered." })
  revision?: string | null;

  @Field(() => String, { nullable: true, description: "Caption. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { description: "Name of the file. Never blank." })
  filename!: string;

  @Field(() => String, {
    description:
      "Media type: `image/jpeg`, `image/png`, `image/gif`, `image/webp`, `application/pdf`, `text/plain` or `text/csv`. Matches the file's content.",
  })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;

  @Field(() => String, {
    description: "SHA-256 of the stored file, in hexadecimal. Images are stored without location and camera metadata.",
  })
  sha256!: string;

  @Field(() => String, { description: "Id of the person or system that uploaded the file." })
  uploadedBy!: string;

  @Field(() => DateTime, { description: "Time of the upload." })
  uploadedAt!: Date;

  @Field(() => Url, {
    description:
      "Signed URL of the file. Requires no API key and expires after one to two hours. Files other than images are downloaded, not displayed.",
  })
  url!: string;

  @Field(() => Url, {
    nullable: true,
    description: "Signed URL of a thumbnail of at most 320 by 320 pixels. Expires like `url`. Null for files other than images.",
  })
  thumbnailUrl?: string | null;
}

@InputType({ description: "Owner of an attachment. Exactly one field must be set." })
export class AttachmentOwnerInput {
  @Field(() => ID, { nullable: true, description: "Id of the work order." })
  workOrderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work request. For requesters, one of their own that is OPEN." })
  workRequestId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the asset." })
  assetId?: string | null;
}

@InputType({ description: "Details of an attachment." })
export class AttachmentInput {
  @Field(() => DocumentKind, {
    nullable: true,
    description: "Kind of document. Required for documents of an asset; not allowed for other files.",
  })
  kind?: DocumentKind | null;

  @Field(() => Name, {
    nullable: true,
    description: "Title of the document. Required for documents of an asset; not allowed for other files.",
  })
  title?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Revision of the document, e.g. C. Only for documents of an asset." })
  revision?: string | null;

  @Field(() => Text, { nullable: true, description: "Caption." })
  description?: string | null;
}
