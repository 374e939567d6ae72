/** Component records: what is written beside the tree itself (interface.md 2.11, 4.7). */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import type { BulkOutcome, Component, CreateComponentInput, UpdateComponentInput } from "../schema/component.js";
import { badInput, notFound } from "../schema/errors.js";
import type { Actor } from "./keys.js";
import { guardComponents } from "./site-guard.js";
import { createBranches, type Move, move, type Node, removeSubtrees, restoreSubtree, treeTransaction } from "./tree.js";

const writable = [
  ..."name type description serialNumber manufacturer model installDate status specifications maintenanceInterval".split(" "),
  ..."maintenanceRequirements criticality lastMaintenanceDate nextMaintenanceDate notes".split(" "),
];
const columns = new Set([
  ...writable,
  "tenantId",
  "assetId",
  "parentId",
  "position",
  "level",
  "templateId",
  "templateVersion",
  "createdAt",
  "updatedAt",
]);
/** Relations and the column they start from; the others start from the id. */
const startsFrom: Record<string, string> = { asset: "assetId", parent: "parentId" };

/** The columns that answer the fields asked for. */
export const columnsFor = (fields: Set<string>): string[] => {
  const wanted = [...fields].map((field) => startsFrom[field] ?? field).filter((field) => columns.has(field));
  return [...new Set(["id", "parentId", ...wanted])].sort();
};

const quotedWritable = writable.map((column) => `"${column}"`).join(", ");

/** Sets fields of live components in one statement, whatever the fields; answers the rows. */
const setFields = (tx: TenantQueryable, ids: string[], fields: Row, actor: Actor) =>
  tx.query<Component & Row>(
    `update "Component" c set (${quotedWritable}) = (select ${quotedWritable} from jsonb_populate_record(c, $3::jsonb)),
       "updatedAt" = now(), "updatedBy" = $4
     where "tenantId" = $1 and id = any($2) and "deletedAt" is null returning *`,
    ids,
    JSON.stringify({ ...fields, ...(fields.specifications === null && { specifications: {} }) }),
    actor.keyId,
  );

/** Throws BAD_USER_INPUT naming parentId or assetId where unknown; a parent named `required` answers NOT_FOUND instead. */
export const createComponent = (
  db: TenantDatabase,
  actor: Actor,
  { assetId, parentId, ...fields }: CreateComponentInput,
  parent?: "required",
): Promise<Component> =>
  treeTransaction(db, async (tx) => {
    if (parent) await requireLive(tx, parentId!);
    const [component] = await createBranches(tx, { assetId, parentId }, [{ fields: { ...fields, updatedBy: actor.keyId } }]);
    await guardNewComponents(tx, actor, [component!]);
    return component as unknown as Component;
  });

/** Throws NOT_FOUND, and what `move` throws where the input names another parent or asset. */
export const updateComponent = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { assetId, parentId, ...fields }: UpdateComponentInput,
): Promise<Component> => {
  const update = async (tx: TenantQueryable) => {
    await guardComponents(tx, actor, [id]);
    const [component] = await setFields(tx, [id], fields, actor);
    if (!component) throw notFound("Component", { componentId: id });
    return component;
  };
  if (assetId === undefined && parentId === undefined) return update(db);
  return treeTransaction(db, async (tx) => {
    const component = await update(tx);
    const newParentId = parentId === undefined ? component.parentId : parentId;
    // A component below another is of that one's asset, so a null beside a parent asks for nothing.
    const newAssetId = assetId === null && newParentId != null ? undefined : assetId;
    if (newParentId === component.parentId && (newAssetId === undefined || newAssetId === component.assetId)) return component;
    return relocate(tx, actor, id, { newParentId, assetId: newAssetId }).catch((error) => {
      const { newParentId: message, ...rest } = error?.context?.details ?? {};
      throw message ? badInput({ ...rest, parentId: message }) : error;
    });
  });
};

export const moveComponent = (db: TenantDatabase, actor: Actor, id: string, to: Move): Promise<Component> =>
  treeTransaction(db, (tx) => relocate(tx, actor, id, to));

async function relocate(tx: TenantQueryable, actor: Actor, id: string, to: Move): Promise<Component> {
  await guardComponents(tx, actor, [id]);
  await move(tx, id, to);
  // Once more where it came to stand: the transaction takes the move back where the key does not reach there.
  await guardComponents(tx, actor, [id]);
  const [component] = await tx.query<Component & Row>(
    `update "Component" set "updatedAt" = now(), "updatedBy" = $3 where "tenantId" = $1 and id = $2 returning *`,
    id,
    actor.keyId,
  );
  return component!;
}

/** What was just built must stand at a site the key reaches: the transaction takes it back otherwise. */
export async function guardNewComponents(tx: TenantQueryable, actor: Actor, created: Node[]): Promise<void> {
  await guardComponents(
    tx,
    actor,
    created.slice(0, 1).map(({ id }) => id),
  );
}

async function requireLive(tx: TenantQueryable, id: string): Promise<void> {
  const found = await tx.query(`select 1 from "Component" where "tenantId" = $1 and id = $2 and "deletedAt" is null`, id);
  if (!found.length) throw notFound("Component", { componentId: id });
}

/** Throws NOT_FOUND for an unknown or already deleted component. */
export const deleteComponent = (db: TenantDatabase, actor: Actor, id: string) =>
  treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, [id]);
    const deletedAt = new Date();
    const componentCount = (await removeSubtrees(tx, [id], deletedAt)).get(id);
    if (!componentCount) throw notFound("Component", { componentId: id });
    return { deletedAt, componentCount };
  });

export const restoreComponent = (db: TenantDatabase, actor: Actor, id: string): Promise<void> =>
  treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, [id], "deleted");
    await restoreSubtree(tx, id);
  });

/** One change to 1…1,000 components in a constant number of statements; unknown ids fail, the others are changed. */
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
  const done = await treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, ids);
    if (operation === "update") return new Set((await setFields(tx, ids, fields, actor)).map(({ id }) => id));
    const live = await tx.query<{ id: string }>(
      `select id from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
      ids,
    );
    await removeSubtrees(tx, ids, new Date());
    return new Set(live.map(({ id }) => id));
  });
  const results = ids.map((id) => (done.has(id) ? { id, status: "success" } : { id, status: "failed", error: "Component not found" }));
  const failed = results.filter(({ status }) => status === "failed").length;
  return { processed: ids.length - failed, failed, results };
}
