/**
 * The component tree (docs/interface.md 4.7). Only this module and tree-batch.ts write parentId, position, level, path and a component's
 * assetId. Every write first acquires the tenant's tree lock, in a separate statement so that later statements see the current tree.
 * Concurrent opposite moves therefore cannot create a cycle.
 */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { atVersionSql } from "../../database/records/versions.js";
import { type Inserts, pick, type Rows } from "../../database/rows/catalogue.js";
import { inSubtree } from "../../database/rows/rows.js";
import { insertRows } from "../../database/rows/writer.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";

type ComponentRecord = Rows["Component"];

/** A component's position in the tree. */
type Node = Pick<ComponentRecord, "id" | "assetId" | "parentId" | "position" | "level" | "path">;

const nodeColumns = pick("Component", ["id", "assetId", "parentId", "position", "level", "path"]);

/** Fields of a component to be created. This module sets its position in the tree. */
export type BranchFields = Omit<Inserts["Component"], keyof Node>;

export interface Place {
  /** Owning asset. With a parent, it must be absent or equal the parent's asset. */
  assetId?: string | null;
  parentId?: string | null;
}

/** A component to be created, with its children. */
export interface Branch {
  /** Default: a new one. */
  id?: string;
  fields: BranchFields;
  children?: Branch[];
}

/** SQL predicate: `row` is `root` or one of its descendants. */
export const subtreePredicate = (root: string, row: string) => inSubtree(`${root}.path`, `${row}.path`);

/** Runs `work` in a transaction that holds the tenant's tree lock. All writing functions below must run inside such a transaction. */
export const treeTransaction = <T>(db: TenantDatabase, work: (tx: TenantQueryable) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await lockTrees(tx);
    return work(tx);
  });

export const lockTrees = (tx: TenantQueryable) => tx.query(`select pg_advisory_xact_lock(hashtextextended('tree ' || $1, 0))`);

const unknownComponent = (componentId: string) => notFound("Component", { componentId });

async function liveNodes(tx: TenantQueryable, ids: (string | null | undefined)[]): Promise<Map<string, Node>> {
  const rows = await tx.query<Node>(
    `select ${nodeColumns} from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
    ids.filter((id) => id != null),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function requireAsset(tx: TenantQueryable, assetId: string): Promise<void> {
  if (!(await tx.records.Asset.count({ id: assetId }))) throw badInput({ assetId: "names no asset; use the id of an existing one" });
}

/** Returns the asset and parent of a place. Throws BAD_USER_INPUT naming parentId or assetId. */
async function findPlace(tx: TenantQueryable, place: Place) {
  if (place.parentId == null) {
    if (place.assetId != null) await requireAsset(tx, place.assetId);
    return { assetId: place.assetId ?? null, parent: undefined };
  }
  const parent = (await liveNodes(tx, [place.parentId])).get(place.parentId);
  if (!parent) throw badInput({ parentId: "names no component; use the id of an existing one" });
  if (place.assetId != null && place.assetId !== parent.assetId)
    throw badInput({ assetId: "differs from the parent's asset; leave it out to take the parent's" });
  return { assetId: parent.assetId, parent };
}

export interface SiblingPlace {
  parentId: string | null;
  assetId: string | null;
}

/** SQL predicate of components that no unit took along. Those of a unit are ordered among themselves. */
export const notHeld = `not exists (select from "ComponentHold" h where h."tenantId" = $1 and h."componentId" = "Component".id and h."endedAt" is null)`;

/**
 * SQL predicate of the live components at a place, each form with an index of its own, and the value of its $2. For components without an
 * asset, the key is null.
 */
function siblingsAt({ parentId, assetId }: SiblingPlace): [sql: string, key: string | null] {
  const live = `"tenantId" = $1 and "deletedAt" is null`;
  if (parentId) return [`${live} and "parentId" = $2`, parentId];
  if (assetId) return [`${live} and "assetId" = $2 and level = 0`, assetId];
  return [`${live} and "assetId" is null and level = 0 and $2::text is null and ${notHeld}`, null];
}

async function nextPosition(tx: TenantQueryable, place: SiblingPlace): Promise<number> {
  const [siblings, key] = siblingsAt(place);
  const [next] = await tx.query<{ position: number }>(
    `select coalesce(max(position) + 1, 0)::int as position from "Component" where ${siblings}`,
    key,
  );
  return next!.position;
}

/**
 * Creates branches as the last siblings of a place, in a constant number of statements. Returns the rows, parents before
 * children. Throws BAD_USER_INPUT naming an unknown parentId or assetId.
 */
export async function createBranches(tx: TenantQueryable, actor: Actor, place: Place, branches: Branch[]): Promise<ComponentRecord[]> {
  const { assetId, parent } = await findPlace(tx, place);
  const first = await nextPosition(tx, { parentId: parent?.id ?? null, assetId });
  return insertBranches(tx, actor, [{ assetId, parent, first, branches }]);
}

/** Creates the components of assets that have none yet. Returns the number of components. */
export async function insertTrees(tx: TenantQueryable, actor: Actor, trees: { assetId: string; branches: Branch[] }[]): Promise<number> {
  const rows = await rowsOf(
    tx,
    actor,
    trees.map((tree) => ({ ...tree, parent: undefined, first: 0 })),
  );
  await insertRows(tx, "Component", rows);
  return rows.length;
}

/** Creates branches at several places, in two statements. Returns the rows, parents before children. */
export const insertBranches = async (tx: TenantQueryable, actor: Actor, placements: Placement[]): Promise<ComponentRecord[]> =>
  insertRows(tx, "Component", await rowsOf(tx, actor, placements));

/** Branches to be created and their resolved place. */
export interface Placement {
  assetId: string | null;
  parent: Pick<Node, "id" | "path" | "level"> | undefined;
  /** Position of the first branch. */
  first: number;
  branches: Branch[];
}

/** Returns the rows of branches, parents before children. */
async function rowsOf(tx: TenantQueryable, actor: Actor, placements: Placement[]): Promise<(Inserts["Component"] & Node)[]> {
  const rows: (Inserts["Component"] & Node)[] = [];
  const paths = new Map<string, string>();
  let level: { branch: Branch; assetId: string | null; parent: Placement["parent"]; position: number }[] = [];
  for (const { assetId, parent, first, branches } of placements) {
    if (parent) paths.set(parent.id, parent.path);
    branches.forEach((branch, i) => level.push({ branch, assetId, parent, position: first + i }));
  }
  while (level.length) {
    const nextLevel: typeof level = [];
    for (const { branch, assetId, parent, position } of level) {
      const row = {
        ...branch.fields,
        updatedBy: actor.principalId,
        id: branch.id ?? newId(),
        assetId,
        parentId: parent?.id ?? null,
        position,
        level: parent ? parent.level + 1 : 0,
        path: "",
      };
      rows.push(row);
      branch.children?.forEach((child, i) => nextLevel.push({ branch: child, assetId, parent: row, position: i }));
    }
    level = nextLevel;
  }
  const labels = await tx.query<{ label: string }>(
    `select $1::text, to_hex(nextval('component_label')) as label from generate_series(1, $2)`,
    rows.length,
  );
  rows.forEach((row, i) => {
    row.path = `${row.parentId ? paths.get(row.parentId) : ""}${labels[i]!.label}.`;
    paths.set(row.id, row.path);
  });
  return rows;
}

export interface Move {
  /** Null makes the component a root. If absent, the parent does not change unless `assetId` is set. */
  newParentId?: string | null;
  /** Asset of a new root. With a parent, it must be absent or equal the parent's asset. If absent, a new root keeps its asset. */
  assetId?: string | null;
  /** Index among the new siblings, clamped to the valid range. If absent, the component becomes the last one. */
  position?: number | null;
}

/**
 * Moves a component and its subtree (docs/interface.md 4.7, rule 3). Throws NOT_FOUND, BAD_USER_INPUT naming newParentId or
 * assetId, CONFLICT with `details` if the new parent is the component itself or a descendant.
 */
export async function move(tx: TenantQueryable, id: string, { newParentId, assetId, position }: Move): Promise<void> {
  const node = (await liveNodes(tx, [id])).get(id);
  if (!node) throw unknownComponent(id);
  const parentId = newParentId === undefined && assetId === undefined ? node.parentId : newParentId;
  const parent = parentId == null ? undefined : (await liveNodes(tx, [parentId])).get(parentId);
  if (parentId != null && !parent) throw badInput({ newParentId: "names no component; use the id of an existing one" });
  if (parent?.path.startsWith(node.path)) {
    const details =
      parent.id === id ? "A component cannot be its own parent" : "The new parent is below the component; move it elsewhere first";
    throw conflict("Circular reference in component hierarchy", { details }).about("newParentId", "parentId");
  }
  if (parent && assetId != null && assetId !== parent.assetId)
    throw badInput({ assetId: "differs from the new parent's asset; leave it out to take the parent's" });
  const target = parent ? parent.assetId : assetId === undefined ? node.assetId : assetId;
  if (!parent && assetId != null) await requireAsset(tx, assetId);
  const isHeld =
    node.level === 0 && node.assetId === null && (await tx.records.ComponentHold.count({ componentId: id, endedAt: null })) > 0;
  const path = (parent?.path ?? "") + node.path.slice(node.path.lastIndexOf(".", node.path.length - 2) + 1);

  if (path !== node.path || target !== node.assetId) {
    await tx.query(
      `update "Component" c set path = $3 || substr(c.path, length(r.path) + 1), level = c.level + $4, "assetId" = $5,
         "parentId" = case when c.id = $2 then $6 else c."parentId" end
       from "Component" r where r."tenantId" = $1 and r.id = $2 and c."tenantId" = $1 and ${subtreePredicate("r", "c")}`,
      id,
      path,
      (parent ? parent.level + 1 : 0) - node.level,
      target,
      parent?.id ?? null,
    );
  }
  const place = { parentId: parent?.id ?? null, assetId: target };
  // Among the same siblings, only those between the old and the new position are written.
  const isSamePlace = place.parentId === node.parentId && place.assetId === node.assetId;
  if (!isSamePlace && !isHeld) await closeGap(tx, node, id);
  const [siblings, key] = siblingsAt(place);
  await tx.query(
    `with others as (
       select id, row_number() over (order by position, id) - 1 as rank from "Component" where ${siblings} and id <> $3
     ), slot as (select least(greatest(coalesce($4::int, 2147483647), 0), (select count(*) from others)) as at)
     update "Component" c set position = n.position from (
       select id, rank + case when rank >= slot.at then 1 else 0 end as position from others, slot
       union all select $3, slot.at from slot
     ) n where c."tenantId" = $1 and c.id = n.id and c.position <> n.position`,
    key,
    id,
    position ?? null,
  );
}

/** Shifts the siblings after the old place of a moved component down by one. */
function closeGap(tx: TenantQueryable, oldPlace: Node, id: string) {
  const [siblings, key] = siblingsAt(oldPlace);
  return tx.query(
    `update "Component" set position = position - 1 where ${siblings} and position > $3 and id <> $4`,
    key,
    oldPlace.position,
    id,
  );
}

/**
 * Soft-deletes components and their subtrees. Returns the number of deleted rows by id. Omits unknown ids, ids inside the subtree of
 * another id of the same call, and components whose version differs from the expected one.
 */
export async function deleteSubtrees(
  tx: TenantQueryable,
  actor: Actor,
  ids: string[],
  deletedAt: Date,
  expected?: Expected,
): Promise<Map<string, number>> {
  const deleted = await tx.query<{ root: string; parentId: string | null; assetId: string | null; count: number }>(
    `with roots as (
       select id, path, "parentId", "assetId" from "Component" c
       where "tenantId" = $1 and id = any($2) and "deletedAt" is null and ${atVersionSql("c", "$5")} for update
     ), deleted as (
       update "Component" c set "deletedAt" = $3, "updatedBy" = $4 from (
         select distinct on (d.id) d.id, r.id as root from roots r
         join "Component" d on d."tenantId" = $1 and d."deletedAt" is null and ${subtreePredicate("r", "d")} order by d.id, length(r.path)
       ) subtree where c."tenantId" = $1 and c.id = subtree.id returning subtree.root
     )
     select r.id as root, r."parentId", r."assetId", count(*)::int as count from deleted join roots r on r.id = deleted.root group by 1, 2, 3`,
    ids,
    deletedAt,
    actor.principalId,
    expected ?? null,
  );
  await closeGaps(tx, deleted);
  return new Map(deleted.map(({ root, count }) => [root, count]));
}

/** Renumbers the siblings at each place from 0. */
async function closeGaps(tx: TenantQueryable, places: SiblingPlace[]): Promise<void> {
  if (!places.length) return;
  const parents = places.flatMap(({ parentId }) => parentId ?? []);
  const roots = places.filter(({ parentId }) => !parentId);
  await tx.query(
    `update "Component" c set position = n.position from (
       select id, row_number() over (partition by "parentId" order by position, id) - 1 as position from "Component"
       where "tenantId" = $1 and "deletedAt" is null and "parentId" = any($2)
       union all
       select id, row_number() over (partition by "assetId" order by position, id) - 1 from "Component"
       where "tenantId" = $1 and "deletedAt" is null and level = 0 and "assetId" = any($3)
       union all
       select id, row_number() over (order by position, id) - 1 from "Component"
       where $4 and "tenantId" = $1 and "deletedAt" is null and level = 0 and "assetId" is null and ${notHeld}
     ) n where c."tenantId" = $1 and c.id = n.id and c.position <> n.position`,
    parents,
    roots.flatMap(({ assetId }) => assetId ?? []),
    roots.some(({ assetId }) => !assetId),
  );
}

/**
 * Restores a component and the descendants deleted in the same operation, as the last of its siblings. Moves also update deleted rows, so
 * their paths are current. Throws NOT_FOUND, CONFLICT if the parent or asset is deleted.
 */
export async function restoreSubtree(tx: TenantQueryable, actor: Actor, id: string): Promise<void> {
  const node = await tx.records.Component.find({ id }, "deleted");
  if (!node) throw unknownComponent(id);
  const parent = node.parentId ? (await liveNodes(tx, [node.parentId])).get(node.parentId) : undefined;
  if (node.parentId && !parent)
    throw conflict("The component's parent is deleted", { reason: "Restore the parent first", parentId: node.parentId });
  if (node.assetId && !(await tx.records.Asset.count({ id: node.assetId })))
    throw conflict("The component's asset is deleted", { reason: "Restore the asset first", assetId: node.assetId });
  const position = await nextPosition(tx, node);
  await tx.query(
    `update "Component" c set "deletedAt" = null, "updatedBy" = $4, position = case when c.id = $2 then $3 else c.position end
       from "Component" r where r."tenantId" = $1 and r.id = $2 and c."tenantId" = $1 and c."deletedAt" = r."deletedAt" and ${subtreePredicate("r", "c")}`,
    id,
    position,
    actor.principalId,
  );
}
