/** Enums of parts and inventory. */
import { defineEnum } from "../enums.js";

export const UnitOfMeasure = defineEnum("UnitOfMeasure", "Unit in which a part is counted.", {
  each: "Pieces.",
  meter: "Meters.",
  kilogram: "Kilograms.",
  liter: "Liters.",
  box: "Boxes.",
  roll: "Rolls.",
  set: "Sets.",
  pair: "Pairs.",
});
export type UnitOfMeasure = (typeof UnitOfMeasure)[keyof typeof UnitOfMeasure];

export const PartStockStatus = defineEnum("PartStockStatus", "Stock status of a part over all sites.", {
  "in-stock": "In Stock: above the reorder point.",
  "low-stock": "Low Stock: `projectedStock` is at or below the reorder point.",
  "out-of-stock": "Out of Stock: the quantity is 0.",
  "on-order": "On Order: there is an open order. Without it, the stock might be low.",
  "excess-stock": "Excess Stock: the quantity is above the maximum.",
});
export type PartStockStatus = (typeof PartStockStatus)[keyof typeof PartStockStatus];

export const StockStatus = defineEnum(
  "StockStatus",
  "Stock status of a part at a site. If several values apply, the first of OUT, CRITICAL, LOW and EXCESS is used.",
  {
    adequate: "Sufficient stock.",
    low: "`projectedStock` is below the reorder point.",
    critical: "`projectedStock` is below the minimum.",
    out: "No stock.",
    excess: "The quantity is above the maximum.",
  },
);
export type StockStatus = (typeof StockStatus)[keyof typeof StockStatus];

export const MovementType = defineEnum("MovementType", "Reason for a stock movement.", {
  receipt: "Received from a supplier.",
  issue: "Issued to a work order.",
  adjustment: "Adjusted manually.",
  transfer: "Moved between locations.",
  return: "Returned from a work order.",
  cycle_count: "Corrected by a stock count.",
  write_off: "Written off or damaged.",
  reserve: "Reserved. Does not change the quantity in stock.",
  unreserve: "Reservation released. Does not change the quantity in stock.",
  revaluation: "Changed value of stock on hand. The quantity is 0.",
  price_difference: "Value that does not belong to stock on hand and is expensed. The quantity is 0.",
});
export type MovementType = (typeof MovementType)[keyof typeof MovementType];

export const StockTransferStatus = defineEnum("StockTransferStatus", "Status of a transfer.", {
  reserved: "Reserved at the sending site.",
  shipped: "In transit, in full or in part.",
  received: "Received in full.",
  cancelled: "Cancelled. Stock in transit was returned to the sending site.",
});
export type StockTransferStatus = (typeof StockTransferStatus)[keyof typeof StockTransferStatus];

export const AdjustmentType = defineEnum("AdjustmentType", "Reason for a stock adjustment.", {
  count: "Difference found in a physical count.",
  damage: "Damaged.",
  loss: "Lost.",
  correction: "Correction of a wrong entry.",
  expiry: "Expired.",
  quality: "Insufficient quality.",
});
export type AdjustmentType = (typeof AdjustmentType)[keyof typeof AdjustmentType];

export const ReservationOwner = defineEnum("ReservationOwner", "Kind of owner of a reservation. Determines when the reservation ends.", {
  "work-order": "A work order. The reservation ends when the order issues the part, is completed or is cancelled.",
  person: "A person or system. The reservation ends at its expiry, or when its owner releases it.",
  transfer: "A transfer. The reservation ends when the transfer is shipped or cancelled.",
});
export type ReservationOwner = (typeof ReservationOwner)[keyof typeof ReservationOwner];

export const AbcClass = defineEnum("AbcClass", "Class of a part by the value of its usage.", {
  A: "The first 80 percent of the value.",
  B: "The next 15 percent.",
  C: "The remaining value, and unused parts.",
});
export type AbcClass = (typeof AbcClass)[keyof typeof AbcClass];

export const ReportType = defineEnum(
  "ReportType",
  "Type of an inventory report.",
  {
    summary: "Totals, stock status and categories.",
    movements: "Movements by type. Opening stock plus all movements equals closing stock.",
    abc_analysis: "Parts classified by the value of their usage.",
    turnover: "Issued value relative to the average stock value.",
    aging: "Age of the stock on hand, first in, first out.",
  },
  {
    abc_analysis: "Use the pages of `abcAnalysis`. Removed after 2027-06-30",
    turnover: "Use the pages of `stockTurnover`. Removed after 2027-06-30",
  },
);
export type ReportType = (typeof ReportType)[keyof typeof ReportType];

export const SpendGrouping = defineEnum("SpendGrouping", "Rows of the spend on purchase orders.", {
  supplier: "One row per supplier.",
  category: "One row per category of the parts.",
});
export type SpendGrouping = (typeof SpendGrouping)[keyof typeof SpendGrouping];
