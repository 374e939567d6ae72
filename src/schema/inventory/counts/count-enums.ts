/** Enums of stock counts. */
import { defineEnum } from "../../enums.js";

export const StockCountStatus = defineEnum("StockCountStatus", "Status of a stock count.", {
  draft: "Prepared, but not open for counting.",
  open: "Open for counting.",
  posted: "Posted. Its differences are applied to the stock.",
  cancelled: "Cancelled. Nothing was posted.",
});
export type StockCountStatus = (typeof StockCountStatus)[keyof typeof StockCountStatus];
