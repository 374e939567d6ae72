/** Templates of component trees (interface.md 2.12, 4.7): immutable versions, use, and building trees from them. */
import { isDeepStrictEqual } from "node:util";
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import type { Component } from "../schema/component.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type {
  ApplyTemplateInput,
  ComponentTemplate,
  CreateTemplateInput,
  TemplateApplication,
  TemplateDrift,
  TemplateItem,
  UpdateTemplateInput,
} from "../schema/template.js";
import { guardNewComponents } from "./components.js";
import type { Actor } from "./keys.js";
import { type Branch, createBranches, treeTransaction } from "./tree.js";

export type TemplateRecord = ComponentTemplate & Row;

const maxItems = 10_000;
const unknown = (templateId: string) => notFound("Template", { templateId });

/** Every item with its place: positions from the top, e.g. 0.2.1. */
function* walk(items: readonly TemplateItem[], above = ""): Generator<[place: string, item: TemplateItem]> {
  for (const [i, item] of items.entries()) {
    yield [above + i, item];
    yield* walk(item.components ?? [], `${above}${i}.`);
  }
}

/** What is null is as if left out. */
const withoutNulls = (items: readonly TemplateItem[]): TemplateItem[] =>
  items.map(({ components, ...item }) => ({
    ...(Object.fromEntries(Object.entries(item).filter(([, value]) => value != null)) as unknown as TemplateItem),
    ...(components && { components: withoutNulls(components) }),
  }));

function checkedItems(items: TemplateItem[] | null | undefined): TemplateItem[] {
  let count = 0;
  for (const _ of walk(items ?? []))
    if (++count > maxItems) throw badInput({ components: `must not have more than ${maxItems} items in all` });
  return withoutNulls(items ?? []);
}

/** Both rows in one statement: the template, and its first version. */
export async function createTemplate(db: TenantQueryable, actor: Actor, input: CreateTemplateInput): Promise<TemplateRecord> {
  const [template] = await db.query<TemplateRecord>(
    `with t as (
       insert into "ComponentTemplate" ("tenantId", id, name, type, description, version, components) values ($1, $2, $3, $4, $5, '1.0.0', $6) returning *
     ), v as (
       insert into "ComponentTemplateVersion" ("tenantId", "templateId", version, ordinal, name, type, description, components, "createdBy")
       select $1, id, version, 0, name, type, description, components, $7 from t
     ) select * from t`,
    newId(),
    input.name,
    input.type,
    input.description ?? null,
    JSON.stringify(checkedItems(input.components)),
    actor.keyId,
  );
  return template!;
}

/** Makes the next version (1.0.0 → 1.1.0). Two at once make two: the second waits for the first's row. */
export async function updateTemplate(db: TenantQueryable, actor: Actor, id: string, input: UpdateTemplateInput): Promise<TemplateRecord> {
  const changes = { ...input, ...(input.components !== undefined && { components: checkedItems(input.components) }) };
  const [template] = await db.query<TemplateRecord>(
    `with t as (
       update "ComponentTemplate" t set (name, type, description, components) = (select name, type, description, components from jsonb_populate_record(t, $3::jsonb)),
         version = '1.' || split_part(version, '.', 2)::int + 1 || '.0', "updatedAt" = now()
       where "tenantId" = $1 and id = $2 and "deletedAt" is null returning *
     ), v as (
       insert into "ComponentTemplateVersion" ("tenantId", "templateId", version, ordinal, name, type, description, components, "createdBy")
       select $1, id, version, split_part(version, '.', 2)::int, name, type, description, components, $4 from t
     ) select * from t`,
    id,
    JSON.stringify(changes),
    actor.keyId,
  );
  if (!template) throw unknown(id);
  return template;
}

/** What was built from it stays. */
export async function deleteTemplate(db: TenantQueryable, id: string): Promise<Date> {
  const [template] = await db.query<{ deletedAt: Date }>(
    `update "ComponentTemplate" set "deletedAt" = now() where "tenantId" = $1 and id = $2 and "deletedAt" is null returning "deletedAt"`,
    id,
  );
  if (!template) throw unknown(id);
  return template.deletedAt;
}

export async function restoreTemplate(db: TenantQueryable, id: string): Promise<TemplateRecord> {
  const [template] = await db.query<TemplateRecord>(
    `update "ComponentTemplate" set "deletedAt" = null where "tenantId" = $1 and id = $2 and "deletedAt" is not null returning *`,
    id,
  );
  if (!template) throw notFound("Deleted template", { templateId: id });
  return template;
}

/** Counts one use and answers the template as it then is. */
export async function recordUsage(db: TenantQueryable, id: string): Promise<TemplateRecord> {
  const [template] = await db.query<TemplateRecord>(
    `update "ComponentTemplate" set "usageCount" = "usageCount" + 1, "lastUsedAt" = now() where "tenantId" = $1 and id = $2 and "deletedAt" is null returning *`,
    id,
  );
  if (!template) throw unknown(id);
  return template;
}

/**
 * Builds the template's newest version below one place, all or nothing, in a constant number of statements. Throws
 * NOT_FOUND for the template, BAD_USER_INPUT naming assetId or parentId, CONFLICT where a serial number is taken.
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
    const number = () => {
      const serial = `${prefix}${String(serials.length + 1).padStart(3, "0")}`;
      serials.push(serial);
      return serial;
    };
    const branch = (item: TemplateItem, place: string): Branch => ({
      fields: {
        name: item.name,
        type: item.type,
        specifications: item.specifications ?? {},
        maintenanceInterval: item.maintenanceInterval,
        serialNumber: prefix ? number() : null,
        templateId: id,
        templateVersion: version,
        templateItem: place,
        updatedBy: actor.keyId,
      },
      children: item.components?.map((child, i) => branch(child, `${place}.${i}`)),
    });
    const branches = components.map((item, i) => branch(item, String(i)));
    const [taken] = await tx.query<{ serialNumber: string }>(
      `select "serialNumber" from "Component" where "tenantId" = $1 and "serialNumber" = any($2) and "deletedAt" is null order by 1 limit 1`,
      serials,
    );
    if (taken) throw conflict("A component with this serial number already exists", { serialNumber: taken.serialNumber });
    await tx.replan();
    const created = await createBranches(tx, { assetId, parentId }, branches);
    await guardNewComponents(tx, actor, created);
    const rootIds = created.filter((node) => node.parentId === (parentId ?? null)).map((node) => node.id);
    return { templateId: id, version, rootIds, created: created as unknown as Component[] };
  });

/** The components among those built from it that differ from the newest version. */
export function driftOf({ components }: TemplateRecord, built: (Component & Row)[]): TemplateDrift[] {
  const items = new Map(walk(components));
  return built.flatMap((component) => {
    const item = items.get(component.templateItem);
    const differences = item ? differencesOf(component, item) : ["removed"];
    return differences.length ? [{ component, builtFrom: component.templateVersion!, differences }] : [];
  });
}

const differencesOf = (component: Component & Row, item: TemplateItem): string[] =>
  (["name", "type", "specifications", "maintenanceInterval"] as const).filter((field) => {
    const fallback = field === "specifications" ? {} : null;
    return !isDeepStrictEqual(component[field] ?? fallback, item[field] ?? fallback);
  });
