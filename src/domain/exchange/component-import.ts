/** Imports component trees. All rows are placed before any is written, because a parent can come after its children in the file. */
import { newId } from "../../database/records/ids.js";
import { lockTrees } from "../components/tree.js";
import { assetsNamed } from "./asset-refs.js";
import { type ComponentPath, joined, parsePath, Segments } from "./component-path.js";
import { changeComponents, createComponents, type Entry, type Node, type Placed } from "./component-writes.js";
import type { Problem, Run } from "./sheet.js";

type Stored = Omit<Node, "parent" | "isNew"> & { parentId: string | null; name: string; externalId: string | null };

class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

const columns = `c.id, c."assetId", c."parentId", c.path, c.level, c.name, c."externalId"`;
const live = `c."tenantId" = $1 and c."deletedAt" is null`;

const pathKey = (assetId: string | null, path: string) => JSON.stringify([assetId, path]);

export class ComponentImporter {
  private readonly byExternalId = new Map<string, Node>();
  private readonly byPath = new Map<string, Node>();
  private readonly rowsByExternalId = new Map<string, Entry>();
  private readonly rowsByPath = new Map<string, Entry>();
  private readonly rowOfNode = new Map<Node, number>();
  /** Row numbers by the place that the row occupies. */
  private readonly rowOfPlace = new Map<string, number>();
  private readonly assetAfter = new Map<Node, string | null>();
  private readonly placed = new Map<Entry, Placed | "under way" | "refused">();
  private assets = new Map<string, { id: string; site: string }>();
  private siteOfAsset = new Map<string | null, string>();

  private constructor(private readonly run: Run<any>) {}

  static async begin(run: Run<any>): Promise<ComponentImporter> {
    await lockTrees(run.tx);
    return new ComponentImporter(run);
  }

  async write(entries: Entry[]): Promise<void> {
    await this.load(entries);
    for (const entry of entries) {
      const { externalId, path } = entry.fields;
      if (externalId !== undefined) this.rowsByExternalId.set(externalId, entry);
      const parsed = path === undefined ? undefined : parsePath(path);
      if (parsed) this.rowsByPath.set(pathKey(this.assetOf(entry), parsed.path), entry);
      // Claimed before any row is looked up by path.
      const node = externalId === undefined ? undefined : this.byExternalId.get(externalId);
      if (node) this.rowOfNode.set(node, entry.row);
    }
    const rows = entries.flatMap((entry) => {
      // Starts from the topmost unplaced parent. A loop, because a tree can be too deep for recursion.
      const chain = this.unplacedAbove(entry);
      for (const above of chain.reverse()) this.placeInTurn(above);
      return this.placeInTurn(entry) ?? [];
    });
    const moves = this.checkedMoves(rows);
    const kept = rows.filter(({ entry }) => this.placed.get(entry) !== "refused");
    await createComponents(
      this.run,
      kept.filter(({ node }) => node.isNew),
    );
    await changeComponents(
      this.run,
      kept.filter(({ node }) => !node.isNew),
      moves,
    );
  }

  /** Reads the referenced assets, and all components of these assets and of the assets of referenced components. */
  private async load(entries: Entry[]): Promise<void> {
    const { tx } = this.run;
    this.assets = await assetsNamed(
      tx,
      entries.map(({ fields }) => fields.asset),
    );
    const externalIds = entries.flatMap(({ fields }) => [fields.externalId ?? [], fields.parentExternalId ?? []].flat());
    const named = await tx.query<{ assetId: string | null }>(
      `select distinct c."assetId" from "Component" c where ${live} and c."externalId" = any($2)`,
      [...new Set(externalIds)],
    );
    const assetIds = [...[...this.assets.values()].map(({ id }) => id), ...named.flatMap(({ assetId }) => assetId ?? [])];
    const rows = await tx.query<Stored>(
      `select ${columns} from "Component" c where ${live} and (c."assetId" = any($2) or $3 and c."assetId" is null) order by c.level, c.position, c.id`,
      [...new Set(assetIds)],
      entries.some(({ fields }) => fields.asset === undefined) || named.some(({ assetId }) => assetId === null),
    );
    const nodes = new Map<string, Node>();
    const paths = new Map<string, string>();
    const segments = new Segments();
    for (const { parentId, name, externalId, ...stored } of rows) {
      const node: Node = { ...stored, parent: parentId === null ? null : (nodes.get(parentId) ?? null), isNew: false };
      const above = parentId === null ? "" : (paths.get(parentId) ?? "");
      const path = joined(above, segments.of(`${parentId ?? ""} ${node.assetId ?? ""}`, name));
      nodes.set(node.id, node);
      paths.set(node.id, path);
      this.byPath.set(pathKey(node.assetId, path), node);
      if (externalId !== null) this.byExternalId.set(externalId, node);
    }
    if (!this.run.actor.sites.length) return;
    const sites = await tx.query<{ id: string; site: string }>(
      `select id, site from "Asset" where "tenantId" = $1 and id = any($2)`,
      assetIds,
    );
    this.siteOfAsset = new Map(sites.map(({ id, site }) => [id, site]));
  }

  /** The rows of a row's unplaced parents, nearest first. */
  private unplacedAbove(entry: Entry): Entry[] {
    const chain = new Set<Entry>();
    for (let row = this.rowAbove(entry); row && row !== entry && !this.placed.has(row) && !chain.has(row); row = this.rowAbove(row))
      chain.add(row);
    return [...chain];
  }

  private rowAbove(entry: Entry): Entry | undefined {
    const { parentExternalId, path } = entry.fields;
    if (parentExternalId !== undefined) return this.rowsByExternalId.get(parentExternalId);
    const above = path === undefined ? undefined : parsePath(path)?.parent;
    return above ? this.rowsByPath.get(pathKey(this.assetOf(entry), above)) : undefined;
  }

  /** Null if the row references no known asset. A blank cell keeps the component's asset. */
  private assetOf({ fields: { asset, externalId } }: Entry): string | null {
    if (asset !== undefined) return this.assets.get(asset)?.id ?? null;
    return externalId === undefined ? null : (this.byExternalId.get(externalId)?.assetId ?? null);
  }

  /** Places a row after its siblings of the same name with lower numbers. */
  private placeInTurn(entry: Entry): Placed | undefined {
    const waiting = [entry];
    for (let row = this.rowBefore(entry); row && !this.placed.has(row); row = this.rowBefore(row)) waiting.push(row);
    for (const row of waiting.reverse().slice(0, -1)) this.place(row);
    return this.place(entry);
  }

  private rowBefore(entry: Entry): Entry | undefined {
    const path = entry.fields.path === undefined ? undefined : parsePath(entry.fields.path);
    return path?.before ? this.rowsByPath.get(pathKey(this.assetOf(entry), joined(path.parent, path.before))) : undefined;
  }

  /** The placed row. Undefined if the row is refused. */
  private place(entry: Entry): Placed | undefined {
    const known = this.placed.get(entry);
    if (known === "refused") return undefined;
    if (known === "under way") throw new Refused({ field: "path", message: "is its own ancestor; correct the parents of the rows" });
    if (known) return known;
    this.placed.set(entry, "under way");
    try {
      const placed = this.found(entry);
      this.placed.set(entry, placed);
      return placed;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.placed.set(entry, "refused");
      this.run.refuse(entry, error.problem);
      return undefined;
    }
  }

  private found(entry: Entry): Placed {
    const { asset, path: _, externalId, parentExternalId: __, name, ...values } = entry.fields;
    if (asset !== undefined && !this.assets.has(asset))
      throw new Refused({ field: "asset", message: "names no asset; use its externalId, serial number or id", value: asset });
    const path = this.pathOf(entry);
    const ownName = name ?? path?.name;
    if (ownName === undefined) throw new Refused({ field: "name", message: "is required without a path", value: "" });
    const parent = this.parentOf(entry, path?.parent);
    const segment = path?.segment ?? new Segments().of("", ownName);
    const known = this.existing(entry, segment, parent);
    const target = parent === undefined ? (known?.parent ?? null) : parent;
    const assetId = target ? (this.assetAfter.get(target) ?? target.assetId) : this.assetOf(entry);
    if (target && asset !== undefined && this.assetOf(entry) !== assetId)
      throw new Refused({ field: "asset", message: "differs from the parent's asset; leave it out to take the parent's", value: asset });
    for (const place of known ? [known.assetId, assetId] : [assetId]) this.guard(entry, place);
    this.take(entry, target, assetId, segment, known ? undefined : { path });
    // A new component is created at its parent's current place, and moves along with the parent.
    const node = known ?? { id: newId(), assetId: target ? target.assetId : assetId, parent: target, isNew: true, path: "", level: 0 };
    this.rowOfNode.set(node, entry.row);
    this.assetAfter.set(node, assetId);
    const number = path?.number ?? Number.POSITIVE_INFINITY;
    return {
      entry,
      node,
      parent: target,
      assetId,
      number,
      fields: { ...values, name: ownName, ...(externalId !== undefined && { externalId }) },
    };
  }

  /** Refuses two rows for the same component, however they spell its place. Refuses a second sibling of a name without a first one. */
  private take(
    entry: Entry,
    parent: Node | null,
    assetId: string | null,
    segment: string,
    created?: { path?: ComponentPath | undefined },
  ): void {
    const { path: spelled, name, externalId } = entry.fields;
    const place = (at: string) => JSON.stringify(parent ? [parent.id, at] : [null, assetId, at]);
    const value = (spelled ?? name ?? "").slice(0, 200);
    const other = this.rowOfPlace.get(place(segment));
    const before = created?.path?.before;
    if (created && other !== undefined && (spelled !== undefined || externalId === undefined))
      throw new Refused({ field: "path", message: `is that of the component of row ${other}`, value });
    if (before && !this.rowOfPlace.has(place(before)) && !this.nodeAt(entry, parent, before))
      throw new Refused({ field: "path", message: `needs ${before} before it, here or in the file`, value });
    if (other === undefined) this.rowOfPlace.set(place(segment), entry.row);
  }

  private guard({ fields: { asset } }: Entry, assetId: string | null): void {
    const { sites } = this.run.actor;
    const site = assetId === null ? undefined : this.siteOfAsset.get(assetId);
    if (sites.length && (site === undefined || !sites.includes(site)))
      throw new Refused({ field: "asset", message: "is not at one of this key's sites", value: asset ?? "" });
  }

  private pathOf({ fields: { path } }: Entry) {
    if (path === undefined) return undefined;
    const parsed = parsePath(path);
    if (!parsed)
      throw new Refused({
        field: "path",
        message: "must be names with ` / ` between them, such as Drive / Motor",
        value: path.slice(0, 200),
      });
    return parsed;
  }

  /** Undefined if the row specifies no parent, null for a root. */
  private parentOf(entry: Entry, parentPath: string | undefined): Node | null | undefined {
    const { parentExternalId } = entry.fields;
    if (parentExternalId !== undefined) {
      const row = this.rowsByExternalId.get(parentExternalId);
      const parent = row ? this.nodeOfRow(row, "parentExternalId") : this.byExternalId.get(parentExternalId);
      if (parent) return parent;
      throw new Refused({ field: "parentExternalId", message: "names no component, here or in the file", value: parentExternalId });
    }
    if (parentPath === undefined) return undefined;
    if (parentPath === "") return null;
    const key = pathKey(this.assetOf(entry), parentPath);
    const row = this.rowsByPath.get(key);
    const parent = row ? this.nodeOfRow(row, "path") : this.byPath.get(key);
    if (parent) return parent;
    const message = "is below a component that is neither here nor in the file; add a row for it";
    throw new Refused({ field: "path", message, value: entry.fields.path!.slice(0, 200) });
  }

  private nodeOfRow(row: Entry, field: string): Node {
    const placed = this.place(row);
    if (!placed) throw new Refused({ field, message: `names the component of row ${row.row}, which failed` });
    return placed.node;
  }

  private existing(entry: Entry, segment: string, parent: Node | null | undefined): Node | undefined {
    const { externalId, path, name } = entry.fields;
    const known = externalId === undefined ? undefined : this.byExternalId.get(externalId);
    if (known) return known;
    const node = this.nodeAt(entry, parent ?? null, segment);
    const other = node && this.rowOfNode.get(node);
    if (other === undefined) return node;
    throw new Refused({ field: "path", message: `is that of the component of row ${other}`, value: (path ?? name ?? "").slice(0, 200) });
  }

  /** Looks up a component below another one by current names and places, before any changes of this import. */
  private nodeAt(entry: Entry, parent: Node | null, segment: string): Node | undefined {
    if (parent?.isNew) return undefined;
    const path = joined(parent ? this.pathOfNode(parent) : "", segment);
    return this.byPath.get(pathKey(parent ? parent.assetId : this.assetOf(entry), path));
  }

  private pathsOfNodes: Map<Node, string> | undefined;

  private pathOfNode(node: Node): string {
    this.pathsOfNodes ??= new Map([...this.byPath].map(([key, one]) => [one, (JSON.parse(key) as [string, string])[1]]));
    return this.pathsOfNodes.get(node) ?? "";
  }

  /** The rows whose components move. Refuses moves of a component below itself. */
  private checkedMoves(rows: Placed[]): Placed[] {
    const moves = rows.filter(
      ({ node, parent, assetId }) => !node.isNew && (node.parent !== parent || (!parent && node.assetId !== assetId)),
    );
    const before = moves.map(({ node }) => node.parent);
    for (const { node, parent } of moves) node.parent = parent;
    if (!hasCycle(moves.map(({ node }) => node))) return moves;
    // The moves create a cycle together, so each is checked separately, in file order.
    for (const [i, { node }] of moves.entries()) node.parent = before[i]!;
    return moves.filter(({ node, parent, entry }) => {
      for (let above = parent; above; above = above.parent) {
        if (above !== node) continue;
        this.placed.set(entry, "refused");
        this.run.refuse(entry, { field: "path", message: "is below the component itself", value: entry.fields.path?.slice(0, 200) });
        return false;
      }
      node.parent = parent;
      return true;
    });
  }
}

/** Whether one of the nodes is its own ancestor. */
function hasCycle(nodes: Node[]): boolean {
  const seenFrom = new Map<Node, Node>();
  return nodes.some((node) => {
    for (let at: Node | null = node; at; at = at.parent) {
      if (seenFrom.get(at) === node) return true;
      if (seenFrom.has(at)) return false;
      seenFrom.set(at, node);
    }
    return false;
  });
}
