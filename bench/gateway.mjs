// Runs the built gateway in a child process and measures its memory.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Starts a gateway. Returns its address, a function to measure its memory growth, and one to stop it. Linux only. */
export async function spawnGateway(databaseUrl) {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const child = spawn(process.execPath, [cli, "serve"], {
    env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: folder, PORT: "0", LOG_LEVEL: "silent" },
    stdio: ["ignore", "ignore", "pipe"],
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
