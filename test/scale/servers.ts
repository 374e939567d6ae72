/** Servers that the scale tests start on loopback besides PostgreSQL: poolers, standbys, and gateways in this and in separate processes. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { buildGateway } from "../../src/server/http.js";
import { binaries, freePort } from "../postgresql.js";
import { Gateway } from "../world.js";

const isRoot = process.getuid?.() === 0;
const idOf = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "postgres"]));
/** PostgreSQL and PgBouncer refuse to run as root. */
const user = isRoot && binaries ? { uid: idOf("-u"), gid: idOf("-g") } : {};

/** A folder owned by the user that the servers run as. */
function folderFor(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `gateway-${name}-`));
  chmodSync(folder, 0o700);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

const places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];
export const pgbouncer = process.env.PGBOUNCER ?? places.find((place) => existsSync(place));

async function accepts(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, "127.0.0.1");
    const isUp = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    if (tries === 100) throw new Error(`nothing listens on port ${port}`);
    await sleep(50);
  }
}

/** A PgBouncer in front of a server, for all its databases. */
export class Pooler {
  private constructor(
    readonly url: string,
    readonly adminUrl: string,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(serverUrl: string, mode: "session" | "transaction", poolSize: number): Promise<Pooler> {
    const { port: serverPort, pathname } = new URL(serverUrl);
    const folder = folderFor("pooler");
    const port = await freePort();
    const users = join(folder, "users");
    const config = join(folder, "pgbouncer.ini");
    writeFileSync(users, `"postgres" ""\n`);
    writeFileSync(
      config,
      `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = postgres
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 500
server_login_retry = 1
logfile = ${join(folder, "log")}
`,
    );
    for (const file of [users, config]) if (user.uid !== undefined) chownSync(file, user.uid, user.gid);
    const process = spawn(pgbouncer!, ["-q", config], { ...user, cwd: folder, stdio: "ignore" });
    await accepts(port);
    const url = `postgresql://postgres@127.0.0.1:${port}`;
    return new Pooler(`${url}${pathname}`, `${url}/pgbouncer`, process, folder);
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  get log(): string {
    return readFileSync(join(this.folder, "log"), "utf8");
  }

  async stop(): Promise<void> {
    if (this.isRunning) {
      this.process.kill("SIGTERM");
      await once(this.process, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Standby {
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(primaryUrl: string): Promise<Standby> {
    const { port: primaryPort, pathname } = new URL(primaryUrl);
    const folder = folderFor("standby");
    const port = await freePort();
    const standby = new Standby(`postgresql://postgres@127.0.0.1:${port}${pathname}`, folder, port);
    standby.run("pg_basebackup", "-h", "127.0.0.1", "-p", primaryPort, "-U", "postgres", "-D", join(folder, "data"), "-R", "-c", "fast");
    standby.resume();
    return standby;
  }

  stop(mode: "fast" | "immediate" = "immediate"): void {
    this.run("pg_ctl", "stop", "--wait", `--mode=${mode}`, `--pgdata=${join(this.folder, "data")}`);
  }

  resume(): void {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c wal_retrieve_retry_interval=200ms`;
    this.run(
      "pg_ctl",
      "start",
      "--wait",
      `--pgdata=${join(this.folder, "data")}`,
      `--log=${join(this.folder, "log")}`,
      `--options=${options}`,
    );
  }

  remove(): void {
    try {
      this.stop();
    } catch {
      // Already stopped.
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(program: string, ...values: string[]): void {
    execFileSync(join(binaries!, program), values, { ...user, cwd: this.folder, stdio: "ignore" });
  }
}

/** Runs a statement on a separate connection. */
export async function ask<T extends object>(url: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query<T>(sql, values).finally(() => client.end())).rows;
}

/** A gateway in this process. */
export async function openGateway(
  settings: Record<string, string>,
): Promise<{ gateway: Gateway; logged: string[]; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-scale-"));
  const config = readConfig({ LOG_LEVEL: "silent", PORT: "0", DATA_DIR: folder, ...settings });
  const logged: string[] = [];
  const database = await openDatabase(config, (line) => logged.push(line));
  const app = await buildGateway({ config, database });
  const gateway = new Gateway(await app.listen({ host: "127.0.0.1", port: 0 }), app, database, config);
  await gateway.learnContract();
  const close = async () => {
    await app.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { gateway, logged, close };
}

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A gateway in a separate process. */
export interface Process {
  url: string;
  stop(): Promise<void>;
}

export async function startProcess(settings: Record<string, string>): Promise<Process> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-scale-"));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: "silent", PORT: "0", DATA_DIR: folder, ...settings };
  const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}: ${said}`)));
    child.stderr!.on("data", (text) => {
      said += text;
      const [found] = /http:\/\/[\d.]+:\d+/.exec(said) ?? [];
      if (found) resolve(found);
    });
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, stop };
}
