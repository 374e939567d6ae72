/** Component records (docs/interface.md 2.11, 4.7). tree.ts writes their place in the tree. */

import { type Column, pick, type Rows, rowColumns, setFromJson, tables } from "../../database/catalogue.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { groupBy, groupsOf } from "../../database/group.js";
import type { BulkOutcome, BulkResult, CreateComponentInput, UpdateComponentInput } from "../../schema/components/component.js";
import { badInput, notFound } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { foreignComponents, foreignSiteMessage, guardComponents } from "../access/site-guard.js";
import { createBranches, deleteSubtrees, type Move, move, restoreSubtree, subtreePredicate, treeTransaction } from "./tree.js";

export type ComponentRecord = Rows["Component"];

/** Columns that relations join on; other relations join on the id. */
const relationColumns: Record<string, Column<"Component">> = { asset: "assetId", parent: "parentId" };

const isColumn = (name: string): name is Column<"Component"> => name in tables.Component.columns;

/** Returns the columns needed to resolve the selected GraphQL fields. */
export const columnsFor = (fields: Set<string>): Column<"Component">[] => {
  const selected = [...fields].map((field) => relationColumns[field] ?? field).filter(isColumn);
  return [...new Set<Column<"Component">>(["id", "parentId", ...selected])].sort();
};

const setFields = `update "Component" c set ${setFromJson("Component", "c", "$3::jsonb")}, "updatedBy" = $4
  where "tenantId" = $1 and id = any($2) and "deletedAt" is null returning id`;

/**
 * Creates a component as the last of its siblings. Throws BAD_USER_INPUT naming an unknown parentId or assetId, NOT_FOUND instead for an
 * unknown parent that is `required` (docs/interface.md 4.7, add-child), CONFLICT with serialNumber if it is in use, FORBIDDEN for another
 * site.
 */
export const createComponent = (
  db: TenantDatabase,
  actor: Actor,
  { assetId, parentId, ...fields }: CreateComponentInput,
  parent?: "required",
): Promise<ComponentRecord> =>
  treeTransaction(db, async (tx) => {
    if (parent) await requireLive(tx, parentId!);
    const [component] = await createBranches(tx, actor, { assetId, parentId }, [{ fields }]);
    await guardNewComponents(tx, actor, [component!]);
    return component!;
  });

/** Moves the component if the input names another parent or asset. Throws NOT_FOUND, FORBIDDEN, and the errors of `move`. */
export const updateComponent = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { assetId, parentId, ...fields }: UpdateComponentInput,
): Promise<ComponentRecord> => {
  const update = async (tx: TenantQueryable) => {
    await guardComponents(tx, actor, [id]);
    const component = await tx.records.Component.update(actor.keyId, { id }, fields);
    if (!component) throw notFound("Component", { componentId: id });
    return component;
  };
  if (assetId === undefined && parentId === undefined) return update(db);
  return treeTransaction(db, async (tx) => {
    const component = await update(tx);
    const newParentId = parentId === undefined ? component.parentId : parentId;
    // A component below another always has that one's asset, so assetId null together with a parent changes nothing.
    const newAssetId = assetId === null && newParentId != null ? undefined : assetId;
    if (newParentId === component.parentId && (newAssetId === undefined || newAssetId === component.assetId)) return component;
    return relocate(tx, actor, id, { newParentId, assetId: newAssetId }).catch((error) => {
      const { newParentId: message, ...rest } = error?.context?.details ?? {};
      throw message ? badInput({ ...rest, parentId: message }) : error;
    });
  });
};

/** Throws the errors of `move`, and FORBIDDEN if the old or new site is outside the key's sites. */
export const moveComponent = (db: TenantDatabase, actor: Actor, id: string, to: Move): Promise<ComponentRecord> =>
  treeTransaction(db, (tx) => relocate(tx, actor, id, to));

async function relocate(tx: TenantQueryable, actor: Actor, id: string, to: Move): Promise<ComponentRecord> {
  await guardComponents(tx, actor, [id]);
  await move(tx, id, to);
  // Checks the new site too; a failure rolls back the move.
  await guardComponents(tx, actor, [id]);
  return (await tx.records.Component.update(actor.keyId, { id }, {}))!;
}

/**
 * Throws FORBIDDEN if the site of new components is outside the key's sites. Checks one of them: components created together share an
 * asset. Call in the transaction that created them.
 */
export async function guardNewComponents(tx: TenantQueryable, actor: Actor, created: ComponentRecord[]): Promise<void> {
  await guardComponents(
    tx,
    actor,
    created.slice(0, 1).map(({ id }) => id),
  );
}

async function requireLive(tx: TenantQueryable, id: string): Promise<void> {
  if (!(await tx.records.Component.count({ id }))) throw notFound("Component", { componentId: id });
}

/** Returns the time of deletion and the number of deleted components. Throws NOT_FOUND if unknown or already deleted, FORBIDDEN. */
export const deleteComponent = (db: TenantDatabase, actor: Actor, id: string) =>
  treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, [id]);
    const deletedAt = new Date();
    const componentCount = (await deleteSubtrees(tx, actor, [id], deletedAt)).get(id);
    if (!componentCount) throw notFound("Component", { componentId: id });
    return { deletedAt, componentCount };
  });

/** Throws the errors of `restoreSubtree`, and FORBIDDEN. */
export const restoreComponent = (db: TenantDatabase, actor: Actor, id: string): Promise<void> =>
  treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, [id], "deleted");
    await restoreSubtree(tx, actor, id);
  });

/**
 * Updates or deletes 1 to 1,000 components in a constant number of statements (docs/interface.md 4.7, bulk). Unknown ids fail
 * individually, as do those of sites that the key may not change. Throws BAD_USER_INPUT naming componentIds or data.
 */
export async function bulkComponents(
  db: TenantDatabase,
  actor: Actor,
  operation: "update" | "delete",
  ids: string[],
  data: UpdateComponentInput | undefined,
): Promise<BulkOutcome> {
  if (ids.length < 1 || ids.length > 1000) throw badInput({ componentIds: "must hold 1 to 1000 ids" });
  if (operation === "update" && !Object.keys(data ?? {}).length) throw badInput({ data: "is required for update; name the fields to set" });
  const { assetId, parentId, ...fields } = data ?? {};
  if (operation === "update" && (assetId !== undefined || parentId !== undefined)) {
    const message = "cannot be set in bulk; move components one by one";
    throw badInput({
      ...(assetId !== undefined && { "data.assetId": message }),
      ...(parentId !== undefined && { "data.parentId": message }),
    });
  }
  const { changed, foreign } = await treeTransaction(db, async (tx) => {
    const foreign = await foreignComponents(tx, actor, ids);
    const own = ids.filter((id) => !foreign.has(id));
    if (operation === "update") {
      const updated = await tx.query<{ id: string }>(setFields, own, JSON.stringify(fields), actor.keyId);
      return { changed: new Set(updated.map(({ id }) => id)), foreign };
    }
    const live = await tx.query<{ id: string }>(
      `select id from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
      own,
    );
    await deleteSubtrees(tx, actor, own, new Date());
    return { changed: new Set(live.map(({ id }) => id)), foreign };
  });
  const results = ids.map((id): BulkResult => {
    if (changed.has(id)) return { id, status: "success" };
    return { id, status: "failed", error: foreign.has(id) ? foreignSiteMessage : "Component not found" };
  });
  const failed = results.filter(({ status }) => status === "failed").length;
  return { processed: ids.length - failed, failed, results };
}

/** The ancestors of each component, from the root down to the parent. */
export async function ancestorsOf(db: TenantQueryable, ids: readonly string[]): Promise<ComponentRecord[][]> {
  const rows = await db.query<ComponentRecord & { $of: string }>(
    `with recursive up as (
       select id as of, "parentId" from "Component" where "tenantId" = $1 and id = any($2)
       union all select up.of, c."parentId" from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId"
     ) select up.of as "$of", ${rowColumns("Component", "c")} from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId" and c."deletedAt" is null order by c.level`,
    ids,
  );
  return groupsOf(ids, rows, (row) => row.$of);
}

/** Sorts the rows of a subtree, ordered by position, level by level. */
function levelByLevel<T extends { id: string; parentId: string | null }>(rootId: string, rows: T[]): T[] {
  const childrenOf = groupBy(rows, (row) => row.parentId);
  const sorted: T[] = [...(childrenOf.get(rootId) ?? [])];
  for (let i = 0; i < sorted.length; i++) sorted.push(...(childrenOf.get(sorted[i]!.id) ?? []));
  return sorted;
}

interface Descendants {
  maxDepth?: number | null;
  /** Must contain `id` and `parentId`. */
  columns: Column<"Component">[];
}

/** The components below each one, level by level, siblings by position. */
export async function descendantsOf(
  db: TenantQueryable,
  ids: readonly string[],
  { maxDepth, columns }: Descendants,
): Promise<ComponentRecord[][]> {
  // With one root, its id is not needed in each of possibly thousands of rows.
  const single = ids.length === 1;
  const rows = await db.query<ComponentRecord & { $of: string }>(
    `select ${single ? "" : `r.id as "$of", `}${pick("Component", columns, "c")} from "Component" r
     join "Component" c on c."tenantId" = $1 and ${subtreePredicate("r", "c")} and c.id <> r.id and c."deletedAt" is null
     where r."tenantId" = $1 and r.id = any($2) and c.level - r.level <= $3 order by c.position`,
    ids,
    maxDepth ?? 2147483647,
  );
  if (single) return [levelByLevel(ids[0]!, rows)];
  return groupsOf(ids, rows, (row) => row.$of).map((below, i) => levelByLevel(ids[i]!, below));
}
