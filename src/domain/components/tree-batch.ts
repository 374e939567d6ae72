/** Batch changes of the component tree, in a constant number of statements. Call inside `treeTransaction`. */
import type { TenantQueryable } from "../../database/database.js";
import { notHeld, type SiblingPlace } from "./tree.js";

const lastLabel = (path: string) => `substring(${path} from '[^.]+[.]$')`;

/** The new parent of a component. Without a parent, the component becomes a root of the asset. */
export interface NewParent extends SiblingPlace {
  id: string;
}

const parentOf = (row: string, moved: string) => `case when ${moved}.id is null then ${row}."parentId" else ${moved}."parentId" end`;

/**
 * Moves components with their subtrees to other parents, including deleted descendants, as `move` does. The caller ensures that the moves
 * create no cycle together, and sets positions with `Siblings`.
 */
export async function moveAll(tx: TenantQueryable, moves: NewParent[]): Promise<void> {
  if (!moves.length) return;
  await tx.query(
    `with recursive moved as (
       select m.id, m."parentId", m."assetId", c.path from jsonb_to_recordset($2::jsonb) m(id text, "parentId" text, "assetId" text)
       join "Component" c on c."tenantId" = $1 and c.id = m.id
     ), up as (
       select m.id, m."parentId" as at from moved m
       union select up.id, ${parentOf("p", "m")} from up join "Component" p on p."tenantId" = $1 and p.id = up.at left join moved m on m.id = p.id
     ), down as (
       select m.id, coalesce(p.path, '') || ${lastLabel("m.path")} as path, coalesce(p.level + 1, 0) as level,
         case when p.id is null then m."assetId" else p."assetId" end as "assetId"
       from moved m left join "Component" p on p."tenantId" = $1 and p.id = m."parentId"
       where not exists (select 1 from up join moved above on above.id = up.at where up.id = m.id)
       union all
       select c.id, d.path || ${lastLabel("c.path")}, d.level + 1, d."assetId" from down d cross join lateral (
         select c.id, c.path from "Component" c where c."tenantId" = $1 and c."parentId" = d.id and not exists (select 1 from moved m where m.id = c.id)
         union all select m.id, m.path from moved m where m."parentId" = d.id
       ) c
     ) update "Component" c set path = d.path, level = d.level, "assetId" = d."assetId", "parentId" = ${parentOf("c", "m")}
     from down d left join moved m on m.id = d.id where c."tenantId" = $1 and c.id = d.id`,
    JSON.stringify(moves),
  );
}

/** The live components at each place, in order. Callers change the lists of ids and then call `renumber`. */
export class Siblings {
  private readonly lists = new Map<string, string[]>();
  private readonly positions = new Map<string, number>();

  private static key = ({ parentId, assetId }: SiblingPlace) => (parentId ? `below ${parentId}` : `of ${assetId ?? ""}`);

  static async at(tx: TenantQueryable, places: SiblingPlace[]): Promise<Siblings> {
    const roots = places.filter(({ parentId }) => !parentId);
    const live = `"tenantId" = $1 and "deletedAt" is null`;
    const columns = `select id, "parentId", "assetId", position from "Component" where ${live}`;
    const rows = await tx.query<SiblingPlace & { id: string; position: number }>(
      `select id, "parentId", "assetId", position from (
         ${columns} and "parentId" = any($2)
         union all ${columns} and level = 0 and "assetId" = any($3)
         union all ${columns} and $4 and level = 0 and "assetId" is null and ${notHeld}
       ) c order by position, id`,
      [...new Set(places.flatMap(({ parentId }) => parentId ?? []))],
      [...new Set(roots.flatMap(({ assetId }) => assetId ?? []))],
      roots.some(({ assetId }) => !assetId),
    );
    const siblings = new Siblings();
    for (const row of rows) {
      siblings.listAt(row).push(row.id);
      siblings.positions.set(row.id, row.position);
    }
    return siblings;
  }

  listAt(place: SiblingPlace): string[] {
    const key = Siblings.key(place);
    const list = this.lists.get(key) ?? [];
    this.lists.set(key, list);
    return list;
  }

  setListAt(place: SiblingPlace, ids: string[]): void {
    this.lists.set(Siblings.key(place), ids);
  }

  /** Numbers the components at each place from 0, in list order. */
  async renumber(tx: TenantQueryable): Promise<void> {
    const changed = [...this.lists.values()].flatMap((ids) =>
      ids.map((id, position) => ({ id, position })).filter(({ id, position }) => this.positions.get(id) !== position),
    );
    if (!changed.length) return;
    await tx.query(
      `update "Component" c set position = n.position from unnest($2::text[], $3::int[]) n(id, position) where c."tenantId" = $1 and c.id = n.id`,
      changed.map(({ id }) => id),
      changed.map(({ position }) => position),
    );
  }
}
