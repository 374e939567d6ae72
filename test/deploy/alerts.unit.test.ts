/** Prometheus evaluates deploy/prometheus/alerts.yaml: each alert fires for its cause, and an outage fires a single alert. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const rules = new URL("../../deploy/prometheus/alerts.yaml", import.meta.url).pathname;
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

type Series = Record<string, string>;

/** A healthy process and database, in steps of 15 seconds over an hour. */
const well: Series = {
  up: "1x240",
  gateway_info: "1x240",
  gateway_clock_seconds: "0+15x240",
  gateway_webhook_deliveries_pending: "0x240",
  'gateway_requests_total{transport="rest"}': "0+150x240",
  'gateway_job_runs_total{name="webhooks"}': "0+15x240",
  'gateway_job_runs_total{name="scheduler"}': "0+1x240",
  gateway_mails_failed: "0x240",
  gateway_mails_pending: "0x240",
};
const gone = "_x240";

/** The name of an alert, and series that make it fire. */
const cases: [string, Series][] = [
  ["GatewayDown", { ...Object.fromEntries(Object.keys(well).map((name) => [name, gone])), up: "0x240" }],
  ["GatewayWithoutDatabase", { gateway_webhook_deliveries_pending: gone }],
  ["GatewayInternalErrors", { 'gateway_errors_total{code="INTERNAL_SERVER_ERROR"}': "0+1x240" }],
  ["GatewayUnavailable", { 'gateway_errors_total{code="SERVICE_UNAVAILABLE"}': "0+15x240" }],
  [
    "GatewaySlow",
    {
      'gateway_request_duration_seconds_bucket{transport="rest",le="2.5"}': "0x240",
      'gateway_request_duration_seconds_bucket{transport="rest",le="5"}': "0+15x240",
      'gateway_request_duration_seconds_bucket{transport="rest",le="+Inf"}': "0+15x240",
    },
  ],
  [
    "GatewaySlowStatements",
    { 'gateway_statement_seconds_total{source="requests"}': "0+30x240", 'gateway_statements_total{source="requests"}': "0+150x240" },
  ],
  ["GatewaySlowOperations", { gateway_slow_operations_total: "0+15x240" }],
  ["GatewayConnectionsAwaited", { gateway_database_connections_awaited: "1x240" }],
  ["GatewayServerChanged", { gateway_database_moves_total: "0x230 1x10" }],
  ["GatewayReplicaNotRead", { 'gateway_replica_state{state="serving"}': "0x240" }],
  ["GatewayStorageAway", { gateway_storage_left_alone: "1x240" }],
  ["GatewayQueued", { 'gateway_admission_queued{lane="short"}': "21x240" }],
  ["GatewayRefuses", { 'gateway_admission_refused_total{reason="queue"}': "0+3x240" }],
  ["GatewayBudgetsUsedUp", { 'gateway_admission_refused_total{reason="key_budget"}': "0+3x240" }],
  ["GatewayEventLoopLate", { nodejs_eventloop_lag_p99_seconds: "0.3x240" }],
  ["GatewayMemory", { process_resident_memory_bytes: "3.2e9x240", gateway_processes: "2x240" }],
  ["GatewayOpenFiles", { process_open_fds: "90x240", process_max_fds: "100x240" }],
  ["GatewayRestarts", { process_start_time_seconds: "0x200 1+1x40" }],
  ["GatewayJobFails", { 'gateway_job_failures_total{name="mails"}': "0+1x240" }],
  ["GatewayJobsStopped", { 'gateway_job_runs_total{name="webhooks"}': "9x240" }],
  ["GatewayOutboxDeep", { gateway_webhook_deliveries_pending: "10001x240" }],
  ["GatewayOutboxOld", { gateway_webhook_oldest_pending_seconds: "3601x240" }],
  ["GatewayMailFails", { gateway_mails_failed: "6x240" }],
  ["GatewayMailWaits", { gateway_mails_pending: "101x240" }],
  ["GatewaySchedulerStopped", { 'gateway_job_runs_total{name="scheduler"}': gone }],
  ["GatewayClockOff", { gateway_clock_seconds: "31+15x240" }],
  ["GatewayTargetsVanished", Object.fromEntries(Object.keys(well).map((name) => [name, gone]))],
];

/** A lost database as a process reports it: requests and jobs fail, and callers wait for connections. */
const outage: Series = {
  gateway_webhook_deliveries_pending: gone,
  'gateway_errors_total{code="SERVICE_UNAVAILABLE"}': "0+150x240",
  'gateway_errors_total{code="INTERNAL_SERVER_ERROR"}': "0+1x240",
  'gateway_job_failures_total{name="webhooks"}': "0+15x240",
  'gateway_job_runs_total{name="webhooks"}': "9x240",
  'gateway_job_runs_total{name="scheduler"}': "9x240",
  gateway_database_connections_awaited: "9x240",
  'gateway_replica_state{state="serving"}': "0x240",
  gateway_mails_failed: gone,
  gateway_mails_pending: gone,
};

const labelled = (name: string) => {
  const [, metric, labels] = /^(\w+)(?:\{(.*)\})?$/.exec(name)!;
  return `${metric}{job="gateway",instance="a"${labels ? `,${labels}` : ""}}`;
};

function promtool(tests: { name: string; series: Series; firing: string[]; minutes?: number }[]): void {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  try {
    const file = join(folder, "alerts.json");
    const content = {
      rule_files: [rules],
      evaluation_interval: "1m",
      tests: tests.map(({ name, series, firing, minutes = 60 }) => ({
        name,
        interval: "15s",
        input_series: Object.entries(series).map(([one, values]) => ({ series: labelled(one), values })),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: `${minutes}m`,
            exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
          },
        ],
      })),
    };
    writeFileSync(file, JSON.stringify(content));
    execFileSync("promtool", ["test", "rules", file], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stderr}${stdout}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { groups } = parse(readFileSync(rules, "utf8")) as {
  groups: { rules: { alert: string; for?: string; annotations: { runbook_url: string } }[] }[];
};
const alerts = groups.flatMap((group) => group.rules);

it("every alert waits before it fires, links to its runbook with an absolute URL, and has a case here", () => {
  expect(alerts.map(({ alert }) => alert).sort()).toEqual(cases.map(([alert]) => alert).sort());
  const { external_labels } = parse(readFileSync(rules.replace("alerts.yaml", "prometheus.yml"), "utf8")).global;
  for (const { alert, for: wait, annotations } of alerts) {
    expect(wait, alert).toMatch(/^\d+m$/);
    const link = new URL(annotations.runbook_url.replace("{{ $externalLabels.runbooks }}", external_labels.runbooks));
    expect([link.protocol, link.hash], alert).toEqual(["https:", `#${alert.toLowerCase()}`]);
  }
});

describe.skipIf(!hasPromtool)("promtool", () => {
  it("fires nothing for a healthy service, and one alert for each of these", () =>
    promtool([
      { name: "well", series: well, firing: [] },
      ...cases.map(([alert, changed]) => ({ name: alert, series: { ...well, ...changed }, firing: [alert] })),
    ]));

  it("fires one alert for a lost database, and none of its consequences once it is back", () =>
    promtool([
      { name: "lost", series: { ...well, ...outage }, firing: ["GatewayWithoutDatabase"] },
      {
        name: "back",
        series: {
          ...well,
          ...outage,
          gateway_webhook_deliveries_pending: "_x220 0x20",
          gateway_database_connections_awaited: "9x220 0x20",
          'gateway_replica_state{state="serving"}': "0x220 1x20",
        },
        firing: [],
        minutes: 58,
      },
    ]));
});
