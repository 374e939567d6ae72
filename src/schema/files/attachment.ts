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
    description: "Its photos and files, oldest first: 100 at most.",
  });

/** Those of an asset that are its own, and not of work on it. */
export const documents = () =>
  many("Attachment", {
    relation: "documents",
    where: () => isAttached().add(`kind is not null`),
    order: ["uploadedAt", "id"],
    usual: 3,
    description: "Manuals, drawings, certificates and the like, oldest first: 100 at most.",
  });

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "A file of a work order or a work request, or a document of an asset: an image, a PDF, text or CSV.",
})
@Relations({
  uploadedByPrincipal: author("uploadedBy", "Who uploaded it."),
  asset: one("Asset", { description: "The asset that it is of, or the work. Null while the asset is deleted." }),
  workOrder: one("WorkOrder", { description: "The work order that it is of. Null if it is of none." }),
  workRequest: one("WorkRequest", { description: "The work request that it is of. Null if it is of none." }),
})
export class Attachment {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the asset that it is of, or the work, also while the asset is deleted." })
  assetId!: string;

  @Field(() => ID, { nullable: true, description: "Id of the work order that it is of. Null if it is of none." })
  workOrderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the work request that it is of. Null if it is of none." })
  workRequestId?: string | null;

  @Field(() => DocumentKind, { nullable: true, description: "What a document of an asset is. Null for files of work." })
  kind?: DocumentKind | null;

  @Field(() => String, { nullable: true, description: "Title of a document of an asset. Null for files of work." })
  title?: string | null;

  @Field(() => String, { nullable: true, description: "Revision of a document, e.g. C. Null if none was entered." })
  revision?: string | null;

  @Field(() => String, { nullable: true, description: "Caption. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { description: "Name of the file, not blank." })
  filename!: string;

  @Field(() => String, {
    description:
      "`image/jpeg`, `image/png`, `image/gif`, `image/webp`, `application/pdf`, `text/plain` or `text/csv`. The file's content agrees with it.",
  })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;

  @Field(() => String, {
    description: "SHA-256 of the file as it is stored, in hexadecimal. An image is stored without what tells of place and camera.",
  })
  sha256!: string;

  @Field(() => String, { description: "Id of the person or system that uploaded it." })
  uploadedBy!: string;

  @Field(() => DateTime, { description: "When it was uploaded." })
  uploadedAt!: Date;

  @Field(() => Url, {
    description:
      "Signed URL of the file. It needs no API key and expires after one to two hours. What is no image is downloaded, not shown.",
  })
  url!: string;

  @Field(() => Url, {
    nullable: true,
    description: "Signed URL of a thumbnail of at most 320 by 320 pixels. Null for what is no image. Expires like `url`.",
  })
  thumbnailUrl?: string | null;
}

@InputType({ description: "Owner of an attachment. Set exactly one field." })
export class AttachmentOwnerInput {
  @Field(() => ID, { nullable: true, description: "Work order whose file it is." })
  workOrderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Work request whose file it is. A requester names one of its own that is OPEN." })
  workRequestId?: string | null;

  @Field(() => ID, { nullable: true, description: "Asset whose document it is." })
  assetId?: string | null;
}

@InputType({ description: "What is said of an attachment." })
export class AttachmentInput {
  @Field(() => DocumentKind, { nullable: true, description: "Of a document of an asset, which needs it; of no other file." })
  kind?: DocumentKind | null;

  @Field(() => Name, { nullable: true, description: "Of a document of an asset, which needs it; of no other file." })
  title?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Of a document of an asset, e.g. C; of no other file." })
  revision?: string | null;

  @Field(() => Text, { nullable: true, description: "Caption." })
  description?: string | null;
}
