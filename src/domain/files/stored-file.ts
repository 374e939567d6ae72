/** Lookup and content of photos and attachments for signed links. */
import type { TenantDatabase } from "../../database/database.js";
import { unavailable } from "../../schema/errors.js";
import { type Storage, StorageUnavailable } from "../../storage/storage.js";

export interface StoredFile {
  filename: string;
  contentType: string;
  storageKey: string;
  thumbnailKey: string | null;
}

/** Returns the photo or attachment of a signed link. Undefined if it or its asset is deleted. */
export async function findFile(db: TenantDatabase, id: string): Promise<StoredFile | undefined> {
  const ofLiveAsset = `not exists (select 1 from "Asset" a where a."tenantId" = $1 and a.id = f."assetId" and a."deletedAt" is not null)`;
  const columns = `f.filename, f."contentType", f."storageKey", f."thumbnailKey"`;
  const where = `f."tenantId" = $1 and f.id = $2 and f."uploadedAt" is not null and f."deletedAt" is null`;
  const [file] = await db.query<StoredFile>(
    `select ${columns} from "Photo" f where ${where} and ${ofLiveAsset}
     union all select ${columns} from "Attachment" f where ${where} and (f.kind is null or ${ofLiveAsset})`,
    id,
  );
  return file;
}

/**
 * Returns the stored file. Undefined for the thumbnail of a file without one. Throws SERVICE_UNAVAILABLE while the storage is unavailable.
 */
export async function openFile(storage: Storage, { storageKey, thumbnailKey }: StoredFile, isThumbnail: boolean) {
  const key = isThumbnail ? thumbnailKey : storageKey;
  if (!key) return undefined;
  return storage.open(key).catch((error) => {
    throw error instanceof StorageUnavailable ? unavailable("The file storage") : error;
  });
}
