import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { guardSite } from "../../domain/access/site-guard.js";
import { type FileVariant, fileLink } from "../../domain/files/file-links.js";
import {
  deletePhoto,
  grantUpload,
  type PhotoContext,
  type PhotoOwner,
  type PhotoRecord,
  registerPhoto,
  restorePhoto,
  uploadPhoto,
} from "../../domain/files/photos.js";
import { Deletion } from "../../schema/deletion.js";
import { badInput, notFound } from "../../schema/errors.js";
import { Photo, PhotoOwnerInput, PhotoUpload, PhotoUploadInput, RegisterPhotoInput } from "../../schema/files/photo.js";
import { type IncomingFile, Upload } from "../../schema/files/upload.js";
import { Text } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { fileWork } from "../cost.js";
import { sentFile } from "../sent-files.js";

const photoContext = ({
  data: { db, secret, outside },
  caller: { actor, baseUrl },
  services: { storage, maxPhotoSize, photos },
}: Context): PhotoContext => ({
  db,
  actor,
  storage,
  baseUrl,
  maxSize: maxPhotoSize,
  photos,
  secret,
  outside,
});

/**
 * Returns the owner whose photos the caller wants to change. Throws BAD_USER_INPUT unless exactly one owner is set, NOT_FOUND, and
 * FORBIDDEN if the key is limited to other sites.
 */
async function checkedOwner({ data: { loaders }, caller: { actor } }: Context, { assetId, partId }: PhotoOwnerInput): Promise<PhotoOwner> {
  if ((assetId == null) === (partId == null)) throw badInput({ owner: "must hold either assetId or partId" });
  const column = assetId == null ? "partId" : "assetId";
  const id = (assetId ?? partId)!;
  const owner = column === "assetId" ? await loaders.record("Asset", id) : await loaders.record("Part", id);
  if (!owner) throw notFound(column === "assetId" ? "Asset" : "Part", { [column]: id });
  guardSite(actor, owner.site ?? "");
  return { column, id };
}

@Resolver(() => Photo)
export class PhotoResolver {
  @FieldResolver(() => String)
  type(): string {
    return "image";
  }

  @FieldResolver(() => String)
  url(@Root() photo: PhotoRecord, @Ctx() context: Context): Promise<string> {
    return signedLink(photo, "original", context);
  }

  @FieldResolver(() => String)
  thumbnailUrl(@Root() photo: PhotoRecord, @Ctx() context: Context): Promise<string> {
    return signedLink(photo, "thumbnail", context);
  }

  @Authorized("technician")
  @Mutation(() => PhotoUpload, {
    description: "Starts adding a photo: returns a URL and form fields for uploading one file. `registerPhoto` completes the upload.",
  })
  async createPhotoUpload(
    @Arg("owner", () => PhotoOwnerInput, { description: "Asset or part of the photo." }) owner: PhotoOwnerInput,
    @Arg("input", () => PhotoUploadInput, { description: "File to upload." }) input: PhotoUploadInput,
    @Ctx() context: Context,
  ): Promise<PhotoUpload> {
    return grantUpload(photoContext(context), await checkedOwner(context, owner), input);
  }

  @Authorized("technician")
  @Mutation(() => Photo, { complexity: fileWork, description: "Registers an uploaded file as a photo." })
  async registerPhoto(
    @Arg("owner", () => PhotoOwnerInput, { description: "Asset or part for which the upload was created." }) owner: PhotoOwnerInput,
    @Arg("input", () => RegisterPhotoInput, { description: "Uploaded file." }) input: RegisterPhotoInput,
    @Ctx() context: Context,
  ): Promise<PhotoRecord> {
    return registerPhoto(photoContext(context), await checkedOwner(context, owner), input);
  }

  @Authorized("technician")
  @Mutation(() => Photo, { complexity: fileWork, description: "Adds a photo to an asset in one step." })
  uploadAssetPhoto(
    @Arg("assetId", () => ID, { description: "Id of the asset." }) assetId: string,
    @Arg("file", () => Upload, { description: "JPEG, PNG, GIF or WebP file of at most 50 million pixels." }) file: Promise<IncomingFile>,
    @Ctx() context: Context,
    @Arg("description", () => Text, { nullable: true, description: "Caption of the photo." }) description?: string,
  ): Promise<PhotoRecord> {
    return uploadFor({ assetId }, file, context, description);
  }

  @Authorized("technician")
  @Mutation(() => Photo, { complexity: fileWork, description: "Adds a photo to a part in one step." })
  uploadPartPhoto(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("file", () => Upload, { description: "JPEG, PNG, GIF or WebP file of at most 50 million pixels." }) file: Promise<IncomingFile>,
    @Ctx() context: Context,
    @Arg("description", () => Text, { nullable: true, description: "Caption of the photo." }) description?: string,
  ): Promise<PhotoRecord> {
    return uploadFor({ partId }, file, context, description);
  }

  @Authorized("technician")
  @Mutation(() => Deletion, { description: "Soft-deletes a photo." })
  async deletePhoto(
    @Arg("owner", () => PhotoOwnerInput, { description: "Asset or part of the photo." }) owner: PhotoOwnerInput,
    @Arg("id", () => ID, { description: "Id of the photo." }) id: string,
    @Ctx() context: Context,
  ): Promise<Deletion> {
    const deletion = await deletePhoto(photoContext(context), await checkedOwner(context, owner), id);
    return { ...deletion, owner: async () => owner.assetId ?? owner.partId };
  }

  @Authorized("technician")
  @Mutation(() => Photo, { description: "Restores a deleted photo." })
  async restorePhoto(
    @Arg("owner", () => PhotoOwnerInput, { description: "Asset or part of the photo." }) owner: PhotoOwnerInput,
    @Arg("id", () => ID, { description: "Id of a deleted photo." }) id: string,
    @Ctx() context: Context,
  ): Promise<PhotoRecord> {
    return restorePhoto(photoContext(context), await checkedOwner(context, owner), id);
  }
}

async function uploadFor(
  owner: PhotoOwnerInput,
  file: Promise<IncomingFile>,
  context: Context,
  description?: string,
): Promise<PhotoRecord> {
  const checked = await checkedOwner(context, owner);
  return uploadPhoto(photoContext(context), checked, sentFile(file), description);
}

const signedLink = async ({ id }: PhotoRecord, variant: FileVariant, { caller: { actor, baseUrl }, data: { secret } }: Context) =>
  fileLink({ tenantId: actor.tenantId, id, variant }, baseUrl, await secret());
