/**
 * The enumerated words of interface.md. The word is what the database stores and REST speaks; its upper-case name is
 * what GraphQL shows (`bi-weekly` is BI_WEEKLY).
 */
import { registerEnumType } from "type-graphql";

type Name<W extends string> = W extends `${infer A}-${infer B}` ? `${Uppercase<A>}_${Name<B>}` : Uppercase<W>;

function words<W extends string>(name: string, description: string, meanings: Record<W, string>) {
  const entries = Object.keys(meanings) as W[];
  const nameOf = (word: string) => word.toUpperCase().replaceAll("-", "_");
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

export const Role = words("Role", "What a key may do; each role includes those before it.", {
  viewer: "Reads.",
  technician: "Also does the work: components, photos, stock adjustments, work-order steps.",
  manager: "Also assets, parts, procedures, strategies, imports and approvals.",
  admin: "Also API keys.",
});
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

/** Words that REST clients send for another: they are accepted and never sent (decisions.md, "Active"). */
export const synonyms: Record<string, Record<string, string>> = { AssetStatus: { Active: "operational" } };
