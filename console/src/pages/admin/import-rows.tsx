/** Rows of an import with their outcomes, old and new values, and problems. Only visible rows are rendered. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { ButtonGroup } from "../../parts/button-group.js";
import { count } from "../../parts/words.js";
import type { Change, Outcome, Problem, Row } from "./import-file.js";

const words = { created: t`New`, updated: t`Changed`, unchanged: t`Unchanged`, failed: t`Wrong` } as const;
const classes = { created: "good", updated: "info", unchanged: "", failed: "bad" } as const;
const kinds = Object.keys(words) as (keyof typeof words)[];
/** As in admin.css. Rows are not measured, because a correction of their heights would end a scroll by keyboard. */
const rowHeight = 62;

function byRow(errors: Problem[]): Map<number, Problem[]> {
  const found = new Map<number, Problem[]>();
  for (const error of errors) found.set(error.row, [...(found.get(error.row) ?? []), error]);
  return found;
}

interface Props {
  outcome: Outcome;
  /** Columns of the file: its header, and the mapped column. */
  header: string[];
  columns: string[];
  isDone: boolean;
  sheet: string;
}

export function ImportRows({ outcome, header, columns, isDone, sheet }: Props) {
  const [kind, setKind] = useState<keyof typeof words>();
  const scroller = useRef<HTMLDivElement>(null);
  const problems = useMemo(() => byRow(outcome.errors), [outcome]);
  const rows = useMemo(() => (kind ? outcome.rows.filter((row) => row.outcome === kind) : outcome.rows), [outcome, kind]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    getItemKey: (index) => rows[index]!.row,
  });
  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const total = kinds.reduce((sum, one) => sum + outcome[one], 0);
  const choose = (chosen: typeof kind) => {
    setKind(chosen);
    scroller.current?.scrollTo({ top: 0 });
  };
  return (
    <>
      <div className="body">
        <ButtonGroup className="chips" aria-label={t`Rows shown`}>
          <button type="button" className="chip" aria-pressed={!kind} onClick={() => choose(undefined)}>
            {t`All ${count(total)}`}
          </button>
          {kinds.map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={kind === one}
              disabled={!outcome[one]}
              onClick={() => choose(one)}
            >
              {`${words[one]} ${count(outcome[one])}`}
            </button>
          ))}
        </ButtonGroup>
        {outcome.rows.length < total && (
          <p className="muted small">{t`The first ${count(outcome.rows.length)} rows are listed. The counts are of all rows.`}</p>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard */}
      <section ref={scroller} className="table-wrap import-rows" aria-label={t`Rows of the file`} tabIndex={0}>
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th className="right">{t`Row`}</th>
              <th>{t`Outcome`}</th>
              {header.map((name, at) => (
                <th key={at}>
                  {name || t`Column ${at + 1}`}
                  {!columns[at] && <span className="muted"> {t`(not imported)`}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Gap height={above} />}
            {items.map(({ index, key }) => (
              <tr key={key} aria-rowindex={index + 2}>
                <Cells
                  row={rows[index]!}
                  problems={problems.get(rows[index]!.row) ?? []}
                  header={header}
                  columns={columns}
                  sheet={isDone ? sheet : ""}
                />
              </tr>
            ))}
            {below > 0 && <Gap height={below} />}
          </tbody>
        </table>
      </section>
    </>
  );
}

const Gap = ({ height }: { height: number }) => (
  <tr aria-hidden>
    <td className="gap" style={{ height }} />
  </tr>
);

interface CellsProps {
  row: Row;
  problems: Problem[];
  header: string[];
  columns: string[];
  /** The sheet whose records can be opened. Blank in a preview. */
  sheet: string;
}

function Cells({ row, problems, header, columns, sheet }: CellsProps) {
  const columnOf = (name: string | undefined) => {
    const at = columns.findIndex((column, i) => !!column && (column === name || header[i] === name));
    return at < row.cells.length ? at : -1;
  };
  const isElsewhere = ({ column }: Change) => columnOf(column) < 0;
  return (
    <>
      <td className="right">{row.row}</td>
      <td>
        <span className={`status ${classes[row.outcome]}`}>{words[row.outcome]}</span> <RecordLink sheet={sheet} id={row.id} />
        {problems
          .filter(({ field }) => columnOf(field) < 0)
          .map(({ field, message }) => (
            <span key={message} className="wrong">
              {field ? `${field} ${message}` : t`The row ${message}`}
            </span>
          ))}
        {row.changes.filter(isElsewhere).map((change) => (
          <span key={change.column} className="small">
            {change.column}: <Changed change={change} />
          </span>
        ))}
      </td>
      {header.map((_, at) => {
        const change = columns[at] ? row.changes.find(({ column }) => column === columns[at]) : undefined;
        const wrong = problems.filter(({ field }) => columnOf(field) === at);
        return (
          <td key={at} className={columns[at] ? "" : "muted"}>
            {change ? <Changed change={change} /> : (row.cells[at] ?? "")}
            {wrong.map(({ message }) => (
              <span key={message} className="wrong">
                {message}
              </span>
            ))}
          </td>
        );
      })}
    </>
  );
}

const Changed = ({ change: { before, after } }: { change: Change }) => (
  <>
    {before && <del>{before}</del>}
    {before && " → "}
    <ins>{after || t`blank`}</ins>
  </>
);

/** Pages of records. Components, procedures and readings have none of their own. */
const pages: { [sheet: string]: "/asset/$id" | "/stock/$id" | "/work/$id" | undefined } = {
  assets: "/asset/$id",
  parts: "/stock/$id",
  stock: "/stock/$id",
  "work-orders": "/work/$id",
};

function RecordLink({ sheet, id }: { sheet: string; id?: string }) {
  if (!id) return null;
  const to = pages[sheet];
  if (!to) return null;
  return (
    <Link to={to} params={{ id }}>
      {t({ context: "link", message: "Open" })}
    </Link>
  );
}
