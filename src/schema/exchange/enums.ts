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
  units:
    "Units, matched by id, otherwise by serial number and part. Only manufacturer and model of units that are not installed are changed.",
  installations:
    "Installations of units, matched by unit, component and start. New rows add history; existing installations are not changed.",
  suppliers: "Suppliers, matched by `externalId`, otherwise by number or name.",
  "supplier-parts": "Parts as suppliers sell them, matched by part number and supplier: its external id, otherwise its name.",
  "purchase-orders": "Lines of purchase orders. They can only be exported.",
});
export type SheetName = (typeof SheetName)[keyof typeof SheetName];

export const CsvEncoding = defineEnum("CsvEncoding", "Text encoding of a CSV file.", {
  "utf-8": "UTF-8.",
  "utf-16le": "UTF-16, little endian, as Excel saves Unicode text.",
  "utf-16be": "UTF-16, big endian.",
  "windows-1252": "Windows-1252, as Excel saves CSV in Western languages.",
});
export type CsvEncoding = (typeof CsvEncoding)[keyof typeof CsvEncoding];

export const CsvSeparator = defineEnum("CsvSeparator", "Character between the cells of a CSV file.", {
  comma: "Comma.",
  semicolon: "Semicolon. Decimal commas are read, such as `12,5`.",
  tab: "Tab character. Decimal commas are read, such as `12,5`.",
});
export type CsvSeparator = (typeof CsvSeparator)[keyof typeof CsvSeparator];

export const RowOutcome = defineEnum("RowOutcome", "Outcome of one row of an imported file.", {
  created: "The row created a record.",
  updated: "The row updated a record.",
  unchanged: "The row matches the existing record.",
  failed: "The row was rejected because of an error.",
});
export type RowOutcome = (typeof RowOutcome)[keyof typeof RowOutcome];
