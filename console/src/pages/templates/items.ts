/** The items of a template: as rows with a depth, for lists and forms, and as the nested input. */
import type { TemplateItemInput } from "../../../../packages/client/src/generated/schema.js";
import type { TemplatePageQuery, TreeOfAssetQuery } from "../../generated/templates.js";

export type Template = NonNullable<TemplatePageQuery["template"]>;
type Item = Template["items"][number];
type Component = NonNullable<TreeOfAssetQuery["asset"]>["components"]["nodes"][number];

export interface Row {
  /** Identifies the row in the form. */
  id: string;
  /** Key of a stored item, by which instances are upgraded. */
  key?: string;
  depth: number;
  name: string;
  type: string;
  maintenanceInterval: string;
  specifications: Item["specifications"];
}

/** Rows in the order of the tree: each before its sub-items. */
function inOrder<T>(
  all: readonly T[],
  idOf: (one: T) => string,
  parentOf: (one: T) => string | null,
  rowOf: (one: T, depth: number) => Row,
): Row[] {
  const below = new Map<string | null, T[]>();
  for (const one of all) below.set(parentOf(one), [...(below.get(parentOf(one)) ?? []), one]);
  const walk = (parent: string | null, depth: number): Row[] =>
    (below.get(parent) ?? []).flatMap((one) => [rowOf(one, depth), ...walk(idOf(one), depth + 1)]);
  return walk(null, 0);
}

export const rowsOfItems = (items: readonly Item[]): Row[] =>
  inOrder(
    items,
    ({ key }) => key,
    ({ parentKey }) => parentKey,
    ({ key, name, type, maintenanceInterval, specifications }, depth) => ({
      id: key,
      key,
      depth,
      name,
      type,
      maintenanceInterval: maintenanceInterval ?? "",
      specifications,
    }),
  );

export const rowsOfComponents = (components: readonly Component[]): Row[] =>
  inOrder(
    [...components].sort((a, b) => a.position - b.position),
    ({ id }) => id,
    ({ parent }) => parent?.id ?? null,
    ({ id, name, type, maintenanceInterval, specifications }, depth) => ({
      id,
      depth,
      name,
      type,
      maintenanceInterval: maintenanceInterval ?? "",
      specifications,
    }),
  );

export function inputOfRows(rows: readonly Row[]): TemplateItemInput[] {
  const top: TemplateItemInput[] = [];
  const path: TemplateItemInput[] = [];
  for (const { key, depth, name, type, maintenanceInterval, specifications } of rows) {
    const item: TemplateItemInput = {
      ...(key && { key }),
      name: name.trim(),
      type: type.trim(),
      maintenanceInterval: maintenanceInterval.trim() || null,
      specifications,
    };
    path.length = depth;
    const parent = path.at(-1);
    if (parent) (parent.components ??= []).push(item);
    else top.push(item);
    path[depth] = item;
  }
  return top;
}

/** The number of rows of an item with its sub-items. */
export function lengthAt(rows: readonly Row[], index: number): number {
  const end = rows.findIndex(({ depth }, at) => at > index && depth <= rows[index]!.depth);
  return (end < 0 ? rows.length : end) - index;
}
