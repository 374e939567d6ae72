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

export const ImportMode = defineEnum("ImportMode", "What an import does with a row whose serial number already exists.", {
  create: "The row is an error.",
  upsert: "The row updates the asset with that serial number.",
});
export type ImportMode = (typeof ImportMode)[keyof typeof ImportMode];
