/** Reports for a period: cost, compliance, reliability and stock, each as a chart and as CSV. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChartColumn, Download } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useQuery } from "urql";
import { ReportsPage as Document } from "../../generated/reports.js";
import { Bars } from "../../parts/bars.js";
import { saveCsv } from "../../parts/csv.js";
import { useTitle } from "../../parts/hooks.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { count, day, figure, hours, money, month, percent, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";

const periods = { "3": "3 months", "6": "6 months", "12": "12 months", "24": "24 months" } as const;
const shortMonth = new Intl.DateTimeFormat(undefined, { month: "short", year: "2-digit" });
/** Parses `2026-11` as the first of that month in local time. */
const dateOf = (text: string) => new Date(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, 1);

export function ReportsPage(): ReactNode {
  const search = useSearch({ from: "/reports" });
  const { site, months = "12" } = search;
  const navigate = useNavigate({ from: "/reports" });
  const choose = (change: Partial<typeof search>) => void navigate({ search: (was) => ({ ...was, ...change }), replace: true });
  const { can } = useSession();
  const { from, to } = useMemo(() => {
    const now = new Date();
    const end = new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours());
    return { from: new Date(now.getFullYear(), now.getMonth() - Number(months) + 1, 1).toISOString(), to: end.toISOString() };
  }, [months]);
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: {
      from,
      to,
      site,
      ended: { completedAt: { from, until: to }, ...(site && { asset: { site } }) },
      stock: site ? { site } : {},
    },
    pause: !can("workOrders"),
  });
  useTitle("Reports");
  const currency = data?.stockSettings?.currency;
  const { reliability, compliance } = data ?? {};
  const costs = (data?.months ?? []).filter(({ completedMonth }) => completedMonth);
  const total = costs.reduce((sum, one) => sum + one.laborCost + one.partsCost, 0);

  return (
    <>
      <div className="page-head">
        <div>
          <h1>Reports</h1>
          <p>
            {day(from)} – {day(to)}
          </p>
        </div>
        <div className="row wrap">
          <select
            className="input auto"
            aria-label="Site"
            value={site ?? ""}
            onChange={(event) => choose({ site: event.target.value || undefined })}
          >
            <option value="">All sites</option>
            {data?.sites?.map((one) => (
              <option key={one.id} value={one.name}>
                {one.displayName}
              </option>
            ))}
          </select>
          <select
            className="input auto"
            aria-label="Period"
            value={months}
            onChange={(event) => choose({ months: event.target.value as keyof typeof periods })}
          >
            {Object.entries(periods).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </div>
      </div>
      {!data && fetching && <LoadingCard lines={12} />}
      {!data && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
      {data && (
        <div className="stack" aria-busy={fetching || stale}>
          <div className="figures">
            {[
              [money(total, currency), "Labor and parts"],
              [percent(compliance?.percentage), "Planned work done in time"],
              [percent(reliability?.availability), "Availability"],
              [hours(reliability?.mtbf), "Between failures"],
              [hours(reliability?.mttr), "To repair"],
              [percent(reliability?.plannedWorkShare), "Share of planned work"],
            ].map(([value, label]) => (
              <div key={label} className="figure">
                <span className="value">{value}</span>
                <span className="label">{label}</span>
              </div>
            ))}
          </div>
          <div className="grid-2">
            <Report
              title="Cost by month"
              isEmpty={!costs.length}
              rows={[
                ["Month", "Orders", "Hours", "Labor", "Parts"],
                ...costs.map((one) => [one.completedMonth, one.count, one.duration / 60, one.laborCost, one.partsCost]),
              ]}
            >
              <Bars
                label="Cost of labor and parts by month"
                bars={costs.map((one) => ({ label: shortMonth.format(dateOf(one.completedMonth!)), value: one.laborCost + one.partsCost }))}
                format={(value) => money(value, currency)}
              />
            </Report>
            <Report
              title="Downtime by month"
              isEmpty={!reliability?.trend.length}
              rows={[
                ["Month", "Downtime h", "Failures", "Availability %"],
                ...(reliability?.trend ?? []).map((one) => [one.month.slice(0, 7), one.downtime, one.failures, one.availability]),
              ]}
            >
              <Bars
                label="Downtime by month"
                tone="warn"
                bars={(reliability?.trend ?? []).map((one) => ({
                  label: shortMonth.format(new Date(one.month)),
                  value: one.downtime,
                  title: `${month(one.month)}: ${hours(one.downtime)}`,
                }))}
                format={hours}
              />
            </Report>
            <Report
              title="Planned work"
              isEmpty={!compliance?.due}
              rows={[
                ["Due", "Done", "Early", "Late", "Skipped", "Overdue", "Compliance %"],
                [
                  compliance?.due,
                  compliance?.done,
                  compliance?.early,
                  compliance?.late,
                  compliance?.skipped,
                  compliance?.overdue,
                  compliance?.percentage,
                ],
              ]}
            >
              {compliance && (
                <Shares
                  rows={[
                    ["Done", compliance.done, count(compliance.done)],
                    ["of these late", compliance.late, count(compliance.late)],
                    ["Skipped", compliance.skipped, count(compliance.skipped)],
                    ["Overdue", compliance.overdue, count(compliance.overdue)],
                  ]}
                  whole={compliance.due}
                />
              )}
            </Report>
            <Report
              title="Work by type"
              isEmpty={!data.types?.length}
              rows={[
                ["Type", "Orders", "Hours", "Labor", "Parts"],
                ...(data.types ?? []).map((one) => [wordOf(one.type), one.count, one.duration / 60, one.laborCost, one.partsCost]),
              ]}
            >
              <Shares
                rows={(data.types ?? []).map((one) => [
                  wordOf(one.type),
                  one.count,
                  `${count(one.count)} · ${money(one.laborCost + one.partsCost, currency)}`,
                ])}
                whole={(data.types ?? []).reduce((sum, one) => sum + one.count, 0)}
              />
            </Report>
            <Report
              title="What failed"
              isEmpty={!reliability?.failureCodes.length}
              rows={[
                ["Failure", "Failures", "Hours"],
                ...(reliability?.failureCodes ?? []).map((one) => [one.code ?? "not specified", one.failures, one.hours]),
              ]}
            >
              <Shares
                rows={(reliability?.failureCodes ?? [])
                  .slice(0, 8)
                  .map((one) => [one.code ? wordOf(one.code) : "Not specified", one.failures, `${one.failures}× · ${hours(one.hours)}`])}
                whole={reliability?.failures ?? 1}
              />
            </Report>
            <Report
              title="Stock by site"
              isEmpty={!data.inventoryGroups?.length}
              rows={[
                ["Site", "Stock levels", "Quantity", "Value"],
                ...(data.inventoryGroups ?? []).map((one) => [one.site, one.count, one.quantity, one.totalValue]),
              ]}
            >
              <Shares
                rows={(data.inventoryGroups ?? []).map((one) => [one.site ?? "–", one.totalValue, money(one.totalValue, currency)])}
                whole={Math.max(...(data.inventoryGroups ?? []).map((one) => one.totalValue), 1)}
              />
            </Report>
          </div>
          <Report
            title="Assets with most downtime"
            isEmpty={!reliability?.worstAssets.length}
            rows={[
              ["Asset", "Site", "Area", "Failures", "Downtime h", "Availability %", "MTTR h"],
              ...(reliability?.worstAssets ?? []).map((one) => [
                one.asset.name,
                one.asset.site,
                one.asset.area,
                one.failures,
                one.downtime,
                one.availability,
                one.mttr,
              ]),
            ]}
          >
            <div className="table-wrap">
              <table>
                <thead>
                  <tr>
                    <th>Asset</th>
                    <th>Site</th>
                    <th className="right">Failures</th>
                    <th className="right">Downtime</th>
                    <th className="right">Availability</th>
                    <th className="right">To repair</th>
                  </tr>
                </thead>
                <tbody>
                  {reliability?.worstAssets.map((one) => (
                    <tr key={one.assetId}>
                      <td>
                        <Link className="title" to="/asset/$id" params={{ id: one.assetId }} search={{ tab: "reliability" }}>
                          {one.asset.name}
                        </Link>
                      </td>
                      <td>{one.asset.site}</td>
                      <td className="right">{figure(one.failures)}</td>
                      <td className="right">{hours(one.downtime)}</td>
                      <td className="right">{percent(one.availability)}</td>
                      <td className="right">{hours(one.mttr)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </Report>
        </div>
      )}
    </>
  );
}

type Cell = string | number | null | undefined;

function Report({ title, rows, isEmpty, children }: { title: string; rows: Cell[][]; isEmpty: boolean; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {!isEmpty && (
          <button
            type="button"
            className="button small plain"
            aria-label={`${title} as CSV`}
            onClick={() => saveCsv(title.toLowerCase().replaceAll(" ", "-"), rows)}
          >
            <Download className="icon" aria-hidden />
            CSV
          </button>
        )}
      </header>
      <div className="body">{isEmpty ? <Empty icon={ChartColumn} title="Nothing in this period" /> : children}</div>
    </section>
  );
}

function Shares({ rows, whole }: { rows: [label: string, value: number, shown: string][]; whole: number }) {
  return (
    <ul className="stack tight">
      {rows.map(([label, value, shown]) => (
        <li key={label} className="share">
          <span className="row spread">
            <span>{label}</span>
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
