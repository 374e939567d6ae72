/** PostgreSQL servers that tests start, stop and crash, each on loopback with its own folder. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. Undefined if there is no user to run it as. */
function serverUser(): { uid?: number; gid?: number } | undefined {
  if (!isRoot) return {};
  const idOf = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "postgres"], { stdio: ["ignore", "pipe", "ignore"] }));
  try {
    return { uid: idOf("-u"), gid: idOf("-g") };
  } catch {
    return undefined;
  }
}

/** Folders where packages install server programs, one per major version. */
const packageFolders = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

function findBinaries(): string | undefined {
  const versions = packageFolders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder).map((name) => ({
        path: join(folder, name, "bin"),
        version: Number.parseInt(name.replace(/^postgresql@/, ""), 10),
      })),
    )
    .sort((one, other) => other.version - one.version)
    .map(({ path }) => path);
  const paths = (process.env.PATH ?? "").split(delimiter);
  return [...versions, ...paths].find((path) => existsSync(join(path, "initdb")) && existsSync(join(path, "pg_ctl")));
}

/** Folder of initdb and pg_ctl: POSTGRESQL_BIN, or the newest installed version. Undefined if none can run here. */
export const binaries = serverUser() && (process.env.POSTGRESQL_BIN ?? findBinaries());

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Server {
  private isRunning = false;

  private constructor(
    readonly port: number,
    readonly folder: string,
    readonly user: ExecFileSyncOptions & { uid?: number; gid?: number },
  ) {}

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/postgres`;
  }

  private static async inFolder(parent = tmpdir()): Promise<Server> {
    const folder = mkdtempSync(join(parent, "gateway-postgresql-"));
    const user = serverUser() ?? {};
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
    return new Server(await freePort(), folder, user);
  }

  /** `settings` returns lines of postgresql.conf for the server's folder. `options` are for initdb. */
  static async start(
    settings: (server: Server) => string[] = () => [],
    { parent, options = [] }: { parent?: string; options?: string[] } = {},
  ): Promise<Server> {
    const server = await Server.inFolder(parent);
    server.run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", ...options);
    server.set(...settings(server));
    server.resume();
    return server;
  }

  /** Starts a server on a copy of the data of a stopped server (`saveTo`). */
  static async startOnCopy(data: string, parent?: string): Promise<Server> {
    const server = await Server.inFolder(parent);
    const copy = join(server.folder, "data");
    execFileSync("cp", ["-a", data, copy]);
    // A cached copy may have another owner.
    if (server.user.uid !== undefined) execFileSync("chown", ["-R", `${server.user.uid}:${server.user.gid}`, copy]);
    server.resume();
    return server;
  }

  /** Copies the data of this server, which must be stopped. */
  saveTo(path: string): void {
    execFileSync("cp", ["-a", join(this.folder, "data"), path]);
  }

  /** A streaming standby of this server. */
  async standby(): Promise<Server> {
    const standby = await Server.inFolder();
    standby.run("pg_basebackup", `--dbname=${this.url}`, "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream");
    standby.resume();
    return standby;
  }

  promote(): void {
    this.run("pg_ctl", "promote", "--wait");
  }

  /** `fast` ends every session; `immediate` is a crash, with recovery at the next start. */
  stop(mode: "fast" | "immediate"): void {
    if (!this.isRunning) return;
    this.run("pg_ctl", "stop", "--wait", `--mode=${mode}`);
    this.isRunning = false;
  }

  resume(): void {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder}`;
    this.run("pg_ctl", "start", "--wait", `--log=${join(this.folder, "log")}`, `--options=${options}`);
    this.isRunning = true;
  }

  /** Adds settings for the next start. */
  set(...lines: string[]): void {
    appendFileSync(join(this.folder, "data/postgresql.conf"), `${lines.join("\n")}\n`);
  }

  remove(): void {
    this.stop("immediate");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(program: string, ...values: string[]): void {
    // With a pipe, the server started by pg_ctl would keep it open.
    execFileSync(join(binaries!, program), [`--pgdata=${join(this.folder, "data")}`, ...values], {
      ...this.user,
      cwd: this.folder,
      stdio: "ignore",
    });
  }
}
