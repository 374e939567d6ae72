/**
 * The enumerated words of interface.md. The word is what the database stores and REST speaks; its upper-case name is
 * what GraphQL shows (`bi-weekly` is BI_WEEKLY).
 */
import { registerEnumType } from "type-graphql";

type Name<W extends string> = W extends `${infer A}.${infer B}`
  ? `${Name<A>}_${Name<B>}`
  : W extends `${infer A}-${infer B}`
    ? `${Uppercase<A>}_${Name<B>}`
    : Uppercase<W>;

export function words<W extends string>(name: string, description: string, meanings: Record<W, string>) {
  const entries = Object.keys(meanings) as W[];
  const nameOf = (word: string) => word.toUpperCase().replaceAll(/[-.]/g, "_");
  const vocabulary = Object.fromEntries(entries.map((word) => [nameOf(word), word])) as { [K in W as Name<K>]: K };
  registerEnumType(vocabulary, {
    name,
    description,
    valuesConfig: Object.fromEntries(entries.map((word) => [nameOf(word), { description: meanings[word] }])) as never,
  });
  return vocabulary;
}

export const AssetStatus = words("AssetStatus", "Condition of an asset (interface.md 2.1).", {
  operational: "Functioning normally.",
  maintenance: "Undergoing maintenance.",
  offline: "Not operational.",
  decommissioned: "No longer in use.",
  pending: "Awaiting installation or activation.",
});
export type AssetStatus = (typeof AssetStatus)[keyof typeof AssetStatus];

export const ComponentStatus = words("ComponentStatus", "Condition of a component (interface.md 2.11).", {
  operational: "Functioning normally.",
  maintenance: "Undergoing maintenance.",
  faulty: "Has issues but still operates.",
  failed: "Needs replacement.",
  replaced: "Another component took its place.",
  decommissioned: "No longer in use.",
});
export type ComponentStatus = (typeof ComponentStatus)[keyof typeof ComponentStatus];

export const Role = words(
  "Role",
  "What a key may do; each role includes those before it, but for INGEST, which only VIEWER is included in.",
  {
    viewer: "Reads.",
    ingest: "Reads, records readings and raises notifications: for sensors and detectors.",
    technician: "Also does the work: components, photos, stock adjustments, work-order steps.",
    manager: "Also assets, parts, procedures, strategies, imports and approvals.",
    admin: "Also API keys.",
  },
);
export type Role = (typeof Role)[keyof typeof Role];

export const roleOrder: readonly Role[] = ["viewer", "technician", "manager", "admin"];

export const ComponentScope = words("ComponentScope", "Which components of an asset.", {
  roots: "Only those without a parent.",
  all: "The whole trees.",
});
export type ComponentScope = (typeof ComponentScope)[keyof typeof ComponentScope];

export const BulkOperation = words("BulkOperation", "What a bulk call does with its components (interface.md 4.7).", {
  update: "Applies `data` to each.",
  delete: "Deletes each with everything below it.",
});
export type BulkOperation = (typeof BulkOperation)[keyof typeof BulkOperation];

export const Direction = words("Direction", "Which way a list runs.", {
  asc: "Smallest or oldest first.",
  desc: "Largest or newest first.",
});
export type Direction = (typeof Direction)[keyof typeof Direction];

export const AssetOrderField = words("AssetOrderField", "What a list of assets is ordered by; ties by id.", {
  "created-at": "When it was created.",
  "updated-at": "When it was last changed.",
  name: "By name.",
  location: "By site, area and name: the order of a walk through the plants.",
});
export type AssetOrderField = (typeof AssetOrderField)[keyof typeof AssetOrderField];

export const ComponentOrderField = words("ComponentOrderField", "What a list of components is ordered by; ties by id.", {
  "created-at": "When it was created.",
  name: "By name.",
});
export type ComponentOrderField = (typeof ComponentOrderField)[keyof typeof ComponentOrderField];

export const UnitOfMeasure = words("UnitOfMeasure", "What a part is counted in (interface.md 2.3).", {
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

export const PartOrderField = words("PartOrderField", "What a list of parts is ordered by; ties by id.", {
  "created-at": "When it was created.",
  name: "By name.",
});
export type PartOrderField = (typeof PartOrderField)[keyof typeof PartOrderField];

export const PartStockStatus = words("PartStockStatus", "How a part's stock stands over all sites (interface.md 2.3).", {
  "in-stock": "In Stock: above the reorder point.",
  "low-stock": "Low Stock: at or below the reorder point.",
  "out-of-stock": "Out of Stock: nothing.",
  "on-order": "On Order: an order is open.",
  "excess-stock": "Excess Stock: above the maximum.",
});
export type PartStockStatus = (typeof PartStockStatus)[keyof typeof PartStockStatus];

export const StockStatus = words(
  "StockStatus",
  "How the stock of a part at a site stands; the first that fits, in the order out, critical, low, excess (interface.md 2.4).",
  {
    adequate: "Sufficient.",
    low: "Below the reorder point.",
    critical: "Below the minimum.",
    out: "Nothing.",
    excess: "Above the maximum.",
  },
);
export type StockStatus = (typeof StockStatus)[keyof typeof StockStatus];

export const MovementType = words("MovementType", "Why stock moved (interface.md 2.5).", {
  receipt: "Received from suppliers.",
  issue: "Issued for work orders.",
  adjustment: "Changed by hand.",
  transfer: "Moved between locations.",
  return: "Returned from work orders.",
  cycle_count: "Counted.",
  write_off: "Written off or damaged.",
  reserve: "Spoken for.",
  unreserve: "No longer spoken for.",
});
export type MovementType = (typeof MovementType)[keyof typeof MovementType];

export const AdjustmentType = words("AdjustmentType", "Why stock was adjusted (interface.md 2.6).", {
  count: "Variance of a physical count.",
  damage: "Damaged.",
  loss: "Lost.",
  correction: "A wrong entry put right.",
  expiry: "Expired.",
  quality: "Of bad quality.",
});
export type AdjustmentType = (typeof AdjustmentType)[keyof typeof AdjustmentType];

export const ReportType = words("ReportType", "Reports on the inventory (interface.md 4.3).", {
  summary: "Totals, stock status and categories.",
  movements: "What moved, by type: opening plus the sum is closing.",
  abc_analysis: "Parts by the value they are used for.",
  turnover: "Issued value against average stock value.",
  aging: "How long what is in stock has been there, first in, first out.",
});
export type ReportType = (typeof ReportType)[keyof typeof ReportType];

/** Words that REST clients send for another: they are accepted and never sent (decisions.md, "Active"). */
export const synonyms: Record<string, Record<string, string>> = { AssetStatus: { Active: "operational" } };
