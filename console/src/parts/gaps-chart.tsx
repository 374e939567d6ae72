/** Histogram of the times between failures, with the spread of each group. */
import { t } from "@lingui/core/macro";
import type { MeasuredReliabilityFragment } from "../generated/reports.js";
import { Columns } from "./columns.js";
import { bucketId, bucketName, bucketShort, length, timesOf } from "./gaps.js";
import { Scrolled } from "./scrolled.js";
import { count, wordOf } from "./words.js";

interface Props {
  between: MeasuredReliabilityFragment["betweenFailures"];
  /** Whether the table has a row for each type of asset. */
  isByType?: boolean;
  onOpen?: (id: string) => void;
}

export function GapsChart({ between, isByType, onOpen }: Props) {
  const types = isByType ? between.types.map(({ type, ...spread }) => ({ ...spread, name: wordOf(type) })) : [];
  const rows = [...(types.length === 1 ? [] : [{ ...between, name: t`All` }]), ...types];
  return (
    <>
      <Columns
        label={t`Times between failures of the same asset`}
        unit={t`Number of intervals, by their length in days`}
        by={t`Length`}
        columns={between.buckets.map((one) => ({ id: bucketId(one), short: bucketShort(one), name: bucketName(one) }))}
        series={[{ label: t`Intervals`, tone: "info", values: between.buckets.map((one) => one.count) }]}
        format={count}
        isCount
        onOpen={onOpen}
      />
      <Scrolled label={isByType ? t`Times between failures by type of asset` : t`Spread of the times between failures`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{isByType ? t`Type` : t`Interval`}</th>
              {spreadHead().map((one) => (
                <th key={one} scope="col" className="right">
                  {one}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                <td className="right num">{count(row.count)}</td>
                {timesOf(row).map((hours, index) => (
                  <td key={index} className="right num">
                    {length(hours)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

export const spreadHead = () => [t`Intervals`, t`Shortest`, t`A tenth up to`, t`Median`, t`Nine tenths up to`, t`Longest`];
