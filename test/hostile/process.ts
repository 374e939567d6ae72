/** The service in a separate process with little memory. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Service {
  url: string;
  /** Resident memory in MB. */
  rss(): number;
  isAlive(): boolean;
  /** Its output to standard error. */
  said(): string;
  stop(): Promise<void>;
}

/** Issues an admin key for a tenant, while no service has the embedded database open. */
export const issueKey = (environment: Record<string, string>, tenant: string): string =>
  /mg_\w+/.exec(
    execFileSync(process.execPath, [main, "key", "--tenant", tenant, "--role", "admin"], {
      env: { ...process.env, ...environment },
    }).toString(),
  )![0];

/** Starts the service like `npm run serve`. */
export async function startProcess(environment: Record<string, string>, heapMb = 512): Promise<Service> {
  const child: ChildProcess = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, main, "serve"], {
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "silent", MALLOC_ARENA_MAX: "2", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on("data", (chunk) => {
      said += chunk;
      const address = /answers at (\S+)/.exec(said)?.[1];
      if (address) resolve(address);
    });
    child.once("exit", () => reject(new Error(said)));
  });
  return {
    url,
    rss: () => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    said: () => said,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
