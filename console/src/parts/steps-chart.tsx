/** Chart of a count or a balance over time: the value holds until the next point. */
import { t } from "@lingui/core/macro";
import { scaleLinear, scaleUtc } from "@visx/scale";
import { LinePath } from "@visx/shape";
import { Axes, ChartFrame, chartHeight, type Mark, margin } from "./chart.js";
import { useSite } from "./site.js";
import { exact, moment, shortMonth, withoutYear } from "./words.js";

export interface Point {
  at: string;
  value: number;
}

interface Props {
  label: string;
  unit: string;
  format: (value: number) => string;
  /** Points, oldest first. */
  points: Point[];
  /** A line across the chart, such as a reorder point. */
  limit?: number | null;
  /** Straight lines between the points, for a counter that runs all the time. */
  isSloped?: boolean;
}

const bottom = chartHeight - margin.bottom;

export function StepsChart({ label, unit, format, points, limit, isSloped }: Props) {
  const site = useSite();
  const first = new Date(points[0]!.at);
  // A balance holds until now. A counter is known until its last reading.
  const last = isSloped ? new Date(points.at(-1)!.at) : new Date();
  const values = points.map(({ value }) => value);
  const all = [...values, ...(limit == null ? [] : [limit]), ...(isSloped ? [] : [0])];
  const isLong = last.getTime() - first.getTime() > 120 * 86_400_000;
  const plot = (width: number) => {
    const x = scaleUtc({ domain: [first, last], range: [margin.left + 6, width - margin.right - 22] });
    const y = scaleLinear({ domain: [Math.min(...all), Math.max(...all)], range: [bottom, margin.top], nice: 4 });
    const path = isSloped
      ? points
      : [
          ...points.flatMap((point, index) => (index ? [{ at: point.at, value: values[index - 1]! }, point] : [point])),
          { at: last.toISOString(), value: values.at(-1)! },
        ];
    const marks = points.map(
      ({ at, value }, index): Mark => ({
        // Several points can have the same time.
        id: String(index),
        name: `${moment(at, site)}: ${format(value)}`,
        lines: [moment(at, site), format(value)],
        x: x(new Date(at)),
        draw: (
          <>
            <circle cx={x(new Date(at))} cy={y(value)} r={12} fill="transparent" />
            <circle className="fill info" cx={x(new Date(at))} cy={y(value)} r={3.5} />
          </>
        ),
      }),
    );
    const under = (
      <>
        <Axes
          width={width}
          x={x}
          y={y}
          xTicks={x.ticks(Math.max(2, Math.floor(width / 110)))}
          xFormat={(value) => (isLong ? shortMonth(value, site) : withoutYear(value, site))}
          yFormat={(value) => exact(value)}
        />
        {limit != null && <line className="limit" x1={margin.left} x2={width - margin.right} y1={y(limit)} y2={y(limit)} />}
        <LinePath className="line" data={path} x={({ at }) => x(new Date(at))} y={({ value }) => y(value)} />
      </>
    );
    return { under, marks };
  };
  return (
    <ChartFrame
      label={label}
      unit={unit}
      plot={plot}
      table={{ head: [t`Time`, unit], rows: points.map(({ at, value }) => [moment(at, site), format(value)]).reverse() }}
    />
  );
}
