/** A report as a card, with its definition and as CSV. */
import { t } from "@lingui/core/macro";
import { ChartColumn, Download } from "lucide-react";
import type { ReactNode } from "react";
import { saveCsv } from "../../parts/csv.js";
import { Explanation } from "../../parts/explanation.js";
import { Empty } from "../../parts/states.js";

type Cell = string | number | null | undefined;

interface Props {
  title: string;
  explanation?: string;
  rows: Cell[][];
  isEmpty: boolean;
  empty?: string;
  children: ReactNode;
}

export function Report({ title, explanation, rows, isEmpty, empty = t`Nothing in this period`, children }: Props) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {!isEmpty && (
          <button
            type="button"
            className="button small plain"
            aria-label={t`${title} as CSV`}
            onClick={() => saveCsv(title.toLowerCase().replaceAll(" ", "-"), rows)}
          >
            <Download className="icon" aria-hidden />
            {t`CSV`}
          </button>
        )}
      </header>
      <div className="body stack">
        {isEmpty ? <Empty icon={ChartColumn} title={empty} /> : children}
        {explanation && <Explanation of={title} text={explanation} />}
      </div>
    </section>
  );
}

interface Share {
  id: string;
  label: string;
  value: number;
  shown: string;
}

/** Rows with bars. With `onOpen`, each row opens its records. */
export function Shares({ rows, whole, onOpen }: { rows: Share[]; whole: number; onOpen?: (id: string) => void }) {
  return (
    <ul className="stack tight">
      {rows.map(({ id, label, value, shown }) => (
        <li key={`${id} ${label}`} className="share">
          <span className="row spread">
            {onOpen ? (
              <button type="button" className="opens" aria-haspopup="dialog" onClick={() => onOpen(id)}>
                {label}
              </button>
            ) : (
              <span>{label}</span>
            )}
            <span className="num muted">{shown}</span>
          </span>
          <span className="track plain">
            <span style={{ width: `${Math.min(100, (value / (whole || 1)) * 100)}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
