import type { ImportMode } from "../../schema/assets/enums.js";
import type { SheetName } from "../../schema/exchange/enums.js";
import { assetSheet, assetSheetOf } from "./asset-sheet.js";
import { componentSheet } from "./component-sheet.js";
import { installationSheet } from "./installation-sheet.js";
import { partSheet } from "./part-sheet.js";
import { procedureSheet } from "./procedure-sheet.js";
import { purchaseOrderSheet } from "./purchase-order-sheet.js";
import { readingSheet } from "./reading-sheet.js";
import type { Sheet } from "./sheet.js";
import { stockSheet } from "./stock-sheet.js";
import { supplierPartSheet } from "./supplier-part-sheet.js";
import { supplierSheet } from "./supplier-sheet.js";
import { unitSheet } from "./unit-sheet.js";
import { workOrderSheet } from "./work-order-sheet.js";

const all: Sheet[] = [
  assetSheet,
  componentSheet,
  partSheet,
  stockSheet,
  procedureSheet,
  readingSheet,
  workOrderSheet,
  unitSheet,
  installationSheet,
  supplierSheet,
  supplierPartSheet,
  purchaseOrderSheet,
];

export const sheets = Object.fromEntries(all.map((sheet) => [sheet.name, sheet])) as Record<SheetName, Sheet>;

/** The sheet of a name. The mode applies to assets only, where existing records can be refused. */
export const sheetFor = (name: SheetName, mode: ImportMode): Sheet => (name === "assets" ? assetSheetOf(mode) : sheets[name]);
