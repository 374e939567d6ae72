/** Component records (docs/interface.md 2.11, 4.7). tree.ts writes their position in the tree. */

import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { UniqueViolation } from "../../database/errors.js";
import { atVersion, versionConflict } from "../../database/records/versions.js";
import { type Column, pick, type Rows, rowColumns, setFromJson, tables, type Updates } from "../../database/rows/catalogue.js";
import { groupBy } from "../../database/rows/group.js";
import type { BulkOutcome, BulkResult, CreateComponentInput, UpdateComponentInput } from "../../schema/components/component.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { foreignComponents, foreignSiteMessage, guardComponents } from "../access/site-guard.js";
import { createBranches, deleteSubtrees, type Move, move, restoreSubtree, subtreePredicate, treeTransaction } from "./tree.js";

export type ComponentRecord = Rows["Component"];

/** Columns that relations join on. Relations not listed join on the id. */
const relationColumns: Record<string, Column<"Component">> = { asset: "assetId", parent: "parentId", descendantComponents: "path" };

const isColumn = (name: string): name is Column<"Component"> => name in tables.Component.columns;

/** The columns needed to resolve the selected GraphQL fields. */
export const columnsFor = (fields: Set<string>): Column<"Component">[] => {
  const selected = [...fields].map((field) => relationColumns[field] ?? field).filter(isColumn);
  return [...new Set<Column<"Component">>(["id", "parentId", ...selected])].sort();
};

const setFields = `update "Component" c set ${setFromJson("Component", "c", "$3::jsonb")}, "updatedBy" = $4
  where "tenantId" = $1 and id = any($2) and "deletedAt" is null returning id`;

/**
 * Creates a component as the last of its siblings. Throws BAD_USER_INPUT naming an unknown parentId or assetId, or NOT_FOUND if the unknown
 * parent is `required` (docs/interface.md 4.7, add-child). Throws CONFLICT with externalId if it is in use, FORBIDDEN for another site.
 */
export const createComponent = (
  db: TenantDatabase,
  actor: Actor,
  { assetId, parentId, ...fields }: CreateComponentInput,
  parent?: "required",
): Promise<ComponentRecord> =>
  treeTransaction(db, async (tx) => {
    if (parent) await requireLive(tx, parentId!);
    const [component] = await createBranches(tx, actor, { assetId, parentId }, [{ fields }]).catch((error) => {
      throw error instanceof UniqueViolation
        ? new UniqueViolation(error.constraint, (column) => ({ ...fields })[column as "externalId"])
        : error;
    });
    await guardNewComponents(tx, actor, [component!]);
    return component!;
  });

/** The error for a component that a guarded statement did not find: CONFLICT for another version, else NOT_FOUND. */
export const notChanged = async (tx: TenantQueryable, id: string, expected: Expected): Promise<Error> =>
  (await versionConflict(tx, "Component", id, expected)) ?? notFound("Component", { componentId: id });

/** Moves the component if the input names another parent or asset. Throws NOT_FOUND, CONFLICT, FORBIDDEN, and the errors of `move`. */
export const updateComponent = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { assetId, parentId, ...fields }: UpdateComponentInput,
  expected?: Expected,
): Promise<ComponentRecord> => {
  const update = (tx: TenantQueryable) => write(tx, actor, id, fields, expected);
  if (assetId === undefined && parentId === undefined) return update(db);
  return treeTransaction(db, async (tx) => {
    const component = await update(tx);
    const newParentId = parentId === undefined ? component.parentId : parentId;
    // A component below another one always belongs to its parent's asset, so assetId null together with a parent changes nothing.
    const newAssetId = assetId === null && newParentId != null ? undefined : assetId;
    if (newParentId === component.parentId && (newAssetId === undefined || newAssetId === component.assetId)) return component;
    return relocate(tx, actor, id, { newParentId, assetId: newAssetId }).catch((error) => {
      const { newParentId: message, ...rest } = error?.context?.details ?? {};
      throw message ? badInput({ ...rest, parentId: message }) : error;
    });
  });
};

/** Throws the errors of `move`, CONFLICT for another version, and FORBIDDEN if the old or the new site is outside the key's sites. */
export const moveComponent = (db: TenantDatabase, actor: Actor, id: string, to: Move, expected?: Expected): Promise<ComponentRecord> =>
  treeTransaction(db, async (tx) => {
    await write(tx, actor, id, {}, expected);
    return relocate(tx, actor, id, to);
  });

/** Writes a new version of a component, even if no values change. */
async function write(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  fields: Updates["Component"],
  expected: Expected,
): Promise<ComponentRecord> {
  await guardComponents(tx, actor, [id]);
  const component = await tx.records.Component.update(actor.principalId, { id, ...atVersion(expected) }, fields);
  if (!component) throw await notChanged(tx, id, expected);
  return component;
}

/** Moves a component that this transaction has already updated. */
async function relocate(tx: TenantQueryable, actor: Actor, id: string, to: Move): Promise<ComponentRecord> {
  await move(tx, id, to);
  // Checks the new site too. A failure rolls back the move.
  await guardComponents(tx, actor, [id]);
  return (await tx.records.Component.find({ id }))!;
}

/**
 * Throws FORBIDDEN if new components are at a site outside the key's sites. Checks only one of them, because components created together
 * share an asset. Call in the transaction that created them.
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

/** Throws CONFLICT naming `removeUnits` if a unit of a part is installed in the component or below it. */
async function requireNoUnits(tx: TenantQueryable, id: string): Promise<void> {
  const subtree = `"Component" r join "Component" d on d."tenantId" = $1 and d."deletedAt" is null and ${subtreePredicate("r", "d")}`;
  // exchangeUnit holds the component's row as well.
  await tx.query(`select d.id from ${subtree} where r."tenantId" = $1 and r.id = $2 order by d.id for no key update of d`, id);
  const occupied = await tx.query<{ componentId: string }>(
    `select p."componentId" from ${subtree} join "UnitPeriod" p on p."tenantId" = $1 and p."componentId" = d.id and p."endedAt" is null
       join "Unit" u on u."tenantId" = $1 and u.id = p."unitId" and u."partId" is not null
     where r."tenantId" = $1 and r.id = $2 order by d.path limit 20`,
    id,
  );
  if (occupied.length)
    throw conflict("Units of parts are installed; remove them with exchangeUnit first, or set removeUnits", {
      componentIds: occupied.map(({ componentId }) => componentId),
    }).about("removeUnits");
}

/**
 * Returns the time of deletion and the number of deleted components. Takes out the installed units, those of parts only with `removeUnits`.
 * Throws NOT_FOUND if unknown or already deleted, CONFLICT, FORBIDDEN.
 */
export const deleteComponent = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { removeUnits, expected }: { removeUnits: boolean; expected?: Expected },
) =>
  treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, [id]);
    if (!removeUnits) await requireNoUnits(tx, id);
    const deletedAt = nowDate();
    const componentCount = (await deleteSubtrees(tx, actor, [id], deletedAt, expected)).get(id);
    if (!componentCount) throw await notChanged(tx, id, expected);
    return { deletedAt, componentCount };
  });

/** Throws the errors of `restoreSubtree`, and FORBIDDEN. */
export const restoreComponent = (db: TenantDatabase, actor: Actor, id: string): Promise<void> =>
  treeTransaction(db, async (tx) => {
    await guardComponents(tx, actor, [id], "deleted");
    await restoreSubtree(tx, actor, id);
  });

/**
 * Updates or deletes 1 to 1,000 components in a constant number of statements (docs/interface.md 4.7, bulk). Unknown ids and components of
 * other sites fail individually. Throws BAD_USER_INPUT naming componentIds or data.
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
  const { assetId, parentId, externalId, referenceDesignation, ...fields } = data ?? {};
  const message = "cannot be set in bulk; move components one by one";
  const details = {
    ...(assetId !== undefined && { "data.assetId": message }),
    ...(parentId !== undefined && { "data.parentId": message }),
    ...(externalId !== undefined && { "data.externalId": "cannot be set in bulk; it is the id of one component" }),
    ...(referenceDesignation !== undefined && {
      "data.referenceDesignation": "cannot be set in bulk; it names one component of the asset",
    }),
  };
  if (operation === "update" && Object.keys(details).length) throw badInput(details);
  const { changed, foreign } = await treeTransaction(db, async (tx) => {
    const foreign = await foreignComponents(tx, actor, ids);
    const own = ids.filter((id) => !foreign.has(id));
    if (operation === "update") {
      const updated = await tx.query<{ id: string }>(setFields, own, JSON.stringify(fields), actor.principalId);
      return { changed: new Set(updated.map(({ id }) => id)), foreign };
    }
    const live = await tx.query<{ id: string }>(
      `select id from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
      own,
    );
    await deleteSubtrees(tx, actor, own, nowDate());
    return { changed: new Set(live.map(({ id }) => id)), foreign };
  });
  const results = ids.map((id): BulkResult => {
    if (changed.has(id)) return { id, status: "success" };
    return { id, status: "failed", error: foreign.has(id) ? foreignSiteMessage : "Component not found" };
  });
  const failed = results.filter(({ status }) => status === "failed").length;
  return { processed: ids.length - failed, failed, results };
}

/** Budget for the records that tree fields of one operation may read. */
interface TreeBounds {
  left: number;
  /** Throws if the budget is exceeded. */
  addListed(count: number): void;
}

/** The ancestors of each component, from the root to the parent. Throws if the total exceeds the bounds. */
export async function ancestorsOf(
  db: TenantQueryable,
  ids: readonly string[],
  _args?: undefined,
  bounds?: TreeBounds,
): Promise<ComponentRecord[][]> {
  // Each component is read once, however many of the ids are below it. The components of a page share most of their ancestors.
  const rows = await db.query<ComponentRecord>(
    `with recursive up as (
       select id, "parentId" from "Component" where "tenantId" = $1 and id = any($2)
       union select c.id, c."parentId" from up join "Component" c on c."tenantId" = $1 and c.id = up."parentId"
     ) select ${rowColumns("Component", "c")} from up join "Component" c on c."tenantId" = $1 and c.id = up.id limit $3`,
    ids,
    bounds ? bounds.left + ids.length + 1 : null,
  );
  if (bounds && rows.length > bounds.left + ids.length) bounds.addListed(rows.length - ids.length);
  const known = new Map(rows.map((row) => [row.id, row]));
  const left = bounds?.left ?? Number.POSITIVE_INFINITY;
  let count = 0;
  return ids.map((id) => {
    const above: ComponentRecord[] = [];
    let next = known.get(id);
    while (next?.parentId != null && count + above.length <= left) {
      next = known.get(next.parentId);
      if (next && !next.deletedAt) above.push(next);
    }
    count += above.length;
    if (count > left) bounds!.addListed(count);
    return above.reverse();
  });
}

/** The components below `rootId`, level by level. Stops after the level with which there are more than `most`. */
function levelByLevel<T extends { id: string }>(rootId: string, childrenOf: Map<string | null, T[]>, levels: number, most: number): T[] {
  let sorted: T[] = [];
  let level = childrenOf.get(rootId) ?? [];
  for (let depth = 1; level.length && depth <= levels && sorted.length <= most; depth++) {
    sorted = sorted.concat(level);
    level = level.flatMap(({ id }) => childrenOf.get(id) ?? []);
  }
  return sorted;
}

interface Descendants {
  maxDepth?: number | null;
  /** Must include `id` and `parentId`. */
  columns: Column<"Component">[];
}

/** At most `$3` rows below component `$2`, found by path. */
const belowOne = (columns: string) =>
  `select ${columns} from "Component" r join "Component" c on c."tenantId" = $1 and ${subtreePredicate("r", "c")} and c.id <> r.id
   where r."tenantId" = $1 and r.id = any($2) and c."deletedAt" is null and ($4::int is null or c.level - r.level <= $4) limit $3`;

/** At most `$3` rows: components `$2` and all their descendants. Each component occurs once, with a depth once per distance. */
const belowSeveral = (columns: string) =>
  `with recursive down as (
     select id, 0 as depth from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null
     union select c.id, case when $4::int is null then 0 else d.depth + 1 end from down d cross join lateral (
       select id from "Component" where "tenantId" = $1 and "parentId" = d.id and "deletedAt" is null offset 0
     ) c where $4::int is null or d.depth < $4
   ) select ${columns} from (select id from down limit $3) d join "Component" c on c."tenantId" = $1 and c.id = d.id`;

/** The components below each one, level by level, siblings by position. Throws if the total exceeds the bounds. */
export async function descendantsOf(
  db: TenantQueryable,
  ids: readonly string[],
  { maxDepth, columns }: Descendants,
  bounds?: TreeBounds,
): Promise<ComponentRecord[][]> {
  const roots = ids.length > 1 ? ids.length : 0;
  const sql = (roots ? belowSeveral : belowOne)(pick("Component", [...new Set([...columns, "position" as const])], "c"));
  const found = await db.query<ComponentRecord>(
    `select ${pick("Component", columns, "c")} from (${sql}) c order by c.position`,
    ids,
    bounds ? bounds.left + roots + 1 : null,
    maxDepth ?? null,
  );
  if (bounds && found.length > bounds.left + roots) bounds.addListed(found.length - roots);
  const rows = [...new Map(found.map((row) => [row.id, row])).values()];
  const childrenOf = groupBy(rows, (row) => row.parentId);
  const left = bounds?.left ?? Number.POSITIVE_INFINITY;
  let count = 0;
  return ids.map((id) => {
    const below = levelByLevel(id, childrenOf, maxDepth ?? Number.POSITIVE_INFINITY, left - count);
    count += below.length;
    if (count > left) bounds!.addListed(count);
    return below;
  });
}
