/** Component tree. Only visible lines are rendered. Lines are moved by dragging, or with the buttons above. */
import { t } from "@lingui/core/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Boxes, ChevronRight } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { MoveComponent } from "../../generated/component-edit.js";
import { useChange } from "../../parts/change.js";
import { Empty } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, wordOf } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { ComponentActions } from "./component-actions.js";
import { type Line, linesOf, type Node, top, useTree } from "./tree.js";
import type { Asset } from "./types.js";

const lineHeight = 40;
/** Maximum indentation depth. */
const deepest = 10;

interface ComponentsProps {
  asset: Asset;
  /** Chosen at first, with the levels above it open. */
  component?: string;
  onReload: () => void;
}

export function Components({ asset, component, onReload }: ComponentsProps) {
  const { can } = useSession();
  const { levels, open, busy, failed, isReloading, read, reload, toggle, expand, reveal, closeAll, retry } = useTree(asset);
  const move = useChange(MoveComponent);
  // The place is used when the chosen line is gone.
  const [chosen, setChosen] = useState<{ id?: string; place: number }>({ id: component, place: 0 });
  const [dragged, setDragged] = useState<Node>();
  /** The component under the pointer, or the top of the tree. */
  const [target, setTarget] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);

  const lines = useMemo(() => linesOf(levels, open), [levels, open]);
  const found = lines.findIndex(({ id }) => id === chosen.id);
  const at = found < 0 ? Math.min(chosen.place, lines.length - 1) : found;
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 12,
    getItemKey: (index) => lines[index]!.id,
  });
  useEffect(() => {
    if (component) void reveal(component);
  }, [component]);
  const isRevealed = found >= 0;
  useEffect(() => {
    if (component && isRevealed) virtualizer.scrollToIndex(found, { align: "center" });
  }, [component, isRevealed]);
  const latest = useRef(reload);
  latest.current = reload;
  useLiveData(
    ["COMPONENT"],
    useCallback(() => void latest.current(), []),
  );

  const again = ({ moreOf }: Line) => {
    if (moreOf !== undefined) retry(moreOf);
  };
  const items = virtualizer.getVirtualItems();
  // Reaching the end of a level loads its next page.
  const more = items
    .map(({ index }) => lines[index]?.moreOf)
    .find((parent) => parent !== undefined && !busy.has(parent) && !failed.has(parent));
  useLayoutEffect(() => {
    if (more !== undefined) void read(more);
  });

  const choose = (to: number) => {
    const next = Math.max(0, Math.min(lines.length - 1, to));
    setChosen({ id: lines[next]?.id, place: next });
    virtualizer.scrollToIndex(next, { align: "auto" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const line = lines[at];
    const node = line?.node;
    if (!line) return;
    const isOpen = node ? open.has(node.id) : false;
    if (event.key === "ArrowDown") choose(at + 1);
    else if (event.key === "ArrowUp") choose(at - 1);
    else if (event.key === "PageDown") choose(at + 12);
    else if (event.key === "PageUp") choose(at - 12);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(lines.length - 1);
    else if (event.key === "ArrowRight" && node) isOpen ? choose(at + 1) : toggle(node);
    else if (event.key === "ArrowLeft" && node) {
      if (isOpen) toggle(node);
      else if (line.depth > 0) choose(lines.findLastIndex(({ depth }, index) => index < at && depth < line.depth));
    } else if (event.key === "Enter" || event.key === " ") node ? toggle(node) : again(line);
    else return;
    event.preventDefault();
  };

  /** Shows the tree after a change. `inside` is a component whose children changed. */
  const onChanged = async (inside?: string) => {
    onReload();
    await reload();
    if (inside) expand(inside);
  };
  const drop = async (into: Node | undefined) => {
    const node = dragged;
    setDragged(undefined);
    setTarget(undefined);
    if (!node || node.id === into?.id) return;
    const variables = { id: node.id, newParentId: into?.id ?? null, expectedVersion: node.version };
    setChosen({ id: node.id, place: at });
    if (await move.run(variables, t`${node.name} moved to ${into?.name ?? t`the top level`}`)) await onChanged(into?.id);
    else await onChanged();
  };
  /** Handlers of a place where a dragged component can be dropped. */
  const droppable = (into: Node | undefined) =>
    dragged && {
      onDragOver: (event: DragEvent) => {
        event.preventDefault();
        setTarget(into?.id ?? top);
      },
      onDragLeave: () => setTarget(undefined),
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        void drop(into);
      },
    };

  const actions = <ComponentActions asset={asset} line={lines[at]} onChanged={onChanged} />;
  if (!lines.length)
    return (
      <div className="card">
        <Empty icon={Boxes} title={t`No components yet`} action={actions}>
          {t`Add them one by one, with a template or an import.`}
        </Empty>
      </div>
    );
  return (
    <section className="card" aria-label={t`Components`} aria-busy={isReloading}>
      <header className="wrap">
        <span className="muted small">{t`${count(asset.allComponents.totalCount)} components. Arrow keys open and close levels.`}</span>
        {open.size > 0 && (
          <button type="button" className="button small plain" onClick={closeAll}>
            {t`Close all`}
          </button>
        )}
      </header>
      {actions}
      <div className={`tree-head small muted${target === top ? " is-target" : ""}`} aria-hidden {...droppable(undefined)}>
        <span className="grow">{dragged ? t`Drop here for the top level` : t`Name`}</span>
        <span className="tree-type">{t`Type`}</span>
        <span className="tree-serial">{t`Serial number`}</span>
        <span className="tree-status">{t`Status`}</span>
      </div>
      <div
        ref={scroller}
        className="tree acts"
        role="tree"
        aria-label={t`Components of ${asset.name}`}
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
                className={`tree-line${node && target === node.id && dragged?.id !== node.id ? " is-target" : ""}`}
                style={style}
                draggable={!!node && can("moveComponent")}
                onDragStart={(event) => {
                  event.dataTransfer.setData("text/plain", node!.name);
                  event.dataTransfer.effectAllowed = "move";
                  setDragged(node);
                }}
                onDragEnd={() => {
                  setDragged(undefined);
                  setTarget(undefined);
                }}
                {...(node && droppable(node))}
                onClick={() => {
                  setChosen({ id: line.id, place: index });
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
                    {failed.has(line.moreOf ?? top) ? t`Not loaded. Select this line to try again` : t`Loading …`}
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
