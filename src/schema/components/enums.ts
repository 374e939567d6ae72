/** Enums of components and templates. */
import { defineEnum } from "../enums.js";

export const BulkStatus = defineEnum("BulkStatus", "Outcome of a bulk operation for one component.", {
  success: "It was done.",
  failed: "It was refused; `error` says why.",
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

export const ComponentScope = defineEnum("ComponentScope", "Which components of an asset are listed.", {
  roots: "Only components without a parent.",
  all: "All components.",
});
export type ComponentScope = (typeof ComponentScope)[keyof typeof ComponentScope];

export const BulkOperation = defineEnum("BulkOperation", "Operation that a bulk call applies to its components.", {
  update: "Applies `data` to each component.",
  delete: "Deletes each component with its whole subtree.",
});
export type BulkOperation = (typeof BulkOperation)[keyof typeof BulkOperation];
