/** The records of the asset page, as its query selects them. */
import type { AssetPageQuery } from "../../generated/asset.js";

export type Asset = NonNullable<AssetPageQuery["asset"]>;
