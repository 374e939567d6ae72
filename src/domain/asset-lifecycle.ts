/** Deleting and restoring assets: the row is kept with its date, and its components go and come along (decisions.md, "deletes"). */
import type { TenantDatabase } from "../database/database.js";
import { UniqueViolation } from "../database/failures.js";
import { conflict, notFound } from "../schema/errors.js";
import type { Actor } from "./keys.js";
import { guardAssets } from "./site-guard.js";
import { treeTransaction } from "./tree.js";

/** Throws NOT_FOUND for an unknown or already deleted asset. */
export const deleteAsset = (db: TenantDatabase, actor: Actor, id: string) =>
  treeTransaction(db, async (tx) => {
    await guardAssets(tx, actor, [id]);
    const deletedAt = new Date();
    const [asset] = await tx.query(
      `update "Asset" set "deletedAt" = $3, "updatedBy" = $4 where "tenantId" = $1 and id = $2 and "deletedAt" is null returning id`,
      id,
      deletedAt,
      actor.keyId,
    );
    if (!asset) throw notFound("Asset", { assetId: id });
    const components = await tx.query(
      `update "Component" set "deletedAt" = $3 where "tenantId" = $1 and "assetId" = $2 and "deletedAt" is null returning 1`,
      id,
      deletedAt,
    );
    return { deletedAt, componentCount: components.length };
  });

/** Throws NOT_FOUND where no deleted asset has the id, CONFLICT where a live one took its serial number. */
export const restoreAsset = (db: TenantDatabase, actor: Actor, id: string) =>
  treeTransaction(db, async (tx) => {
    await guardAssets(tx, actor, [id], "deleted");
    const [asset] = await tx.query<{ serialNumber: string | null; deletedAt: Date }>(
      `select "serialNumber", "deletedAt" from "Asset" where "tenantId" = $1 and id = $2 and "deletedAt" is not null for update`,
      id,
    );
    if (!asset) throw notFound("Deleted asset", { assetId: id });
    try {
      await tx.query(
        `update "Asset" set "deletedAt" = null, "updatedAt" = now(), "updatedBy" = $3 where "tenantId" = $1 and id = $2`,
        id,
        actor.keyId,
      );
    } catch (error) {
      const { serialNumber } = asset;
      throw error instanceof UniqueViolation ? conflict("An asset with this serial number already exists", { serialNumber }) : error;
    }
    await tx.query(
      `update "Component" set "deletedAt" = null where "tenantId" = $1 and "assetId" = $2 and "deletedAt" = $3`,
      id,
      asset.deletedAt,
    );
  });
