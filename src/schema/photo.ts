import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Name, StringMap, Text, Timestamp } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "A photo of an asset or of a part (interface.md 2.2)." })
export class Photo {
  @Field(() => ID, { description: "The mediaId of its upload." })
  id!: string;

  @Field(() => String)
  filename!: string;

  @Field(() => String, { description: "image." })
  type!: string;

  @Field(() => String)
  contentType!: string;

  @Field(() => Int, { description: "Bytes." })
  size!: number;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the API key that registered it." })
  uploadedBy?: string | null;

  @Field(() => Timestamp)
  uploadedAt!: Date;

  @Field(() => String, { description: "Where the file is read, without a key, for an hour or two." })
  url!: string;

  @Field(() => String, { description: "As `url`, at most 320 pixels wide and high." })
  thumbnailUrl!: string;
}

@ObjectType({ simpleResolvers: true, description: "Leave to send one file: a multipart form with the fields, the file last." })
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

@InputType({ description: "Whose photo it is: one of the two." })
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

  @Field(() => Name, { description: "image/jpeg, image/png, image/gif or image/webp." })
  contentType!: string;

  @Field(() => Int, { description: "Bytes." })
  size!: number;
}

@InputType()
export class RegisterPhotoInput {
  @Field(() => ID, { description: "The mediaId of the grant; each is used once." })
  mediaId!: string;

  @Field(() => Name, { nullable: true, description: "Of the grant where left out." })
  filename?: string | null;

  @Field(() => String, { nullable: true, description: "image." })
  type?: string | null;

  @Field(() => Int, { nullable: true, description: "Bytes; checked against what arrived." })
  size?: number | null;

  @Field(() => Text, { nullable: true })
  description?: string | null;
}
