/** Templates of component trees (docs/interface.md 2.12, 4.7). Every change creates an immutable version. */

import { isDeepStrictEqual } from "node:util";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { atVersion, versionConflict } from "../../database/records/versions.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import type {
  ApplyTemplateInput,
  CreateTemplateInput,
  KeyedTemplateItem,
  TemplateApplication,
  TemplateItem,
  UpdateTemplateInput,
} from "../../schema/components/template.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { guardNewComponents } from "./components.js";
import { givenKeys, keysOf, walk } from "./template-items.js";
import { branchFields } from "./template-upgrade.js";
import { storeKeys, templateVersions } from "./template-versions.js";
import { type Branch, createBranches, treeTransaction } from "./tree.js";

export type TemplateRecord = Rows["ComponentTemplate"];

const maxItems = 10_000;
const unknown = (templateId: string) => notFound("Template", { templateId });

/** Removes null fields, because null in an item means absent, and keys, which are stored separately. */
const withoutNulls = (items: readonly TemplateItem[]): TemplateItem[] =>
  items.map(({ components, key: _, ...item }) => ({
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

/**
 * Creates version 1.0.0. A database trigger copies every version to ComponentTemplateVersion. Throws BAD_USER_INPUT naming components or a
 * key.
 */
export const createTemplate = (db: TenantDatabase, actor: Actor, input: CreateTemplateInput): Promise<TemplateRecord> => {
  const components = checkedItems(input.components);
  const keys = keysOf(components, 1, undefined, givenKeys(input.components ?? []));
  return db.transaction(async (tx) => {
    const template = await tx.records.ComponentTemplate.create(actor.principalId, { ...input, components, version: "1.0.0" });
    await storeKeys(tx, template.id, [{ version: "1.0.0", keys }]);
    return template;
  });
};

const notChanged = async (db: TenantQueryable, id: string, expected: Expected<string>): Promise<Error> =>
  (await versionConflict(db, "ComponentTemplate", id, expected)) ?? unknown(id);

/** 1.4.0 → 1.5.0 */
const nextVersion = (version: string) => `1.${Number(version.split(".")[1]) + 1}.0`;

/**
 * Creates the next version if anything changes. Locks the row, so that concurrent updates create different versions. Throws NOT_FOUND,
 * CONFLICT, BAD_USER_INPUT naming components or a key.
 */
export const updateTemplate = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateTemplateInput,
  expected?: Expected<string>,
): Promise<TemplateRecord> => {
  const components = input.components === undefined ? undefined : checkedItems(input.components);
  const given = givenKeys(input.components ?? []);
  return db.transaction(async (tx) => {
    const [before] = await tx.query<TemplateRecord>(
      `select ${rowColumns("ComponentTemplate")} from "ComponentTemplate" where "tenantId" = $1 and id = $2 and "deletedAt" is null for update`,
      id,
    );
    if (!before || (expected != null && before.version !== expected)) throw await notChanged(tx, id, expected);
    const [versions] = await templateVersions(tx, [id]);
    const { items, ordinal } = versions!.newest;
    const keys = components ? keysOf(components, ordinal + 2, items, given) : items.keys;
    const values = { ...input, ...(components && { components }) };
    const isSame = (Object.keys(values) as (keyof typeof values)[]).every((field) =>
      isDeepStrictEqual(values[field] ?? null, before[field] ?? null),
    );
    if (isSame && isDeepStrictEqual(keys, items.keys)) return before;
    const version = nextVersion(before.version);
    const template = await tx.records.ComponentTemplate.update(actor.principalId, { id }, { ...values, version });
    const derived = versions!.all.filter(({ isDerived }) => isDerived);
    await storeKeys(tx, id, [...derived.map(({ version, items }) => ({ version, keys: items.keys })), { version, keys }]);
    return template!;
  });
};

/** Keeps the components created from the template. Returns the time of deletion. Throws NOT_FOUND, CONFLICT. */
export async function deleteTemplate(db: TenantDatabase, actor: Actor, id: string, expected?: Expected<string>): Promise<Date> {
  const template = await db.records.ComponentTemplate.delete(actor.principalId, { id, ...atVersion(expected) });
  if (!template) throw await notChanged(db, id, expected);
  return template.deletedAt!;
}

/** Throws NOT_FOUND unless `id` is a deleted template. */
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
 * Creates components from the newest version of a template, in one transaction and a constant number of statements (docs/interface.md 4.7,
 * apply-hierarchical). `created` lists parents before children. Throws NOT_FOUND for the template, BAD_USER_INPUT naming assetId or
 * parentId, CONFLICT with serialNumber if one is in use, FORBIDDEN for another site.
 */
export const applyTemplate = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { assetId, parentId, customizations }: ApplyTemplateInput,
): Promise<TemplateApplication> =>
  treeTransaction(db, async (tx) => {
    const { version } = await recordUsage(tx, id);
    const [versions] = await templateVersions(tx, [id]);
    const { items } = versions!.newest;
    const instance = newId();
    const prefix = customizations?.serialNumberPrefix;
    const serials: string[] = [];
    const nextSerial = () => {
      const serial = `${prefix}${String(serials.length + 1).padStart(3, "0")}`;
      serials.push(serial);
      return serial;
    };
    const branch = (item: TemplateItem, path: string): Branch => ({
      fields: {
        ...branchFields({ templateId: id, version, instance }, items.byPath.get(path)!),
        serialNumber: prefix ? nextSerial() : null,
      },
      children: item.components?.map((child, i) => branch(child, `${path}.${i}`)),
    });
    const branches = items.items.map((item, i) => branch(item, String(i)));
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

/** The items of each template's newest version, with their keys. */
export const keyedItems = async (db: TenantQueryable, templateIds: readonly string[]): Promise<KeyedTemplateItem[][]> =>
  (await templateVersions(db, templateIds)).map(({ newest }) =>
    [...newest.items.byKey.values()].map(({ key, parentKey, item: { components: _, specifications, ...item } }) => {
      return { ...item, key, parentKey, specifications: specifications ?? {} };
    }),
  );
