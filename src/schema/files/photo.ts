import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { author, Relations } from "../relation.js";
import { DateTime, Name, StringMap, Text, Url } from "../scalars.js";
import { Where } from "../where.js";

/** Condition for photos that are uploaded and registered. */
export const registeredPhotos = () => new Where().add(`"uploadedAt" is not null`);

@ObjectType({ implements: Node, simpleResolvers: true, description: "Photo of an asset or a part." })
@Relations({
  uploadedByPrincipal: author("uploadedBy", "Person or system that uploaded the file."),
})
export class Photo {
  @Field(() => ID, { description: "Id of the photo: the `mediaId` of its upload." })
  id!: string;

  @Field(() => String, { description: "Name of the file. Never blank." })
  filename!: string;

  @Field(() => String, { description: "Media kind. Always `image`." })
  type!: string;

  @Field(() => String, { description: "Media type: `image/jpeg`, `image/png`, `image/gif` or `image/webp`." })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;

  @Field(() => String, { nullable: true, description: "Caption. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that registered the photo." })
  uploadedBy?: string | null;

  @Field(() => DateTime, { description: "Time at which the photo was registered." })
  uploadedAt!: Date;

  @Field(() => Url, { description: "Signed URL of the file. Requires no API key and expires after one to two hours." })
  url!: string;

  @Field(() => Url, { description: "Signed URL of a thumbnail of at most 320 by 320 pixels. Expires like `url`." })
  thumbnailUrl!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "Permission to upload one file. Send a multipart form with `fields`, followed by the file as the last part, to `uploadUrl`.",
})
export class PhotoUpload {
  @Field(() => Url, { description: "URL to which the form is sent with POST. Requires no API key." })
  uploadUrl!: string;

  @Field(() => ID, { description: "Id of the upload, for `registerPhoto`. Becomes the id of the photo." })
  mediaId!: string;

  @Field(() => StringMap, { description: "Form fields, to be sent unchanged." })
  fields!: Record<string, string>;

  @Field(() => DateTime, { description: "Expiration time of the permission, 15 minutes after the request." })
  expiresAt!: Date;
}

@InputType({ description: "Owner of a photo. Exactly one field must be set." })
export class PhotoOwnerInput {
  @Field(() => ID, { nullable: true, description: "Id of the asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the part." })
  partId?: string | null;
}

@InputType({ description: "File to upload." })
export class PhotoUploadInput {
  @Field(() => Name, { description: "Name of the file. Also the name of the photo unless `registerPhoto` sets another." })
  filename!: string;

  @Field(() => Name, { description: "Media type: `image/jpeg`, `image/png`, `image/gif` or `image/webp`." })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;
}

@InputType({ description: "Uploaded file that becomes a photo." })
export class RegisterPhotoInput {
  @Field(() => ID, { description: "`mediaId` of the upload. Can be registered once." })
  mediaId!: string;

  @Field(() => Name, { nullable: true, description: "Name of the file. Default: the name given when the upload was created." })
  filename?: string | null;

  @Field(() => String, { nullable: true, description: "Media kind. Always `image`." })
  type?: string | null;

  @Field(() => Int, { nullable: true, description: "Size in bytes. Must match the size of the uploaded file." })
  size?: number | null;

  @Field(() => Text, { nullable: true, description: "Caption of the photo." })
  description?: string | null;
}
