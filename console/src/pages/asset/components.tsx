/** Component tree. Levels are loaded when opened, and only visible lines are rendered. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { Boxes, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useClient } from "urql";
import { Children, type ChildrenQuery, Roots } from "../../generated/asset.js";
import { Empty, messageOf } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { useToast } from "../../parts/toast.js";
import { count, wordOf } from "../../parts/words.js";
import type { Asset } from "./types.js";

type Node = NonNullable<ChildrenQuery["component"]>["children"]["nodes"][number];
interface Level {
  nodes: Node[];
  totalCount: number;
  hasNextPage: boolean;
  endCursor: string | null;
}
interface Line {
  id: string;
  depth: number;
  node?: Node;
  /** Placeholder line. Loads more children of this parent when it scrolls into view. */
  moreOf?: string;
  size: number;
  place: number;
}

const pageSize = 500;
const lineHeight = 40;
/** Maximum indentation depth. */
const deepest = 10;
const top = "";

export function Components({ asset }: { asset: Asset }) {
  const client = useClient();
  const toast = useToast();
  const { components } = asset;
  const [levels, setLevels] = useState<Map<string, Level>>(
    () => new Map([[top, { nodes: components.nodes, totalCount: components.totalCount, ...components.pageInfo }]]),
  );
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [busy, setBusy] = useState<Set<string>>(new Set());
  // Failed levels are retried only when the user selects or reopens them.
  const [failed, setFailed] = useState<Set<string>>(new Set());
  const [chosen, setAt] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);

  const lines = useMemo(() => linesOf(levels, open), [levels, open]);
  // The chosen line may have been in a level that is now closed.
  const at = Math.min(chosen, lines.length - 1);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 12,
    getItemKey: (index) => lines[index]!.id,
  });

  async function read(parent: string): Promise<void> {
    if (busy.has(parent)) return;
    setBusy((was) => new Set(was).add(parent));
    const known = levels.get(parent);
    const page = { first: pageSize, after: known?.endCursor };
    const read =
      parent === top
        ? await client.query(Roots, { id: asset.id, ...page }, { requestPolicy: "network-only" }).toPromise()
        : await client.query(Children, { id: parent, ...page }, { requestPolicy: "network-only" }).toPromise();
    const { data, error } = read;
    const found = data && ("asset" in data ? data.asset?.components : data.component?.children);
    setBusy((was) => without(was, parent));
    if (!found) {
      setFailed((was) => new Set(was).add(parent));
      toast(messageOf(error) || "The components could not be loaded.", true);
      return;
    }
    // The cache merges the pages, so the response holds all of them.
    setLevels((was) => new Map(was).set(parent, { nodes: found.nodes, totalCount: found.totalCount, ...found.pageInfo }));
  }

  function toggle(node: Node): void {
    if (!node.children.totalCount) return;
    if (open.has(node.id)) setOpen((was) => without(was, node.id));
    else {
      setOpen((was) => new Set(was).add(node.id));
      setFailed((was) => without(was, node.id));
      if (!levels.has(node.id)) void read(node.id);
    }
  }

  const again = ({ moreOf }: Line) => {
    if (moreOf !== undefined) setFailed((was) => without(was, moreOf));
  };

  const items = virtualizer.getVirtualItems();
  // Reaching the end of a level loads its next page.
  const more = items
    .map(({ index }) => lines[index]?.moreOf)
    .find((parent) => parent !== undefined && !busy.has(parent) && !failed.has(parent));
  useLayoutEffect(() => {
    if (more !== undefined && levels.has(more)) void read(more);
  });

  const move = (to: number) => {
    const next = Math.max(0, Math.min(lines.length - 1, to));
    setAt(next);
    virtualizer.scrollToIndex(next, { align: "auto" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const line = lines[at];
    const node = line?.node;
    if (!line) return;
    const isOpen = node ? open.has(node.id) : false;
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "PageDown") move(at + 12);
    else if (event.key === "PageUp") move(at - 12);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(lines.length - 1);
    else if (event.key === "ArrowRight" && node) isOpen ? move(at + 1) : toggle(node);
    else if (event.key === "ArrowLeft" && node) {
      if (isOpen) toggle(node);
      else if (line.depth > 0) move(lines.findLastIndex(({ depth }, index) => index < at && depth < line.depth));
    } else if (event.key === "Enter" || event.key === " ") node ? toggle(node) : again(line);
    else return;
    event.preventDefault();
  };

  if (!components.totalCount)
    return (
      <div className="card">
        <Empty icon={Boxes} title="No components yet">
          Add components with a template or an import.
        </Empty>
      </div>
    );
  return (
    <section className="card" aria-label="Components">
      <header>
        <span className="muted small">{count(asset.allComponents.totalCount)} components. Arrow keys open and close levels.</span>
        {open.size > 0 && (
          <button type="button" className="button small plain" onClick={() => setOpen(new Set())}>
            Close all
          </button>
        )}
      </header>
      <div className="tree-head small muted" aria-hidden>
        <span className="grow">Name</span>
        <span className="tree-type">Type</span>
        <span className="tree-serial">Serial number</span>
        <span className="tree-status">Status</span>
      </div>
      <div
        ref={scroller}
        className="tree"
        role="tree"
        aria-label={`Components of ${asset.name}`}
        tabIndex={0}
        aria-activedescendant={lines[at] ? `line-${lines[at].id}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
          {items.map(({ index, start, key }) => {
            const line = lines[index]!;
            const { node, depth, size, place } = line;
            const style = {
              transform: `translateY(${start}px)`,
              height: lineHeight,
              paddingLeft: `calc(14px + ${Math.min(depth, deepest)} * var(--indent))`,
            };
            const children = node?.children.totalCount ?? 0;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keyboard
              <div
                key={key}
                id={`line-${line.id}`}
                role="treeitem"
                tabIndex={-1}
                aria-level={depth + 1}
                aria-setsize={size}
                aria-posinset={place}
                aria-expanded={children ? open.has(node!.id) : undefined}
                aria-selected={index === at}
                className="tree-line"
                style={style}
                onClick={() => {
                  setAt(index);
                  if (node) toggle(node);
                  else again(line);
                }}
              >
                {node ? (
                  <>
                    <ChevronRight className={`icon turn${children ? "" : " none"}${open.has(node.id) ? " is-open" : ""}`} aria-hidden />
                    <span className="grow clip">
                      <span className="title">{node.name}</span>
                      {children > 0 && <span className="muted small num"> {count(children)}</span>}
                    </span>
                    <span className="tree-type muted small clip">{wordOf(node.type)}</span>
                    <span className="tree-serial muted small mono clip">{node.serialNumber}</span>
                    <span className="tree-status">
                      <Status value={node.status} />
                    </span>
                  </>
                ) : (
                  <span className="muted">
                    {failed.has(line.moreOf ?? top) ? "Not loaded. Select this line to try again" : "Loading …"}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function without(set: Set<string>, value: string): Set<string> {
  const next = new Set(set);
  next.delete(value);
  return next;
}

/** The open lines, from top to bottom. Unloaded lines keep their place, so that nothing moves when they load. */
function linesOf(levels: Map<string, Level>, open: Set<string>): Line[] {
  const lines: Line[] = [];
  const add = (parent: string, depth: number, expected: number) => {
    const level = levels.get(parent);
    const nodes = level?.nodes ?? [];
    const size = level && !level.hasNextPage ? nodes.length : Math.max(level?.totalCount ?? expected, nodes.length + 1);
    nodes.forEach((node, index) => {
      lines.push({ id: node.id, depth, node, size, place: index + 1 });
      if (open.has(node.id)) add(node.id, depth + 1, node.children.totalCount);
    });
    for (let place = nodes.length + 1; place <= size; place++) lines.push({ id: `${parent}-${place}`, depth, moreOf: parent, size, place });
  };
  add(top, 0, 1);
  return lines;
}
