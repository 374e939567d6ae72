/** Reliability figures, and the orders and downtimes behind them. */
import { Link } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { Bars } from "../../parts/bars.js";
import { Empty } from "../../parts/states.js";
import { day, figure, hours, moment, percent, wordOf } from "../../parts/words.js";
import type { Asset } from "./types.js";

const bases: Record<string, string> = {
  STATUS: "Operating time is the time in status Operational.",
  RUN_HOURS: "Operating time is taken from the run-hour meter.",
  MIXED: "Operating time is taken from the run-hour meter if there is one, otherwise from the status.",
};
const shortMonth = new Intl.DateTimeFormat(undefined, { month: "short" });

export function Reliability({ asset: { reliability } }: { asset: Asset }) {
  const { evidence, causes, trend } = reliability;
  const figures = [
    [percent(reliability.availability), "Availability"],
    [figure(reliability.failures), "Failures"],
    [hours(reliability.mtbf), "Mean time between failures"],
    [hours(reliability.mttr), "Mean time to repair"],
    [hours(reliability.downtime), "Downtime"],
  ];
  return (
    <div className="stack">
      <div className="figures">
        {figures.map(([value, label]) => (
          <div key={label} className="figure">
            <span className="value">{value}</span>
            <span className="label">{label}</span>
          </div>
        ))}
      </div>
      <p className="muted small">
        {day(reliability.from)} – {day(reliability.to)}. {bases[reliability.basis]}
      </p>
      <div className="grid-2">
        <section className="card" aria-labelledby="by-month">
          <header>
            <h2 id="by-month">Downtime by month</h2>
            <span className="muted small">hours</span>
          </header>
          <div className="body">
            <Bars
              label="Downtime by month, hours"
              tone="warn"
              bars={trend.map(({ month, downtime }) => ({
                label: shortMonth.format(new Date(month)),
                value: downtime,
                title: `${day(month)}: ${hours(downtime)}`,
              }))}
              format={hours}
            />
          </div>
        </section>
        <section className="card" aria-labelledby="by-cause">
          <header>
            <h2 id="by-cause">Downtime by cause</h2>
          </header>
          <div className="body">
            {causes.length ? (
              <ul className="stack tight">
                {causes.map(({ cause, hours: length, share, downtimes }) => (
                  <li key={cause} className="share">
                    <span className="row spread">
                      <span>
                        {wordOf(cause)} <span className="muted small">{downtimes}×</span>
                      </span>
                      <span className="num">{hours(length)}</span>
                    </span>
                    <span className="track">
                      <span style={{ width: `${Math.max(1, share ?? 0)}%` }} />
                    </span>
                  </li>
                ))}
              </ul>
            ) : (
              <p className="muted">No downtime in this period.</p>
            )}
          </div>
        </section>
      </div>
      <section className="card" aria-labelledby="evidence">
        <header>
          <h2 id="evidence">Evidence</h2>
          <span className="muted small">Records that count as failures</span>
        </header>
        {evidence.downtimes.length || evidence.workOrders.length ? (
          <div className="body flush">
            <ul className="list">
              {evidence.workOrders.map(({ id, title, completedAt, failureMode }) => (
                <li key={id} className="clickable">
                  <Link className="title grow clip" to="/work/$id" params={{ id }}>
                    {title}
                  </Link>
                  {failureMode && <span className="muted small">{wordOf(failureMode)}</span>}
                  <span className="muted small nowrap">{day(completedAt)}</span>
                </li>
              ))}
              {evidence.downtimes.map(({ id, cause, startedAt, endedAt, description }) => (
                <li key={id}>
                  <span className="grow clip">
                    <span className="strong">{wordOf(cause)}</span> {description && <span className="muted">{description}</span>}
                  </span>
                  <span className="muted small nowrap">
                    {moment(startedAt)} – {endedAt ? moment(endedAt) : "now"}
                  </span>
                </li>
              ))}
            </ul>
          </div>
        ) : (
          <Empty icon={ShieldCheck} title="No failures in this period" />
        )}
      </section>
    </div>
  );
}
