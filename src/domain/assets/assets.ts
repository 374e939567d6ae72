/** Asset records (docs/interface.md 2.1, 4.1). Deletion is soft and includes the asset's components. */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { atVersion, versionConflict } from "../../database/records/versions.js";
import type { Inserts, Rows, Updates } from "../../database/rows/catalogue.js";
import type { CreateAssetInput, UpdateAssetInput } from "../../schema/assets/asset-input.js";
import { notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { guardAssets, guardSite, ofOwnSites } from "../access/site-guard.js";
import { treeTransaction } from "../components/tree.js";
import { assetsChanged } from "./asset-changes.js";

export type AssetRecord = Rows["Asset"];

export const unknownAsset = (assetId: string) => notFound("Asset", { assetId });

/**
 * The error for an asset that a guarded statement did not find: FORBIDDEN for another site, CONFLICT for another version, else NOT_FOUND.
 */
async function notChanged(db: TenantQueryable, actor: Actor, id: string, expected: Expected): Promise<Error> {
  await guardAssets(db, actor, [id]);
  return (await versionConflict(db, "Asset", id, expected)) ?? unknownAsset(id);
}

/** Stores a blank serial number as null, because serial numbers are unique. */
const withSerialNumber = <T extends { serialNumber?: string | null }>(input: T): T =>
  input.serialNumber === undefined ? input : { ...input, serialNumber: input.serialNumber?.trim() ? input.serialNumber : null };

/** Throws CONFLICT with serialNumber if it is in use, FORBIDDEN for a site outside the key's sites (docs/interface.md 4.1). */
export async function createAsset(db: TenantDatabase, actor: Actor, input: CreateAssetInput): Promise<AssetRecord> {
  guardSite(actor, input.site ?? "");
  return db.records.Asset.create(actor.principalId, withSerialNumber<Inserts["Asset"]>({ ...input }));
}

/**
 * A change of site recalculates due dates, because the time zone can change. A change of type reviews the asset's triggers. Throws
 * NOT_FOUND, CONFLICT for another version, and the errors of `createAsset`.
 */
export const updateAsset = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateAssetInput,
  expected?: Expected,
): Promise<AssetRecord> => {
  const update = async (tx: TenantQueryable) => {
    const asset = await tx.records.Asset.update(
      actor.principalId,
      { id, ...ofOwnSites(actor), ...atVersion(expected) },
      withSerialNumber<Updates["Asset"]>({ ...input }),
    );
    if (!asset) throw await notChanged(tx, actor, id, expected);
    return asset;
  };
  if (input.site === undefined && input.type === undefined) return update(db);
  if (input.site !== undefined) guardSite(actor, input.site ?? "");
  return db.transaction(async (tx) => {
    const asset = await update(tx);
    await assetsChanged(tx, actor, { moved: input.site === undefined ? [] : [id], retyped: input.type === undefined ? [] : [id] });
    return asset;
  });
};

/**
 * Returns the time of deletion and the number of components deleted with the asset. Throws NOT_FOUND if unknown or already deleted,
 * CONFLICT.
 */
export const deleteAsset = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected) =>
  treeTransaction(db, async (tx) => {
    const asset = await tx.records.Asset.delete(actor.principalId, { id, ...ofOwnSites(actor), ...atVersion(expected) });
    if (!asset) throw await notChanged(tx, actor, id, expected);
    const components = await tx.query(
      `update "Component" set "deletedAt" = $3, "updatedBy" = $4 where "tenantId" = $1 and "assetId" = $2 and "deletedAt" is null returning 1`,
      id,
      asset.deletedAt,
      actor.principalId,
    );
    await assetsChanged(tx, actor, { retyped: [id] });
    return { deletedAt: asset.deletedAt!, componentCount: components.length };
  });

/** Restores an asset and the components deleted with it. Throws NOT_FOUND, CONFLICT if a live asset has its serial number. */
export const restoreAsset = (db: TenantDatabase, actor: Actor, id: string): Promise<void> =>
  treeTransaction(db, async (tx) => {
    await guardAssets(tx, actor, [id], "deleted");
    const deleted = await tx.records.Asset.find({ id }, "deleted");
    if (!deleted) throw notFound("Deleted asset", { assetId: id });
    await tx.records.Asset.restore(actor.principalId, { id });
    await tx.query(
      `update "Component" set "deletedAt" = null, "updatedBy" = $4 where "tenantId" = $1 and "assetId" = $2 and "deletedAt" = $3`,
      id,
      deleted.deletedAt,
      actor.principalId,
    );
    await assetsChanged(tx, actor, { moved: [id], retyped: [id] });
  });
