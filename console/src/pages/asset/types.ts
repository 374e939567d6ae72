/** The records of the asset page, as its query selects them. */
import type { AssetPageQuery } from "../../generated/asset.js";

export type Asset = NonNullable<AssetPageQuery["asset"]>;
export type Meter = Asset["meters"][number];
export type Reading = Meter["readings"]["nodes"][number];
/** A procedure that is due by a meter. */
export interface Plan {
  id: string;
  name: string;
  meter: Asset["procedures"][number]["meters"][number];
}
