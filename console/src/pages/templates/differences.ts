/** The differences of two versions of a template, in words. Items are matched by place, then by name and type, then by type at the same place. */
import { t } from "@lingui/core/macro";
import type { Template } from "./items.js";

type Version = Template["versionHistory"]["nodes"][number];
interface Stored {
  name: string;
  type: string;
  maintenanceInterval?: string | null;
  specifications?: Record<string, unknown>;
  components?: Stored[];
}
interface Placed extends Stored {
  parent: string;
}

export interface Difference {
  what: string;
  before: string;
  after: string;
}

const placed = (items: Stored[], parent = ""): Placed[] =>
  items.flatMap((item) => [{ ...item, parent }, ...placed(item.components ?? [], parent ? `${parent} › ${item.name}` : item.name)]);

const textOf = (value: unknown): string =>
  value == null || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value);

export function differencesOf(older: Version, newer: Version): Difference[] {
  const found: Difference[] = [];
  const compare = (what: string, before: unknown, after: unknown) => {
    const [a, b] = [textOf(before), textOf(after)];
    if (a !== b) found.push({ what, before: a, after: b });
  };
  compare(t`Name of the template`, older.name, newer.name);
  compare(t`Type of the template`, older.type, newer.type);
  compare(t`Description of the template`, older.description, newer.description);

  const was = placed(older.components as unknown as Stored[]);
  const now = placed(newer.components as unknown as Stored[]);
  const matched = new Map<Placed, Placed>();
  const rules: ((a: Placed, b: Placed) => boolean)[] = [
    (a, b) => a.parent === b.parent && a.name === b.name,
    (a, b) => a.name === b.name && a.type === b.type,
    (a, b) => a.parent === b.parent && a.type === b.type,
  ];
  const taken = new Set<Placed>();
  for (const isSame of rules)
    for (const item of now) {
      if (matched.has(item)) continue;
      const one = was.find((each) => !taken.has(each) && isSame(each, item));
      if (!one) continue;
      matched.set(item, one);
      taken.add(one);
    }
  for (const item of now) {
    const one = matched.get(item);
    if (!one) {
      found.push({ what: item.name, before: "–", after: item.parent ? t`Added in ${item.parent}` : t`Added` });
      continue;
    }
    compare(t`${item.name}: name`, one.name, item.name);
    compare(t`${item.name}: type`, one.type, item.type);
    // A renamed parent is no move.
    const parentOf = (each: Placed, all: Placed[]) => all.find((p) => (p.parent ? `${p.parent} › ${p.name}` : p.name) === each.parent);
    const parent = parentOf(item, now);
    if ((parent && matched.get(parent)) !== parentOf(one, was))
      compare(t`${item.name}: place`, one.parent || t`Top`, item.parent || t`Top`);
    compare(t`${item.name}: maintenance interval`, one.maintenanceInterval, item.maintenanceInterval);
    const names = new Set([...Object.keys(one.specifications ?? {}), ...Object.keys(item.specifications ?? {})]);
    for (const name of names) compare(`${item.name}: ${name}`, one.specifications?.[name], item.specifications?.[name]);
  }
  for (const one of was)
    if (!taken.has(one)) found.push({ what: one.name, before: one.parent ? t`In ${one.parent}` : t`Top`, after: t`Removed` });
  return found;
}
