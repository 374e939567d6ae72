/** Search over all record types. Arrow keys select, Enter opens. */
import { type NavigateOptions, useNavigate } from "@tanstack/react-router";
import { Bell, Boxes, ClipboardList, Factory, type LucideIcon, Package, SearchX } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { useQuery } from "urql";
import { Find, type FindQuery } from "../generated/finder.js";
import { Dialog } from "../parts/dialog.js";
import { useSettled } from "../parts/hooks.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { wordOf } from "../parts/words.js";

type Found = NonNullable<FindQuery["search"]>[number];

const icons: Record<string, LucideIcon> = {
  ASSET: Factory,
  COMPONENT: Boxes,
  WORK_ORDER: ClipboardList,
  NOTIFICATION: Bell,
  PART: Package,
};

function addressOf({ recordType, node }: Found): NavigateOptions {
  const { id } = node;
  if (recordType === "COMPONENT" && "assetId" in node && node.assetId)
    return { to: "/asset/$id", params: { id: node.assetId }, search: { tab: "components" } };
  if (recordType === "WORK_ORDER") return { to: "/work/$id", params: { id } };
  if (recordType === "NOTIFICATION") return { to: "/alerts", search: { id } };
  if (recordType === "PART") return { to: "/stock/$id", params: { id } };
  return { to: "/asset/$id", params: { id } };
}

/** The text with its matches in bold. */
function marked(text: string, matches: { start: number; length: number }[]): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, length } of matches) {
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, start + length)}</mark>);
    at = start + length;
  }
  return [...parts, text.slice(at)];
}

export function Finder({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const settled = useSettled(text.trim(), 150);
  const navigate = useNavigate();
  const listId = useId();
  const [{ data, fetching, error }] = useQuery({ query: Find, variables: { text: settled }, pause: settled.length < 2 });
  const results = (settled.length > 1 && data?.search) || [];

  const open = (found: Found) => {
    onClose();
    void navigate(addressOf(found));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt((was) => Math.min(results.length - 1, was + 1));
    else if (event.key === "ArrowUp") setAt((was) => Math.max(0, was - 1));
    else if (event.key === "Enter" && results[at]) open(results[at]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Find" bare onClose={onClose}>
      <input
        className="finder"
        autoFocus
        placeholder="Name, serial number, part number …"
        aria-label="Find"
        role="combobox"
        aria-expanded={results.length > 0}
        aria-controls={listId}
        aria-activedescendant={results[at] ? `${listId}-${at}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Found" className="found">
        {results.map((found, index) => {
          const Icon = icons[found.recordType] ?? Factory;
          const [highlight] = found.highlights;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard
            <div
              key={found.node.id}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => open(found)}
              onMouseMove={() => setAt(index)}
            >
              <Icon className="icon" aria-hidden />
              <span className="grow">
                <span className="title clip">{found.title}</span>
                {highlight && highlight.text !== found.title ? (
                  <span className="muted small clip">{marked(highlight.text, highlight.matches)}</span>
                ) : (
                  "asset" in found.node && found.node.asset && <span className="muted small clip">{found.node.asset.name}</span>
                )}
              </span>
              <span className="muted small nowrap">{[wordOf(found.recordType), found.site].filter(Boolean).join(" · ")}</span>
            </div>
          );
        })}
      </div>
      {settled.length > 1 && fetching && !results.length && (
        <div className="dialog-body">
          <Loading lines={3} />
        </div>
      )}
      {error && !results.length && <Failed error={error} />}
      {settled.length > 1 && !fetching && !error && !results.length && (
        <Empty icon={SearchX} title="Nothing found">
          Try fewer or shorter words.
        </Empty>
      )}
    </Dialog>
  );
}
