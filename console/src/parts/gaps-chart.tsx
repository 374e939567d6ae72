/** Histogram of the times between failures, with the five numbers of a box plot for each group. */
import { t } from "@lingui/core/macro";
import { Columns } from "./columns.js";
import { classesOf, type Failure, type Gap, length, spreadOf } from "./gaps.js";
import { Scrolled } from "./scrolled.js";
import { count } from "./words.js";

interface Props<One extends Failure> {
  gaps: Gap<One>[];
  /** Groups of the table below, such as the types of assets. */
  groups?: { label: string; by: string; of: (failure: One) => string };
  onOpen?: (id: string) => void;
}

export function GapsChart<One extends Failure>({ gaps, groups, onOpen }: Props<One>) {
  const classes = classesOf(gaps);
  const names = groups ? [...new Set(gaps.map(({ to }) => groups.of(to)))].sort() : [];
  const rows = [
    ...(names.length === 1 ? [] : [{ name: t`All`, gaps }]),
    ...names.map((name) => ({ name, gaps: gaps.filter(({ to }) => groups!.of(to) === name) })),
  ].map((row) => ({ name: row.name, ...spreadOf(row.gaps) }));
  return (
    <>
      <Columns
        label={t`Times between failures of the same asset`}
        unit={t`Number of intervals, by their length in days`}
        by={t`Length`}
        columns={classes}
        series={[{ label: t`Intervals`, tone: "info", values: classes.map((one) => one.gaps.length) }]}
        format={count}
        isCount
        onOpen={onOpen}
      />
      <Scrolled label={groups ? groups.label : t`Spread of the times between failures`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{groups?.by ?? t`Interval`}</th>
              {[t`Intervals`, t`Shortest`, t`A quarter up to`, t`Median`, t`Three quarters up to`, t`Longest`].map((one) => (
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
                {[row.least, row.quarter, row.median, row.threeQuarters, row.most].map((days, index) => (
                  <td key={index} className="right num">
                    {length(days)}
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
