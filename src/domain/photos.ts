/**
 * Photos: grant → file → registration (interface.md 2.2, 4.1). A row of "Photo" is the grant until `uploadedAt` is set, the
 * photo afterwards. A grant is bound to tenant, owner, key, type and size, and is used once: the statement that sets
 * `uploadedAt` asks for it to be empty.
 */
import { Readable } from "node:stream";
import type { Row, TenantDatabase } from "../database/database.js";
import { newId } from "../database/directory.js";
import { badInput, notFound, tooLarge } from "../schema/errors.js";
import type { PhotoUploadInput, RegisterPhotoInput } from "../schema/photo.js";
import type { Storage, UploadForm } from "../storage/storage.js";
import { imageProblem, photoTypes, thumbnailOf } from "./image.js";
import type { Actor } from "./keys.js";

const grantMinutes = 15;

/** Whose photo it is: the row's column and the id in it. */
export interface PhotoOwner {
  column: "assetId" | "partId";
  id: string;
}

export interface PhotoRecord extends Row {
  id: string;
  filename: string;
  contentType: string;
  size: number;
  storageKey: string;
  thumbnailKey: string | null;
}

/** What photos need of the service. */
export interface PhotoDesk {
  db: TenantDatabase;
  actor: Actor;
  storage: Storage;
  baseUrl: string;
  /** Bytes. */
  maxSize: number;
  secret(): Promise<string>;
}

const incoming = (tenantId: string, id: string) => `incoming/${tenantId}/${id}`;
const stored = (tenantId: string, id: string) => ({ storageKey: `photos/${tenantId}/${id}`, thumbnailKey: `thumbnails/${tenantId}/${id}` });

function checkUpload({ contentType, size }: { contentType: string; size: number }, maxSize: number): void {
  const details: Record<string, string> = {};
  if (!photoTypes.includes(contentType)) details.contentType = `must be one of ${photoTypes.join(", ")}`;
  if (size < 1) details.size = "must be a positive number of bytes";
  if (Object.keys(details).length) throw badInput(details, "Invalid file type or size");
  if (size > maxSize) throw tooLarge(maxSize, size);
}

async function insertGrant({ db, actor }: PhotoDesk, owner: PhotoOwner, { filename, contentType, size }: PhotoUploadInput) {
  const id = newId();
  const expiresAt = new Date(Date.now() + grantMinutes * 60_000);
  await db.query(
    `insert into "Photo" ("tenantId", id, "${owner.column}", filename, "contentType", size, "storageKey", "grantedBy", "expiresAt") values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    id,
    owner.id,
    filename,
    contentType,
    size,
    incoming(db.tenantId, id),
    actor.keyId,
    expiresAt,
  );
  return { id, expiresAt };
}

/** Throws BAD_USER_INPUT naming contentType or size, PAYLOAD_TOO_LARGE with maxSize and receivedSize. */
export async function grantUpload(
  desk: PhotoDesk,
  owner: PhotoOwner,
  input: PhotoUploadInput,
): Promise<UploadForm & { mediaId: string; expiresAt: Date }> {
  checkUpload(input, desk.maxSize);
  const { id, expiresAt } = await insertGrant(desk, owner, input);
  const { contentType, size } = input;
  const key = incoming(desk.db.tenantId, id);
  const form = await desk.storage.grant({ key, contentType, size, expiresAt, secret: await desk.secret(), baseUrl: desk.baseUrl });
  return { mediaId: id, expiresAt, ...form };
}

/**
 * Makes a photo of an uploaded file. Throws BAD_USER_INPUT naming mediaId where it is unknown, used or nothing was
 * uploaded, type or size where they do not fit what arrived; a file that is no photo is thrown away with its grant.
 */
export async function registerPhoto(desk: PhotoDesk, owner: PhotoOwner, input: RegisterPhotoInput): Promise<PhotoRecord> {
  if (input.type != null && input.type !== "image") throw badInput({ type: "must be image" });
  const grant = await claim(desk.db, owner, input.mediaId);
  try {
    return await publish(desk, grant, input);
  } catch (error) {
    await release(desk.db, grant);
    throw error;
  }
}

/** Of registrations at once one goes on: the one that turns the row to the photo's place. */
async function claim(db: TenantDatabase, owner: PhotoOwner, id: string): Promise<PhotoRecord> {
  const [grant] = await db.query<PhotoRecord>(
    `update "Photo" set "storageKey" = $5 where "tenantId" = $1 and id = $2 and "${owner.column}" = $3 and "storageKey" = $4 and "uploadedAt" is null returning *`,
    id,
    owner.id,
    incoming(db.tenantId, id),
    stored(db.tenantId, id).storageKey,
  );
  if (!grant) throw badInput({ mediaId: "names no open upload of this resource; request a new one" });
  return grant;
}

const release = (db: TenantDatabase, { id }: PhotoRecord) =>
  db.query(
    `update "Photo" set "storageKey" = $3 where "tenantId" = $1 and id = $2 and "uploadedAt" is null`,
    id,
    incoming(db.tenantId, id),
  );

async function publish(desk: PhotoDesk, grant: PhotoRecord, input: RegisterPhotoInput): Promise<PhotoRecord> {
  const { db, storage } = desk;
  const { storageKey, thumbnailKey } = stored(db.tenantId, grant.id);
  const isThere = await storage.withFile(incoming(db.tenantId, grant.id), async ({ path, size, moveTo }) => {
    if (input.size != null && input.size !== size) throw badInput({ size: `must be the ${size} bytes that arrived` });
    const problem =
      size === grant.size ? await imageProblem(path, size, grant.contentType) : `has ${size} bytes, not the ${grant.size} granted`;
    if (problem) {
      await discard(desk, grant);
      throw badInput({ file: `${problem}; request a new upload` }, "Invalid file type or size");
    }
    await storage.put(thumbnailKey, Readable.from([await thumbnailOf(path)]), "image/webp");
    await moveTo(storageKey, grant.contentType);
    return true;
  });
  if (!isThere) throw badInput({ mediaId: "has no uploaded file; send the file to uploadUrl first" });
  const [photo] = await db.query<PhotoRecord>(
    `update "Photo" set "uploadedAt" = now(), "uploadedBy" = $3, filename = $4, description = $5, "thumbnailKey" = $6
     where "tenantId" = $1 and id = $2 and "uploadedAt" is null returning *`,
    grant.id,
    desk.actor.keyId,
    input.filename ?? grant.filename,
    input.description ?? null,
    thumbnailKey,
  );
  if (photo) return photo;
  await storage.remove([storageKey, thumbnailKey]);
  throw badInput({ mediaId: "was swept meanwhile; request a new upload" });
}

async function discard({ db, storage }: PhotoDesk, { id }: { id: string }): Promise<void> {
  await storage.remove([incoming(db.tenantId, id)]);
  await db.query(`delete from "Photo" where "tenantId" = $1 and id = $2 and "uploadedAt" is null`, id);
}

/** Takes a file in one step: streams it into the storage, cut off at the limit, then registers it. */
export async function uploadPhoto(
  desk: PhotoDesk,
  owner: PhotoOwner,
  file: { filename: string; contentType: string; source: Readable },
  description?: string | null,
) {
  const { filename, contentType } = file;
  checkUpload({ contentType, size: 1 }, desk.maxSize);
  const grant = await insertGrant(desk, owner, { filename, contentType, size: 1 });
  const storageKey = incoming(desk.db.tenantId, grant.id);
  let size = 0;
  const counted = async function* () {
    for await (const chunk of file.source) {
      size += chunk.length;
      if (size > desk.maxSize) throw tooLarge(desk.maxSize, size);
      yield chunk;
    }
  };
  try {
    await desk.storage.put(storageKey, Readable.from(counted()), contentType);
    if (!size) throw badInput({ file: "is empty" });
    await desk.db.query(`update "Photo" set size = $3 where "tenantId" = $1 and id = $2`, grant.id, size);
  } catch (error) {
    await discard(desk, grant);
    throw error;
  }
  return registerPhoto(desk, owner, { mediaId: grant.id, description });
}

/** Throws NOT_FOUND where the owner has no such photo. The file is kept for `restorePhoto`. */
export async function deletePhoto(
  db: TenantDatabase,
  owner: PhotoOwner,
  id: string,
): Promise<{ id: string; message: string; deletedAt: Date }> {
  const [photo] = await db.query<{ deletedAt: Date }>(
    `update "Photo" set "deletedAt" = date_trunc('milliseconds', now()) where "tenantId" = $1 and id = $2 and "${owner.column}" = $3 and "uploadedAt" is not null and "deletedAt" is null returning "deletedAt"`,
    id,
    owner.id,
  );
  if (!photo) throw notFound("Photo", { mediaId: id });
  return { id, message: "Photo deleted", deletedAt: photo.deletedAt };
}

/** Throws NOT_FOUND where the owner has no such deleted photo. */
export async function restorePhoto(db: TenantDatabase, owner: PhotoOwner, id: string): Promise<PhotoRecord> {
  const [photo] = await db.query<PhotoRecord>(
    `update "Photo" set "deletedAt" = null where "tenantId" = $1 and id = $2 and "${owner.column}" = $3 and "deletedAt" is not null returning *`,
    id,
    owner.id,
  );
  if (!photo) throw notFound("Deleted photo", { mediaId: id });
  return photo;
}
