/**
 * Photos: upload grant, file, registration (docs/interface.md 2.2, 4.1). A row of "Photo" is an upload grant while `uploadedAt` is null,
 * and a photo afterwards. A grant fixes tenant, owner, storage key, type and size. It is single-use: the statement that sets `uploadedAt`
 * requires it to be null.
 */
import { Readable } from "node:stream";
import { now, nowDate } from "../../database/clock.js";
import type { Outside } from "../../database/connection/outside.js";
import type { TenantDatabase } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import type { Rows } from "../../database/rows/catalogue.js";
import { badInput, notFound, tooLarge, unavailable } from "../../schema/errors.js";
import type { PhotoUploadInput, RegisterPhotoInput } from "../../schema/files/photo.js";
import { type Storage, StorageUnavailable, type UploadForm } from "../../storage/storage.js";
import type { Actor } from "../access/keys.js";
import type { SentFile } from "./attachments.js";
import { BadFile, type PhotoReader, photoTypes } from "./image.js";

const grantMinutes = 15;

/** The owner of a photo: its foreign-key column and id. */
export interface PhotoOwner {
  column: "assetId" | "partId";
  id: string;
}

export type PhotoRecord = Rows["Photo"];

export interface PhotoContext {
  db: TenantDatabase;
  actor: Actor;
  storage: Storage;
  baseUrl: string;
  /** In bytes. */
  maxSize: number;
  photos: PhotoReader;
  /** The tenant's signing secret. */
  secret(): Promise<string>;
  /** Set for writes with an Idempotency-Key, whose transaction must not wait for files. */
  outside?: Outside | undefined;
}

const toAnswer = (error: unknown) => (error instanceof StorageUnavailable ? unavailable("The file storage") : error);

const incoming = (tenantId: string, id: string) => `incoming/${tenantId}/${id}`;
const stored = (tenantId: string, id: string) => ({ storageKey: `photos/${tenantId}/${id}`, thumbnailKey: `thumbnails/${tenantId}/${id}` });

function checkUpload({ contentType, size }: { contentType: string; size: number }, maxSize: number): void {
  const details: Record<string, string> = {};
  if (!photoTypes.includes(contentType)) details.contentType = `must be one of ${photoTypes.join(", ")}`;
  if (size < 1) details.size = "must be a positive number of bytes";
  if (Object.keys(details).length) throw badInput(details, "Invalid file type or size");
  if (size > maxSize) throw tooLarge(maxSize, size);
}

async function insertGrant({ db, actor }: PhotoContext, owner: PhotoOwner, { filename, contentType, size }: PhotoUploadInput) {
  const id = newId();
  const expiresAt = new Date(now() + grantMinutes * 60_000);
  await db.records.Photo.create(actor.principalId, {
    id,
    [owner.column]: owner.id,
    filename,
    contentType,
    size,
    expiresAt,
    storageKey: incoming(db.tenantId, id),
    grantedBy: actor.principalId,
  });
  return { id, expiresAt };
}

/**
 * Returns the upload form of a new grant, valid for 15 minutes (docs/interface.md 2.2). Throws BAD_USER_INPUT naming contentType or
 * size, PAYLOAD_TOO_LARGE with maxSize and receivedSize in bytes.
 */
export async function grantUpload(
  context: PhotoContext,
  owner: PhotoOwner,
  input: PhotoUploadInput,
): Promise<UploadForm & { mediaId: string; expiresAt: Date }> {
  checkUpload(input, context.maxSize);
  const { id, expiresAt } = await insertGrant(context, owner, input);
  const { contentType, size } = input;
  const key = incoming(context.db.tenantId, id);
  const period = { expiresAt, seconds: grantMinutes * 60 };
  const form = await context.storage.grant({ key, contentType, size, ...period, secret: await context.secret(), baseUrl: context.baseUrl });
  return { mediaId: id, expiresAt, ...form };
}

/**
 * Registers an uploaded file as a photo (docs/interface.md 4.1). Throws BAD_USER_INPUT naming mediaId if it is unknown, used or has no
 * file. Throws BAD_USER_INPUT naming type or size if they differ from the file, and file if it is not a valid photo. An invalid file is
 * deleted with its grant.
 */
export async function registerPhoto(context: PhotoContext, owner: PhotoOwner, input: RegisterPhotoInput): Promise<PhotoRecord> {
  if (input.type != null && input.type !== "image") throw badInput({ type: "must be image" });
  const prepare = () => prepareFiles(context, owner, input);
  if (context.outside)
    return record(context, await context.outside.first(`photo ${input.mediaId}`, prepare, (grant) => withdraw(context, grant)), input);
  const grant = await prepare();
  try {
    return await record(context, grant, input);
  } catch (error) {
    await withdraw(context, grant);
    throw error;
  }
}

/** Claims the grant and moves its files to their final keys. */
async function prepareFiles(context: PhotoContext, owner: PhotoOwner, input: RegisterPhotoInput): Promise<PhotoRecord> {
  const grant = await claim(context, owner, input.mediaId);
  try {
    await publish(context, grant, input);
    return grant;
  } catch (error) {
    await release(context, grant);
    throw toAnswer(error);
  }
}

const noOpenUpload = () => badInput({ mediaId: "names no open upload of this resource; request a new one" });

/**
 * Claims the grant by changing its storage key, so that only one of several concurrent registrations succeeds. A registration that resumes
 * an interrupted one takes over its claim.
 */
async function claim({ db, actor, outside }: PhotoContext, owner: PhotoOwner, id: string): Promise<PhotoRecord> {
  const { storageKey } = stored(db.tenantId, id);
  const claimable = [incoming(db.tenantId, id), ...(outside?.isResumed ? [storageKey] : [])];
  const open = { id, [owner.column]: owner.id, storageKey: { in: claimable }, uploadedAt: null };
  const grant = await db.records.Photo.update(actor.principalId, open, { storageKey });
  if (!grant) throw noOpenUpload();
  return grant;
}

const release = ({ db, actor }: PhotoContext, { id }: PhotoRecord) =>
  db.records.Photo.update(actor.principalId, { id, uploadedAt: null }, { storageKey: incoming(db.tenantId, id) });

async function publish(context: PhotoContext, grant: PhotoRecord, input: RegisterPhotoInput): Promise<void> {
  const { db, storage, photos, outside } = context;
  const { storageKey, thumbnailKey } = stored(db.tenantId, grant.id);
  const publishFrom = (key: string) =>
    storage.withFile(key, async ({ path, size, moveTo }) => {
      if (input.size != null && input.size !== size) throw badInput({ size: `must be the ${size} bytes that arrived` });
      try {
        if (size !== grant.size) throw new BadFile(`has ${size} bytes, not the ${grant.size} granted`);
        const thumbnail = await photos.prepare({ path, size }, grant.contentType, db.tenantId);
        await storage.put(thumbnailKey, Readable.from([thumbnail]), "image/webp");
      } catch (error) {
        if (!(error instanceof BadFile)) throw error;
        await discard(context, grant);
        throw badInput({ file: `${error.message}; request a new upload` }, "Invalid file type or size");
      }
      if (key !== storageKey) await moveTo(storageKey, grant.contentType);
      return true;
    });
  // The interrupted registration may have moved the file already.
  const isStored = (await publishFrom(incoming(db.tenantId, grant.id))) ?? (outside?.isResumed && (await publishFrom(storageKey)));
  if (!isStored) throw badInput({ mediaId: "has no uploaded file; send the file to uploadUrl first" });
}

/** Turns a claimed grant with stored files into a photo. */
async function record(context: PhotoContext, grant: PhotoRecord, input: RegisterPhotoInput): Promise<PhotoRecord> {
  const { db, actor } = context;
  const uploadedBy = actor.principalId;
  const photo = await db.records.Photo.update(
    uploadedBy,
    { id: grant.id, uploadedAt: null },
    {
      uploadedAt: nowDate(),
      uploadedBy,
      ...stored(db.tenantId, grant.id),
      filename: input.filename ?? grant.filename,
      description: input.description,
    },
  );
  if (photo) return photo;
  if (await db.records.Photo.count({ id: grant.id })) throw noOpenUpload();
  throw badInput({ mediaId: "was swept meanwhile; request a new upload" });
}

/** Undoes `prepareFiles`, so that the upload can be registered again. */
async function withdraw(context: PhotoContext, grant: PhotoRecord): Promise<void> {
  const { db, storage } = context;
  const { storageKey, thumbnailKey } = stored(db.tenantId, grant.id);
  const current = await db.records.Photo.find({ id: grant.id }, "all");
  if (current?.uploadedAt) return;
  if (!current) return storage.remove([storageKey, thumbnailKey]);
  await storage.withFile(storageKey, ({ moveTo }) => moveTo(incoming(db.tenantId, grant.id), grant.contentType));
  await storage.remove([thumbnailKey]);
  await release(context, grant);
}

async function discard({ db, storage }: PhotoContext, { id }: { id: string }): Promise<void> {
  await storage.remove([incoming(db.tenantId, id)]);
  await db.records.Photo.remove({ id, uploadedAt: null });
}

/**
 * Streams a file to the storage and registers it, for multipart uploads. Throws BAD_USER_INPUT naming file, and the errors of
 * `registerPhoto`.
 */
export async function uploadPhoto(
  context: PhotoContext,
  owner: PhotoOwner,
  file: () => Promise<SentFile>,
  description?: string | null,
): Promise<PhotoRecord> {
  const { outside } = context;
  if (!outside) return registerPhoto(context, owner, { mediaId: await receiveFile(context, owner, await file()), description });
  const prepare = async () => {
    const input = { mediaId: await receiveFile(context, owner, await file()), description };
    return prepareFiles(context, owner, input);
  };
  const grant = await outside.first(outside.nextId(), prepare, async (prepared) => {
    await withdraw(context, prepared);
    await discard(context, prepared);
  });
  return record(context, grant, { mediaId: grant.id, description });
}

/** Streams a file to the storage under a new grant, and returns its id. */
async function receiveFile(context: PhotoContext, owner: PhotoOwner, file: SentFile): Promise<string> {
  const { filename, contentType } = file;
  if (!filename.trim()) throw badInput({ filename: "must not be empty" });
  checkUpload({ contentType, size: 1 }, context.maxSize);
  const grant = await insertGrant(context, owner, { filename, contentType, size: 1 });
  const storageKey = incoming(context.db.tenantId, grant.id);
  let size = 0;
  const counted = async function* () {
    for await (const chunk of file.source) {
      size += chunk.length;
      if (size > context.maxSize) throw tooLarge(context.maxSize, size);
      yield chunk;
    }
  };
  try {
    await context.storage.put(storageKey, Readable.from(counted()), contentType);
    if (!size) throw badInput({ file: "is empty" });
    await context.db.records.Photo.update(context.actor.principalId, { id: grant.id }, { size });
  } catch (error) {
    await discard(context, grant).catch(() => {});
    throw toAnswer(error);
  }
  return grant.id;
}

/** Soft-deletes a photo. Its file is kept for `restorePhoto`. Throws NOT_FOUND unless the owner has the photo. */
export async function deletePhoto({ db, actor }: PhotoContext, owner: PhotoOwner, id: string) {
  const photo = await db.records.Photo.delete(actor.principalId, { id, [owner.column]: owner.id, uploadedAt: { not: null } });
  if (!photo) throw notFound("Photo", { mediaId: id });
  return { id, message: "Photo deleted", deletedAt: photo.deletedAt! };
}

/** Throws NOT_FOUND unless the owner has a deleted photo of this id. */
export async function restorePhoto({ db, actor }: PhotoContext, owner: PhotoOwner, id: string): Promise<PhotoRecord> {
  const photo = await db.records.Photo.restore(actor.principalId, { id, [owner.column]: owner.id });
  if (!photo) throw notFound("Deleted photo", { mediaId: id });
  return photo;
}
