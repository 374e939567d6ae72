/** Loads the demo plant into a tenant. Each transaction inserts a batch of assets and their component trees. */
import type { TenantDatabase } from "../database/database.js";
import { newId } from "../database/ids.js";
import { insertRows } from "../database/writer.js";
import type { Actor } from "../domain/access/keys.js";
import { type Branch, insertTrees, treeTransaction } from "../domain/components/tree.js";
import { type DemoAsset, type DemoComponent, plant } from "./plant.js";

const branchOf = ({ children, ...fields }: DemoComponent): Branch => ({ fields, children: children.map(branchOf) });

function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length) yield batch;
}

/** Returns the number of assets and components. Calls `progress` with the number of assets loaded so far. */
export async function loadDemo(db: TenantDatabase, actor: Actor, scale: number, progress: (assets: number) => void) {
  let assets = 0;
  let components = 0;
  for (const batch of batches<DemoAsset>(plant(scale, 1, Date.now()), 100)) {
    await treeTransaction(db, async (tx) => {
      const rows = batch.map(({ components: _, ...asset }) => ({ ...asset, id: newId(), updatedBy: actor.keyId }));
      await insertRows(tx, "Asset", rows);
      const trees = batch.map((asset, i) => ({ assetId: rows[i]!.id, branches: asset.components.map(branchOf) }));
      components += await insertTrees(tx, actor, trees);
    });
    assets += batch.length;
    progress(assets);
  }
  return { assets, components };
}
