/** Enums of imports and exports. */
import { defineEnum } from "../enums.js";

export const SheetName = defineEnum("SheetName", "A kind of records that CSV files are imported to and exported from.", {
  assets: "Assets, found by `externalId`, else serial number.",
  components: "Components, found by `externalId`, else by their asset and path.",
  parts: "Parts of the catalogue, found by `externalId`, else part number.",
  stock: "Stock of parts at sites, found by part number and site. Differences are posted to the ledger.",
  procedures: "Procedures with their steps and parts, found by `externalId`, else id.",
  readings: "Readings, found by asset, parameter, sensor and time.",
  "work-orders": "History: closed work orders with their real times, found by `externalId`, else id. What is closed is not changed.",
});
export type SheetName = (typeof SheetName)[keyof typeof SheetName];
