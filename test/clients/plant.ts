/** Records for tests of other clients: more than a page of each. */
import type { Caller } from "../world.js";

export const assetCount = 23;
export const componentCount = 12;

/** Assets of two sites in order of creation. The first has components. */
export async function plant(tenant: Caller): Promise<{ ids: string[]; assetId: string; componentIds: string[] }> {
  const ids: string[] = [];
  for (let i = 0; i < assetCount; i++)
    ids.push((await tenant.createAsset({ name: `Pump ${i}`, site: i % 2 ? "South" : "North", serialNumber: `S-${i}` })).id);
  const componentIds: string[] = [];
  for (let i = 0; i < componentCount; i++) componentIds.push((await tenant.createComponent({ name: `Seal ${i}`, assetId: ids[0] })).id);
  return { ids, assetId: ids[0]!, componentIds };
}

export const stocked = async (tenant: Caller): Promise<string> =>
  (await tenant.rest("POST", "/parts", { partNumber: "B-1", name: "Bearing", stockLevel: 10, unitCost: 2 })).body.partId;
