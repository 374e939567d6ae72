// The built gateway as a process of its own, and how much memory it has.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** Answers its address, its resident memory in MB, the most of it while `work` runs, and how to stop it. Linux only. */
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
  const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;
  return {
    address,
    /** Resident MB before, and the most above that while `work` ran. */
    async growth(work) {
      const before = resident();
      let most = before;
      const watch = setInterval(() => (most = Math.max(most, resident())), 10);
      await work().finally(() => clearInterval(watch));
      return { "MB before": Math.round(before), "MB above at most": Math.round(Math.max(most, resident()) - before) };
    },
    async stop() {
      child.kill();
      await new Promise((resolve) => child.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
