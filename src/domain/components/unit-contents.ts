/**
 * Components that leave their position with a unit and come below its next one (docs/units.md, "Units inside units"). Meanwhile they are roots
 * of no asset, and ComponentHold names the unit. Call inside `treeTransaction`, after the periods of the units are written.
 */
import type { TenantQueryable } from "../../database/database.js";
import { insertSelect, type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { badInput, conflict } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { subtreePredicate } from "./tree.js";
import { moveAll } from "./tree-batch.js";
import type { AtInstant } from "./units.js";

type Component = Rows["Component"];

/** A unit, and the component that it leaves or reaches. */
export interface Carried {
  unitId: string;
  componentId: string;
}

const columnsOf = (carried: Carried[]) => [carried.map(({ unitId }) => unitId), carried.map(({ componentId }) => componentId)] as const;

/** A new version of components that moved. */
const touch = (tx: TenantQueryable, actor: Actor, ids: string[]) =>
  tx.query(`update "Component" set "updatedBy" = $3 where "tenantId" = $1 and id = any($2)`, ids, actor.principalId);

/** The components below positions, those of a position only if it has an installed unit below it, or if `isWhole`. */
const below = `select c.id, k.unit as "unitId" from unnest($2::text[], $3::text[]) k(unit, place)
  join "Component" c on c."tenantId" = $1 and c."parentId" = k.place and c."deletedAt" is null
  where $4 or exists (
    select from "Component" r join "Component" d on d."tenantId" = $1 and d."deletedAt" is null and d.id <> r.id and ${subtreePredicate("r", "d")}
    join "UnitPeriod" p on p."tenantId" = $1 and p."componentId" = d.id and p."endedAt" is null where r."tenantId" = $1 and r.id = k.place
  )`;

/** Roots `$2` and all components below them, deleted ones included. */
const subtrees = `"Component" r join "Component" d on d."tenantId" = $1 and ${subtreePredicate("r", "d")} where r."tenantId" = $1 and r.id = any($2)`;

/**
 * Takes the components below positions along with the units that leave them: all of them if a unit is installed in one of them, or if
 * `withContents`; none if it is false. Units of a swap must not be below each other.
 */
export async function takeContents(
  tx: TenantQueryable,
  actor: Actor,
  carried: Carried[],
  at: Date,
  withContents: boolean | null | undefined,
): Promise<void> {
  if (withContents === false) return;
  const roots = await tx.query<{ id: string; unitId: string }>(below, ...columnsOf(carried), withContents ?? false);
  if (!roots.length) return;
  const ids = roots.map(({ id }) => id);
  // They belonged to the unit around the position until now.
  await tx.query(
    `update "ComponentHold" h set "endedAt" = greatest(h."startedAt", $3) where h."tenantId" = $1 and h."endedAt" is null
       and h."componentId" in (select d.id from ${subtrees})`,
    ids,
    at,
  );
  await tx.query(
    insertSelect(
      "ComponentHold",
      {
        id: "gen_random_uuid()",
        componentId: "d.id",
        unitId: "k.unit",
        assetId: `d."assetId"`,
        startedAt: "$4::timestamptz",
        endedAt: "null::timestamptz",
      },
      `unnest($2::text[], $3::text[]) k(root, unit) join "Component" r on r."tenantId" = $1 and r.id = k.root
       join "Component" d on d."tenantId" = $1 and ${subtreePredicate("r", "d")}`,
    ),
    ids,
    roots.map(({ unitId }) => unitId),
    at,
  );
  await moveAll(
    tx,
    ids.map((id) => ({ id, parentId: null, assetId: null })),
  );
  await touch(tx, actor, ids);
}

/**
 * Brings the components that units took along below the positions that they reach, as the last ones there. Throws CONFLICT if a
 * reference designation is in use in the asset.
 */
export async function bringContents(tx: TenantQueryable, actor: Actor, carried: Carried[], at: Date): Promise<void> {
  const held = await tx.query<{ componentId: string; unitId: string }>(
    `update "ComponentHold" h set "endedAt" = greatest(h."startedAt", $3)
     where h."tenantId" = $1 and h."unitId" = any($2) and h."endedAt" is null returning h."componentId", h."unitId"`,
    carried.map(({ unitId }) => unitId),
    at,
  );
  if (!held.length) return;
  const places = new Map(carried.map(({ unitId, componentId }) => [unitId, componentId]));
  const roots = await tx.query<{ id: string; place: string }>(
    `select c.id, k.place from unnest($2::text[], $3::text[]) k(id, place) join "Component" c on c."tenantId" = $1 and c.id = k.id
     where c."parentId" is null and c."assetId" is null order by c.position, c.id`,
    held.map(({ componentId }) => componentId),
    held.map(({ unitId }) => places.get(unitId)!),
  );
  const ids = roots.map(({ id }) => id);
  await moveAll(
    tx,
    roots.map(({ id, place }) => ({ id, parentId: place, assetId: null })),
  );
  await tx.query(
    `with moved as (
       select c.id, c."parentId", row_number() over (partition by c."parentId" order by n.place) - 1 as rank
       from unnest($2::text[]) with ordinality n(id, place) join "Component" c on c."tenantId" = $1 and c.id = n.id and c."deletedAt" is null
     ) update "Component" c set position = m.rank + coalesce((
         select max(o.position) + 1 from "Component" o
         where o."tenantId" = $1 and o."parentId" = m."parentId" and o."deletedAt" is null and o.id <> all($2)), 0), "updatedBy" = $3
     from moved m where c."tenantId" = $1 and c.id = m.id`,
    ids,
    actor.principalId,
  );
}

/** Throws CONFLICT if the component is one of those that the unit took along. */
export async function refuseInside(tx: TenantQueryable, { unitId, componentId }: Carried): Promise<void> {
  if (await tx.records.ComponentHold.count({ unitId, componentId, endedAt: null }))
    throw conflict("The component is inside the unit; install the unit elsewhere", { unitId, componentId }).about("componentId");
}

/** Whether one component is below another one. Throws BAD_USER_INPUT naming withContents if the contents of one are to go along. */
export async function areNested(tx: TenantQueryable, componentIds: string[], withContents: boolean | null | undefined): Promise<boolean> {
  const [found] = await tx.query(
    `select 1 from "Component" r join "Component" d on d."tenantId" = $1 and d.id <> r.id and ${subtreePredicate("r", "d")}
     where r."tenantId" = $1 and r.id = any($2) and d.id = any($2)`,
    componentIds,
  );
  if (found && withContents) throw badInput({ withContents: "must not be set, because one component is below the other" });
  return Boolean(found);
}

/** The topmost components that each unit took along, in order. */
export async function contentsOf(db: TenantQueryable, unitIds: readonly string[]): Promise<Component[][]> {
  const rows = await db.query<Component & { unitId: string }>(
    `select h."unitId", ${rowColumns("Component", "c")} from "ComponentHold" h join "Component" c on c."tenantId" = $1 and c.id = h."componentId"
     where h."tenantId" = $1 and h."unitId" = any($2) and h."endedAt" is null and c."parentId" is null and c."deletedAt" is null order by c.position, c.id`,
    unitIds,
  );
  return unitIds.map((id) => rows.filter(({ unitId }) => unitId === id));
}

/** The unit that has each component along with it at an instant. */
export async function holdersAt(db: TenantQueryable, keys: readonly AtInstant[]): Promise<(Rows["Unit"] | null)[]> {
  const rows = await db.query<Rows["Unit"] & { place: number }>(
    `select k.place::int as place, ${rowColumns("Unit", "u")} from unnest($2::text[], $3::timestamptz[]) with ordinality k(id, at, place)
     join "ComponentHold" h on h."tenantId" = $1 and h."componentId" = k.id and (h."startedAt" <= k.at or k.at is null) and (h."endedAt" is null or h."endedAt" > k.at)
     join "Unit" u on u."tenantId" = $1 and u.id = h."unitId"`,
    keys.map(([id]) => id),
    keys.map(([, at]) => at),
  );
  const found = new Map(rows.map((row) => [row.place, row]));
  return keys.map((_, i) => found.get(i + 1) ?? null);
}
