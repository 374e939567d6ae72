/** Charts of visx: columns by month or class, and steps over time. Each has axes with units, values at the pointer and the focus, and a table. */
import { t } from "@lingui/core/macro";
import { AxisBottom, AxisLeft } from "@visx/axis";
import { GridRows } from "@visx/grid";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Scrolled } from "./scrolled.js";

export const chartHeight = 208;
export const margin = { top: 12, right: 8, bottom: 30, left: 64 };

/** Width of an element in pixels, also after a change of the window's size. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry!.contentRect.width))));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}

export interface Mark {
  /** Stable key. */
  id: string;
  /** Accessible name with all values. */
  name: string;
  /** Lines of the box beside the mark. */
  lines: string[];
  /** Position of the box, in pixels from the left. */
  x: number;
  draw: ReactNode;
}

interface Props {
  label: string;
  /** Unit of the values, at the axis. */
  unit: string;
  legend?: { label: string; tone: string }[];
  table: { head: string[]; rows: string[][] };
  /** Draws the plot for a width. `marks` are reached by the arrow keys. */
  plot: (width: number) => { under?: ReactNode; marks: Mark[] };
  /** Opens the records behind a mark. */
  onOpen?: (id: string) => void;
}

/** Frame of a chart: legend, plot, the values of the active mark, and the table. */
export function ChartFrame({ label, unit, legend = [], table, plot, onOpen }: Props) {
  const [element, width] = useWidth();
  const [active, setActive] = useState<string>();
  const id = useId();
  const { under, marks } = plot(width);
  const at = marks.findIndex((mark) => mark.id === active);
  const shown = marks[at];
  const move = (event: React.KeyboardEvent) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (to !== undefined && marks[to]) {
      event.preventDefault();
      element.current!.querySelectorAll<SVGGElement>("[data-mark]")[to]!.focus();
    }
    if (onOpen && shown && ["Enter", " "].includes(event.key)) {
      event.preventDefault();
      onOpen(shown.id);
    }
    if (event.key === "Escape") setActive(undefined);
  };
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id} className="hidden-text">
        {`${label}, ${unit}`}
      </figcaption>
      <div className="row spread wrap small muted">
        <span aria-hidden="true">{unit}</span>
        {legend.length > 1 && (
          <ul className="row wrap legend" aria-label={t`Legend`}>
            {legend.map((one) => (
              <li key={one.label}>
                <span className={`swatch ${one.tone}`} aria-hidden="true" />
                {one.label}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div ref={element} className="plot">
        {/* biome-ignore lint/a11y/useSemanticElements: the marks are inside the drawing */}
        <svg viewBox={`0 0 ${width} ${chartHeight}`} role="group" aria-labelledby={id} onPointerLeave={() => setActive(undefined)}>
          <g aria-hidden>{under}</g>
          {marks.map((mark, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the role depends on onOpen
            <g
              key={mark.id}
              data-mark=""
              className={mark.id === active ? "mark active" : "mark"}
              role={onOpen ? "button" : "img"}
              aria-label={mark.name}
              tabIndex={(at < 0 ? index === 0 : index === at) ? 0 : -1}
              onFocus={() => setActive(mark.id)}
              onBlur={() => setActive(undefined)}
              onPointerEnter={() => setActive(mark.id)}
              onClick={() => onOpen?.(mark.id)}
              onKeyDown={move}
              style={onOpen && { cursor: "pointer" }}
            >
              {mark.draw}
            </g>
          ))}
        </svg>
        {shown && (
          <div
            className="chart-box small"
            aria-hidden="true"
            style={shown.x > width / 2 ? { right: width - shown.x + 8 } : { left: shown.x + 8 }}
          >
            {shown.lines.map((line, index) => (
              <div key={line} className={index ? "num" : "strong"}>
                {line}
              </div>
            ))}
          </div>
        )}
      </div>
      <details className="values">
        <summary>{t`Values as a table`}</summary>
        <Scrolled label={t`Values: ${label}`}>
          <table>
            <caption className="hidden-text">{`${label}, ${unit}`}</caption>
            <thead>
              <tr>
                {table.head.map((one, index) => (
                  <th key={one} scope="col" className={index ? "right" : undefined}>
                    {one}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map(([name, ...cells]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, index) => (
                    <td key={index} className="right num">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      </details>
    </figure>
  );
}

const tick = { fill: "var(--muted)", fontFamily: "inherit", fontSize: 11 } as const;

type BottomScale = Parameters<typeof AxisBottom>[0]["scale"];
type LeftScale = Parameters<typeof AxisLeft>[0]["scale"];

interface AxesProps {
  width: number;
  x: BottomScale;
  y: LeftScale;
  xTicks: (string | Date)[];
  xFormat: (value: string | Date) => string;
  yFormat: (value: number) => string;
  /** Number of values at the left axis, about. */
  yTicks?: number;
}

/** Axes with values, and lines across the plot. */
export function Axes({ width, x, y, xTicks, xFormat, yFormat, yTicks = 4 }: AxesProps) {
  const bottom = chartHeight - margin.bottom;
  return (
    <>
      <GridRows scale={y} left={margin.left} width={width - margin.left - margin.right} numTicks={yTicks} stroke="var(--line)" />
      <AxisLeft
        scale={y}
        left={margin.left}
        numTicks={yTicks}
        hideAxisLine
        hideTicks
        tickFormat={(value) => yFormat(Number(value))}
        tickLabelProps={{ ...tick, textAnchor: "end", dx: -2, dy: 4 }}
      />
      <AxisBottom
        scale={x}
        top={bottom}
        stroke="var(--line-strong)"
        tickStroke="var(--line-strong)"
        tickLength={4}
        tickValues={xTicks}
        tickFormat={(value) => xFormat(value as string | Date)}
        tickLabelProps={{ ...tick, textAnchor: "middle", dy: 4 }}
      />
    </>
  );
}
