// Measures starts of the gateway, and its memory when idle, under load and afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onServer, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";
import { mixOf } from "./operation.mjs";
import { rounded, withinAim } from "./report.mjs";
import { load, median, send } from "./requests.mjs";

/** Seconds from the start of the process until /ready responds with 200. */
async function startOnce(databaseUrl, settings, script) {
  const gateway = await spawnGateway(databaseUrl, settings, { script, preload: null });
  try {
    for (;;) {
      const isReady = await send(gateway.address, { path: "/ready" }).then(
        () => true,
        () => false,
      );
      if (isReady) return (performance.now() - gateway.began) / 1000;
      await sleep(10);
    }
  } finally {
    await gateway.stop();
  }
}

const repeats = 3;
const startAims = { first: 12, second: 1.5 };

/** Seconds of the first start, with demo data and without, and of the second start. */
export async function starts() {
  const results = {};
  for (const [kind, script] of [
    ["embedded, demo", "start"],
    ["PostgreSQL, demo", "start"],
    ["embedded", "serve"],
    ["PostgreSQL", "serve"],
  ]) {
    const folder = mkdtempSync(join(tmpdir(), "gateway-bench-start-"));
    const database = kind.startsWith("PostgreSQL") ? `gateway_bench_${process.pid}_start` : undefined;
    try {
      if (database) await onServer(`create database ${database}`);
      const start = () => startOnce(database && urlOf(database), { DATA_DIR: folder }, script);
      const first = await start();
      const second = [];
      for (let i = 0; i < repeats; i++) second.push(await start());
      results[kind] = { first, second: median(second) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
      if (database) await onServer(`drop database if exists ${database} with (force)`);
    }
  }
  return results;
}

export function startsReport(results) {
  const rows = Object.entries(results).map(
    ([kind, { first, second }]) =>
      `| ${kind} | ${kind.endsWith("demo") ? withinAim(first, startAims.first) : rounded(first)} | ${withinAim(second, startAims.second)} |`,
  );
  return `## Starts

Seconds from the start of the process until \`/ready\` responds with 200.
The first start creates the database, and with demo data fills it. The second is the median of ${repeats}.

| database | first | second |
|---|---|---|
${rows.join("\n")}
`;
}

/** Seconds after which an idle process has returned memory (src/server/idle-collection.ts). */
const settleSeconds = 15;
const idleAim = 150;

/** Memory in MB and rate with one process and with one per core. */
export async function footprint(bench, all, { clients, seconds }) {
  const requestOf = mixOf(all, "gateway");
  const results = [];
  for (const workers of [1, availableParallelism()]) {
    const gateway = await bench.start(`gatewayWith${workers}`, { settings: { WORKERS: String(workers) } });
    await sleep(settleSeconds * 1000);
    const idle = gateway.memoryMb();
    let loaded = idle;
    const watch = setInterval(() => (loaded = Math.max(loaded, gateway.memoryMb())), 200);
    const { rate } = await load(gateway.address, requestOf, { clients, seconds }).finally(() => clearInterval(watch));
    await sleep(settleSeconds * 1000);
    results.push({ workers, idle, loaded, after: gateway.memoryMb(), rate });
    await gateway.stop();
  }
  return { clients, results };
}

export function footprintReport({ clients, results }) {
  const rows = results.map(
    ({ workers, idle, loaded, after, rate }) =>
      `| ${workers === 1 ? "unset" : workers} | ${workers === 1 ? withinAim(idle, idleAim) : rounded(idle)} | ${rounded(loaded)} | ${rounded(after)} | ${Math.round(rate)} |`,
  );
  return `## Memory

Resident MB of all processes of a gateway on PostgreSQL, with pages that they share counted once.
"Loaded" is the maximum with ${clients} clients and the mix of [mixed load](#mixed-load). "Idle" and "after" are ${settleSeconds} s without requests.

| \`WORKERS\` | idle | loaded | after | req/s |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
