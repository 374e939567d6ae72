/** Reliability figures, and the orders and downtimes behind them. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { Columns } from "../../parts/columns.js";
import { Explanation, explanations } from "../../parts/explanation.js";
import { GapsChart } from "../../parts/gaps-chart.js";
import { Empty } from "../../parts/states.js";
import { day, dayWord, figure, hours, moment, percent, wordOf } from "../../parts/words.js";
import { Tiles } from "../reports/figures.js";
import { Rows } from "../reports/rows.js";
import type { Asset } from "./types.js";

const bases: Record<string, string> = {
  STATUS: t`Operating time is the time in status Operational.`,
  RUN_HOURS: t`Operating time is taken from the run-hour meter.`,
  MIXED: t`Operating time is taken from the run-hour meter if there is one, otherwise from the status.`,
};

const shown = ["availability", "failures", "gaps", "mtbf", "mttr"];

export function Reliability({ asset: { id, reliability, site } }: { asset: Asset }) {
  const { rows } = useSearch({ from: "/asset/$id" });
  const navigate = useNavigate({ from: "/asset/$id" });
  const open = (kind: string | undefined) =>
    void navigate({ search: (was) => ({ ...was, rows: kind }), resetScroll: false, replace: !kind });
  const { evidence, causes, trend, betweenFailures: between } = reliability;
  const columns = trend.map(({ month }) => ({
    id: `downtime:${month.slice(0, 10)}`,
    short: dayWord(month.slice(0, 7), { month: "short" }),
    name: dayWord(month.slice(0, 7), { month: "long", year: "numeric" }),
  }));
  return (
    <div className="stack">
      <Tiles only={shown} data={{ reliability }} onOpen={open} />
      <p className="muted small">{`${day(reliability.from, site)} – ${day(reliability.to, site)}. ${bases[reliability.basis]}`}</p>
      <div className="grid-2">
        <section className="card" aria-labelledby="by-month">
          <header>
            <h2 id="by-month">{t`Downtime by month`}</h2>
          </header>
          <div className="body">
            <Columns
              label={t`Downtime by month`}
              unit={t`Hours of downtime`}
              by={t`Month`}
              columns={columns}
              series={[{ label: t`Downtime`, tone: "warn", values: trend.map(({ downtime }) => downtime) }]}
              format={(value) => figure(value, "h")}
              onOpen={open}
            />
          </div>
        </section>
        <section className="card" aria-labelledby="availability-by-month">
          <header>
            <h2 id="availability-by-month">{t`Availability by month`}</h2>
          </header>
          <div className="body">
            <Columns
              label={t`Availability by month`}
              unit={t`% of required time`}
              by={t`Month`}
              columns={columns}
              series={[{ label: t`Availability`, tone: "good", values: trend.map(({ availability }) => availability) }]}
              format={percent}
              top={100}
              onOpen={open}
            />
          </div>
        </section>
      </div>
      <section className="card" aria-labelledby="between-failures">
        <header>
          <h2 id="between-failures">{t`Between failures`}</h2>
        </header>
        <div className="body stack">
          {between.count ? (
            <GapsChart between={between} onOpen={open} />
          ) : (
            <p className="muted">{t`The asset did not fail twice in this period.`}</p>
          )}
          <Explanation of={t`Between failures`} text={explanations.gaps} />
        </div>
      </section>
      <section className="card" aria-labelledby="by-cause">
        <header>
          <h2 id="by-cause">{t`Downtime by cause`}</h2>
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
            <p className="muted">{t`No downtime in this period.`}</p>
          )}
        </div>
      </section>
      <section className="card" aria-labelledby="evidence">
        <header>
          <h2 id="evidence">{t`Evidence`}</h2>
          <span className="muted small">{t`Records that count as failures`}</span>
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
                  <span className="muted small nowrap">{day(completedAt, site)}</span>
                </li>
              ))}
              {evidence.downtimes.map(({ id, cause, startedAt, endedAt, description }) => (
                <li key={id}>
                  <span className="grow clip">
                    <span className="strong">{wordOf(cause)}</span> {description && <span className="muted">{description}</span>}
                  </span>
                  <span className="muted small nowrap">
                    {moment(startedAt, site)} – {endedAt ? moment(endedAt, site) : t`now`}
                  </span>
                </li>
              ))}
            </ul>
          </div>
        ) : (
          <Empty icon={ShieldCheck} title={t`No failures in this period`} />
        )}
      </section>
      {rows && (
        <Rows
          rows={rows}
          scope={{ assetId: id }}
          period={{ from: reliability.from, to: reliability.to }}
          data={{ reliability }}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  );
}
