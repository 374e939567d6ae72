/**
 * The component tree (interface.md 4.7): the one writer of parentId, position, level, path and of a component's assetId.
 * A write first takes the tenant's tree lock, in a statement of its own so that what follows sees the tree as it is;
 * then it refuses cycles; then it rewrites the moved subtree. Two opposite moves at once therefore cannot make a cycle.
 */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { badInput, conflict, notFound } from "../schema/errors.js";

export interface Node extends Row {
  id: string;
  assetId: string | null;
  parentId: string | null;
  position: number;
  level: number;
  path: string;
}

export interface Place {
  /** The owning asset; that of the parent where a parent is given. */
  assetId?: string | null;
  parentId?: string | null;
}

/** A component to be, with the components below it. */
export interface Branch {
  fields: Row;
  children?: Branch[];
}

/** The rows at and below the row `root`: an index range on the first 1,000 characters of the path, rechecked beyond them. */
export const atOrBelow = (root: string, row: string) =>
  `left(${row}.path, 1000) between left(${root}.path, 1000) and left(${root}.path, 1000) || '~' and starts_with(${row}.path, ${root}.path)`;

/** A transaction that holds the tenant's tree lock: every function below that writes is called inside one. */
export const treeTransaction = <T>(db: TenantDatabase, work: (tx: TenantQueryable) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('tree ' || $1, 0))`);
    return work(tx);
  });

const unknownComponent = (componentId: string) => notFound("Component", { componentId });

async function liveNodes(tx: TenantQueryable, ids: (string | null | undefined)[]): Promise<Map<string, Node>> {
  const rows = await tx.query<Node>(
    `select id, "assetId", "parentId", position, level, path from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
    ids.filter((id) => id != null),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function requireAsset(tx: TenantQueryable, assetId: string): Promise<void> {
  const [asset] = await tx.query(`select 1 from "Asset" where "tenantId" = $1 and id = $2 and "deletedAt" is null`, assetId);
  if (!asset) throw badInput({ assetId: "names no asset; use the id of an existing one" });
}

/** Where a component is to hang: the asset and parent, both checked. Call under the tree lock. */
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

/** Siblings of a place: the children of a component, or the roots of an asset (or of none). $2 is the parent, $3 the asset. */
const siblings = `"tenantId" = $1 and "deletedAt" is null and case when $2::text is null then "parentId" is null and "assetId" is not distinct from $3::text else "parentId" = $2::text end`;

/**
 * Creates whole branches below one place, after the siblings there, in a constant number of statements; answers the
 * rows, parents before children. Throws BAD_USER_INPUT naming parentId or assetId where the place is unknown.
 */
export async function createBranches(tx: TenantQueryable, place: Place, branches: Branch[]): Promise<Node[]> {
  const { assetId, parent } = await findPlace(tx, place);
  const [next] = await tx.query<{ position: number }>(
    `select coalesce(max(position) + 1, 0)::int as position from "Component" where ${siblings}`,
    parent?.id ?? null,
    assetId,
  );
  return insertRows(tx, await rowsOf(tx, [{ assetId, parent, first: next!.position, branches }]));
}

/** Creates the first trees of assets that have none; answers how many components. */
export async function insertTrees(tx: TenantQueryable, trees: { assetId: string; branches: Branch[] }[]): Promise<number> {
  const rows = await rowsOf(
    tx,
    trees.map((tree) => ({ ...tree, parent: undefined, first: 0 })),
  );
  await insertRows(tx, rows);
  return rows.length;
}

interface Planting {
  assetId: string | null;
  parent: Node | undefined;
  /** Position of the first branch. */
  first: number;
  branches: Branch[];
}

/** The rows of branches, parents before children, with their places worked out. */
async function rowsOf(tx: TenantQueryable, plantings: Planting[]): Promise<Row[]> {
  const rows: Row[] = [];
  const paths = new Map<string, string>();
  let level: { branch: Branch; assetId: string | null; above: Row | undefined; position: number }[] = [];
  for (const { assetId, parent, first, branches } of plantings) {
    if (parent) paths.set(parent.id, parent.path);
    branches.forEach((branch, i) => level.push({ branch, assetId, above: parent, position: first + i }));
  }
  while (level.length) {
    const below: typeof level = [];
    for (const { branch, assetId, above, position } of level) {
      const row: Row = {
        ...branch.fields,
        id: newId(),
        assetId,
        parentId: above?.id ?? null,
        position,
        level: above ? above.level + 1 : 0,
      };
      rows.push(row);
      branch.children?.forEach((child, i) => below.push({ branch: child, assetId, above: row, position: i }));
    }
    level = below;
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

const insertColumns = [
  ..."id assetId parentId position level path name type description serialNumber manufacturer model installDate".split(" "),
  ..."maintenanceInterval maintenanceRequirements criticality lastMaintenanceDate nextMaintenanceDate notes updatedBy templateId templateVersion templateItem".split(
    " ",
  ),
]
  .map((column) => `"${column}"`)
  .join(", ");

const insertRows = (tx: TenantQueryable, rows: Row[]) =>
  tx.query<Node>(
    `insert into "Component" ("tenantId", status, specifications, ${insertColumns})
     select $1, coalesce(status, 'operational'), coalesce(specifications, '{}'), ${insertColumns} from jsonb_populate_recordset(null::"Component", $2::jsonb)
     returning *`,
    JSON.stringify(rows),
  );

export interface Move {
  /** Null makes it a root; left out, it stays where it is, unless an asset is named. */
  newParentId?: string | null;
  /** What the component becomes a root of; the parent's asset otherwise. Left out, a new root stays with its asset. */
  assetId?: string | null;
  /** Place among the new siblings; clamped, last where left out. */
  position?: number | null;
}

/**
 * Moves a component with everything below it (interface.md 4.7, rule 3). Throws NOT_FOUND, BAD_USER_INPUT naming
 * newParentId or assetId, and CONFLICT with `details` where the new parent is the component itself or below it.
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
    throw conflict("Circular reference in component hierarchy", { details });
  }
  if (parent && assetId != null && assetId !== parent.assetId)
    throw badInput({ assetId: "differs from the new parent's asset; leave it out to take the parent's" });
  const target = parent ? parent.assetId : assetId === undefined ? node.assetId : assetId;
  if (!parent && assetId != null) await requireAsset(tx, assetId);
  const path = (parent?.path ?? "") + node.path.slice(node.path.lastIndexOf(".", node.path.length - 2) + 1);

  if (path !== node.path || target !== node.assetId) {
    await tx.query(
      `update "Component" c set path = $3 || substr(c.path, length(r.path) + 1), level = c.level + $4, "assetId" = $5,
         "parentId" = case when c.id = $2 then $6 else c."parentId" end
       from "Component" r where r."tenantId" = $1 and r.id = $2 and c."tenantId" = $1 and ${atOrBelow("r", "c")}`,
      id,
      path,
      (parent ? parent.level + 1 : 0) - node.level,
      target,
      parent?.id ?? null,
    );
  }
  await closeGap(tx, node, id);
  await tx.query(
    `with others as (
       select id, row_number() over (order by position, id) - 1 as rank from "Component" where ${siblings} and id <> $4
     ), slot as (select least(greatest(coalesce($5::int, 2147483647), 0), (select count(*) from others)) as at)
     update "Component" c set position = n.position from (
       select id, rank + case when rank >= slot.at then 1 else 0 end as position from others, slot
       union all select $4, slot.at from slot
     ) n where c."tenantId" = $1 and c.id = n.id and c.position <> n.position`,
    parent?.id ?? null,
    target,
    id,
    position ?? null,
  );
}

/** Makes positions dense again among the former siblings of `left`, without `id`. */
const closeGap = (tx: TenantQueryable, left: Node, id: string) =>
  tx.query(
    `update "Component" set position = position - 1 where ${siblings} and position > $4 and id <> $5`,
    left.parentId,
    left.assetId,
    left.position,
    id,
  );

/**
 * Deletes components with everything below them, keeping the rows with `deletedAt`; answers how many rows went with
 * each id. An id that is unknown, or went with another of the same call, is left out of the answer.
 */
export async function removeSubtrees(tx: TenantQueryable, ids: string[], deletedAt: Date): Promise<Map<string, number>> {
  const removed = await tx.query<{ root: string; parentId: string | null; assetId: string | null; count: number }>(
    `with roots as (
       select id, path, "parentId", "assetId" from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null
     ), gone as (
       update "Component" c set "deletedAt" = $3 from (
         select distinct on (d.id) d.id, r.id as root from roots r
         join "Component" d on d."tenantId" = $1 and d."deletedAt" is null and ${atOrBelow("r", "d")} order by d.id, length(r.path)
       ) below where c."tenantId" = $1 and c.id = below.id returning below.root
     )
     select r.id as root, r."parentId", r."assetId", count(*)::int as count from gone join roots r on r.id = gone.root group by 1, 2, 3`,
    ids,
    deletedAt,
  );
  await closeGaps(tx, removed);
  return new Map(removed.map(({ root, count }) => [root, count]));
}

/** Makes positions dense again among the children of the parents and the roots of the assets named. */
async function closeGaps(tx: TenantQueryable, places: { parentId: string | null; assetId: string | null }[]): Promise<void> {
  if (!places.length) return;
  const parents = places.flatMap(({ parentId }) => parentId ?? []);
  const roots = places.filter(({ parentId }) => !parentId);
  await tx.query(
    `update "Component" c set position = n.position from (
       select id, row_number() over (partition by "parentId", "assetId" order by position, id) - 1 as position from "Component"
       where "tenantId" = $1 and "deletedAt" is null
         and ("parentId" = any($2) or "parentId" is null and ("assetId" = any($3) or $4 and "assetId" is null))
     ) n where c."tenantId" = $1 and c.id = n.id and c.position <> n.position`,
    parents,
    roots.flatMap(({ assetId }) => assetId ?? []),
    roots.some(({ assetId }) => !assetId),
  );
}

/**
 * Brings back a deleted component with what was deleted along with it, as the last of its siblings. Moves carry deleted
 * rows along, so paths are true. Throws NOT_FOUND, and CONFLICT where the parent or the asset is deleted too.
 */
export async function restoreSubtree(tx: TenantQueryable, id: string): Promise<void> {
  const [node] = await tx.query<Node>(`select * from "Component" where "tenantId" = $1 and id = $2 and "deletedAt" is not null`, id);
  if (!node) throw unknownComponent(id);
  const parent = node.parentId ? (await liveNodes(tx, [node.parentId])).get(node.parentId) : undefined;
  if (node.parentId && !parent)
    throw conflict("The component's parent is deleted", { reason: "Restore the parent first", parentId: node.parentId });
  if (
    node.assetId &&
    !(await tx.query(`select 1 from "Asset" where "tenantId" = $1 and id = $2 and "deletedAt" is null`, node.assetId)).length
  ) {
    throw conflict("The component's asset is deleted", { reason: "Restore the asset first", assetId: node.assetId });
  }
  const [next] = await tx.query<{ position: number }>(
    `select coalesce(max(position) + 1, 0)::int as position from "Component" where ${siblings}`,
    node.parentId,
    node.assetId,
  );
  await tx.query(
    `update "Component" c set "deletedAt" = null, "updatedAt" = now(), position = case when c.id = $2 then $3 else c.position end
       from "Component" r where r."tenantId" = $1 and r.id = $2 and c."tenantId" = $1 and c."deletedAt" = r."deletedAt" and ${atOrBelow("r", "c")}`,
    id,
    next!.position,
  );
}
