/** WORKERS: the number of processes, and the sum of their metrics. */
import { availableParallelism } from "node:os";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { readConfig, workersOf } from "../../src/config.js";
import { MetricsSum } from "../../src/server/workers/sum-metrics.js";

const numberOf = (settings: Record<string, string | undefined>) => workersOf(readConfig(settings));
const server = { DATABASE_URL: "postgresql://localhost/gateway" };

test("one process by default, and with auto one for each core", () => {
  const given = [{}, { WORKERS: "1" }, { WORKERS: "64" }, { WORKERS: "auto" }];
  expect(given.map((settings) => numberOf({ ...server, ...settings }))).toEqual([1, 1, 64, availableParallelism()]);
  for (const WORKERS of ["0", "65", "1.5", "two", "-1", "01"])
    expect(() => numberOf({ ...server, WORKERS }), WORKERS).toThrow("WORKERS: must be auto, or a whole number from 1 to 64");
});

test("one process on the embedded database", () => {
  expect([{}, { WORKERS: "1" }, { WORKERS: "auto" }].map((settings) => numberOf(settings))).toEqual([1, 1, 1]);
  expect(() => numberOf({ WORKERS: "2" })).toThrow("WORKERS: needs DATABASE_URL: the embedded database has one process");
});

interface Values {
  requests: number;
  memory: number;
  startedAt: number;
  files: number;
  mostFiles: number;
}

/** The metrics of a worker, read as its registry reports them. */
function snapshotOf({ requests, memory, startedAt, files, mostFiles }: Values) {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: "gateway_requests_total", help: ".", labelNames: ["status"], registers }).inc({ status: "200" }, requests);
  const seconds = new Histogram({ name: "gateway_request_duration_seconds", help: ".", buckets: [1], registers });
  for (let i = 0; i < requests; i++) seconds.observe(0.5);
  const gauges = {
    process_resident_memory_bytes: memory,
    process_start_time_seconds: startedAt,
    process_open_fds: files,
    process_max_fds: mostFiles,
    gateway_mails_pending: 7,
  };
  for (const [name, value] of Object.entries(gauges)) new Gauge({ name, help: ".", registers }).set(value);
  return registry.getMetricsAsJSON();
}

const textOf = async (sum: MetricsSum) => (await sum.text()).split("\n").filter((line) => line && !line.startsWith("#"));

test("counters, histograms and memory are summed; other values are those of one worker", async () => {
  const sum = new MetricsSum();
  sum.note(1, await snapshotOf({ requests: 2, memory: 100, startedAt: 5, files: 40, mostFiles: 1000 }));
  sum.note(2, await snapshotOf({ requests: 3, memory: 50, startedAt: 9, files: 30, mostFiles: 500 }));
  const both = [
    'gateway_requests_total{status="200"} 5',
    'gateway_request_duration_seconds_bucket{le="1"} 5',
    'gateway_request_duration_seconds_bucket{le="+Inf"} 5',
    "gateway_request_duration_seconds_sum 2.5",
    "gateway_request_duration_seconds_count 5",
    "process_resident_memory_bytes 150",
    "process_start_time_seconds 9",
    "process_open_fds 40",
    "process_max_fds 500",
    "gateway_mails_pending 7",
  ];
  expect(await textOf(sum)).toEqual(both);

  // The counters of workers that ended stay, those of several too.
  sum.end(1);
  const rest = [...both.slice(0, 5), "process_resident_memory_bytes 50", both[6]!, "process_open_fds 30", both[8]!, both[9]!];
  expect(await textOf(sum)).toEqual(expect.arrayContaining(rest));
  sum.end(2);
  sum.note(3, await snapshotOf({ requests: 1, memory: 10, startedAt: 12, files: 1, mostFiles: 500 }));
  expect(await textOf(sum)).toEqual(expect.arrayContaining(['gateway_requests_total{status="200"} 6', "process_resident_memory_bytes 10"]));
  expect(await textOf(sum)).toHaveLength(both.length);
});
