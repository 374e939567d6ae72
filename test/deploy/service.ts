/** The built service as a process, started in each supported way. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/stale.mjs";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { ensureTenant, insertKey } from "../../src/database/records/directory.js";

export type Settings = Record<string, string>;

export const ways = {
  "node dist/server.js": [process.execPath, "dist/server.js"],
  "npm run -s serve": ["npm", "run", "-s", "serve"],
  "npm start": ["npm", "start"],
} as const;
export type Way = keyof typeof ways;

const base: Settings = { PATH: process.env.PATH!, HOME: process.env.HOME!, LOG_LEVEL: "silent", PORT: "0" };

export interface Service {
  child: ChildProcess;
  /** Its output to standard error. */
  said(): string;
  /** The URL of the service, once it responds. */
  url(): Promise<string>;
  /** Sends SIGTERM to the process that was started, or to `pid`. Resolves with its exit code or signal. */
  stop(pid?: number): Promise<number | string>;
}

const running = new Set<ChildProcess>();

/** Kills processes that a failed test left running. */
export async function killLeft(): Promise<void> {
  for (const child of running) {
    const ended = once(child, "exit");
    // npm and its child form a process group.
    process.kill(-child.pid!, "SIGKILL");
    await ended;
  }
}

export function launch(command: readonly string[], settings: Settings, cwd = root): Service {
  const child = spawn(command[0]!, command.slice(1), {
    cwd,
    env: { ...base, ...settings },
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.add(child);
  let said = "";
  child.stderr!.on("data", (chunk) => {
    said += chunk;
  });
  const ended = once(child, "exit").then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | string;
  });
  return {
    child,
    said: () => said,
    async url() {
      for (const end = Date.now() + 600_000; ; await sleep(20)) {
        const found = /answers at (http:\S+)/.exec(said)?.[1];
        if (found) return found;
        if (!running.has(child) || Date.now() > end) throw new Error(`did not come up: ${said}`);
      }
    },
    stop(pid = child.pid!) {
      process.kill(pid, "SIGTERM");
      return ended;
    },
  };
}

/** A key of a new admin, created while no service has the embedded database open. */
export async function issueKey(settings: Settings): Promise<string> {
  const database = await openDatabase(readConfig(settings), () => {});
  try {
    await ensureTenant(database, "plant");
    return await insertKey(database, "plant", { name: "clients", role: "admin", sites: [], readAll: true });
  } finally {
    await database.close();
  }
}

/** True if anything listens at the URL. */
export async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const listening = await Promise.race([once(socket, "connect").then(() => true), once(socket, "error").then(() => false)]).catch(
    () => false,
  );
  socket.destroy();
  return listening;
}
