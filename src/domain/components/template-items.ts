/** Items of templates and their keys. A key is stable while items are inserted, renamed and moved. */
import { groupBy } from "../../database/rows/group.js";
import type { TemplateItem } from "../../schema/components/template.js";
import { badInput } from "../../schema/errors.js";

/** Yields every item with its path of positions from the root, for example 0.2.1. */
export function* walk(items: readonly TemplateItem[], prefix = ""): Generator<[path: string, item: TemplateItem]> {
  for (const [i, item] of items.entries()) {
    yield [prefix + i, item];
    yield* walk(item.components ?? [], `${prefix}${i}.`);
  }
}

export interface KeyedItem {
  key: string;
  path: string;
  parentKey: string | null;
  item: TemplateItem;
}

const parentPath = (path: string) => path.slice(0, Math.max(path.lastIndexOf("."), 0));
const indexOf = (path: string) => path.slice(path.lastIndexOf(".") + 1);

/** The items of a version, parents before children. */
export class KeyedItems {
  readonly byKey = new Map<string, KeyedItem>();
  readonly byPath = new Map<string, KeyedItem>();

  constructor(
    readonly items: readonly TemplateItem[],
    readonly keys: readonly string[],
  ) {
    let i = 0;
    for (const [path, item] of walk(items)) {
      const keyed = { key: keys[i++]!, path, parentKey: this.byPath.get(parentPath(path))?.key ?? null, item };
      this.byKey.set(keyed.key, keyed);
      this.byPath.set(path, keyed);
    }
  }
}

/** Client-supplied keys, by path. Throws BAD_USER_INPUT naming the field of a duplicate key. */
export function givenKeys(items: readonly TemplateItem[]): Map<string, string> {
  const given = new Map<string, string>();
  const paths = new Map<string, string>();
  for (const [path, { key }] of walk(items)) {
    if (key == null) continue;
    const first = paths.get(key);
    if (first !== undefined)
      throw badInput({ [fieldOf(path)]: `is the key of ${fieldOf(first).replace(/\.key$/, "")} too; give each item one of its own` });
    paths.set(key, path);
    given.set(path, key);
  }
  return given;
}

const fieldOf = (path: string) => `components.${path.replaceAll(".", ".components.")}.key`;

/** An item and its place, in this version or the previous one. */
type Placed = Pick<KeyedItem, "path" | "item">;

const nameAndType = ({ item: { name, type } }: Placed) => JSON.stringify([name, type]);

/** Criteria that identify an item with one of the previous version under the same parent, in order of precedence. */
const marks: ((item: Placed) => string)[] = [
  ({ path, item: { name, type } }) => JSON.stringify([indexOf(path), name, type]),
  nameAndType,
  ({ item: { name } }) => name,
  ({ path, item: { type } }) => JSON.stringify([indexOf(path), type]),
];

/**
 * The keys of a version's items, from the root down. An item without a supplied key inherits the key of its counterpart in the previous
 * version. The counterpart is an item under the same parent that matches by `marks`, or else an item elsewhere with the same name and type.
 * The key of a new item consists of the version number and the path, for example 3-0.2.
 */
export function keysOf(
  items: readonly TemplateItem[],
  number: number,
  former: KeyedItems | undefined,
  given: ReadonlyMap<string, string>,
): string[] {
  const keys = new Map(given);
  const taken = new Set(given.values());
  const all = [...walk(items)].map(([path, item]): Placed => ({ path, item }));
  const formerItems = [...(former?.byKey.values() ?? [])];
  const below = groupBy(all, ({ path }) => parentPath(path));
  const formerBelow = groupBy(formerItems, ({ parentKey }) => parentKey);

  const match = (
    items: readonly Placed[],
    formerItems: readonly KeyedItem[],
    mark: (item: Placed) => string,
    found?: (path: string, key: string) => void,
  ) => {
    const left = groupBy(formerItems.filter(({ key }) => !taken.has(key)).reverse(), mark);
    for (const item of items) {
      if (keys.has(item.path)) continue;
      const candidates = left.get(mark(item)) ?? [];
      while (candidates.length && taken.has(candidates.at(-1)!.key)) candidates.pop();
      const key = candidates.pop()?.key;
      if (key === undefined) continue;
      keys.set(item.path, key);
      taken.add(key);
      found?.(item.path, key);
    }
  };
  const matchBelow = (path: string, key: string | null): void => {
    const items = below.get(path) ?? [];
    for (const mark of marks) match(items, formerBelow.get(key) ?? [], mark);
    for (const item of items) {
      const known = keys.get(item.path);
      if (known !== undefined && former?.byKey.has(known)) matchBelow(item.path, known);
    }
  };
  matchBelow("", null);
  match(all, formerItems, nameAndType, matchBelow);

  return all.map(({ path }) => {
    const known = keys.get(path);
    if (known !== undefined) return known;
    let key = `${number}-${path}`;
    while (taken.has(key) || former?.byKey.has(key)) key += "'";
    taken.add(key);
    return key;
  });
}
