// Renders panels of a Grafana dashboard as SVG, with the positions, titles, units and legends of the dashboard file.

const colours = ["#73bf69", "#f2cc0c", "#5794f2", "#ff9830", "#f2495c", "#b877d9", "#8ab8ff", "#fade2a", "#96d98d", "#ff7383", "#c0d8ff"];
const theme = { page: "#111217", panel: "#181b1f", border: "#2b2e34", text: "#d8d9dc", faint: "#8e9097", grid: "#2a2d33" };
const font = `font-family="DejaVu Sans, Liberation Sans, sans-serif"`;

/** Pixels: the page, a row of Grafana's grid, the gap between panels, and the header. */
const size = { page: 1800, row: 30, gap: 8, header: 56 };

const escaped = (text) => String(text).replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

const text = (x, y, content, { anchor = "start", fill = theme.text, px = 12, weight = "normal" } = {}) =>
  `<text x="${x}" y="${y}" ${font} font-size="${px}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}">${escaped(content)}</text>`;

/** Estimated width. Capitals are wider than other characters. */
const widthOf = (content, px) => [...content].reduce((sum, character) => sum + (/[A-Z_]/.test(character) ? 0.72 : 0.6), 0) * px;

const round = (value, digits = 3) => String(Number(value.toPrecision(digits)));

function scaled(value, steps, base) {
  let unit = 0;
  while (Math.abs(value) >= base && unit < steps.length - 1) {
    value /= base;
    unit++;
  }
  return `${round(value)}${steps[unit]}`;
}

/** Formats a value in Grafana's notation for the unit. */
export function shown(value, unit) {
  if (!Number.isFinite(value)) return "–";
  if (unit === "bytes") return scaled(value, [" B", " KiB", " MiB", " GiB"], 1024);
  if (unit === "percentunit") return `${round(value * 100)} %`;
  if (unit === "s") {
    if (value === 0) return "0 s";
    if (Math.abs(value) < 0.001) return `${round(value * 1e6)} µs`;
    return Math.abs(value) < 1 ? `${round(value * 1000)} ms` : `${round(value)} s`;
  }
  const suffix = { reqps: " req/s", ops: " ops/s" }[unit] ?? "";
  return scaled(value, ["", " K", " M"], 1000) + suffix;
}

/** Round values from 0 to above `most`. */
function ticksTo(most, base) {
  const rough = (most || 1) / 4;
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  const factors = base === 10 ? [1, 2, 2.5, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const step = power * factors.find((factor) => factor * power >= rough * 0.999);
  return Array.from({ length: Math.max(2, Math.ceil(most / step - 1e-9) + 1) }, (_, i) => i * step);
}

/** Legend rows. The last row states how many entries do not fit. */
function legendOf(series, x, width, maxRows) {
  const rows = [[]];
  let left = x;
  for (const [i, { name, colour }] of series.entries()) {
    const label = name.length > 40 ? `${name.slice(0, 39)}…` : name;
    const needed = 22 + widthOf(label, 11) + 10;
    if (left + needed > x + width && rows.at(-1).length) {
      if (rows.length === maxRows) {
        rows.at(-1).push({ left, label: `+${series.length - i}`, colour: undefined });
        break;
      }
      rows.push([]);
      left = x;
    }
    rows.at(-1).push({ left, label, colour });
    left += needed;
  }
  return rows.filter((row) => row.length);
}

/** Path through the points, interrupted at NaN. */
function pathOf(points, x, y) {
  let path = "";
  let isOpen = false;
  for (const [time, value] of points) {
    if (Number.isFinite(value)) path += `${isOpen ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
    isOpen = Number.isFinite(value);
  }
  return path;
}

/** Adds to each series the sum of the previous ones. */
function stacked(series) {
  const sums = new Map();
  return series.map((one) => ({
    ...one,
    points: one.points.map(([time, value]) => {
      const sum = (sums.get(time) ?? 0) + (Number.isFinite(value) ? value : 0);
      sums.set(time, sum);
      return [time, sum];
    }),
  }));
}

function timeSeries({ panel, series: found, span }, box) {
  const { unit, custom = {} } = panel.fieldConfig.defaults;
  const coloured = found.map((one, i) => ({ ...one, colour: colours[i % colours.length] }));
  const series = custom.stacking?.mode === "normal" ? stacked(coloured) : coloured;
  const rows = legendOf(coloured, box.x + 14, box.width - 70, 3);
  const plot = { left: box.x + 78, right: box.x + box.width - 16, top: box.y + 40, bottom: box.y + box.height - 34 - rows.length * 17 };
  const values = series.flatMap(({ points }) => points.map(([, value]) => value)).filter(Number.isFinite);
  const ticks = ticksTo(Math.max(0, ...values), unit === "bytes" ? 1024 : 10);
  const x = (time) => plot.left + ((time - span.from) / (span.to - span.from)) * (plot.right - plot.left);
  const y = (value) => plot.bottom - (value / ticks.at(-1)) * (plot.bottom - plot.top);
  const parts = [];
  for (const tick of ticks) {
    parts.push(`<line x1="${plot.left}" x2="${plot.right}" y1="${y(tick)}" y2="${y(tick)}" stroke="${theme.grid}"/>`);
    parts.push(text(plot.left - 8, y(tick) + 4, shown(tick, unit), { anchor: "end", fill: theme.faint, px: 11 }));
  }
  for (let i = 0; i <= 4; i++) {
    const time = span.from + ((span.to - span.from) * i) / 4;
    parts.push(`<line x1="${x(time)}" x2="${x(time)}" y1="${plot.top}" y2="${plot.bottom}" stroke="${theme.grid}"/>`);
    const clock = new Date(time * 1000).toISOString().slice(11, 19);
    parts.push(text(x(time), plot.bottom + 16, clock, { anchor: i === 4 ? "end" : "middle", fill: theme.faint, px: 11 }));
  }
  const opacity = (custom.fillOpacity ?? 0) / 100;
  // The top of a stack first, so that lower series are drawn over it.
  for (const { points, colour } of [...series].reverse()) {
    const drawn = points.filter(([, value]) => Number.isFinite(value));
    if (!drawn.length) continue;
    const line = pathOf(points, x, y);
    if (opacity && drawn.length === points.length)
      parts.push(
        `<path d="${line}L${x(drawn.at(-1)[0])} ${plot.bottom}L${x(drawn[0][0])} ${plot.bottom}Z" fill="${colour}" fill-opacity="${opacity}"/>`,
      );
    parts.push(`<path d="${line}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round"/>`);
  }
  if (!values.length)
    parts.push(
      text((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2, "No data", { anchor: "middle", fill: theme.faint, px: 14 }),
    );
  for (const [i, row] of rows.entries())
    for (const { left, label, colour } of row) {
      const base = box.y + box.height - 12 - (rows.length - 1 - i) * 17;
      if (colour) parts.push(`<rect x="${left}" y="${base - 6}" width="14" height="3" rx="1" fill="${colour}"/>`);
      parts.push(text(left + (colour ? 20 : 0), base, label, { px: 11 }));
    }
  return parts;
}

function stat({ panel, series, span }, box) {
  const { unit, noValue } = panel.fieldConfig.defaults;
  const points = series[0]?.points ?? [];
  const values = points.map(([, value]) => value).filter(Number.isFinite);
  const last = values.length ? shown(values.at(-1), unit) : (noValue ?? "No data");
  const parts = [];
  if (values.length) {
    const most = Math.max(...values) || 1;
    const [top, bottom] = [box.y + box.height * 0.62, box.y + box.height - 2];
    const x = (time) => box.x + 2 + ((time - span.from) / (span.to - span.from)) * (box.width - 4);
    const y = (value) => bottom - (value / most) * (bottom - top);
    const line = pathOf(points, x, y);
    const drawn = points.filter(([, value]) => Number.isFinite(value));
    parts.push(`<path d="${line}L${x(drawn.at(-1)[0])} ${bottom}L${x(drawn[0][0])} ${bottom}Z" fill="${colours[0]}" fill-opacity="0.15"/>`);
    parts.push(`<path d="${line}" fill="none" stroke="${colours[0]}" stroke-width="1.5"/>`);
  }
  parts.push(text(box.x + box.width / 2, box.y + box.height * 0.56, last, { anchor: "middle", px: 30, weight: "bold" }));
  return parts;
}

/** Draws panels with the results of their expressions: `results` are `{ panel, series: { name, points }[], span }`. */
export function drawDashboard(title, results) {
  const column = (size.page - size.gap) / 24;
  const boxOf = ({ gridPos: { x, y, w, h } }) => ({
    x: size.gap + x * column,
    y: size.header + y * (size.row + size.gap),
    width: w * column - size.gap,
    height: h * (size.row + size.gap) - size.gap,
  });
  const height = Math.ceil(Math.max(...results.map(({ panel }) => boxOf(panel).y + boxOf(panel).height)) + size.gap);
  const drawn = results.map((result) => {
    const box = boxOf(result.panel);
    const inner = result.panel.type === "stat" ? stat(result, box) : timeSeries(result, box);
    return [
      `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="3" fill="${theme.panel}" stroke="${theme.border}"/>`,
      text(box.x + 12, box.y + 23, result.panel.title, { px: 14, weight: "bold" }),
      ...inner,
    ].join("\n");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.page}" height="${height}">`,
    `<rect width="${size.page}" height="${height}" fill="${theme.page}"/>`,
    text(size.gap + 6, 36, title, { px: 20, weight: "bold" }),
    ...drawn,
    "</svg>",
  ].join("\n");
}
