/** Enums of imports and exports. */
import { defineEnum } from "../enums.js";

export const SheetName = defineEnum("SheetName", "Type of records to import from or export to CSV files.", {
  assets: "Assets, matched by `externalId`, otherwise by serial number.",
  components: "Components, matched by `externalId`, otherwise by asset and path.",
  parts: "Parts of the catalogue, matched by `externalId`, otherwise by part number.",
  stock: "Stock of parts at sites, matched by part number and site. Differences are posted to the ledger.",
  procedures: "Procedures with their steps and parts, matched by `externalId`, otherwise by id.",
  readings: "Readings, matched by asset, parameter, sensor and time.",
  "work-orders":
    "Historical closed work orders with their actual times, matched by `externalId`, otherwise by id. Existing closed work orders are not changed.",
});
export type SheetName = (typeof SheetName)[keyof typeof SheetName];
