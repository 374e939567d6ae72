/**
 * Attachments: files of work orders and work requests, and documents of assets (docs/work.md, "Attachments"). A file is stored and
 * validated first. Its row has no owner yet, and is swept if it never gets one. Attaching it is one statement in the transaction that locks
 * the owner.
 */
import { Readable } from "node:stream";
import { now, nowDate } from "../../database/clock.js";
import type { Outside } from "../../database/connection/outside.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { enumName } from "../../schema/enums.js";
import { badInput, conflict, forbidden, notFound, tooLarge, unavailable } from "../../schema/errors.js";
import type { AttachmentInput } from "../../schema/files/attachment.js";
import { type Storage, StorageUnavailable } from "../../storage/storage.js";
import type { Actor } from "../access/keys.js";
import { guardAssets } from "../access/site-guard.js";
import { attachmentTypes, judge, sha256Of } from "./attachment-file.js";
import { BadFile, type PhotoReader, photoTypes } from "./image.js";

type Attachment = Rows["Attachment"];

export interface AttachmentContext {
  db: TenantDatabase;
  actor: Actor;
  storage: Storage;
  /** In bytes. */
  maxSize: number;
  photos: PhotoReader;
  /** Set for writes with an Idempotency-Key, whose transaction must not wait for files. */
  outside?: Outside | undefined;
}

export interface SentFile {
  filename: string;
  contentType: string;
  source: Readable;
}

/** The owner of an attachment: its foreign-key column and id. */
export interface AttachmentOwner {
  column: "workOrderId" | "workRequestId" | "assetId";
  id: string;
}

/** Minutes until a stored file without an owner is swept. */
const prepareMinutes = 15;

/** Maximum per owner, so that its list stays short. */
export const mostAttachments = 100;

const keysOf = (tenantId: string, id: string) => ({
  incoming: `incoming/${tenantId}/${id}`,
  stored: `attachments/${tenantId}/${id}`,
  thumbnail: `thumbnails/${tenantId}/${id}`,
});

async function* counted(source: Readable, maxSize: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxSize) throw tooLarge(maxSize, size);
    yield chunk;
  }
  if (!size) throw badInput({ file: "is empty" });
}

/**
 * Stores a file without an owner, which is not visible yet. Returns its id. Throws BAD_USER_INPUT naming file, PAYLOAD_TOO_LARGE,
 * SERVICE_UNAVAILABLE.
 */
export async function prepareFile(
  context: AttachmentContext,
  { filename, contentType, source }: SentFile,
  types: readonly string[] = attachmentTypes,
): Promise<string> {
  const { db, actor, storage, maxSize } = context;
  if (!filename.trim()) throw badInput({ filename: "must not be empty" });
  if (!types.includes(contentType)) throw badInput({ file: `must be one of ${types.join(", ")}` }, "Invalid file type or size");
  const id = newId();
  const { incoming } = keysOf(db.tenantId, id);
  await db.records.Attachment.create(actor.principalId, {
    id,
    filename,
    contentType,
    size: 1,
    storageKey: incoming,
    startedBy: actor.principalId,
    expiresAt: new Date(now() + prepareMinutes * 60_000),
  });
  try {
    await storage.put(incoming, Readable.from(counted(source, maxSize)), contentType);
    await publish(context, id, contentType);
    return id;
  } catch (error) {
    await discard(context, [id]).catch(() => {});
    if (error instanceof BadFile) throw badInput({ file: error.message }, "Invalid file type or size");
    throw error instanceof StorageUnavailable ? unavailable("The file storage") : error;
  }
}

/** Validates a received file and moves it to its final key. */
async function publish({ db, actor, storage, photos }: AttachmentContext, id: string, contentType: string): Promise<void> {
  const { incoming, stored, thumbnail: thumbnailKey } = keysOf(db.tenantId, id);
  const isStored = await storage.withFile(incoming, async ({ path, size, moveTo }) => {
    const thumbnail = await judge(photos, { path, size }, contentType, db.tenantId);
    // Computed after the metadata is removed.
    const sha256 = await sha256Of({ path, size });
    if (thumbnail) await storage.put(thumbnailKey, Readable.from([thumbnail]), "image/webp");
    await moveTo(stored, contentType);
    const values = { size, sha256, storageKey: stored, thumbnailKey: thumbnail ? thumbnailKey : null };
    return db.records.Attachment.update(actor.principalId, { id, uploadedAt: null }, values);
  });
  if (!isStored) throw unavailable("The file storage");
}

/** Stores photos for one owner, all or none. Throws the errors of `prepareFile`. */
export async function preparePhotos(context: AttachmentContext, files: readonly (() => Promise<SentFile>)[]): Promise<string[]> {
  const prepared = await Promise.allSettled(files.map(async (file) => prepareFile(context, await file(), photoTypes)));
  const ids = prepared.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = prepared.find((one) => one.status === "rejected");
  if (!failed) return ids;
  if (ids.length) await discard(context, ids).catch(() => {});
  throw failed.reason;
}

/**
 * Stores files with `prepare`, then runs `use`, which attaches them. Removes the files if that fails. With an Idempotency-Key, the files are
 * stored before the transaction of the key.
 */
export async function withPrepared<T>(
  context: AttachmentContext,
  prepare: () => Promise<string[]>,
  use: (ids: string[]) => Promise<T>,
): Promise<T> {
  const { outside } = context;
  const remove = (ids: string[]) => (ids.length ? discard(context, ids) : Promise.resolve());
  if (outside) return use(await outside.first(outside.nextId(), prepare, remove));
  const ids = await prepare();
  try {
    return await use(ids);
  } catch (error) {
    await remove(ids).catch(() => {});
    throw error;
  }
}

/**
 * Removes files without an owner, then their rows. The database decides which files have none: if the response to a commit was lost, a file
 * may have an owner. While the database is unavailable, the files stay for the sweeper.
 */
export async function discard({ db, storage }: Pick<AttachmentContext, "db" | "storage">, ids: string[]): Promise<void> {
  const left = await db.query<{ id: string }>(
    `update "Attachment" set sha256 = null where "tenantId" = $1 and id = any($2) and "uploadedAt" is null returning id`,
    ids,
  );
  await storage.remove(left.flatMap(({ id }) => Object.values(keysOf(db.tenantId, id))));
  await db.query(`delete from "Attachment" where "tenantId" = $1 and id = any($2) and "uploadedAt" is null returning 1 as gone`, ids);
}

/** Assigns prepared files to their owner. `assetId` is the asset of the owner. */
export async function attach(
  tx: TenantQueryable,
  actor: Actor,
  ids: string[],
  owner: AttachmentOwner & { assetId: string },
  { kind, title, revision, description }: AttachmentInput = {},
): Promise<Attachment[]> {
  const attached = await tx.query<Attachment>(
    `update "Attachment" t set "uploadedAt" = $3, "uploadedBy" = $4, "assetId" = $5, "workOrderId" = $6, "workRequestId" = $7, kind = $8, title = $9, revision = $10, description = $11
     where "tenantId" = $1 and id = any($2) and "uploadedAt" is null and sha256 is not null returning ${rowColumns("Attachment", "t")}`,
    ids,
    nowDate(),
    actor.principalId,
    owner.assetId,
    owner.column === "workOrderId" ? owner.id : null,
    owner.column === "workRequestId" ? owner.id : null,
    kind ?? null,
    title ?? null,
    revision ?? null,
    description ?? null,
  );
  if (attached.length < ids.length) throw badInput({ file: "was swept meanwhile; send it again" });
  return attached;
}

interface Owner {
  assetId: string;
  status: string;
  createdBy: string | null;
  count: number;
}

const tablesOf = {
  workOrderId: { noun: "Work order", from: `"WorkOrder" o`, columns: `o."assetId", o.status, o."createdBy"`, live: "" },
  workRequestId: { noun: "Work request", from: `"WorkRequest" o`, columns: `o."assetId", o.status, o."createdBy"`, live: "" },
  assetId: {
    noun: "Asset",
    from: `"Asset" o`,
    columns: `o.id as "assetId", o.status, null as "createdBy"`,
    live: ` and o."deletedAt" is null`,
  },
};

/**
 * Locks the owner until the end of the transaction and returns its asset id. Throws NOT_FOUND, FORBIDDEN for another site. Throws CONFLICT
 * if there is no room for `spare` more, and if a requester's work request is already decided.
 */
export async function lockOwner(tx: TenantQueryable, actor: Actor, { column, id }: AttachmentOwner, spare = 1): Promise<string> {
  const { noun, from, columns, live } = tablesOf[column];
  const isRequester = actor.role === "requester";
  const unknown = () => notFound(noun, { [column]: id });
  if (isRequester && column !== "workRequestId") throw forbidden("This needs the role technician; the key has the role requester");
  const [found] = await tx.query<Omit<Owner, "count">>(
    `select ${columns} from ${from} where o."tenantId" = $1 and o.id = $2${live} for no key update`,
    id,
  );
  // Requests of other principals are hidden from requesters.
  if (!found || (isRequester && found.createdBy !== actor.principalId)) throw unknown();
  await guardAssets(tx, actor, [found.assetId], "all");
  if (isRequester && found.status !== "open") throw conflict("The work request is already decided", { status: enumName(found.status) });
  const [{ count }] = (await tx.query<{ count: number }>(
    `select count(*)::int as count from "Attachment" t where t."tenantId" = $1 and t."${column}" = $2 and t."uploadedAt" is not null and t."deletedAt" is null${
      column === "assetId" ? " and t.kind is not null" : ""
    }`,
    id,
  )) as [{ count: number }];
  if (count + spare > mostAttachments) throw conflict("There are too many attachments", { reason: `It has ${count}; delete one first` });
  return found.assetId;
}

/** Throws BAD_USER_INPUT for missing values of a document, and for such values on other attachments. */
function checkInput({ column }: AttachmentOwner, { kind, title, revision }: AttachmentInput): void {
  if (column === "assetId") {
    const missing = Object.entries({ kind, title }).flatMap(([name, value]) =>
      value == null ? [[name, "is required for a document"]] : [],
    );
    if (missing.length) throw badInput(Object.fromEntries(missing));
    return;
  }
  const extra = Object.entries({ kind, title, revision }).flatMap(([name, value]) =>
    value == null ? [] : [[name, "is for documents of assets alone"]],
  );
  if (extra.length) throw badInput(Object.fromEntries(extra));
}

/** Stores a file and attaches it. Throws the errors of `prepareFile` and `lockOwner`. */
export async function uploadAttachment(
  context: AttachmentContext,
  owner: AttachmentOwner,
  file: () => Promise<SentFile>,
  input: AttachmentInput,
): Promise<Attachment> {
  const { db, actor } = context;
  checkInput(owner, input);
  await db.transaction((tx) => lockOwner(tx, actor, owner));
  const prepare = async () => [await prepareFile(context, await file())];
  return withPrepared(context, prepare, async (ids) => {
    const [attached] = await db.transaction(async (tx) =>
      attach(tx, actor, ids, { ...owner, assetId: await lockOwner(tx, actor, owner) }, input),
    );
    return attached!;
  });
}

const isManager = ({ role }: Actor) => role === "manager" || role === "admin";

/** Attachments that the caller may delete and restore: its own, or all for a manager. */
const ownOnly = (actor: Actor) => (isManager(actor) ? {} : { uploadedBy: actor.principalId });

async function refuse(tx: TenantQueryable, id: string, state: "live" | "deleted"): Promise<never> {
  if (await tx.records.Attachment.find({ id, uploadedAt: { not: null } }, state))
    throw forbidden("Only the uploader and managers can delete and restore the attachment");
  throw notFound(state === "live" ? "Attachment" : "Deleted attachment", { attachmentId: id });
}

/** Soft-deletes an attachment; its file is kept for `restoreAttachment`. Throws NOT_FOUND, FORBIDDEN. */
export const deleteAttachment = (db: TenantDatabase, actor: Actor, id: string) =>
  db.transaction(async (tx) => {
    const deleted = await tx.records.Attachment.delete(actor.principalId, { id, uploadedAt: { not: null }, ...ownOnly(actor) });
    if (!deleted) return refuse(tx, id, "live");
    await guardAssets(tx, actor, [deleted.assetId!], "all");
    const owner = deleted.workOrderId ?? deleted.workRequestId ?? deleted.assetId;
    return { id, message: "Attachment deleted", deletedAt: deleted.deletedAt!, owner: async () => owner };
  });

/** Throws NOT_FOUND, FORBIDDEN, CONFLICT if the owner has the maximum number of attachments. */
export const restoreAttachment = (db: TenantDatabase, actor: Actor, id: string): Promise<Attachment> =>
  db.transaction(async (tx) => {
    const restored = await tx.records.Attachment.restore(actor.principalId, { id, ...ownOnly(actor) });
    if (!restored) return refuse(tx, id, "deleted");
    const { workOrderId, workRequestId, assetId } = restored;
    const column = workOrderId ? "workOrderId" : workRequestId ? "workRequestId" : "assetId";
    await lockOwner(tx, actor, { column, id: (workOrderId ?? workRequestId ?? assetId)! }, 0);
    return restored;
  });
