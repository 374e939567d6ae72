// Draws the figures of docs/performance.md: docs/performance-peers.svg and docs/performance-growth.svg.
import { init } from "echarts";
import { aims, comparedWith, growthAim, names } from "./report.mjs";

const ink = "#333";
const [reached, missed, others] = ["#4c78a8", "#e45756", ["#4c78a8", "#e08a2e", "#54a24b"]];
const rowHeight = 24;

/** Horizontal bars, each with a mark at its target. `atMost`: lower is better. */
const bars = ({ title, rows, unit = "", atMost = false }, box) => ({
  box,
  title,
  xAxis: { type: "value", min: 0, splitNumber: 6 },
  yAxis: {
    type: "category",
    inverse: true,
    data: rows.map(({ name }) => name),
    axisTick: { show: false },
    axisLabel: {
      color: ink,
      interval: 0,
      rich: { value: { fontWeight: "bold", color: ink } },
      formatter: (name, at) => `${name}   {value|${rows[at].value.toFixed(rows[at].value < 10 ? 2 : 0)}${unit}}`,
    },
  },
  series: [
    {
      type: "bar",
      barWidth: 14,
      data: rows.map(({ value, aim }) => ({
        value,
        itemStyle: { color: aim === undefined || (atMost ? value <= aim : value >= aim) ? reached : missed },
      })),
    },
    {
      type: "scatter",
      symbol: "rect",
      symbolSize: [3, 20],
      itemStyle: { color: "#000" },
      data: rows.flatMap(({ name, aim }) => (aim === undefined ? [] : [[aim, name]])),
    },
  ],
});

/** Lines over the number of clients. */
const lines = ({ title, clients, of, log = false }, box) => ({
  box,
  title,
  xAxis: { type: "category", data: clients, name: "clients", nameLocation: "middle", nameGap: 26, boundaryGap: false },
  yAxis: log ? { type: "log" } : { type: "value" },
  series: Object.entries(of).map(([name, values], i) => ({
    type: "line",
    name,
    data: values,
    symbolSize: 7,
    color: others[i],
    endLabel: { show: true, formatter: "{a}", color: others[i], distance: 6 },
    labelLayout: { moveOverlap: "shiftY" },
  })),
});

function draw(width, height, heading, panels) {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  const axis = (name) => panels.map((one, gridIndex) => ({ ...one[name], gridIndex }));
  chart.setOption({
    animation: false,
    backgroundColor: "#fff",
    textStyle: { fontFamily: "sans-serif" },
    title: [
      { text: heading, left: 16, top: 12, textStyle: { fontSize: 17, color: ink } },
      ...panels.map(({ title, box }) => ({
        text: title,
        left: box.titleLeft ?? box.left,
        top: box.top - 28,
        textStyle: { fontSize: 13, color: ink },
      })),
    ],
    grid: panels.map(({ box: { left, top, width, height } }) => ({ left, top, width, height })),
    xAxis: axis("xAxis"),
    yAxis: axis("yAxis"),
    series: panels.flatMap(({ series }, at) => series.map((one) => ({ ...one, xAxisIndex: at, yAxisIndex: at }))),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** `measured` as in report(): results by case and peer. */
export function peersPicture(measured) {
  let top = 84;
  const panels = Object.entries(names).flatMap(([peer, name]) => {
    const rows = Object.entries(measured).flatMap(([one, results]) =>
      results[peer] ? [{ name: one, value: comparedWith(peer, results[peer]), aim: aims[one]?.[peer] }] : [],
    );
    if (!rows.length) return [];
    const box = { titleLeft: 16, left: 310, top, width: 560, height: rows.length * rowHeight };
    top += box.height + 76;
    const title = peer === "limit" ? "CPU time of the limit ÷ the gateway's" : `Rate ÷ that of ${name}`;
    return [bars({ title, rows }, box)];
  });
  return draw(900, top - 30, "The gateway beside its peers (black: the aim; red: missed)", panels);
}

const figureNames = { rate: "good", refused: "refused", p50: "p50", p99: "p99" };

/** Results of growth() and goodput(). */
export function growthPicture({ assets, tenants, rows, depth }, goodput) {
  const number = (value) => value.toLocaleString("en");
  const rowsOf = (figures, pick) => Object.entries(figures).map(([name, figure]) => ({ name, ...pick(figure) }));
  const ofCases = rowsOf(rows, ({ byRows }) => ({ value: byRows, aim: growthAim }));
  const box = (column, top, height) => ({ titleLeft: 16 + column * 560, left: 280 + column * 560, top, width: 240, height });
  const height = ofCases.length * rowHeight;
  const plain = (column) => ({
    titleLeft: 16 + column * 560,
    left: 60 + column * 560,
    top: 84 + 2 * (height + 76),
    width: 330,
    height: 220,
  });
  const clients = goodput.map((one) => one.clients);
  const over = (...figures) => Object.fromEntries(figures.map((figure) => [figureNames[figure], goodput.map((one) => one[figure])]));
  const [levels, trees] = ["level", "tree"].map((word) =>
    rowsOf(depth, ({ perObject }) => ({ value: perObject })).filter(({ name }) => name.includes(word)),
  );
  return draw(1120, 84 + 2 * (height + 76) + 220 + 60, "How the gateway's times grow (black: the aim, at most; red: missed)", [
    bars({ title: `Time with ${number(assets[1])} assets ÷ with ${number(assets[0])}`, rows: ofCases, atMost: true }, box(0, 84, height)),
    bars(
      {
        title: `Time beside ${number(tenants[1] - 1)} other tenants ÷ alone`,
        rows: rowsOf(rows, ({ byTenants }) => ({ value: byTenants, aim: growthAim })),
        atMost: true,
      },
      box(1, 84, height),
    ),
    bars(
      { title: "Time of a nested object, 20 in each level", rows: levels, unit: " µs" },
      box(0, 160 + height, levels.length * rowHeight),
    ),
    bars({ title: "Time of a node of a tree", rows: trees, unit: " µs" }, box(1, 160 + height, trees.length * rowHeight)),
    lines({ title: "Responses per second to clients of one tenant", clients, of: over("rate", "refused") }, plain(0)),
    lines({ title: "Time of good responses, ms", clients, of: over("p50", "p99"), log: true }, plain(1)),
  ]);
}
