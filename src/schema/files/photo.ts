import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { Name, StringMap, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";

/** Photos that are uploaded and registered. */
export const registeredPhotos = () => new Where().add(`"uploadedAt" is not null`);

@ObjectType({ implements: Node, simpleResolvers: true, description: "A photo of an asset or a part." })
export class Photo {
  @Field(() => ID, { description: "The `mediaId` of its upload." })
  id!: string;

  @Field(() => String)
  filename!: string;

  @Field(() => String, { description: "Always `image`." })
  type!: string;

  @Field(() => String)
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the API key that registered the photo." })
  uploadedBy?: string | null;

  @Field(() => Timestamp)
  uploadedAt!: Date;

  @Field(() => String, { description: "Signed URL of the file. It needs no API key and expires after one to two hours." })
  url!: string;

  @Field(() => String, { description: "Signed URL of a thumbnail of at most 320 by 320 pixels. Expires like `url`." })
  thumbnailUrl!: string;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Permission to upload one file. Send a multipart form to `uploadUrl` that contains `fields`, followed by the file as its last part.",
})
export class PhotoUpload {
  @Field(() => String)
  uploadUrl!: string;

  @Field(() => ID)
  mediaId!: string;

  @Field(() => StringMap)
  fields!: Record<string, string>;

  @Field(() => Timestamp)
  expiresAt!: Date;
}

@InputType({ description: "Owner of a photo. Set exactly one field." })
export class PhotoOwnerInput {
  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => ID, { nullable: true })
  partId?: string | null;
}

@InputType()
export class PhotoUploadInput {
  @Field(() => Name)
  filename!: string;

  @Field(() => Name, { description: "`image/jpeg`, `image/png`, `image/gif` or `image/webp`." })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;
}

@InputType()
export class RegisterPhotoInput {
  @Field(() => ID, { description: "The `mediaId` returned with the upload permission. Each can be registered once." })
  mediaId!: string;

  @Field(() => Name, { nullable: true, description: "Default: the file name sent when the upload was requested." })
  filename?: string | null;

  @Field(() => String, { nullable: true, description: "Always `image`." })
  type?: string | null;

  @Field(() => Int, { nullable: true, description: "Size in bytes. Must match the size of the uploaded file." })
  size?: number | null;

  @Field(() => Text, { nullable: true })
  description?: string | null;
}
