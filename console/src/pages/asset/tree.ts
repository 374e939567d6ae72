/** Levels of a component tree, which are loaded when opened and read again after a change. */
import { t } from "@lingui/core/macro";
import { useEffect, useRef, useState } from "react";
import { type Client, useClient } from "urql";
import { Ancestors, Children, type ChildrenQuery, Roots } from "../../generated/asset.js";
import { messageOf } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import type { Asset } from "./types.js";

export type Node = NonNullable<ChildrenQuery["component"]>["children"]["nodes"][number];
export interface Level {
  nodes: Node[];
  totalCount: number;
  hasNextPage: boolean;
  endCursor: string | null;
}
export interface Line {
  id: string;
  depth: number;
  node?: Node;
  /** The component above, absent at the top. */
  parent?: Node;
  /** Placeholder line. Loads more children of this parent when it scrolls into view. */
  moreOf?: string;
  size: number;
  place: number;
}

const pageSize = 500;
export const top = "";

async function readPage(client: Client, assetId: string, parent: string, after: string | null) {
  const page = { first: pageSize, after };
  const { data, error } =
    parent === top
      ? await client.query(Roots, { id: assetId, ...page }, { requestPolicy: "network-only" }).toPromise()
      : await client.query(Children, { id: parent, ...page }, { requestPolicy: "network-only" }).toPromise();
  const found = data && ("asset" in data ? data.asset?.components : data.component?.children);
  return { error, level: found && ({ nodes: found.nodes, totalCount: found.totalCount, ...found.pageInfo } as Level) };
}

/** The level with a further page. The cache may have joined the pages already. */
function joined(level: Level, page: Level): Level {
  const known = new Set(level.nodes.map(({ id }) => id));
  return { ...page, nodes: [...level.nodes, ...page.nodes.filter(({ id }) => !known.has(id))] };
}

const topOf = ({ nodes, totalCount, pageInfo }: Asset["components"]): Level => ({ nodes, totalCount, ...pageInfo });

export function useTree(asset: Asset) {
  const client = useClient();
  const toast = useToast();
  const { components } = asset;
  const [levels, setLevels] = useState<Map<string, Level>>(() => new Map([[top, topOf(components)]]));
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [busy, setBusy] = useState<Set<string>>(new Set());
  // Failed levels are retried only when the user selects or reopens them.
  const [failed, setFailed] = useState<Set<string>>(new Set());
  const opened = useRef(open);
  useEffect(() => {
    opened.current = open;
  });
  const [isReloading, setReloading] = useState(false);
  /** Responses to requests that were sent before a reload are dropped. */
  const reloads = useRef(0);
  useEffect(
    () => () => {
      reloads.current++;
    },
    [],
  );

  // The page reads the top level again with the asset.
  useEffect(() => setLevels((was) => new Map(was).set(top, topOf(components))), [components]);

  async function read(parent: string): Promise<void> {
    if (busy.has(parent)) return;
    setBusy((was) => new Set(was).add(parent));
    const known = levels.get(parent);
    const since = reloads.current;
    const { error, level } = await readPage(client, asset.id, parent, known?.endCursor ?? null);
    setBusy((was) => without(was, parent));
    if (since !== reloads.current) return;
    if (!level) {
      setFailed((was) => new Set(was).add(parent));
      toast(messageOf(error) || t`The components could not be loaded.`, true);
      return;
    }
    setLevels((was) => new Map(was).set(parent, known ? joined(known, level) : level));
  }

  /**
   * Reads the open levels below the top again. Of a long level, this reads the first page; the others load when they scroll into view.
   */
  async function reload(): Promise<void> {
    const since = ++reloads.current;
    setReloading(true);
    const found = await Promise.all(
      [...opened.current].map(async (parent) => [parent, (await readPage(client, asset.id, parent, null)).level] as const),
    );
    if (since !== reloads.current) return;
    // Without a connection, the known lines stay.
    const levelsNow = found.filter((one): one is [string, Level] => !!one[1]);
    // Closed levels are read when they are opened again.
    setLevels((was) => new Map([...[...was].filter(([parent]) => parent === top || opened.current.has(parent)), ...levelsNow]));
    setReloading(false);
  }

  function toggle(node: Node): void {
    if (!node.children.totalCount) return;
    if (open.has(node.id)) setOpen((was) => without(was, node.id));
    else expand(node.id);
  }
  function expand(id: string): void {
    setOpen((was) => new Set(was).add(id));
    setFailed((was) => without(was, id));
    if (!levels.has(id)) void read(id);
  }

  /** Opens the levels above a component. */
  async function reveal(id: string): Promise<void> {
    const { data } = await client.query(Ancestors, { id }).toPromise();
    for (const ancestor of data?.component?.ancestors ?? []) expand(ancestor.id);
  }

  return {
    levels,
    open,
    busy,
    failed,
    isReloading,
    read,
    reload,
    toggle,
    expand,
    reveal,
    closeAll: () => setOpen(new Set()),
    retry: (parent: string) => setFailed((was) => without(was, parent)),
  };
}

function without(set: Set<string>, value: string): Set<string> {
  const next = new Set(set);
  next.delete(value);
  return next;
}

/** The open lines, from top to bottom. Unloaded lines keep their place, so that nothing moves when they load. */
export function linesOf(levels: Map<string, Level>, open: Set<string>): Line[] {
  const lines: Line[] = [];
  const add = (parent: Node | undefined, depth: number, expected: number) => {
    const id = parent?.id ?? top;
    const level = levels.get(id);
    const nodes = level?.nodes ?? [];
    const size = level && !level.hasNextPage ? nodes.length : Math.max(level?.totalCount ?? expected, nodes.length + 1);
    nodes.forEach((node, index) => {
      lines.push({ id: node.id, depth, node, parent, size, place: index + 1 });
      if (open.has(node.id) && node.children.totalCount) add(node, depth + 1, node.children.totalCount);
    });
    for (let place = nodes.length + 1; place <= size; place++) lines.push({ id: `${id}-${place}`, depth, moreOf: id, size, place });
  };
  add(undefined, 0, 1);
  return lines;
}
