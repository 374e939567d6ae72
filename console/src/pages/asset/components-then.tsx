/** The component tree, present or as of a time of the site. A former tree is read-only and marks what became of its components since. */
import { plural, t } from "@lingui/core/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight, History } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import { TextField } from "../../parts/field.js";
import { useSite } from "../../parts/site.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { count, moment, withDates, wordOf } from "../../parts/words.js";
import { instantAt, localAt } from "../../parts/zones.js";
import { Components } from "./components.js";
import { type FormerTree, formerLines, readFormerTree, type Since } from "./former-tree.js";
import type { Asset } from "./types.js";

const lineHeight = 40;
/** Maximum indentation depth. */
const deepest = 10;

interface ComponentsThenProps {
  asset: Asset;
  component?: string;
  onReload: () => void;
}

export function ComponentsThen({ asset, component, onReload }: ComponentsThenProps) {
  const site = useSite();
  const client = useClient();
  const [text, setText] = useState("");
  const [read, setRead] = useState<{ at: string; tree?: FormerTree; error?: CombinedError }>();
  const [attempt, setAttempt] = useState(0);
  const [day = "", time = ""] = text.split("T");
  const at = text ? instantAt(day, time, site).toISOString() : undefined;
  useEffect(() => {
    setRead(undefined);
    if (!at) return;
    let isCurrent = true;
    void readFormerTree(client, asset.id, at).then((found) => isCurrent && setRead({ at, ...found }));
    return () => {
      isCurrent = false;
    };
  }, [client, asset.id, at, attempt]);
  // The refused argument is nested, so it is not among the fields of a form.
  const wrong = read?.error?.graphQLErrors.map(({ extensions }) => (extensions?.details as { at?: string } | undefined)?.at).find(Boolean);
  return (
    <>
      <div className="row wrap as-of">
        <TextField
          label={t`As of (default: now)`}
          type="datetime-local"
          value={text}
          max={localAt(Date.now(), site).join("T").slice(0, 16)}
          wrong={withDates(wrong, site)}
          onChange={(event) => setText(event.target.value)}
        />
        {text && (
          <button type="button" className="button" onClick={() => setText("")}>
            {t`Show the present tree`}
          </button>
        )}
      </div>
      {!at && <Components asset={asset} component={component} onReload={onReload} />}
      {at && !read && <LoadingCard />}
      {read?.error && !wrong && <Failed error={read.error} onRetry={() => setAttempt(attempt + 1)} />}
      {read?.tree && <Former key={read.at} asset={asset} tree={read.tree} at={read.at} />}
    </>
  );
}

const sinceText = (since: Since): string => {
  if (since === "gone") return t`No longer here`;
  return since === "moved" ? t`Moved since` : t`Changed since`;
};

function Former({ asset, tree, at }: { asset: Asset; tree: FormerTree; at: string }) {
  const site = useSite();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => formerLines(tree, open), [tree, open]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 12,
    getItemKey: (index) => lines[index]!.node.componentId,
  });
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const when = moment(at, site);
  if (!tree.size)
    return (
      <div className="card">
        <Empty icon={History} title={t`No components`}>
          {t`The asset had no components as of ${when}.`}
        </Empty>
      </div>
    );
  return (
    <section className="card" aria-label={t`Components as of ${when}`}>
      <header className="wrap">
        <span className="muted small">
          {plural(tree.size, {
            one: `# component as of ${when}. This tree is read-only.`,
            other: `# components as of ${when}. This tree is read-only.`,
          })}
        </span>
      </header>
      <div className="tree-head small muted" aria-hidden>
        <span className="grow">{t`Name`}</span>
        <span className="tree-type">{t`Type`}</span>
        <span className="tree-serial">{t`Serial number`}</span>
        <span className="tree-status">{t`Status`}</span>
      </div>
      <div ref={scroller} className="tree">
        <ul style={{ height: virtualizer.getTotalSize(), position: "relative" }} aria-label={t`Components of ${asset.name}`}>
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const { node, depth, children } = lines[index]!;
            const since = tree.since.get(node.componentId);
            const style = {
              transform: `translateY(${start}px)`,
              height: lineHeight,
              paddingLeft: `calc(14px + ${Math.min(depth, deepest)} * var(--indent))`,
            };
            return (
              <li key={key} className="tree-line former" style={style}>
                <button
                  type="button"
                  className="row grow"
                  disabled={!children}
                  aria-expanded={children ? open.has(node.componentId) : undefined}
                  onClick={() => toggle(node.componentId)}
                >
                  <ChevronRight
                    className={`icon turn${children ? "" : " none"}${open.has(node.componentId) ? " is-open" : ""}`}
                    aria-hidden
                  />
                  <span className="grow clip">
                    <span className="title">{node.name}</span>
                    {children > 0 && <span className="muted small num"> {count(children)}</span>}
                    {since && <span className="since small"> {sinceText(since)}</span>}
                  </span>
                </button>
                <span className="tree-type muted small clip">{wordOf(node.type)}</span>
                <span className="tree-serial muted small mono clip">{node.serialNumber}</span>
                <span className="tree-status">
                  <Status value={node.status} />
                </span>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
