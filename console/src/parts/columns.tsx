/** Column chart by month or class, stacked or side by side. */
import { t } from "@lingui/core/macro";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import { Axes, ChartFrame, chartHeight, type Mark, margin } from "./chart.js";
import { plus } from "./decimals.js";

export interface Column {
  id: string;
  /** Label at the axis. */
  short: string;
  /** Full name. */
  name: string;
}

export interface Series {
  label: string;
  tone: string;
  /** Values by column. Null if unknown. */
  values: (number | null)[];
}

interface Props {
  label: string;
  unit: string;
  /** Heading of the first column of the table. */
  by: string;
  columns: Column[];
  series: Series[];
  format: (value: number) => string;
  /** Side by side, for values that have no sum. */
  isGrouped?: boolean;
  /** Highest value of the axis, such as 100 %. */
  top?: number;
  /** Counts have no values between whole numbers. */
  isCount?: boolean;
  onOpen?: (id: string) => void;
}

const bottom = chartHeight - margin.bottom;

export function Columns({ label, unit, by, columns, series, format, isGrouped, top, isCount, onOpen }: Props) {
  const shown = (value: number | null | undefined) => (value == null ? t`unknown` : format(value));
  const sums = columns.map((_, index) => plus(...series.map(({ values }) => values[index] ?? 0)));
  const withSum = series.length > 1 && !isGrouped;
  const linesOf = (index: number) => [
    ...series.map((one) => (series.length > 1 ? `${one.label}: ${shown(one.values[index])}` : shown(one.values[index]))),
    ...(withSum ? [t`Total: ${format(sums[index]!)}`] : []),
  ];
  const most = top ?? (Math.max(...(isGrouped ? series.flatMap(({ values }) => values.map((value) => value ?? 0)) : sums), 0) || 1);
  const plot = (width: number) => {
    const x = scaleBand({
      domain: columns.map(({ id }) => id),
      range: [margin.left, width - margin.right],
      paddingInner: 0.28,
      paddingOuter: 0.14,
    });
    const y = scaleLinear({ domain: [0, most], range: [bottom, margin.top], nice: top === undefined && 4 });
    const inner = scaleBand({ domain: series.map((one) => one.label), range: [0, x.bandwidth()], padding: 0.08 });
    const every = Math.ceil((columns.length * 46) / (width - margin.left));
    const short = new Map(columns.map((one) => [one.id, one.short]));
    const marks = columns.map(({ id, name }, index): Mark => {
      const left = x(id) ?? 0;
      let below = 0;
      return {
        id,
        name: `${name}: ${linesOf(index).join(", ")}`,
        lines: [name, ...linesOf(index)],
        x: left + x.bandwidth() / 2,
        draw: (
          <>
            <Bar
              className="reach"
              x={left - x.step() * 0.14}
              width={x.step()}
              y={margin.top}
              height={bottom - margin.top}
              fill="transparent"
            />
            {series.map((one) => {
              const value = one.values[index] ?? 0;
              const start = isGrouped ? 0 : below;
              below = start + value;
              return (
                <Bar
                  key={one.label}
                  className={`fill ${one.tone}`}
                  x={isGrouped ? left + (inner(one.label) ?? 0) : left}
                  width={isGrouped ? inner.bandwidth() : x.bandwidth()}
                  y={y(start + value)}
                  height={y(start) - y(start + value)}
                />
              );
            })}
          </>
        ),
      };
    });
    const under = (
      <Axes
        width={width}
        x={x}
        y={y}
        xTicks={columns.filter((_, index) => index % every === 0).map(({ id }) => id)}
        xFormat={(value) => short.get(String(value)) ?? ""}
        yFormat={format}
        yTicks={isCount ? Math.min(4, most) : 4}
      />
    );
    return { under, marks };
  };
  return (
    <ChartFrame
      label={label}
      unit={unit}
      legend={series}
      plot={plot}
      onOpen={onOpen}
      table={{
        head: [by, ...series.map((one) => one.label), ...(withSum ? [t`Total`] : [])],
        rows: columns.map(({ name }, index) => [
          name,
          ...series.map(({ values }) => shown(values[index])),
          ...(withSum ? [format(sums[index]!)] : []),
        ]),
      }}
    />
  );
}
