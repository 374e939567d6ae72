/** Records behind a figure, in a window that the address names. */
import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import type { ReliabilityFigure, WorkOrderFilter } from "../../../../packages/client/src/generated/schema.js";
import { type EvidenceFragment, ReportEvidence, ReportFailures, ReportIntervals, ReportOrders } from "../../generated/reports.js";
import { Dialog } from "../../parts/dialog.js";
import { type Bucket, bucketId, bucketName, length } from "../../parts/gaps.js";
import { More } from "../../parts/more.js";
import { OrderLines } from "../../parts/orders.js";
import { Failed, Loading } from "../../parts/states.js";
import { dayWord, moment, money, wordOf } from "../../parts/words.js";
import { useFailureNames } from "./failure-names.js";
import { measures } from "./measures.js";
import { monthWithin, type Period, utcMonthWithin } from "./period.js";
import { assetsOf, type Measured, type Scope } from "./use-figures.js";

interface Props {
  /** A figure, or a kind with a value such as `month:2026-11-01`. */
  rows: string;
  scope: Scope;
  period: Period;
  data: Measured | undefined;
  currency?: string | null;
  onClose: () => void;
}

const evidenceOf: Record<string, ReliabilityFigure> = {
  availability: "AVAILABILITY",
  failures: "FAILURES",
  mtbf: "MTBF",
  mttr: "MTTR",
  planned: "PLANNED_WORK_SHARE",
};

const unknownFigure = () => <p key="unknown">{t`The address names no figure. Close the window and choose one.`}</p>;
const monthWord = (month: string) => dayWord(month.slice(0, 7), { month: "long", year: "numeric" });

export function Rows({ rows, scope, period, data, currency, onClose }: Props) {
  const nameOf = useFailureNames();
  const [kind = "", ...rest] = rows.split(":");
  const value = rest.join(":");
  const label = measures.find(({ id }) => id === kind)?.label;
  const completed = (span: Period): WorkOrderFilter => ({ completedAt: { from: span.from, until: span.to }, ...assetsOf(scope) });
  const parts: Record<string, () => [title: string, content: ReactNode]> = {
    costs: () => [label!, <Orders key={rows} filter={completed(period)} currency={currency} />],
    month: () => [
      t`Work completed in ${monthWord(value)}`,
      <Orders key={rows} filter={completed(monthWithin(period, value, scope.site))} currency={currency} />,
    ],
    type: () => [
      t`Completed work: ${wordOf(value)}`,
      <Orders key={rows} filter={{ ...completed(period), typeIn: [value as never] }} currency={currency} />,
    ],
    compliance: () => [
      label!,
      <Orders
        key={rows}
        note={t`Orders of procedures by scheduled date. Dates without an order, such as skipped ones, are not listed.`}
        filter={{ scheduledFrom: period.from, scheduledUntil: period.to, not: { isNull: ["PROCEDURE_ID"] }, ...assetsOf(scope) }}
        currency={currency}
      />,
    ],
    downtime: () => [
      t`Downtime in ${monthWord(value)}`,
      <Evidence key={rows} scope={scope} period={utcMonthWithin(period, value)} figure="AVAILABILITY" />,
    ],
    share: () => [
      t`Share of planned work in ${monthWord(value)}`,
      <Evidence key={rows} scope={scope} period={utcMonthWithin(period, value)} figure="PLANNED_WORK_SHARE" />,
    ],
    code: () => [
      value ? t`Failures: ${nameOf(value)}` : t`Failures without a code`,
      <CodeEvidence key={rows} scope={scope} period={period} code={value || null} />,
    ],
    gaps: () => [label!, <Intervals key={rows} scope={scope} period={period} />],
    gap: () => {
      const bucket = data?.reliability?.betweenFailures.buckets.find((one) => bucketId(one) === rows);
      if (!bucket) return [t`Records`, data ? unknownFigure() : <Loading key={rows} />];
      return [t`Between failures: ${bucketName(bucket)}`, <Intervals key={rows} scope={scope} period={period} bucket={bucket} />];
    },
  };
  const figure = evidenceOf[kind];
  const [title, content] = figure
    ? [label!, <Evidence key={rows} scope={scope} period={period} figure={figure} />]
    : (parts[kind]?.() ?? [t`Records`, unknownFigure()]);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body rows-behind">{content}</div>
    </Dialog>
  );
}

function Orders({ filter, currency, note }: { filter: WorkOrderFilter; currency: string | null | undefined; note?: string }) {
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching }, retry] = useQuery({ query: ReportOrders, variables: { filter, after } });
  const orders = data?.workOrders;
  if (!orders) return error && !fetching ? <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} /> : <Loading />;
  return (
    <>
      <p className="muted small">{plural(orders.totalCount, { one: "# work order", other: "# work orders" })}</p>
      {note && <p className="muted small">{note}</p>}
      <OrderLines orders={orders.nodes} extraOf={({ totalCost }) => money(totalCost, currency)} />
      <More hasMore={orders.pageInfo.hasNextPage} isBusy={fetching} onMore={() => setAfter(orders.pageInfo.endCursor)} />
    </>
  );
}

const size = 50;

function Evidence({ scope, period, figure }: { scope: Scope; period: Period; figure: ReliabilityFigure }) {
  const [first, setFirst] = useState(size);
  const [{ data, error, fetching }, retry] = useQuery({ query: ReportEvidence, variables: { ...scope, ...period, figure, first } });
  const evidence = data?.reliability?.evidence;
  if (!evidence)
    return error && !fetching ? <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} /> : <Loading />;
  return <Records evidence={evidence} first={first} isBusy={fetching} onMore={setFirst} />;
}

function CodeEvidence({ scope, period, code }: { scope: Scope; period: Period; code: string | null }) {
  const [first, setFirst] = useState(size);
  const [{ data, error, fetching }, retry] = useQuery({ query: ReportFailures, variables: { ...scope, ...period, first } });
  const evidence = data?.reliability?.failureCodes.find((one) => one.code === code)?.evidence;
  if (!evidence) {
    if (fetching) return <Loading />;
    return error ? (
      <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />
    ) : (
      <p>{t`No failures with this code.`}</p>
    );
  }
  return <Records evidence={evidence} first={first} isBusy={fetching} onMore={setFirst} />;
}

interface RecordsProps {
  evidence: EvidenceFragment;
  first: number;
  isBusy: boolean;
  onMore: (first: number) => void;
}

function Records({ evidence: { workOrders, workOrderCount, downtimes, downtimeCount }, first, isBusy, onMore }: RecordsProps) {
  const hasMore = first < 1000 && Math.max(workOrderCount, downtimeCount) > first;
  return (
    <>
      <h3>{plural(workOrderCount, { one: "# work order", other: "# work orders" })}</h3>
      <OrderLines orders={workOrders} />
      {downtimeCount > 0 && (
        <>
          <h3>{plural(downtimeCount, { one: "# downtime", other: "# downtimes" })}</h3>
          <ul className="list">
            {downtimes.map((one) => (
              <li key={one.id}>
                <div className="grow">
                  <Link className="title clip" to="/asset/$id" params={{ id: one.assetId }} search={{ tab: "reliability" }}>
                    {one.asset?.name ?? t`Deleted asset`}
                  </Link>
                  <div className="muted small clip">{[wordOf(one.cause), one.description].filter(Boolean).join(" · ")}</div>
                </div>
                <span className="muted small right">
                  {moment(one.startedAt, one.asset?.site)} – {one.endedAt ? moment(one.endedAt, one.asset?.site) : t`now`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <More hasMore={hasMore} isBusy={isBusy} onMore={() => onMore(Math.min(1000, first * 4))} />
    </>
  );
}

function Intervals({ scope, period, bucket }: { scope: Scope; period: Period; bucket?: Bucket }) {
  const [first, setFirst] = useState(size);
  const limits = bucket && { atLeast: bucket.from, lessThan: bucket.to };
  const [{ data, error, fetching }, retry] = useQuery({ query: ReportIntervals, variables: { ...scope, ...period, ...limits, first } });
  const intervals = data?.reliability?.betweenFailures.intervals;
  if (!intervals)
    return error && !fetching ? <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} /> : <Loading />;
  if (!intervals.length) return <p>{t`No asset failed twice with such an interval.`}</p>;
  return (
    <>
      <ul className="list">
        {intervals.map(({ assetId, asset, from, to, hours, orderBeforeId, orderAfterId }) => (
          <li key={`${assetId} ${to}`}>
            <div className="grow">
              <Link className="title clip" to="/asset/$id" params={{ id: assetId }} search={{ tab: "reliability" }}>
                {asset?.name ?? t`Deleted asset`}
              </Link>
              <div className="muted small">{`${moment(from, asset?.site)} – ${moment(to, asset?.site)}`}</div>
            </div>
            {orderBeforeId && (
              <Link className="small nowrap" to="/work/$id" params={{ id: orderBeforeId }}>
                {t`Order before`}
              </Link>
            )}
            {orderAfterId && (
              <Link className="small nowrap" to="/work/$id" params={{ id: orderAfterId }}>
                {t`Order after`}
              </Link>
            )}
            <span className="num strong nowrap">{length(hours)}</span>
          </li>
        ))}
      </ul>
      <More hasMore={first < 1000 && intervals.length === first} isBusy={fetching} onMore={() => setFirst(Math.min(1000, first * 4))} />
    </>
  );
}
