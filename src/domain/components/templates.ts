/** Templates of component trees (docs/interface.md 2.12, 4.7). Every change creates an immutable version. */

import { isDeepStrictEqual } from "node:util";
import { type Rows, rowColumns } from "../../database/catalogue.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { groupsOf } from "../../database/group.js";
import { atVersion, versionConflict } from "../../database/versions.js";
import type {
  ApplyTemplateInput,
  CreateTemplateInput,
  TemplateApplication,
  TemplateDrift,
  TemplateItem,
  UpdateTemplateInput,
} from "../../schema/components/template.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { type ComponentRecord, guardNewComponents } from "./components.js";
import { type Branch, createBranches, treeTransaction } from "./tree.js";

export type TemplateRecord = Rows["ComponentTemplate"];

const maxItems = 10_000;
const unknown = (templateId: string) => notFound("Template", { templateId });

/** Yields every item with its path of positions from the root, e.g. 0.2.1. */
function* walk(items: readonly TemplateItem[], prefix = ""): Generator<[path: string, item: TemplateItem]> {
  for (const [i, item] of items.entries()) {
    yield [prefix + i, item];
    yield* walk(item.components ?? [], `${prefix}${i}.`);
  }
}

/** Removes fields that are null: in an item, null means absent. */
const withoutNulls = (items: readonly TemplateItem[]): TemplateItem[] =>
  items.map(({ components, ...item }) => ({
    ...(Object.fromEntries(Object.entries(item).filter(([, value]) => value != null)) as unknown as TemplateItem),
    ...(components && { components: withoutNulls(components) }),
  }));

/** Throws BAD_USER_INPUT for more than `maxItems` items (docs/interface.md 8). */
function checkedItems(items: TemplateItem[] | null | undefined): TemplateItem[] {
  let count = 0;
  for (const _ of walk(items ?? []))
    if (++count > maxItems) throw badInput({ components: `must not have more than ${maxItems} items in all` });
  return withoutNulls(items ?? []);
}

/** Creates version 1.0.0. A database trigger copies every version to ComponentTemplateVersion. Throws BAD_USER_INPUT naming components. */
export const createTemplate = (db: TenantDatabase, actor: Actor, input: CreateTemplateInput): Promise<TemplateRecord> =>
  db.records.ComponentTemplate.create(actor.principalId, { ...input, components: checkedItems(input.components), version: "1.0.0" });

const notChanged = async (db: TenantQueryable, id: string, expected: Expected<string>): Promise<Error> =>
  (await versionConflict(db, "ComponentTemplate", id, expected)) ?? unknown(id);

/** 1.4.0 → 1.5.0 */
const nextVersion = (version: string) => `1.${Number(version.split(".")[1]) + 1}.0`;

/** Creates the next version. Locks the row, so that concurrent updates get different versions. Throws NOT_FOUND, CONFLICT, BAD_USER_INPUT. */
export const updateTemplate = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateTemplateInput,
  expected?: Expected<string>,
): Promise<TemplateRecord> =>
  db.transaction(async (tx) => {
    const [before] = await tx.query<Pick<TemplateRecord, "version">>(
      `select version from "ComponentTemplate" where "tenantId" = $1 and id = $2 and "deletedAt" is null for update`,
      id,
    );
    if (!before) throw unknown(id);
    const changes = {
      ...input,
      ...(input.components !== undefined && { components: checkedItems(input.components) }),
      version: nextVersion(before.version),
    };
    const template = await tx.records.ComponentTemplate.update(actor.principalId, { id, ...atVersion(expected) }, changes);
    return template ?? Promise.reject(await notChanged(tx, id, expected));
  });

/** Keeps the components created from the template. Returns the time of deletion. Throws NOT_FOUND, CONFLICT. */
export async function deleteTemplate(db: TenantDatabase, actor: Actor, id: string, expected?: Expected<string>): Promise<Date> {
  const template = await db.records.ComponentTemplate.delete(actor.principalId, { id, ...atVersion(expected) });
  if (!template) throw await notChanged(db, id, expected);
  return template.deletedAt!;
}

/** Throws NOT_FOUND unless a deleted template has the id. */
export async function restoreTemplate(db: TenantDatabase, actor: Actor, id: string): Promise<TemplateRecord> {
  const template = await db.records.ComponentTemplate.restore(actor.principalId, { id });
  if (!template) throw notFound("Deleted template", { templateId: id });
  return template;
}

/** Increments the usage count and returns the template. Throws NOT_FOUND. */
export async function recordUsage(db: TenantQueryable, id: string): Promise<TemplateRecord> {
  const [template] = await db.query<TemplateRecord>(
    `update "ComponentTemplate" set "usageCount" = "usageCount" + 1, "lastUsedAt" = now()
     where "tenantId" = $1 and id = $2 and "deletedAt" is null returning ${rowColumns("ComponentTemplate")}`,
    id,
  );
  if (!template) throw unknown(id);
  return template;
}

/**
 * Creates components from the newest version of a template, in one transaction and a constant number of statements
 * (docs/interface.md 4.7, apply-hierarchical). `created` lists parents before children. Throws NOT_FOUND for the template,
 * BAD_USER_INPUT naming assetId or parentId, CONFLICT with serialNumber if one is in use, FORBIDDEN for another site.
 */
export const applyTemplate = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { assetId, parentId, customizations }: ApplyTemplateInput,
): Promise<TemplateApplication> =>
  treeTransaction(db, async (tx) => {
    const { version, components } = await recordUsage(tx, id);
    const prefix = customizations?.serialNumberPrefix;
    const serials: string[] = [];
    const nextSerial = () => {
      const serial = `${prefix}${String(serials.length + 1).padStart(3, "0")}`;
      serials.push(serial);
      return serial;
    };
    const branch = (item: TemplateItem, path: string): Branch => ({
      fields: {
        name: item.name,
        type: item.type,
        specifications: item.specifications ?? {},
        maintenanceInterval: item.maintenanceInterval,
        serialNumber: prefix ? nextSerial() : null,
        templateId: id,
        templateVersion: version,
        templateItem: path,
      },
      children: item.components?.map((child, i) => branch(child, `${path}.${i}`)),
    });
    const branches = components.map((item, i) => branch(item, String(i)));
    const [duplicate] = await tx.query<{ serialNumber: string }>(
      `select "serialNumber" from "Component" where "tenantId" = $1 and "serialNumber" = any($2) and "deletedAt" is null order by 1 limit 1`,
      serials,
    );
    if (duplicate) throw conflict("A component with this serial number already exists", { serialNumber: duplicate.serialNumber });
    await tx.replan();
    const created = await createBranches(tx, actor, { assetId, parentId }, branches);
    await guardNewComponents(tx, actor, created);
    const rootIds = created.filter((node) => node.parentId === (parentId ?? null)).map((node) => node.id);
    return { templateId: id, version, rootIds, created };
  });

/** Returns the components created from the template that differ from its newest version, with the names of the differing fields. */
export function driftOf({ components }: TemplateRecord, created: ComponentRecord[]): TemplateDrift[] {
  const items = new Map(walk(components));
  return created.flatMap((component) => {
    const item = items.get(component.templateItem ?? "");
    const differences = item ? differencesOf(component, item) : ["removed"];
    return differences.length ? [{ component, builtFrom: component.templateVersion!, differences }] : [];
  });
}

const differencesOf = (component: ComponentRecord, item: TemplateItem): string[] =>
  (["name", "type", "specifications", "maintenanceInterval"] as const).filter((field) => {
    const fallback = field === "specifications" ? {} : null;
    return !isDeepStrictEqual(component[field] ?? fallback, item[field] ?? fallback);
  });

/** The components created from each template, for `driftOf`. */
export async function componentsBuiltFrom(db: TenantQueryable, templateIds: readonly string[]): Promise<ComponentRecord[][]> {
  const rows = await db.query<ComponentRecord>(
    `select ${rowColumns("Component")} from "Component" where "tenantId" = $1 and "templateId" = any($2) and "deletedAt" is null order by "createdAt", id`,
    templateIds,
  );
  return groupsOf(templateIds, rows, (row) => row.templateId!);
}
