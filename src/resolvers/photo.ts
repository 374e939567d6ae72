import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { type FileVariant, fileLink } from "../domain/file-links.js";
import {
  deletePhoto,
  grantUpload,
  type PhotoDesk,
  type PhotoOwner,
  type PhotoRecord,
  registerPhoto,
  restorePhoto,
  uploadPhoto,
} from "../domain/photos.js";
import { guardSite } from "../domain/site-guard.js";
import { Asset } from "../schema/asset.js";
import { Deletion } from "../schema/deletion.js";
import { badInput, notFound } from "../schema/errors.js";
import { Part } from "../schema/part.js";
import { Photo, PhotoOwnerInput, PhotoUpload, PhotoUploadInput, RegisterPhotoInput } from "../schema/photo.js";
import { Text } from "../schema/scalars.js";
import { type IncomingFile, Upload } from "../schema/upload.js";
import type { Context } from "./context.js";

const deskOf = ({ db, actor, storage, baseUrl, maxPhotoSize, secret }: Context): PhotoDesk => ({
  db,
  actor,
  storage,
  baseUrl,
  maxSize: maxPhotoSize,
  secret,
});

/** Whose photos are to be changed. Throws NOT_FOUND, and FORBIDDEN where the key's sites do not include its site. */
async function managedOwner({ loaders, actor }: Context, { assetId, partId }: PhotoOwnerInput): Promise<PhotoOwner> {
  if ((assetId == null) === (partId == null)) throw badInput({ owner: "must hold either assetId or partId" });
  const column = assetId == null ? "partId" : "assetId";
  const id = (assetId ?? partId)!;
  const owner = column === "assetId" ? await loaders.asset.load(id) : await loaders.part.load(id);
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
    return linkTo(photo, "original", context);
  }

  @FieldResolver(() => String)
  thumbnailUrl(@Root() photo: PhotoRecord, @Ctx() context: Context): Promise<string> {
    return linkTo(photo, "thumbnail", context);
  }

  @Authorized("technician")
  @Mutation(() => PhotoUpload, { description: "The first step of adding a photo: leave to send one file (interface.md 4.1, photo flow)." })
  async createPhotoUpload(
    @Arg("owner", () => PhotoOwnerInput) owner: PhotoOwnerInput,
    @Arg("input", () => PhotoUploadInput) input: PhotoUploadInput,
    @Ctx() context: Context,
  ): Promise<PhotoUpload> {
    return grantUpload(deskOf(context), await managedOwner(context, owner), input);
  }

  @Authorized("technician")
  @Mutation(() => Photo, { description: "The last step of adding a photo, when its file was sent." })
  async registerPhoto(
    @Arg("owner", () => PhotoOwnerInput) owner: PhotoOwnerInput,
    @Arg("input", () => RegisterPhotoInput) input: RegisterPhotoInput,
    @Ctx() context: Context,
  ): Promise<Photo> {
    return (await registerPhoto(deskOf(context), await managedOwner(context, owner), input)) as unknown as Photo;
  }

  @Authorized("technician")
  @Mutation(() => Photo, { description: "Adds a photo to an asset in one step." })
  uploadAssetPhoto(
    @Arg("assetId", () => ID) assetId: string,
    @Arg("file", () => Upload) file: Promise<IncomingFile>,
    @Ctx() context: Context,
    @Arg("description", () => Text, { nullable: true }) description?: string,
  ): Promise<Photo> {
    return uploadFor({ assetId }, file, context, description);
  }

  @Authorized("technician")
  @Mutation(() => Photo, { description: "Adds a photo to a part in one step." })
  uploadPartPhoto(
    @Arg("partId", () => ID) partId: string,
    @Arg("file", () => Upload) file: Promise<IncomingFile>,
    @Ctx() context: Context,
    @Arg("description", () => Text, { nullable: true }) description?: string,
  ): Promise<Photo> {
    return uploadFor({ partId }, file, context, description);
  }

  @Authorized("technician")
  @Mutation(() => Deletion)
  async deletePhoto(
    @Arg("owner", () => PhotoOwnerInput) owner: PhotoOwnerInput,
    @Arg("id", () => ID) id: string,
    @Ctx() context: Context,
  ): Promise<Deletion> {
    return deletePhoto(context.db, await managedOwner(context, owner), id);
  }

  @Authorized("technician")
  @Mutation(() => Photo, { description: "Brings back a deleted photo." })
  async restorePhoto(
    @Arg("owner", () => PhotoOwnerInput) owner: PhotoOwnerInput,
    @Arg("id", () => ID) id: string,
    @Ctx() context: Context,
  ): Promise<Photo> {
    return (await restorePhoto(context.db, await managedOwner(context, owner), id)) as unknown as Photo;
  }
}

async function uploadFor(owner: PhotoOwnerInput, file: Promise<IncomingFile>, context: Context, description?: string): Promise<Photo> {
  const managed = await managedOwner(context, owner);
  const { filename, mimetype, createReadStream } = await file;
  if (!filename.trim()) throw badInput({ filename: "must not be empty" });
  const photo = { filename: filename.slice(-255), contentType: mimetype, source: createReadStream() };
  return (await uploadPhoto(deskOf(context), managed, photo, description)) as unknown as Photo;
}

const linkTo = async ({ id }: PhotoRecord, variant: FileVariant, { actor, baseUrl, secret }: Context) =>
  fileLink({ tenantId: actor.tenantId, id, variant }, baseUrl, await secret());

@Resolver(() => Asset)
export class AssetPhotosResolver {
  @FieldResolver(() => [Photo], { description: "Oldest first." })
  photos(@Root() { id }: Asset, @Ctx() { loaders }: Context): Promise<Photo[]> {
    return loaders.photosOfAsset.load(id) as Promise<unknown> as Promise<Photo[]>;
  }
}

@Resolver(() => Part)
export class PartPhotosResolver {
  @FieldResolver(() => [Photo], { description: "Oldest first." })
  photos(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<Photo[]> {
    return loaders.photosOfPart.load(id) as Promise<unknown> as Promise<Photo[]>;
  }
}
