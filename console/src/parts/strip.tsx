/** A time strip of the states of a record. */
import { Status, toneOf } from "./status.js";
import { day, moment, month, percent, wordOf } from "./words.js";
import { dayAt, instantAt, monthStart } from "./zones.js";

export interface Span {
  from: Date;
  until: Date;
  state: string;
}

interface Change {
  fromStatus: string | null;
  toStatus: string;
  changedAt: string;
}

interface Downtime {
  planned: boolean;
  startedAt: string;
  endedAt: string | null;
}

/**
 * The spans of a period, computed from status changes (newest first) and downtimes. As in the reliability figures, an asset counts as
 * operating from its installation to its first recorded status. If older changes are missing, the time before the first of them stays open.
 */
export function spansOf(
  changes: Change[],
  isComplete: boolean,
  now: string,
  downtimes: Downtime[],
  installed: string | null,
  from: Date,
  until: Date,
): Span[] {
  const spans: Span[] = [];
  const begin = installed && new Date(installed) > from ? new Date(installed) : from;
  let end = until;
  let state: string | null = now;
  for (const { fromStatus, toStatus, changedAt } of changes) {
    const at = new Date(changedAt);
    if (at < end) spans.push({ from: at < from ? from : at, until: end, state: toStatus });
    end = at;
    state = fromStatus ?? "OPERATIONAL";
    if (at < from) break;
  }
  if (isComplete && end > begin) spans.push({ from: begin, until: end, state: state ?? now });
  const down = downtimes
    .map(({ planned, startedAt, endedAt }) => ({
      from: new Date(Math.max(+new Date(startedAt), +from)),
      until: new Date(Math.min(endedAt ? +new Date(endedAt) : +until, +until)),
      state: planned ? "MAINTENANCE" : "OFFLINE",
    }))
    .filter((span) => span.until > span.from);
  return [...spans.reverse(), ...down];
}

/** The share of each state. Where spans overlap, the last span counts. */
function sharesOf(spans: Span[], length: number): [string, number][] {
  const shares = new Map<string, number>();
  const edges = [...new Set(spans.flatMap((span) => [+span.from, +span.until]))].sort((a, b) => a - b);
  for (const [index, edge] of edges.slice(0, -1).entries()) {
    const on = spans.findLast((span) => +span.from <= edge && +span.until > edge);
    if (on) shares.set(on.state, (shares.get(on.state) ?? 0) + ((edges[index + 1]! - edge) / length) * 100);
  }
  return [...shares].sort(([, a], [, b]) => b - a);
}

/** Minimum width of a drawn span, in thousandths. */
const least = 3;

interface Props {
  spans: Span[];
  from: Date;
  until: Date;
  site: string;
  label: string;
}

/** The months below a strip. */
export function TimeAxis({ from, until, site }: { from: Date; until: Date; site?: string }) {
  const months: Date[] = [];
  const firstDay = dayAt(from, site);
  for (let later = 1, date = from; ; later++) {
    date = instantAt(monthStart(firstDay, later), "00:00", site);
    if (date >= until) break;
    months.push(date);
  }
  const every = Math.ceil(months.length / 6);
  return (
    <div className="axis" aria-hidden>
      {months
        .filter((_, index) => index % every === 0)
        .map((date) => (
          <span key={date.getTime()} style={{ left: `${((+date - +from) / (+until - +from)) * 100}%` }}>
            {month(date, site)}
          </span>
        ))}
    </div>
  );
}

export function Strip({ spans, from, until, site, label }: Props) {
  const length = until.getTime() - from.getTime();
  const at = (date: Date) => ((date.getTime() - from.getTime()) / length) * 1000;
  const sorted = sharesOf(spans, length);
  return (
    <figure className="strip">
      <svg
        viewBox="0 0 1000 34"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${sorted.map(([state, share]) => `${wordOf(state)} ${percent(share)}`).join(", ")}`}
      >
        {spans.map(({ from: start, until: end, state }, index) => (
          <rect
            key={`${start.getTime()} ${index}`}
            className={`span ${toneOf(state)}${state === "OPERATIONAL" ? " usual" : ""}`}
            x={at(start)}
            width={Math.max(least, at(end) - at(start))}
            height={34}
          >
            <title>{`${wordOf(state)}: ${moment(start, site)} – ${moment(end, site)}`}</title>
          </rect>
        ))}
      </svg>
      <TimeAxis from={from} until={until} site={site} />
      <figcaption className="row wrap small">
        {sorted.map(([state, share]) => (
          <span key={state} className="row" style={{ gap: 5 }}>
            <Status value={state} /> <span className="muted num">{percent(share)}</span>
          </span>
        ))}
        <span className="muted" style={{ marginLeft: "auto" }}>
          {day(from, site)} – {day(until, site)}
        </span>
      </figcaption>
    </figure>
  );
}
