/** Enums of components and templates. */
import { defineEnum } from "../enums.js";

export const BulkStatus = defineEnum("BulkStatus", "Outcome of a bulk operation for one item.", {
  success: "The operation succeeded.",
  failed: "The operation was refused. `error` contains the reason.",
});
export type BulkStatus = (typeof BulkStatus)[keyof typeof BulkStatus];

export const ComponentStatus = defineEnum("ComponentStatus", "Status of a component.", {
  operational: "Functioning normally.",
  maintenance: "Undergoing maintenance.",
  faulty: "Has issues but still operates.",
  failed: "Needs replacement.",
  replaced: "Replaced by another component.",
  decommissioned: "No longer in use.",
});
export type ComponentStatus = (typeof ComponentStatus)[keyof typeof ComponentStatus];

export const ComponentScope = defineEnum("ComponentScope", "Scope of a list of components.", {
  roots: "Only components without a parent.",
  all: "All components.",
});
export type ComponentScope = (typeof ComponentScope)[keyof typeof ComponentScope];

export const BulkOperation = defineEnum("BulkOperation", "Operation that a bulk call applies to its components.", {
  update: "Applies `data` to each component.",
  delete: "Deletes each component with its subtree.",
});
export type BulkOperation = (typeof BulkOperation)[keyof typeof BulkOperation];

export const DifferenceKind = defineEnum("DifferenceKind", "Kind of difference between an instance and its template.", {
  added: "The template has a new item. An upgrade creates its component.",
  removed: "The template no longer has the item.",
  changed: "The item and the component differ.",
  missing: "The template has the item, but its component or the parent component was deleted. An upgrade does not create it.",
});
export type DifferenceKind = (typeof DifferenceKind)[keyof typeof DifferenceKind];

export const DifferenceOrigin = defineEnum("DifferenceOrigin", "Side on which a field changed since the component was created.", {
  template: "The template changed.",
  component: "The component changed.",
  both: "Both changed, in different ways.",
});
export type DifferenceOrigin = (typeof DifferenceOrigin)[keyof typeof DifferenceOrigin];

export const UnitState = defineEnum("UnitState", "Where a unit is.", {
  in_stock: "In the stock of a site.",
  in_transit: "On the way between two sites.",
  with_work_order: "Issued to a work order.",
  installed: "In a position of an asset.",
  removed: "Taken out of its position.",
  in_repair: "Being repaired, in house or at a supplier.",
  scrapped: "Discarded.",
  lost: "Cannot be found, or left the stock without a work order.",
});
export type UnitState = (typeof UnitState)[keyof typeof UnitState];

export const UnitCondition = defineEnum("UnitCondition", "Condition of a unit. Removed units are unserviceable until inspected.", {
  new: "Never used.",
  serviceable: "May be installed.",
  unserviceable: "Must not be installed.",
});
export type UnitCondition = (typeof UnitCondition)[keyof typeof UnitCondition];

export const RemovalReason = defineEnum("RemovalReason", "Reason for removing a unit from its position.", {
  failure: "It failed.",
  preventive: "Planned replacement before a failure.",
  opportunity: "Replaced because the asset was open or stopped for other work.",
  cannibalised: "Taken for another asset.",
  wrong_item: "It should not have been installed.",
  unknown: "No reason was recorded, for example because only the component's serial number was changed.",
});
export type RemovalReason = (typeof RemovalReason)[keyof typeof RemovalReason];
