/**
 * Loads the demo plant into a tenant. Each transaction inserts a batch of assets and their component trees; the first also inserts sites
 * and areas.
 */
import type { TenantDatabase } from "../database/database.js";
import { newId } from "../database/records/ids.js";
import { insertRows } from "../database/rows/writer.js";
import type { Actor } from "../domain/access/keys.js";
import { type Branch, insertTrees, treeTransaction } from "../domain/components/tree.js";
import { batches } from "./batches.js";
import { setCurrency } from "./currency.js";
import { historyDays } from "./history.js";
import { type DemoAsset, type DemoComponent, placesOf, plant } from "./plant.js";

const branchOf = ({ children, ...fields }: DemoComponent): Branch => ({ fields, children: children.map(branchOf) });

/** Returns the number of assets and components. Calls `progress` with the number of assets loaded so far. */
export async function loadDemo(db: TenantDatabase, actor: Actor, scale: number, progress: (assets: number) => Promise<void> | void) {
  let assets = 0;
  let components = 0;
  // Before the first event of their history.
  const createdAt = new Date(Date.now() - (historyDays + 30) * 86_400_000);
  await setCurrency(db, actor);
  const places = placesOf(scale);
  const written = <T>(rows: T[]) => rows.map((row) => ({ ...row, updatedBy: actor.principalId }));
  for (const batch of batches<DemoAsset>(plant(scale, 1, Date.now()), 100)) {
    await treeTransaction(db, async (tx) => {
      // In the transaction of the first assets, whose presence tells a later start that the plant exists.
      if (!assets) {
        await insertRows(tx, "SiteSetting", written(places.sites));
        await insertRows(tx, "AreaSetting", written(places.areas));
      }
      const rows = written(batch.map(({ components: _, ...asset }) => ({ ...asset, id: newId(), createdAt })));
      await insertRows(tx, "Asset", rows);
      const trees = batch.map((asset, i) => ({ assetId: rows[i]!.id, branches: asset.components.map(branchOf) }));
      components += await insertTrees(tx, actor, trees);
    });
    assets += batch.length;
    await progress(assets);
  }
  return { assets, components };
}
