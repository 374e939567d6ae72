// Draws deploy/grafana/maintenance-gateway.json to docs/dashboard.png. Starts the service on the demo plant, reads /metrics each second
// under a mixed load, and evaluates the dashboard's expressions. Uses a new database on the server of DASHBOARD_DATABASE_URL, otherwise the
// embedded database.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import sharp from "sharp";
import { runLoad } from "./dashboard/load.mjs";
import { drawDashboard } from "./dashboard/panels.mjs";
import { evaluate, parseExpression } from "./dashboard/promql.mjs";
import { parseMetrics, Store } from "./dashboard/series.mjs";
import { cli, startDemo } from "./demo-service.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const seconds = Number(process.env.DASHBOARD_SECONDS ?? 60);
/** The interval that Grafana would choose for so short a period. */
const rateInterval = "5s";
const target = join(root, "docs/dashboard.png");

const server = process.env.DASHBOARD_DATABASE_URL;
const database = `dashboard_${randomBytes(4).toString("hex")}`;
const folder = mkdtempSync(join(tmpdir(), "dashboard-"));

async function onServer(sql) {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

const token = randomBytes(16).toString("hex");
const settings = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PORT: "0",
  DATA_DIR: folder,
  LOG_LEVEL: "fatal",
  METRICS_TOKEN: token,
  ...(server && { DATABASE_URL: Object.assign(new URL(server), { pathname: `/${database}` }).href }),
  // Small enough for the load to reach the limits.
  RATE_LIMIT_TENANT: "12000",
  RATE_LIMIT_KEY: "10000",
  RATE_LIMIT_BURST: "2",
  MAX_RUNNING: "6",
  TENANT_QUEUE: "12",
  SLOW_OPERATION_MS: "100",
  SCHEDULER: "true",
  SCHEDULER_SECONDS: "5",
  WEBHOOK_ALLOW_PRIVATE: "true",
  WEBHOOK_POLL_MS: "500",
};

const newKey = (tenant) =>
  execFileSync(process.execPath, [cli, "key", "--tenant", tenant, "--role", "admin"], { env: settings }).toString().trim();

async function watch(url, signal) {
  const store = new Store();
  const times = [];
  while (!signal.aborted) {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const now = Date.now() / 1000;
    store.add(now, parseMetrics(await response.text()), { instance: "gateway:4000", job: "gateway" });
    times.push(now);
    await sleep(1000, undefined, { signal }).catch(() => {});
  }
  return { store, times };
}

/** Series of a panel, named by its legend format. */
function resultOf(panel, store, times) {
  const series = panel.targets.flatMap(({ expr, legendFormat }) => {
    const expression = parseExpression(expr.replaceAll("$__rate_interval", rateInterval).replaceAll("$instance", ".*"));
    const found = new Map();
    for (const time of times)
      for (const { labels, value } of evaluate(expression, store, time)) {
        const name = legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => labels[label] ?? "");
        if (!found.has(name)) found.set(name, new Map());
        found.get(name).set(time, value);
      }
    return [...found].map(([name, values]) => ({ name, points: times.map((time) => [time, values.get(time) ?? Number.NaN]) }));
  });
  return { panel, series, span: { from: times[0], to: times.at(-1) } };
}

let service;
try {
  if (server) await onServer(`create database ${database}`);
  const others = ["north", "south", "west"].map(newKey);
  service = await startDemo(settings);
  const { key } = service;
  const end = AbortSignal.timeout(seconds * 1000);
  const [{ store, times }] = await Promise.all([watch(service.url, end), runLoad(service.url, [key, ...others], seconds, end)]);
  const { title, panels } = JSON.parse(readFileSync(join(root, "deploy/grafana/maintenance-gateway.json"), "utf8"));
  // The first readings have no previous reading to compute a rate from.
  const results = panels.map((panel) => resultOf(panel, store, times.slice(5)));
  await sharp(Buffer.from(drawDashboard(title, results)))
    .png({ palette: true, compressionLevel: 9 })
    .toFile(target);
  for (const { panel, series } of results) if (!series.length) process.stderr.write(`no data: ${panel.title}\n`);
  process.stderr.write(`drew ${results.length} panels of ${times.length} readings to docs/dashboard.png\n`);
} finally {
  const ended = service && new Promise((resolve) => service.child.once("exit", resolve));
  service?.child.kill("SIGTERM");
  await ended;
  if (server) await onServer(`drop database if exists ${database} with (force)`);
  rmSync(folder, { recursive: true, force: true });
}
