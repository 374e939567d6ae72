// Runs the built gateway in a child process and measures its memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "./database.mjs";

/** Starts a gateway. Returns its address, functions that measure its memory, and a function that stops it. Linux only. */
export async function spawnGateway(databaseUrl, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const child = spawn(process.execPath, ["--expose-gc", "--import", new URL("heap.mjs", import.meta.url).href, cli, "serve"], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      PORT: "0",
      LOG_LEVEL: "silent",
      RATE_LIMIT_KEY: "0",
      RATE_LIMIT_TENANT: "0",
      ...settings,
    },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const address = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
    child.stderr.on("data", (text) => {
      const [url] = /http:\/\/\S+/.exec(text) ?? [];
      if (url) resolve(url);
    });
  });
  const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
  return {
    address,
    pid: child.pid,
    residentMb,
    /** Returns the heap in use in MB after a garbage collection. */
    async heapMb() {
      child.kill("SIGUSR2");
      const [{ heap }] = await once(child, "message");
      return heap / 2 ** 20;
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
      child.kill();
      await new Promise((resolve) => child.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
