/** Charts of a period. Each column and row opens its records. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Columns } from "../../parts/columns.js";
import { plus } from "../../parts/decimals.js";
import { explanations } from "../../parts/explanation.js";
import { timesOf } from "../../parts/gaps.js";
import { GapsChart, spreadHead } from "../../parts/gaps-chart.js";
import { count, dayWord, exact, figure, hours, money, percent, wordOf } from "../../parts/words.js";
import { BadActors } from "./bad-actors.js";
import { useFailureNames } from "./failure-names.js";
import { Report, Shares } from "./report.js";
import type { Figures } from "./use-figures.js";
import { WorstAssets } from "./worst-assets.js";

type Group = NonNullable<Figures["work"]>[number];

const shortMonth = (month: string) => dayWord(month.slice(0, 7), { month: "short", year: "2-digit" });
const longMonth = (month: string) => dayWord(month.slice(0, 7), { month: "long", year: "numeric" });
const sumOf = (groups: Group[], value: (one: Group) => number) => plus(...groups.map(value));
export const monthColumns = (months: string[], kind: string) =>
  months.map((month) => ({ id: `${kind}:${month}`, short: shortMonth(month), name: longMonth(month) }));
const tones: Record<string, string> = { CORRECTIVE: "warn", PREVENTIVE: "info", PREDICTIVE: "good", INSPECTION: "calm", PROJECT: "accent" };
const costKinds = [
  [t`Labor`, "info", "laborCost"],
  [t`Parts`, "warn", "materialCost"],
  [t`Contractors and other`, "calm", "otherCost"],
] as const;

interface Props {
  data: Figures;
  /** First days of the months of the period. */
  months: string[];
  currency: string | null | undefined;
  onOpen: (rows: string) => void;
}

export function Charts({ data, months, currency, onOpen }: Props) {
  const nameOf = useFailureNames();
  const work = (data.work ?? []).filter(({ completedMonth }) => completedMonth);
  const types = [...new Set(work.map(({ type }) => type!))].sort();
  const ofMonth = (month: string) => work.filter(({ completedMonth }) => completedMonth === month);
  const ofType = (type: string) => work.filter((one) => one.type === type);
  const hoursOf = (groups: Group[]) => sumOf(groups, (one) => one.duration) / 60;
  const { reliability, compliance, inventoryGroups: stock = [] } = data;
  const trend = reliability?.trend ?? [];
  const trendMonths = trend.map(({ month }) => month.slice(0, 10));
  const between = reliability?.betweenFailures;
  const inCurrency = (value: number) => money(value, currency);
  return (
    <>
      <div className="grid-2">
        <Report
          title={t`Cost by month`}
          explanation={explanations.costs}
          isEmpty={!work.length}
          rows={[
            [t`Month`, t`Orders`, ...costKinds.map(([label]) => label), t`Total`, t`Currency`],
            ...months.map((month) => [
              month.slice(0, 7),
              sumOf(ofMonth(month), (one) => one.count),
              ...costKinds.map(([, , kind]) => sumOf(ofMonth(month), (one) => one[kind])),
              sumOf(ofMonth(month), (one) => one.totalCost),
              currency,
            ]),
          ]}
        >
          <Columns
            label={t`Cost of completed work by month`}
            unit={currency ? t`Cost in ${currency}` : t`Cost`}
            by={t`Month`}
            columns={monthColumns(months, "month")}
            series={costKinds.map(([label, tone, kind]) => ({
              label,
              tone,
              values: months.map((month) => sumOf(ofMonth(month), (one) => one[kind])),
            }))}
            format={inCurrency}
            onOpen={onOpen}
          />
        </Report>
        <Report
          title={t`Work by month`}
          explanation={explanations.hoursByType}
          isEmpty={!work.length}
          rows={[
            [t`Month`, ...types.map((type) => `${wordOf(type)} h`)],
            ...months.map((month) => [
              month.slice(0, 7),
              ...types.map((type) => hoursOf(ofMonth(month).filter((one) => one.type === type))),
            ]),
          ]}
        >
          <Columns
            label={t`Planned and corrective work by month`}
            unit={t`Hours of completed work`}
            by={t`Month`}
            columns={monthColumns(months, "month")}
            series={types.map((type) => ({
              label: wordOf(type),
              tone: tones[type] ?? "calm",
              values: months.map((month) => hoursOf(ofMonth(month).filter((one) => one.type === type))),
            }))}
            format={(value) => figure(value, "h")}
            onOpen={onOpen}
          />
        </Report>
        <Report
          title={t`Downtime by month`}
          explanation={explanations.downtime}
          isEmpty={!trend.length}
          rows={[
            [t`Month`, t`Downtime h`, t`Failures`, t`Availability %`],
            ...trend.map((one) => [one.month.slice(0, 7), one.downtime, one.failures, one.availability]),
          ]}
        >
          <Columns
            label={t`Downtime by month`}
            unit={t`Hours of downtime`}
            by={t`Month`}
            columns={monthColumns(trendMonths, "downtime")}
            series={[{ label: t`Downtime`, tone: "warn", values: trend.map((one) => one.downtime) }]}
            format={(value) => figure(value, "h")}
            onOpen={onOpen}
          />
        </Report>
        <Report
          title={t`Availability by month`}
          explanation={explanations.availability}
          isEmpty={!trend.length}
          rows={[[t`Month`, t`Availability %`], ...trend.map((one) => [one.month.slice(0, 7), one.availability])]}
        >
          <Columns
            label={t`Availability by month`}
            unit={t`% of required time`}
            by={t`Month`}
            columns={monthColumns(trendMonths, "downtime")}
            series={[{ label: t`Availability`, tone: "good", values: trend.map((one) => one.availability) }]}
            format={percent}
            top={100}
            onOpen={onOpen}
          />
        </Report>
        <Report
          title={t`Share of planned work by month`}
          explanation={explanations.planned}
          isEmpty={trend.every((one) => one.plannedWorkShare == null)}
          rows={[[t`Month`, t`Planned work %`], ...trend.map((one) => [one.month.slice(0, 7), one.plannedWorkShare])]}
        >
          <Columns
            label={t`Share of planned work by month`}
            unit={t`% of man-hours`}
            by={t`Month`}
            columns={monthColumns(trendMonths, "share")}
            series={[{ label: t`Planned work`, tone: "info", values: trend.map((one) => one.plannedWorkShare) }]}
            format={percent}
            top={100}
            onOpen={onOpen}
          />
        </Report>
      </div>
      <Report
        title={t`Between failures`}
        explanation={explanations.gaps}
        isEmpty={!between?.count}
        empty={t`No asset failed twice in this period`}
        rows={[
          [t`Type`, ...spreadHead(), t`Unit`],
          ...(between?.types ?? []).map(({ type, count: intervals, ...spread }) => [wordOf(type), intervals, ...timesOf(spread), "h"]),
        ]}
      >
        {between && <GapsChart between={between} isByType onOpen={onOpen} />}
      </Report>
      <div className="grid-2">
        <Report
          title={t`Planned work`}
          explanation={explanations.compliance}
          isEmpty={!compliance?.due}
          rows={[
            [t`Due`, t`Done`, t`Early`, t`Late`, t`Skipped`, t`Collapsed`, t`Cancelled`, t`Overdue`, t`Compliance %`],
            [
              compliance?.due,
              compliance?.done,
              compliance?.early,
              compliance?.late,
              compliance?.skipped,
              compliance?.collapsed,
              compliance?.cancelled,
              compliance?.overdue,
              compliance?.percentage,
            ],
          ]}
        >
          {compliance && (
            <Shares
              rows={(
                [
                  [t`Done in time`, compliance.done],
                  [t`Early`, compliance.early],
                  [t`Late`, compliance.late],
                  [t`Skipped or collapsed`, compliance.skipped + compliance.collapsed],
                  [t`Cancelled`, compliance.cancelled],
                  [t`Overdue`, compliance.overdue],
                ] as const
              ).map(([label, value]) => ({ id: "compliance", label, value, shown: count(value) }))}
              whole={compliance.due}
              onOpen={onOpen}
            />
          )}
        </Report>
        <Report
          title={t`Work by type`}
          explanation={explanations.costs}
          isEmpty={!types.length}
          rows={[
            [t`Type`, t`Orders`, t`Hours`, ...costKinds.map(([label]) => label), t`Total`, t`Currency`],
            ...types.map((type) => [
              wordOf(type),
              sumOf(ofType(type), (one) => one.count),
              hoursOf(ofType(type)),
              ...costKinds.map(([, , kind]) => sumOf(ofType(type), (one) => one[kind])),
              sumOf(ofType(type), (one) => one.totalCost),
              currency,
            ]),
          ]}
        >
          <Shares
            rows={types.map((type) => {
              const orders = sumOf(ofType(type), (one) => one.count);
              return {
                id: `type:${type}`,
                label: wordOf(type),
                value: orders,
                shown: `${count(orders)} · ${inCurrency(sumOf(ofType(type), (one) => one.totalCost))}`,
              };
            })}
            whole={sumOf(work, (one) => one.count)}
            onOpen={onOpen}
          />
        </Report>
        <Report
          title={t`What failed`}
          explanation={explanations.failures}
          isEmpty={!reliability?.failureCodes?.length}
          rows={[
            [t`Failure`, t`Failures`, t`Hours`],
            ...(reliability?.failureCodes ?? []).map((one) => [one.code ? nameOf(one.code) : t`Not specified`, one.failures, one.hours]),
          ]}
        >
          <Shares
            rows={(reliability?.failureCodes ?? []).slice(0, 8).map((one) => ({
              id: `code:${one.code ?? ""}`,
              label: one.code ? nameOf(one.code) : t`Not specified`,
              value: one.failures,
              shown: `${one.failures}× · ${hours(one.hours)}`,
            }))}
            whole={reliability?.failures ?? 1}
            onOpen={onOpen}
          />
        </Report>
        <Report
          title={t`Stock by site`}
          explanation={explanations.stock}
          isEmpty={!stock?.length}
          rows={[
            [t`Site`, t`Stock levels`, t`Quantity`, t`Value`, t`Currency`],
            ...(stock ?? []).map((one) => [one.site, one.count, one.quantity, one.totalValue, currency]),
          ]}
        >
          <ul className="stack tight">
            {(stock ?? []).map((one) => (
              <li key={one.site} className="row spread">
                <Link to="/stock" search={{ view: "all", site: one.site ?? undefined }}>
                  {one.site ?? "–"}
                </Link>
                <span className="num muted">{t`${exact(one.count)} stock levels · ${inCurrency(one.totalValue)}`}</span>
              </li>
            ))}
          </ul>
        </Report>
      </div>
      <WorstAssets assets={reliability?.worstAssets ?? []} />
      <BadActors actors={data.badActors ?? []} />
    </>
  );
}
