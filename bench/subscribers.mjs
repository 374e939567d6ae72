// Measures the cost of a live event: 1,000 identical subscriptions of one tenant over 50 sockets, and 100 events a second. The measured
// gateway serves the subscribers; a second gateway writes, so that writes are not measured. Linux only. BASE=../before also measures
// another build. The figures are CPU time, because machines are shared.
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { onServer, urlOf } from "./database.mjs";

const { SOCKETS = 50, SUBSCRIPTIONS = 20, EVENTS = 100, SECONDS = 20, BASE } = process.env;
const [sockets, each, rate, seconds] = [SOCKETS, SUBSCRIPTIONS, EVENTS, SECONDS].map(Number);
const query = "subscription { stockChanged { id quantity newBalance performedAt part { partNumber name } } }";
const self = fileURLToPath(import.meta.url);
const parts = 20;

/** Opens the subscriptions in a separate process. Reports how many have started and, on request, how many events have arrived. */
async function receive(address, key) {
  let received = 0;
  const lags = [];
  const open = (resolve) => {
    const socket = new WebSocket(`${address.replace("http", "ws")}/graphql`, "graphql-transport-ws", { perMessageDeflate: false });
    const send = (message) => socket.send(JSON.stringify(message));
    socket.on("open", () => send({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } }));
    socket.on("close", (code, reason) => process.send({ problem: `closed with ${code} ${reason}` }));
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const start = data.toString("latin1", 0, 60);
      if (start.includes('"type":"next"')) {
        received++;
        // Parses one message per socket; the others are only counted.
        if (!start.includes('"id":"0"')) return;
        const { payload } = JSON.parse(data);
        if (payload.errors) process.send({ problem: JSON.stringify(payload.errors).slice(0, 300) });
        else lags.push(Date.now() - Date.parse(payload.data.stockChanged.performedAt));
      } else if (start.includes('"type":"connection_ack"')) {
        for (let id = 0; id < each; id++) send({ id: String(id), type: "subscribe", payload: { query } });
        // The server replies to the ping after it has processed all previous messages.
        send({ type: "ping" });
      } else if (start.includes('"type":"pong"')) resolve();
      else process.send({ problem: String(data).slice(0, 300) });
    });
  };
  process.on("message", () => process.send({ received, lags }));
  await Promise.all(Array.from({ length: sockets }, () => new Promise(open)));
  process.send({ isOpen: true });
}

/** CPU milliseconds used by all threads of a process. */
const cpuMs = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0);
const memoryMb = (pid, name) =>
  Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
const quantile = (sorted, part) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);

async function measure(root) {
  const database = `gateway_bench_subscribers_${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const main = join(root, "dist/cli/main.js");
  const env = {
    ...process.env,
    DATABASE_URL: urlOf(database),
    DATA_DIR: folder,
    PORT: "0",
    LOG_LEVEL: "silent",
    MAX_SUBSCRIPTIONS_PER_KEY: "100000",
    MAX_SUBSCRIPTIONS_PER_SOCKET: "1000",
  };
  const children = [];
  const start = async (options = []) => {
    const child = spawn(process.execPath, [...options, main, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    children.push(child);
    const address = await new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
      child.stderr.on("data", (text) => {
        const [url] = /http:\/\/[\d.]+:\d+/.exec(text) ?? [];
        if (url) resolve(url);
      });
    });
    return { address, pid: child.pid };
  };
  await onServer(`create database ${database}`);
  try {
    const key = execFileSync(process.execPath, [main, "key", "--tenant", "live", "--role", "admin"], { env }).toString().trim();
    const served = await start(process.env.PROFILE ? ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`] : []);
    const writing = await start();
    const post = async (path, body) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetch(writing.address + path, { method: "POST", headers, body: JSON.stringify(body) });
      const answer = await response.json();
      if (!response.ok || answer.errors) throw new Error(JSON.stringify(answer));
      return answer;
    };
    const ids = [];
    for (let i = 0; i < parts; i++) {
      const { partId } = await post("/parts", { partNumber: `P-${i}`, name: `Part ${i}`, stockLevel: 10, unitCost: 2 });
      ids.push(partId);
    }
    const adjust = (id) =>
      post("/graphql", {
        query: `mutation ($id: ID!) { adjustStock(partId: $id, input: { quantity: 1, adjustmentType: CORRECTION }) { __typename } }`,
        variables: { id },
      });
    const receiver = fork(self, ["receive", served.address, key], { stdio: "inherit" });
    children.push(receiver);
    const problems = new Set();
    receiver.on("message", ({ problem }) => problem && problems.add(problem));
    await new Promise((resolve) => receiver.on("message", ({ isOpen }) => isOpen && resolve()));
    const report = async () => {
      receiver.send("report");
      for (;;) {
        const [message] = await once(receiver, "message");
        if (message.lags) return message;
      }
    };
    await sleep(2_000);
    for (const id of ids) await adjust(id);
    await sleep(3_000);
    const warm = await report();
    const [cpu, since] = [cpuMs(served.pid), performance.now()];
    let written = 0;
    let next = 0;
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (;;) {
          const turn = next++;
          if (turn >= rate * seconds) return;
          await sleep(since + (turn * 1_000) / rate - performance.now());
          // Lanes write different rows, so that none waits for another's lock.
          await adjust(ids[(turn * 8 + lane) % parts]);
          written++;
        }
      }),
    );
    const writtenIn = (performance.now() - since) / 1_000;
    const wanted = written * sockets * each;
    let now = await report();
    for (let last = -1; now.received - warm.received < wanted && last !== now.received; ) {
      last = now.received;
      await sleep(5_000);
      now = await report();
    }
    const cpuTaken = cpuMs(served.pid) - cpu;
    const lags = now.lags.slice(warm.lags.length).sort((a, b) => a - b);
    return {
      "events/s": Math.round(written / writtenIn),
      "delivered %": Math.round(((now.received - warm.received) / wanted) * 1_000) / 10,
      "CPU s": Math.round(cpuTaken / 100) / 10,
      // Per delivered event: a slow build still processes events of its warm-up.
      "CPU ms/event": Math.round(((cpuTaken * sockets * each) / (now.received - warm.received)) * 10) / 10,
      "lag p50 ms": quantile(lags, 0.5),
      "lag p99 ms": quantile(lags, 0.99),
      "RSS MB": memoryMb(served.pid, "VmRSS"),
      "most MB": memoryMb(served.pid, "VmHWM"),
      ...(problems.size && { problems: [...problems].slice(0, 3).join("; ") }),
    };
  } finally {
    for (const child of children.reverse()) {
      child.removeAllListeners("exit");
      if (child.exitCode !== null) continue;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
    await onServer(`drop database if exists ${database} with (force)`);
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === "receive") await receive(process.argv[3], process.argv[4]);
else {
  const rows = {};
  if (BASE) rows.before = await measure(BASE);
  if (BASE) console.table(rows);
  rows.now = await measure(fileURLToPath(new URL("..", import.meta.url)));
  console.table(rows);
  if (rows.before) console.log(`CPU before / now: ${Math.round((rows.before["CPU ms/event"] / rows.now["CPU ms/event"]) * 10) / 10}`);
}
