/** Enums of stock counts. */
import { defineEnum } from "../../enums.js";

export const StockCountStatus = defineEnum("StockCountStatus", "Status of a stock count.", {
  draft: "Prepared, but not open for counting.",
  open: "Open for counting.",
  posted: "Posted. Its differences are applied to the stock.",
  cancelled: "Cancelled. Nothing was posted.",
});
export type StockCountStatus = (typeof StockCountStatus)[keyof typeof StockCountStatus];

export const AbcClass = defineEnum("AbcClass", "Class of a part by the value of its usage at a site in the last 365 days.", {
  A: "The first 80 percent of the value.",
  B: "The next 15 percent.",
  C: "The remaining value, and unused parts.",
});
export type AbcClass = (typeof AbcClass)[keyof typeof AbcClass];
