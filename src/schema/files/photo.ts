import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { author, Relations } from "../relation.js";
import { DateTime, Name, StringMap, Text, Url } from "../scalars.js";
import { Where } from "../where.js";

/** Photos that are uploaded and registered. */
export const registeredPhotos = () => new Where().add(`"uploadedAt" is not null`);

@ObjectType({ implements: Node, simpleResolvers: true, description: "A photo of an asset or a part." })
@Relations({
  uploadedByPrincipal: author("uploadedBy", "Who uploaded it."),
})
export class Photo {
  @Field(() => ID, { description: "The `mediaId` of its upload." })
  id!: string;

  @Field(() => String, { description: "Name of the file, not blank." })
  filename!: string;

  @Field(() => String, { description: "Always `image`." })
  type!: string;

  @Field(() => String, { description: "`image/jpeg`, `image/png`, `image/gif` or `image/webp`." })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;

  @Field(() => String, { nullable: true, description: "Caption. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that registered the photo." })
  uploadedBy?: string | null;

  @Field(() => DateTime, { description: "When the photo was registered." })
  uploadedAt!: Date;

  @Field(() => Url, { description: "Signed URL of the file. It needs no API key and expires after one to two hours." })
  url!: string;

  @Field(() => Url, { description: "Signed URL of a thumbnail of at most 320 by 320 pixels. Expires like `url`." })
  thumbnailUrl!: string;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Permission to upload one file. Send a multipart form to `uploadUrl` that contains `fields`, followed by the file as its last part.",
})
export class PhotoUpload {
  @Field(() => Url, { description: "Where the form is sent with POST. It needs no API key." })
  uploadUrl!: string;

  @Field(() => ID, { description: "Pass this to `registerPhoto`. It becomes the id of the photo." })
  mediaId!: string;

  @Field(() => StringMap, { description: "Form fields, to be sent as they are." })
  fields!: Record<string, string>;

  @Field(() => DateTime, { description: "End of the permission, 15 minutes after the request." })
  expiresAt!: Date;
}

@InputType({ description: "Owner of a photo. Set exactly one field." })
export class PhotoOwnerInput {
  @Field(() => ID, { nullable: true, description: "Asset whose photo it is." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Part whose photo it is." })
  partId?: string | null;
}

@InputType({ description: "The file that will be uploaded." })
export class PhotoUploadInput {
  @Field(() => Name, { description: "Name of the file. It also becomes the photo's unless `registerPhoto` gives another." })
  filename!: string;

  @Field(() => Name, { description: "`image/jpeg`, `image/png`, `image/gif` or `image/webp`." })
  contentType!: string;

  @Field(() => Int, { description: "Size in bytes." })
  size!: number;
}

@InputType({ description: "An uploaded file that becomes a photo." })
export class RegisterPhotoInput {
  @Field(() => ID, { description: "The `mediaId` returned with the upload permission. Each can be registered once." })
  mediaId!: string;

  @Field(() => Name, { nullable: true, description: "Default: the file name sent when the upload was requested." })
  filename?: string | null;

  @Field(() => String, { nullable: true, description: "Always `image`." })
  type?: string | null;

  @Field(() => Int, { nullable: true, description: "Size in bytes. Must match the size of the uploaded file." })
  size?: number | null;

  @Field(() => Text, { nullable: true, description: "Caption of the photo." })
  description?: string | null;
}
