/** Search over all record types, and commands. Arrow keys select, Enter opens. */
import { t } from "@lingui/core/macro";
import { type NavigateOptions, useNavigate, useRouter } from "@tanstack/react-router";
import { Bell, Boxes, ClipboardList, Factory, type LucideIcon, Package, ScanQrCode, SearchX } from "lucide-react";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useId, useState } from "react";
import { useQuery } from "urql";
import { Find, type FindQuery, type FindQueryVariables } from "../generated/finder.js";
import { Dialog } from "../parts/dialog.js";
import { useSettled } from "../parts/hooks.js";
import { recordOn } from "../parts/scanned.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { day, wordOf } from "../parts/words.js";
import { useSession } from "../session/session.js";
import { type Command, commandsFor } from "./commands.js";

const Scan = lazy(async () => ({ default: (await import("../parts/scan.js")).Scan }));

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
    return { to: "/asset/$id", params: { id: node.assetId }, search: { tab: "components", component: id } };
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

/** Options of the finder: commands that match the text, then records. */
type Choice = { id: string; command: Command } | { id: string; found: Found };

export function Finder({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  /** A command that acts on a record, which is chosen next. */
  const [acting, setActing] = useState<Command>();
  const [isEntered, setEntered] = useState(false);
  const [isScanning, setScanning] = useState(false);
  const typed = text.trim();
  const settled = useSettled(typed, 150);
  const navigate = useNavigate();
  const { history } = useRouter();
  const { can } = useSession();
  const listId = useId();
  const recordTypes: FindQueryVariables["recordTypes"] = acting?.on
    ? [acting.on]
    : ["ASSET", "COMPONENT", "WORK_ORDER", "NOTIFICATION", "PART"];
  const [{ data, fetching, error, operation }] = useQuery({
    query: Find,
    variables: { text: settled, recordTypes },
    pause: settled.length < 2,
  });
  const results = (settled.length > 1 && data?.search) || [];
  // While a request runs, `data` belongs to the previous text, and Enter would open another record.
  const isCurrent = settled === typed && !fetching && operation?.variables.text === typed;
  const commands = acting ? [] : commandsFor(typed, can);
  const choices: Choice[] = [
    ...commands.map((command) => ({ id: command.label, command })),
    ...results.map((found) => ({ id: found.node.id, found })),
  ];
  const chosen = choices[at];

  const open = (choice: Choice) => {
    if ("command" in choice && choice.command.on) {
      setActing(choice.command);
      setText("");
      setAt(0);
      return;
    }
    onClose();
    if ("command" in choice) void navigate(choice.command.to);
    else if (acting) void navigate({ ...acting.to, params: { id: choice.found.node.id } } as NavigateOptions);
    else void navigate(addressOf(choice.found));
  };
  const enter = useEffectEvent(() => {
    setEntered(false);
    if (chosen) open(chosen);
  });
  // A command is known at once. A record opens when the results of the typed text have arrived.
  const isReady = isCurrent || (!!chosen && "command" in chosen);
  useEffect(() => {
    if (isEntered && isReady) enter();
  }, [isEntered, isReady]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt((was) => Math.min(choices.length - 1, was + 1));
    else if (event.key === "ArrowUp") setAt((was) => Math.max(0, was - 1));
    else if (event.key === "Enter") setEntered(typed.length > 1 || !!chosen);
    else return;
    event.preventDefault();
  };
  const label = !acting ? t`Find` : acting.on === "PART" ? t`${acting.label}: find the part` : t`${acting.label}: find the component`;
  const placeholder = { PART: t`Part name or number …`, COMPONENT: t`Name or serial number …` };

  const scanned = (code: string) => {
    setScanning(false);
    const record = recordOn(code);
    if (!record) {
      setText(code.slice(0, 200));
      setAt(0);
      return;
    }
    onClose();
    history.push(`/console${record.path}`);
  };
  if (isScanning)
    return (
      <Suspense>
        <Scan onCode={scanned} onClose={() => setScanning(false)} />
      </Suspense>
    );

  return (
    <Dialog title={label} bare onClose={onClose}>
      <div className="finder-head">
        <input
          className="finder"
          autoFocus
          placeholder={acting?.on ? placeholder[acting.on] : t`Name, number or command …`}
          aria-label={label}
          role="combobox"
          aria-expanded={choices.length > 0}
          aria-controls={listId}
          aria-activedescendant={chosen ? `${listId}-${at}` : undefined}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          className="button plain icon-only"
          aria-label={t`Scan a label`}
          title={t`Scan a label`}
          onClick={() => setScanning(true)}
        >
          <ScanQrCode className="icon" aria-hidden />
        </button>
      </div>
      <div id={listId} role="listbox" aria-label={t`Found`} className="found" aria-busy={typed.length > 1 && !isCurrent}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard
          <div
            key={choice.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => open(choice)}
            onMouseMove={() => setAt(index)}
          >
            {"command" in choice ? <CommandOption command={choice.command} /> : <FoundOption found={choice.found} />}
          </div>
        ))}
      </div>
      {settled.length > 1 && fetching && !choices.length && (
        <div className="dialog-body">
          <Loading lines={3} />
        </div>
      )}
      {error && !choices.length && <Failed error={error} />}
      {settled.length > 1 && isCurrent && !error && !choices.length && (
        <Empty icon={SearchX} title={t`Nothing found`}>
          {t`Try fewer or shorter words.`}
        </Empty>
      )}
    </Dialog>
  );
}

const CommandOption = ({ command: { icon: Icon, label } }: { command: Command }) => (
  <>
    <Icon className="icon" aria-hidden />
    <span className="grow title clip">{label}</span>
    <span className="muted small nowrap">{t`Command`}</span>
  </>
);

/** Details that distinguish records with the same title: asset and place, or asset, status and date. */
function detailsOf({ node, site }: Found): (string | null | undefined)[] {
  if ("scheduledDate" in node) return [node.asset?.name, wordOf(node.status), day(node.scheduledDate, site)];
  if ("alertStatus" in node) return [node.asset?.name, wordOf(node.alertStatus), day(node.createdAt, site)];
  if ("assetId" in node) return [node.asset?.name, node.asset?.area];
  return "area" in node ? [node.area] : [];
}

function FoundOption({ found }: { found: Found }) {
  const Icon = icons[found.recordType] ?? Factory;
  const highlight = found.highlights.find(({ text }) => text !== found.title);
  const details = detailsOf(found).filter(Boolean).join(" · ");
  return (
    <>
      <Icon className="icon" aria-hidden />
      <span className="grow">
        <span className="title clip">{found.title}</span>
        {details && <span className="muted small clip">{details}</span>}
        {highlight && <span className="muted small clip">{marked(highlight.text, highlight.matches)}</span>}
      </span>
      <span className="muted small nowrap">{[wordOf(found.recordType), found.site].filter(Boolean).join(" · ")}</span>
    </>
  );
}
