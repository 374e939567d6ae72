/** Loads the demo plant into a tenant, a batch of assets with their trees in one transaction. */
import { type Database, forTenant } from "../database/database.js";
import { newId } from "../database/directory.js";
import { type Branch, insertTrees, treeTransaction } from "../domain/tree.js";
import { type DemoAsset, type DemoComponent, plant } from "./plant.js";

const assetColumns =
  `"id", "name", "type", "description", "location", "category", "criticality", "status", "manufacturer", "model", "serialNumber", "site", "area", ` +
  `"installationDate", "lastMaintenanceDate", "nextMaintenanceDate", "customFields"`;

const branch = ({ children, ...fields }: DemoComponent): Branch => ({ fields, children: children.map(branch) });

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

/** Answers how many assets and components came in; `progress` hears the assets so far. */
export async function loadDemo(database: Database, tenantId: string, scale: number, progress: (assets: number) => void) {
  const db = forTenant(database, tenantId);
  let assets = 0;
  let components = 0;
  for (const batch of batches<DemoAsset>(plant(scale, 1, Date.now()), 100)) {
    await treeTransaction(db, async (tx) => {
      const rows = batch.map(({ components: _, ...asset }) => ({ ...asset, id: newId() }));
      await tx.query(
        `insert into "Asset" ("tenantId", ${assetColumns}) select $1, ${assetColumns} from jsonb_populate_recordset(null::"Asset", $2::jsonb)`,
        JSON.stringify(rows),
      );
      const trees = batch.map((asset, i) => ({ assetId: rows[i]!.id, branches: asset.components.map(branch) }));
      components += await insertTrees(tx, trees);
    });
    assets += batch.length;
    progress(assets);
  }
  return { assets, components };
}
