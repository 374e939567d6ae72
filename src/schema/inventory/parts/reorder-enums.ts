/** Enums of order proposals. */
import { defineEnum } from "../../enums.js";

export const ReorderFigure = defineEnum("ReorderFigure", "Figure of an order proposal.", {
  average_daily_use: "`averageDailyUse`.",
  unplanned_daily_use: "Use per day without that of plans, from which the reorder point is computed.",
  daily_deviation: "Standard deviation of the unplanned use per day.",
  lead_time: "`leadTime`, in days.",
  lead_time_deviation: "Standard deviation of the lead time, in days. Absent with fewer than 3 deliveries, which counts as 0.",
  service_level: "Service level, in percent.",
  planned_demand: "`plannedDemand`.",
  safety_stock: "`safetyStock`.",
  computed_reorder_point: "`computedReorderPoint`.",
  effective_reorder_point: "`effectiveReorderPoint`.",
  in_drafts: "`inDrafts`.",
  expiring_stock: "`expiringStock`.",
  price: "Price of an order unit.",
});
export type ReorderFigure = (typeof ReorderFigure)[keyof typeof ReorderFigure];

export const ReorderSource = defineEnum("ReorderSource", "Source of a figure of an order proposal.", {
  ledger: "Issues and returns of the last 365 days.",
  ledger_and_part: "Issues and returns, combined with the part's entered usage because stock has existed for less than 90 days.",
  site: "Entered for the site.",
  part: "Entered for the part.",
  supplier_part: "Entered for the supplier part.",
  purchase_orders: "Purchase orders and their receipts.",
  stock_settings: "Stock settings.",
  default: "Default, because the stock settings have no value.",
  plans: "Due dates of plans within the lead time.",
  plans_in_part: "Due dates of plans within the lead time, incomplete because there are more than 20,000.",
  normal_distribution: "Computed by the normal distribution.",
  poisson_distribution: "Computed by the Poisson distribution, because the part has fewer than 12 issues a year.",
  minimum_stock: "Minimum stock, because no reorder point is higher.",
  batches: "Batches with expiry dates.",
});
export type ReorderSource = (typeof ReorderSource)[keyof typeof ReorderSource];
