/** Writes the components of an import after each row is placed (component-import.ts). */
import { type Branch, insertBranches, type Placement } from "../components/tree.js";
import { moveAll, Siblings } from "../components/tree-batch.js";
import { updateChanged } from "./record-rows.js";
import type { Entry as AnyEntry, Run } from "./sheet.js";

export interface Fields {
  asset?: string;
  path?: string;
  externalId?: string;
  parentExternalId?: string;
  name?: string;
  [field: string]: unknown;
}
export type Entry = AnyEntry<Fields>;

/** An existing component, or one to be created. */
export interface Node {
  id: string;
  assetId: string | null;
  parent: Node | null;
  isNew: boolean;
  /** Existing components only. */
  path: string;
  level: number;
}

/** A row with its place. */
export interface Placed {
  entry: Entry;
  node: Node;
  parent: Node | null;
  /** After all rows are applied. */
  assetId: string | null;
  /** Number among siblings of the same name. */
  number: number;
  fields: Record<string, unknown>;
}

const update = updateChanged("Component", "a.id");
/** Rows per statement. */
const atOnce = 1000;

/** Creates components in file order below each parent. A new component is created together with its new children. */
export async function createComponents(run: Run<any>, rows: Placed[]): Promise<void> {
  const { tx, actor, done } = run;
  if (!rows.length) return;
  const branches = new Map<Node, Branch>(
    rows.map(({ node, fields }) => [node, { id: node.id, fields: fields as never as Branch["fields"], children: [] }]),
  );
  const places = new Map<string, Placement>();
  for (const { node, parent } of inNumberOrder(rows)) {
    const { assetId } = node;
    const branch = branches.get(node)!;
    const above = parent?.isNew ? branches.get(parent) : undefined;
    if (above) above.children!.push(branch);
    else {
      const key = `${parent?.id ?? ""} ${assetId ?? ""}`;
      const place = places.get(key) ?? { assetId, parent: parent ?? undefined, first: 0, branches: [] };
      place.branches.push(branch);
      places.set(key, place);
    }
  }
  const siblings = await Siblings.at(
    tx,
    [...places.values()].map(({ assetId, parent }) => ({ assetId, parentId: parent?.id ?? null })),
  );
  for (const place of places.values()) place.first = siblings.listAt({ assetId: place.assetId, parentId: place.parent?.id ?? null }).length;
  await insertBranches(tx, actor, [...places.values()]);
  for (const { entry, node } of rows) done(entry, "created", node.id);
}

export async function changeComponents(run: Run<any>, rows: Placed[], moves: Placed[]): Promise<void> {
  const { tx, actor, done } = run;
  await run.remember(rows.map(({ node }) => node.id));
  const changed = new Set<string>();
  for (let i = 0; i < rows.length; i += atOnce) {
    const sent = rows.slice(i, i + atOnce).map(({ node, fields }) => ({ id: node.id, fields }));
    for (const { id } of await tx.query<{ id: string }>(update, JSON.stringify(sent), actor.principalId)) changed.add(id);
  }
  await move(run, moves);
  const others = moves.flatMap(({ node }) => (changed.has(node.id) ? [] : [node.id]));
  // A move creates a new version too.
  if (others.length)
    await tx.query(`update "Component" set "updatedBy" = $3 where "tenantId" = $1 and id = any($2)`, others, actor.principalId);
  for (const id of others) changed.add(id);
  for (const { entry, node } of rows) done(entry, changed.has(node.id) ? "updated" : "unchanged", node.id);
}

async function move(run: Run<any>, moves: Placed[]): Promise<void> {
  if (!moves.length) return;
  const { tx } = run;
  const ids = moves.map(({ node }) => node.id);
  const before = await tx.query<{ id: string; parentId: string | null; assetId: string | null }>(
    `select c.id, c."parentId", c."assetId" from "Component" c where c."tenantId" = $1 and c."deletedAt" is null and c.id = any($2)`,
    ids,
  );
  const targets = moves.map(({ node, parent, assetId }) => ({ id: node.id, parentId: parent?.id ?? null, assetId }));
  const siblings = await Siblings.at(tx, [...before, ...targets]);
  for (const place of before)
    siblings.setListAt(
      place,
      siblings.listAt(place).filter((id) => id !== place.id),
    );
  for (const place of targets) siblings.listAt(place).push(place.id);
  await moveAll(tx, targets);
  await siblings.renumber(tx);
}

/** Sorts siblings of the same name by number and keeps all others in place, because the order determines their paths. */
function inNumberOrder(rows: Placed[]): Placed[] {
  const ordered = [...rows];
  const namesakes = new Map<string, number[]>();
  for (const [i, { parent, assetId, fields }] of rows.entries()) {
    const key = JSON.stringify([parent?.id ?? null, assetId, fields.name]);
    const places = namesakes.get(key);
    if (places) places.push(i);
    else namesakes.set(key, [i]);
  }
  for (const places of namesakes.values()) {
    if (places.length < 2) continue;
    const sorted = places.map((i) => rows[i]!).sort((a, b) => (a.number > b.number ? 1 : a.number < b.number ? -1 : 0));
    for (const [at, i] of places.entries()) ordered[i] = sorted[at]!;
  }
  return ordered;
}
