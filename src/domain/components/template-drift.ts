/**
 * Differences between an instance and the newest version of its template, and the plan of its upgrade (docs/work.md, "Templates"). The
 * upgrade is a three-way merge by item keys: the version that the instance was built from, the newest version, and the current components.
 * Local changes are kept.
 */
import { isDeepStrictEqual } from "node:util";
import type { TemplateItem } from "../../schema/components/template.js";
import type { TemplateDifference, TemplateFieldDifference } from "../../schema/components/template-drift.js";
import type { BuiltComponent, Instance } from "./template-instances.js";
import type { KeyedItem } from "./template-items.js";
import type { TemplateVersions } from "./template-versions.js";

/** A component of the instance by id, or an added item by key. Null for the place of the topmost components. */
export type Target = { id: string } | { key: string } | null;

/** Planned writes of an upgrade. */
export interface Upgrade {
  differences: TemplateDifference[];
  /** A topmost component. */
  top: BuiltComponent;
  /** The newest version among those that the components were built from, including deleted components. */
  builtFrom: string;
  /** Parents before children. */
  added: { item: KeyedItem; parent: Target }[];
  /** Changed values by component. */
  changed: Map<BuiltComponent, Record<string, unknown>>;
  moved: Map<BuiltComponent, Target>;
  removedIds: string[];
  /** Components whose item exists in the newest version. */
  current: Map<BuiltComponent, KeyedItem>;
}

/** Data for removing components whose items no longer exist. If absent, no component is removed. */
export interface Removal {
  /** Components with work orders, work requests or spare parts. */
  inUse: ReadonlySet<string>;
  /** Components with an installed unit of a part. */
  occupied: ReadonlySet<string>;
  /** Child ids by parent id. */
  childIds: ReadonlyMap<string | null, readonly string[]>;
}

const changedHere = "was changed here";

const prefix = "specifications.";
const isSpecification = (field: string) => field.startsWith(prefix);

type Values = Map<string, unknown>;

/** The compared values of an item or component. Each specification is compared separately. */
function valuesOf({ name, type, specifications, maintenanceInterval }: Omit<TemplateItem, "components">, parent: string | null): Values {
  const values: Values = new Map(Object.entries({ name, type }));
  for (const [key, value] of Object.entries(specifications ?? {})) values.set(prefix + key, value);
  return values.set("maintenanceInterval", maintenanceInterval ?? null).set("parent", parent);
}

/** The fields of a component and its item, in template order. */
const fieldsOf = (is: Values, wanted: Values): string[] => {
  const specifications = new Set([...is.keys(), ...wanted.keys()].filter(isSpecification));
  return ["name", "type", ...specifications, "maintenanceInterval", "parent"];
};

const same = (a: Values, b: Values, field: string) => a.has(field) === b.has(field) && isDeepStrictEqual(a.get(field), b.get(field));

/** The position of each component within its instance. Changes while moves are planned. */
class Places {
  readonly byKey = new Map<string, BuiltComponent>();
  private readonly byId: Map<string, BuiltComponent>;
  /** The nearest component or item of the instance above each one: an id, or a key with a `+` prefix. */
  private readonly above = new Map<string, string | null>();

  constructor(
    components: readonly BuiltComponent[],
    readonly keys: ReadonlyMap<BuiltComponent, string>,
  ) {
    this.byId = new Map(components.map((component) => [component.id, component]));
    const byLabel = new Map(components.map(({ id, path }) => [path.split(".").at(-2), id]));
    for (const component of components) {
      const key = keys.get(component)!;
      if (!this.byKey.has(key)) this.byKey.set(key, component);
      const labels = component.path.split(".").slice(0, -2).reverse();
      this.above.set(component.id, byLabel.get(labels.find((label) => byLabel.has(label))) ?? null);
    }
  }

  isTop = ({ id }: BuiltComponent) => this.above.get(id) === null;

  /** The key of the item above, the id of another component in between, or null at the top. */
  parentOf({ id, parentId }: BuiltComponent): string | null {
    const parent = this.byId.get(parentId ?? "");
    if (parent) return this.keys.get(parent)!;
    return this.above.get(id) === null ? null : parentId;
  }

  place(node: string, above: string | null): void {
    this.above.set(node, above);
  }

  isBelow(node: string | null, other: string): boolean {
    for (let at = node; at !== null; at = this.above.get(at) ?? null) if (at === other) return true;
    return false;
  }
}

const keyOf = (versions: TemplateVersions, { templateKey, templateVersion, templateItem }: BuiltComponent): string =>
  templateKey ?? versions.get(templateVersion)?.items.byPath.get(templateItem ?? "")?.key ?? `${templateVersion} ${templateItem}`;

const difference = (
  kind: TemplateDifference["kind"],
  { key, name, componentId = null, fields = [] }: Pick<TemplateDifference, "key" | "name"> & Partial<TemplateDifference>,
  keptBecause: string | null = null,
): TemplateDifference => ({ kind, key, name, componentId, fields, keptBecause });

/** Compares an instance with the newest version and plans its upgrade. Has no side effects. */
export function upgradeOf({ components }: Instance, versions: TemplateVersions, removal?: Removal): Upgrade {
  const keys = new Map(components.map((component) => [component, keyOf(versions, component)]));
  const places = new Places(components, keys);
  const baseOf = (component: BuiltComponent) => versions.get(component.templateVersion)?.items.byKey.get(keys.get(component)!);
  const newest = versions.newest.items.byKey;
  const builtFrom = versions.get(components[0]!.builtFrom)!;
  const top =
    components.find((component) => places.isTop(component) && baseOf(component)?.parentKey === null) ?? components.find(places.isTop)!;
  const plan: Upgrade = {
    differences: [],
    top,
    builtFrom: builtFrom.version,
    added: [],
    changed: new Map(),
    moved: new Map(),
    removedIds: [],
    current: new Map(),
  };
  const addedKeys = new Set<string>();
  const targetOf = (parentKey: string | null): Target | undefined => {
    if (parentKey === null) return null;
    const component = places.byKey.get(parentKey);
    if (component) return { id: component.id };
    return addedKeys.has(parentKey) ? { key: parentKey } : undefined;
  };
  const nodeOf = (target: Target) => (target === null ? null : "id" in target ? target.id : `+${target.key}`);

  const addItem = (item: KeyedItem): void => {
    const { key, parentKey } = item;
    const shown = { key, name: item.item.name };
    const target = targetOf(parentKey);
    if (builtFrom.items.byKey.has(key)) plan.differences.push(difference("missing", shown, "was deleted here"));
    else if (target === undefined) plan.differences.push(difference("missing", shown, "what it belongs below was deleted here"));
    else {
      addedKeys.add(key);
      places.place(`+${key}`, nodeOf(target));
      plan.added.push({ item, parent: target });
      plan.differences.push(difference("added", shown));
    }
  };

  /** Plans a move made in the template. Returns the reason if it is not possible. */
  const moveTo = (component: BuiltComponent, parentKey: string | null): string | null => {
    const target = targetOf(parentKey);
    if (target === undefined) return "what it belongs below was deleted here";
    if (places.isBelow(nodeOf(target), component.id)) return "what it belongs below is below it here";
    places.place(component.id, nodeOf(target));
    plan.moved.set(component, target);
    return null;
  };

  const compare = (component: BuiltComponent, item: KeyedItem): void => {
    const was = baseOf(component);
    const is = valuesOf(component as TemplateItem, places.parentOf(component));
    const base = was ? valuesOf(was.item, was.parentKey) : is;
    const wanted = valuesOf(item.item, item.parentKey);
    const fields: TemplateFieldDifference[] = [];
    const set: Values = new Map();
    for (const field of fieldsOf(is, wanted)) {
      if (same(is, wanted, field)) continue;
      const changedBy = same(base, wanted, field) ? "component" : same(base, is, field) ? "template" : "both";
      const keptBecause = changedBy !== "template" ? changedHere : field === "parent" ? moveTo(component, item.parentKey) : null;
      if (keptBecause === null && field !== "parent") set.set(field, wanted.get(field));
      const value = (values: Values) => values.get(field) ?? null;
      fields.push({ field, builtFrom: value(base), template: value(wanted), component: value(is), changedBy, keptBecause });
    }
    plan.current.set(component, item);
    if (set.size) plan.changed.set(component, merged(component, set));
    const isKept = fields.every(({ keptBecause }) => keptBecause !== null);
    const shown = { key: item.key, name: component.name, componentId: component.id, fields };
    if (fields.length) plan.differences.push(difference("changed", shown, isKept ? fields[0]!.keptBecause : null));
  };

  const ofKey = new Map<string, BuiltComponent[]>();
  for (const [component, key] of keys) ofKey.set(key, [...(ofKey.get(key) ?? []), component]);
  for (const item of newest.values()) {
    const found = ofKey.get(item.key);
    if (found) for (const component of found) compare(component, item);
    else addItem(item);
  }

  const gone = components.filter((component) => !newest.has(keys.get(component)!));
  const removed = new Set<string>();
  const movedIds = new Set([...plan.moved.keys()].map(({ id }) => id));
  const reasons = new Map<string, string | null>();
  for (const component of [...gone].sort((a, b) => levelOf(b) - levelOf(a))) {
    const was = baseOf(component);
    const isChanged =
      !was || !isDeepStrictEqual(valuesOf(component as TemplateItem, places.parentOf(component)), valuesOf(was.item, was.parentKey));
    const left = removal?.childIds.get(component.id)?.filter((id) => !removed.has(id) && !movedIds.has(id));
    let reason: string | null = null;
    if (!removal) reason = "is removed only where the upgrade is told so (removeItems)";
    else if (removal.inUse.has(component.id)) reason = "has work orders, work requests or spare parts";
    else if (removal.occupied.has(component.id)) reason = "has an installed unit of a part; remove the unit with exchangeUnit first";
    else if (isChanged) reason = changedHere;
    else if (left?.length) reason = "has components below it";
    else removed.add(component.id);
    reasons.set(component.id, reason);
  }
  for (const component of gone) {
    const shown = { key: keys.get(component)!, name: component.name, componentId: component.id };
    plan.differences.push(difference("removed", shown, reasons.get(component.id)));
  }
  plan.removedIds = [...removed];
  return plan;
}

const levelOf = ({ path }: BuiltComponent) => path.split(".").length;

/** Column values. Specifications are merged into the component's own. */
function merged(component: BuiltComponent, set: Values): Record<string, unknown> {
  const columns = new Map([...set].filter(([field]) => !isSpecification(field)));
  if (columns.size === set.size) return Object.fromEntries(columns);
  const specifications = new Map(Object.entries(component.specifications));
  for (const [field, value] of set) {
    if (!isSpecification(field)) continue;
    if (value === undefined) specifications.delete(field.slice(prefix.length));
    else specifications.set(field.slice(prefix.length), value);
  }
  return { ...Object.fromEntries(columns), specifications: Object.fromEntries(specifications) };
}
