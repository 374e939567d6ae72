/** Enums of stock counts. */
import { defineEnum } from "../enums.js";

export const StockCountStatus = defineEnum("StockCountStatus", "State of a stock count.", {
  draft: "Prepared. Nothing can be counted yet.",
  open: "Being counted.",
  posted: "Its differences are in the stock.",
  cancelled: "Given up. Nothing was posted.",
});
export type StockCountStatus = (typeof StockCountStatus)[keyof typeof StockCountStatus];

export const AbcClass = defineEnum("AbcClass", "Class of a part by the value of its usage at a site in the last 365 days.", {
  A: "The first 80 percent of the value.",
  B: "The next 15 percent.",
  C: "The rest, and what was not used.",
});
export type AbcClass = (typeof AbcClass)[keyof typeof AbcClass];
