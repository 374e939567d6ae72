/** Enums of components and templates. */
import { defineEnum } from "../enums.js";

export const BulkStatus = defineEnum("BulkStatus", "Outcome of a bulk operation for one item.", {
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

export const DifferenceKind = defineEnum("DifferenceKind", "What a difference between an instance and its template is.", {
  added: "The template has an item that it did not have: its component is created.",
  removed: "The template has the item no more.",
  changed: "The item and the component differ.",
  missing: "The template has the item, and its component was deleted, or what it belongs below: it is not created.",
});
export type DifferenceKind = (typeof DifferenceKind)[keyof typeof DifferenceKind];

export const DifferenceOrigin = defineEnum("DifferenceOrigin", "Who changed a field since the component was created.", {
  template: "The template.",
  component: "The component was changed.",
  both: "Both were, differently.",
});
export type DifferenceOrigin = (typeof DifferenceOrigin)[keyof typeof DifferenceOrigin];
