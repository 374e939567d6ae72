/** The built gateway in a separate process. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Answer {
  status: number;
  retryAfter: string | null;
  body: any;
  /** Milliseconds until the response arrived. */
  ms: number;
}

export class GatewayProcess {
  url = "";
  /** The log output so far. */
  said = "";
  key = "";
  private child: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), "gateway-fault-data-"));

  constructor(private readonly settings: Record<string, string>) {}

  get pid(): number {
    return this.child!.pid!;
  }

  get isRunning(): boolean {
    return this.child?.exitCode === null;
  }

  private get environment(): Record<string, string> {
    const { PATH = "", HOME = "" } = process.env;
    return { PATH, HOME, DATA_DIR: this.folder, LOG_LEVEL: "silent", PORT: "0", WEBHOOK_POLL_MS: "3600000", ...this.settings };
  }

  /** Issues an admin key unless a key is given. */
  async start(key?: string): Promise<this> {
    const args = [main, "key", "--tenant", "fault", "--role", "admin"];
    this.key = key ?? (await promisify(execFile)(process.execPath, args, { env: this.environment })).stdout.trim();
    const child = spawn(process.execPath, [main, "serve"], { env: this.environment, stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    this.url = await new Promise((resolve, reject) => {
      this.said = "";
      child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}: ${this.said}`)));
      child.stderr!.on("data", (chunk) => {
        this.said += chunk;
        const [found] = /http:\/\/[\d.]+:\d+/.exec(this.said) ?? [];
        if (found) resolve(found);
      });
    });
    return this;
  }

  async call(method: string, path: string, body?: object): Promise<Answer> {
    const begun = performance.now();
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, retryAfter: headers.get("retry-after"), body: JSON.parse(text), ms: Math.round(performance.now() - begun) };
  }

  write = (name = "Pump"): Promise<Answer> => this.call("POST", "/assets", { name, type: "pump" });
  read = (): Promise<Answer> => this.call("GET", "/assets?limit=5");
  ready = (): Promise<Answer> => this.call("GET", "/ready");

  /** Milliseconds until a call returns the status. */
  async until(status: number, call: () => Promise<Answer>, patienceMs = 20_000): Promise<number> {
    const begun = performance.now();
    for (;;) {
      const answer = await call();
      const ms = Math.round(performance.now() - begun);
      if (answer.status === status) return ms;
      if (ms > patienceMs) throw new Error(`no ${status} within ${patienceMs} ms, but ${answer.status}: ${JSON.stringify(answer.body)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    if (this.isRunning) {
      this.child!.kill();
      await once(this.child!, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
