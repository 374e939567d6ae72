/**
 * The dashboard and the alert rules of deploy/: every metric they name is served, every expression is well-formed, and every alert is
 * documented.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { evaluate, parseExpression } from "../../scripts/dashboard/promql.mjs";
import { parseMetrics, Store } from "../../scripts/dashboard/series.mjs";
import { startGateway } from "../world.js";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

interface Panel {
  title: string;
  description: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat: string }[];
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

const { panels } = JSON.parse(read("deploy/grafana/maintenance-gateway.json")) as { panels: Panel[] };
const { groups } = parse(read("deploy/prometheus/alerts.yaml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap(({ rules }) => rules);

/** The expression as Grafana sends it. */
const sent = (expr: string) => expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*");

const expressions: [string, string][] = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, sent(expr)])),
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
];

/** Names of metrics and labels in an expression. Throws if it is not valid PromQL. */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`);
      if (type.name === "Identifier") metrics.push(expression.slice(from, to));
      if (type.name === "LabelName") labels.push(expression.slice(from, to));
    },
  });
  return { metrics, labels };
}

/** Labels that Prometheus adds. */
const ofPrometheus = ["instance", "job", "le"];

describe("metrics", async () => {
  const token = "a-token-of-the-tests";
  const gateway = await startGateway({ METRICS_TOKEN: token });
  const tenant = await gateway.newTenant();
  await tenant.ask("{ assets(first: 1) { nodes { id } } }");
  await tenant.rest("GET", "/assets/none");
  const scrape = async () => (await gateway.rest("GET", "/metrics", undefined, { authorization: `Bearer ${token}` })).body as string;
  // The response arrives before the request is counted.
  const text = await vi.waitFor(
    async () => {
      const text = await scrape();
      expect(text).toContain('gateway_errors_total{transport="rest"');
      return text;
    },
    { timeout: 60_000 },
  );
  const served = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    ),
  );

  test.each(expressions)("%s: %s", (_, expression) => {
    const { metrics, labels } = namesIn(expression);
    expect(metrics.length).toBeGreaterThan(0);
    // Prometheus itself provides `up`.
    expect(metrics.filter((name) => name !== "up" && !served.has(name))).toEqual([]);
    const known = new Set([...ofPrometheus, ...parseMetrics(text).flatMap(({ labels }) => Object.keys(labels)), ...labelsWithoutSeries]);
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  test("unknown metric names and invalid PromQL are detected", () => {
    expect(namesIn("sum by (transport) (rate(gateway_requests_totals[5m]))").metrics.filter((name) => !served.has(name))).toHaveLength(1);
    for (const wrong of ["sum by (transport (rate(up[5m]))", "rate(up[5m)", "up >", "topk(10 up)"])
      expect(() => namesIn(wrong), wrong).toThrow();
  });
});

/** Labels of metrics without series until an event occurs. */
const labelsWithoutSeries = ["name", "server", "state"];

test("the dashboard's panels do not overlap, and each has a description and a legend where it has several lines", () => {
  const taken = new Set<string>();
  for (const { title, description, gridPos, targets } of panels) {
    expect(description, title).toMatch(/\.$/);
    if (targets.length > 1) for (const { legendFormat } of targets) expect(legendFormat, title).not.toBe("");
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(x).toBeLessThan(24);
        expect(taken.has(`${x} ${y}`), title).toBe(false);
        taken.add(`${x} ${y}`);
      }
  }
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
});

test("docs/operations/incidents.md has a guide for each alert, and no other", () => {
  const guides = read("docs/operations/incidents.md");
  const explained = [...guides.matchAll(/^#### (\w+)\n\n\*\*Meaning:\*\* .+\n\*\*Check:\*\* .+\n\*\*Remedy:\*\* .+$/gm)].map(
    ([, name]) => name,
  );
  expect(explained).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`{{ $externalLabels.runbooks }}/operations/incidents.md#${alert.toLowerCase()}`);
    expect(["critical", "warning", "info"]).toContain(labels.severity);
    for (const text of [annotations.summary, annotations.description]) expect(text).toMatch(/\.$/);
  }
});

describe("the source of the picture", () => {
  const store = new Store();
  const reading = (seconds: number, text: string) => store.add(seconds, parseMetrics(text), { job: "gateway" });
  reading(
    0,
    `a_total{transport="rest"} 10\na_total{transport="graphql"} 100\nb_total{transport="rest"} 4\nsize 7\nt_bucket{le="1"} 0\nt_bucket{le="2"} 0\nt_bucket{le="+Inf"} 0`,
  );
  reading(
    5,
    `a_total{transport="rest"} 20\na_total{transport="graphql"} 130\nb_total{transport="rest"} 9\nsize 8\nt_bucket{le="1"} 5\nt_bucket{le="2"} 10\nt_bucket{le="+Inf"} 10`,
  );
  // A restarted process.
  reading(
    10,
    `a_total{transport="rest"} 30\na_total{transport="graphql"} 40\nb_total{transport="rest"} 9\nsize 9\nt_bucket{le="1"} 5\nt_bucket{le="2"} 20\nt_bucket{le="+Inf"} 20`,
  );

  test.each<[string, Record<string, number>]>([
    ["size", { "": 9 }],
    [`rate(a_total{transport="rest"}[10s])`, { rest: 2 }],
    ["rate(a_total[10s])", { rest: 2, graphql: 7 }],
    ["sum(rate(a_total[10s]))", { "": 9 }],
    [`sum by (transport) (rate(a_total{transport=~"r.*"}[10s]))`, { rest: 2 }],
    [`sum by (transport) (rate(a_total{transport!="rest"}[10s]))`, { graphql: 7 }],
    ["topk(1, sum by (transport) (rate(a_total[10s])))", { graphql: 7 }],
    ["sum by (transport) (rate(b_total[10s])) / sum by (transport) (rate(a_total[10s]))", { rest: 0.25 }],
    ["max(size) - 2 * max(size)", { "": -9 }],
    ["count(a_total)", { "": 2 }],
    ["histogram_quantile(0.5, sum by (le) (rate(t_bucket[10s])))", { "": 1 + 5 / 15 }],
    ["nothing", {}],
  ])("%s", (expression, expected) => {
    const found: { labels: Record<string, string>; value: number }[] = evaluate(parseExpression(expression), store, 10);
    expect(Object.fromEntries(found.map(({ labels, value }) => [labels.transport ?? "", value]))).toEqual(expected);
  });

  test("unknown syntax is rejected", () => {
    for (const unknown of ["predict_linear(a_total[10s], 5)", "a_total offset 5m", "stddev(a_total)", "a_total > 5"])
      expect(() => evaluate(parseExpression(unknown), store, 10), unknown).toThrow(/not drawn/);
  });
});
