/** Upgrades of instances to the newest version of their template. */

import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { versionConflict } from "../../database/records/versions.js";
import { setFromJson } from "../../database/rows/catalogue.js";
import { groupBy } from "../../database/rows/group.js";
import type { TemplateItem } from "../../schema/components/template.js";
import type { InstanceUpgrade, InstanceUpgrades, UpgradeInstancesInput } from "../../schema/components/template-upgrade.js";
import { badInput, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { foreignComponents, foreignSiteMessage } from "../access/site-guard.js";
import { type Removal, type Target, type Upgrade, upgradeOf } from "./template-drift.js";
import { type BuiltComponent, builtComponents, type Instances, instancesOf, storeInstances } from "./template-instances.js";
import type { KeyedItem, KeyedItems } from "./template-items.js";
import { type TemplateVersions, templateVersions } from "./template-versions.js";
import {
  type Branch,
  type BranchFields,
  deleteSubtrees,
  insertBranches,
  type Placement,
  type SiblingPlace,
  treeTransaction,
} from "./tree.js";
import { moveAll, Siblings } from "./tree-batch.js";

const maxInstances = 100;
/** Bounds the components that one operation creates. */
const maxAdded = 50_000;

/** Origin of a component. */
interface Application {
  templateId: string;
  version: string;
  instance: string;
}

const fieldsOfItem = ({ name, type, specifications, maintenanceInterval }: TemplateItem) => ({
  name,
  type,
  specifications: specifications ?? {},
  maintenanceInterval,
});

/** The fields of a component created from an item. */
export const branchFields = ({ templateId, version, instance }: Application, { key, path, item }: KeyedItem): BranchFields => ({
  ...fieldsOfItem(item),
  templateId,
  templateVersion: version,
  templateItem: path,
  templateKey: key,
  templateInstance: instance,
});

function chosen({ instanceIds, assetId }: UpgradeInstancesInput): Instances {
  if (instanceIds && assetId) throw badInput({ assetId: "must be left out where instanceIds are given" });
  if (instanceIds && (instanceIds.length < 1 || instanceIds.length > maxInstances))
    throw badInput({ instanceIds: `must hold 1 to ${maxInstances} ids` });
  if (instanceIds) return { ids: instanceIds };
  return assetId ? { assetId } : "all";
}

/**
 * Upgrades instances in one transaction and a constant number of statements. Unknown instances and instances of other sites fail
 * individually. A dry run performs the same reads and writes nothing. Throws NOT_FOUND, CONFLICT for another version, BAD_USER_INPUT naming
 * instanceIds or assetId.
 */
export function upgradeInstances(
  db: TenantDatabase,
  actor: Actor,
  input: UpgradeInstancesInput,
  expected?: Expected<string>,
): Promise<InstanceUpgrades> {
  const which = chosen(input);
  return input.dryRun
    ? upgrade(db, actor, input, which, expected)
    : treeTransaction(db, (tx) => upgrade(tx, actor, input, which, expected));
}

async function upgrade(
  tx: TenantQueryable,
  actor: Actor,
  { templateId, dryRun, removeItems }: UpgradeInstancesInput,
  which: Instances,
  expected: Expected<string>,
): Promise<InstanceUpgrades> {
  // Locked, so that no newer version than the expected one is created meanwhile.
  const template = await tx.query(
    `select id from "ComponentTemplate" where "tenantId" = $1 and id = $2 and "deletedAt" is null${dryRun ? "" : " for share"}`,
    templateId,
  );
  if (!template.length) throw notFound("Template", { templateId });
  const conflict = await versionConflict(tx, "ComponentTemplate", templateId, expected);
  if (conflict) throw conflict;
  if (!dryRun) await lockInstances(tx, templateId, which);
  const components = await builtComponents(tx, [templateId], which);
  const instances = instancesOf(components);
  if (instances.length > maxInstances)
    throw badInput({
      instanceIds: `is needed where there are more than ${maxInstances} instances; name up to ${maxInstances} of \`instances\``,
    });
  const [versions] = await templateVersions(tx, [templateId], components);
  const foreign = await foreignComponents(
    tx,
    actor,
    components.map(({ id }) => id),
  );
  const removal = removeItems ? await removalOf(tx, components, versions!) : undefined;
  const plans = new Map<string, Upgrade>();
  for (const instance of instances)
    if (!instance.components.some(({ id }) => foreign.has(id))) plans.set(instance.id, upgradeOf(instance, versions!, removal));
  const added = [...plans.values()].reduce((sum, plan) => sum + plan.added.length, 0);
  if (added > maxAdded)
    throw badInput({ instanceIds: `would get more than ${maxAdded} components in all; take fewer instances at a time` });
  if (!dryRun) await apply(tx, actor, { templateId, version: versions!.newest.version }, versions!.newest.items, plans);

  const known = new Set(instances.map(({ id }) => id));
  const ids = typeof which === "object" && "ids" in which ? [...new Set(which.ids)] : [...known];
  const results = ids.map((instanceId): InstanceUpgrade => {
    const plan = plans.get(instanceId);
    if (plan) return { instanceId, status: "success", differences: plan.differences };
    return { instanceId, status: "failed", error: known.has(instanceId) ? foreignSiteMessage : "Instance not found", differences: [] };
  });
  const failed = results.filter(({ status }) => status === "failed").length;
  return { templateId, version: versions!.newest.version, processed: results.length - failed, failed, results };
}

/**
 * Locks the components. Other writers change fields without the tree lock, and the upgrade must not overwrite changes made after the
 * comparison.
 */
async function lockInstances(tx: TenantQueryable, templateId: string, which: Instances): Promise<void> {
  const components = await builtComponents(tx, [templateId], which);
  await tx.query(
    `select 1 from "Component" where "tenantId" = $1 and id = any($2) order by id for update`,
    components.map(({ id }) => id),
  );
}

/** The data for removing components. */
async function removalOf(tx: TenantQueryable, components: BuiltComponent[], versions: TemplateVersions): Promise<Removal> {
  const gone = components.filter(({ templateVersion }) => templateVersion !== versions.newest.version).map(({ id }) => id);
  const found = await tx.query<{ id: string; parentId: string | null; isOccupied: boolean }>(
    `select id, "parentId", false as "isOccupied" from "Component" where "tenantId" = $1 and "parentId" = any($2) and "deletedAt" is null
     union all select "componentId", null, false from "WorkOrder" where "tenantId" = $1 and "componentId" = any($2)
     union all select "componentId", null, false from "WorkRequest" where "tenantId" = $1 and "componentId" = any($2)
     union all select "componentId", null, false from "PartComponent" where "tenantId" = $1 and "componentId" = any($2)
     union all select p."componentId", null, true from "UnitPeriod" p join "Unit" u on u."tenantId" = $1 and u.id = p."unitId" and u."partId" is not null
       where p."tenantId" = $1 and p."componentId" = any($2) and p."endedAt" is null`,
    gone,
  );
  const children = groupBy(found, ({ parentId }) => parentId);
  const references = groupBy(children.get(null) ?? [], ({ isOccupied }) => isOccupied);
  const componentsOf = (isOccupied: boolean) => new Set((references.get(isOccupied) ?? []).map(({ id }) => id));
  return {
    inUse: componentsOf(false),
    occupied: componentsOf(true),
    childIds: new Map([...children].map(([parentId, rows]) => [parentId, rows.map(({ id }) => id)])),
  };
}

async function apply(
  tx: TenantQueryable,
  actor: Actor,
  { templateId, version }: Omit<Application, "instance">,
  newest: KeyedItems,
  plans: Map<string, Upgrade>,
): Promise<void> {
  const updates = [...plans].flatMap(([instance, plan]) =>
    [...plan.current].flatMap(([component, item]) => {
      const isOld = component.templateVersion !== version;
      return isOld || plan.changed.has(component) || plan.moved.has(component) ? [{ instance, plan, component, item }] : [];
    }),
  );
  const all = [...plans.values()];
  if (!updates.length && !all.some(({ added, removedIds }) => added.length || removedIds.length)) return;
  await storeInstances(tx, templateId);
  await tx.replan();

  const placements = [...plans].flatMap(([instance, plan]) => placementsOf(plan, { templateId, version, instance }));
  const created = await insertBranches(tx, actor, placements);
  const ids = new Map([...plans].map(([instance, plan]) => [instance, idsOf(plan)]));
  for (const { id, templateInstance, templateKey } of created) ids.get(templateInstance!)!.set(templateKey!, id);

  const parentIdOf = (instance: string, target: Target): string | null => {
    if (target === null) return plans.get(instance)!.top.parentId;
    return "id" in target ? target.id : ids.get(instance)!.get(target.key)!;
  };
  const rows = updates.map(({ instance, plan, component, item }) => {
    const origin = { templateVersion: version, templateItem: item.path, templateKey: item.key, templateInstance: instance };
    return { id: component.id, data: { ...plan.changed.get(component), ...origin } };
  });
  await tx.query(
    `update "Component" c set ${setFromJson("Component", "c", "u.data")}, "updatedBy" = $3
     from jsonb_to_recordset($2::jsonb) u(id text, data jsonb) where c."tenantId" = $1 and c.id = u.id`,
    JSON.stringify(rows),
    actor.principalId,
  );
  const moved = updates.flatMap(({ instance, plan, component, item: { key } }) => {
    const target = plan.moved.get(component);
    return target === undefined
      ? []
      : [{ id: component.id, parentId: parentIdOf(instance, target), assetId: plan.top.assetId, instance, key }];
  });
  await moveAll(tx, moved);
  const placed = [
    ...created.map(({ id, parentId, templateInstance, templateKey }) => ({ id, parentId, instance: templateInstance!, key: templateKey! })),
    ...moved,
  ];
  const left = updates.filter(({ plan, component }) => plan.moved.has(component)).map(({ component }) => component);
  await arrange(tx, newest, plans, ids, placed, left);
  await deleteSubtrees(
    tx,
    actor,
    all.flatMap(({ removedIds }) => removedIds),
    nowDate(),
  );
}

const idsOf = ({ current }: Upgrade): Map<string, string> => new Map([...current].reverse().map(([{ id }, { key }]) => [key, id]));

/** The branches that an upgrade adds, by the component above them. */
function placementsOf({ added, current, top }: Upgrade, { templateId, version, instance }: Application): Placement[] {
  const branches = new Map<string, Branch & { children: Branch[] }>();
  const components = new Map([...current.keys()].map((component) => [component.id, component]));
  const above = top.path.slice(0, top.path.lastIndexOf(".", top.path.length - 2) + 1);
  return added.flatMap(({ item, parent }): Placement[] => {
    const branch = { fields: branchFields({ templateId, version, instance }, item), children: [] };
    branches.set(item.key, branch);
    if (parent && "key" in parent) {
      branches.get(parent.key)!.children.push(branch);
      return [];
    }
    const { id, path, assetId } = parent ? components.get(parent.id)! : { id: top.parentId, path: above, assetId: top.assetId };
    const level = path.split(".").length - 2;
    return [{ assetId, parent: id === null ? undefined : { id, path, level }, first: 0, branches: [branch] }];
  });
}

/** A component that was created or moved. */
interface Placed {
  id: string;
  parentId: string | null;
  instance: string;
  key: string;
}

/**
 * Positions components among their siblings as in the template: after the preceding item, else before the following one, else at the end.
 */
async function arrange(
  tx: TenantQueryable,
  newest: KeyedItems,
  plans: Map<string, Upgrade>,
  ids: Map<string, Map<string, string>>,
  placed: Placed[],
  left: SiblingPlace[],
): Promise<void> {
  const placeOf = ({ parentId, instance }: Placed) => ({ parentId, assetId: plans.get(instance)!.top.assetId });
  const siblings = await Siblings.at(tx, [...left, ...placed.map(placeOf)]);
  const isPlaced = new Set(placed.map(({ id }) => id));
  for (const place of placed.map(placeOf))
    siblings.setListAt(
      place,
      siblings.listAt(place).filter((id) => !isPlaced.has(id)),
    );
  const itemsBelow = groupBy([...newest.byKey.values()], ({ parentKey }) => parentKey);
  const groups = groupBy(placed, ({ instance, key }) => JSON.stringify([instance, newest.byKey.get(key)!.parentKey]));
  for (const group of groups.values()) {
    const [first] = group;
    const items = itemsBelow.get(newest.byKey.get(first!.key)!.parentKey)!;
    const order = items.flatMap(({ key }) => ids.get(first!.instance)!.get(key) ?? []);
    siblings.setListAt(placeOf(first!), inOrder(siblings.listAt(placeOf(first!)), order, isPlaced));
  }
  await siblings.renumber(tx);
}

/** Inserts the new ids of `order` into a list. */
function inOrder(list: string[], order: string[], isNew: ReadonlySet<string>): string[] {
  const known = new Set(list);
  const behind = new Map<string | null, string[]>();
  let anchor: string | null = null;
  let next: string | undefined;
  for (const id of order) {
    if (isNew.has(id) && !known.has(id)) behind.set(anchor, [...(behind.get(anchor) ?? []), id]);
    else if (known.has(id)) {
      anchor = id;
      next ??= id;
    }
  }
  const leading = behind.get(null) ?? [];
  const at = next === undefined ? list.length : list.indexOf(next);
  const rest = (ids: string[]) => ids.flatMap((id) => [id, ...(behind.get(id) ?? [])]);
  return [...rest(list.slice(0, at)), ...leading, ...rest(list.slice(at))];
}
