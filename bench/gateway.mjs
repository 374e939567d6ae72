// Runs the built gateway in a child process, as `npm run serve` does, and measures its memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryOf, tree } from "./processes.mjs";

const own = fileURLToPath(new URL("..", import.meta.url));

/** The default level, because the image and the manifests in deploy/ set none. */
export const logLevel = process.env.BENCH_LOG ?? "info";

/** The command of a script of package.json, after its build. `exec` makes it the spawned process. */
const commandOf = (root, script) =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts[script].replace(/^node scripts\/build.mjs --if-stale && /, "");

/** Settings of an operator: the default log level, and budgets larger than the benchmark uses up. */
const operating = { PORT: "0", LOG_LEVEL: logLevel, RATE_LIMIT_KEY: "10000000", RATE_LIMIT_TENANT: "10000000" };

/**
 * Starts a gateway and resolves when it prints its address. `script` is `serve`, or `start` for the demo. `preload` is a module of this
 * folder to load first, or null. Linux only.
 */
export async function spawnGateway(databaseUrl, settings = {}, { root = own, script = "serve", preload = "heap.mjs" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const began = performance.now();
  const child = spawn("sh", ["-c", commandOf(root, script)], {
    cwd: root,
    env: {
      ...process.env,
      // The command runs the same Node.js as the benchmark.
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      ...operating,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      DATA_DIR: folder,
      ...(preload && { NODE_OPTIONS: `--import ${new URL(preload, import.meta.url).href}` }),
      ...settings,
    },
    stdio: ["ignore", "ignore", "pipe", ...(preload ? ["ipc"] : [])],
  });
  const address = await new Promise((resolve, reject) => {
    let printed = "";
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}: ${printed.slice(-2000)}`)));
    child.stderr.on("data", (text) => {
      printed += text;
      const [url] = /http:\/\/[\d.]+:\d+/.exec(printed) ?? [];
      if (url) resolve(url);
    });
  });
  const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
  const reported = async () => {
    child.kill("SIGUSR2");
    const [message] = await once(child, "message");
    return message;
  };
  return {
    address,
    pid: child.pid,
    began,
    residentMb,
    /** Memory of the gateway and its workers. */
    memoryMb: () => memoryOf(tree(child.pid)),
    /** Returns the heap in use in MB after a garbage collection. */
    heapMb: async () => (await reported()).heap / 2 ** 20,
    /** Returns the CPU profile of `work`; `preload` must be `profile.mjs`. */
    async profile(work) {
      child.kill("SIGUSR2");
      await work();
      return (await reported()).profile;
    },
    /** Returns the resident memory in MB before `work`, and its maximum growth while `work` runs. */
    async growth(work) {
      const before = residentMb();
      let peak = before;
      const watch = setInterval(() => (peak = Math.max(peak, residentMb())), 10);
      await work().finally(() => clearInterval(watch));
      return { "MB before": Math.round(before), "MB above at most": Math.round(Math.max(peak, residentMb()) - before) };
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill();
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
