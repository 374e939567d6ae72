/** Enums of assets. */
import { defineEnum } from "../enums.js";

export const AssetStatus = defineEnum("AssetStatus", "Status of an asset.", {
  operational: "Functioning normally.",
  maintenance: "Undergoing maintenance.",
  offline: "Not operational.",
  decommissioned: "No longer in use.",
  pending: "Awaiting installation or activation.",
});
export type AssetStatus = (typeof AssetStatus)[keyof typeof AssetStatus];

export const ImportMode = defineEnum("ImportMode", "Treatment of an imported row with an existing serial number.", {
  create: "The row is reported as an error.",
  upsert: "The row updates the asset with that serial number.",
});
export type ImportMode = (typeof ImportMode)[keyof typeof ImportMode];
