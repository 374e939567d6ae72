/** A PostgreSQL server of its own, which a test may stop. `POSTGRESQL_BIN` is the folder of initdb and pg_ctl. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { appendFileSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const binaries = process.env.POSTGRESQL_BIN;

const idOf = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "postgres"]));

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

  private static async inFolder(): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "gateway-fault-"));
    // PostgreSQL refuses to run as root.
    const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    return new Server(await freePort(), folder, user);
  }

  /** `settings`: lines of postgresql.conf, made once its folder is known. */
  static async start(settings: (server: Server) => string[] = () => []): Promise<Server> {
    const server = await Server.inFolder();
    server.run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8");
    server.set(...settings(server));
    server.resume();
    return server;
  }

  /** Another server that follows this one by streaming. */
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

  /** For the next start. */
  set(...lines: string[]): void {
    appendFileSync(join(this.folder, "data/postgresql.conf"), `${lines.join("\n")}\n`);
  }

  remove(): void {
    this.stop("immediate");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(program: string, ...values: string[]): void {
    // With a pipe the server that pg_ctl leaves behind would hold it open.
    execFileSync(join(binaries!, program), [`--pgdata=${join(this.folder, "data")}`, ...values], {
      ...this.user,
      cwd: this.folder,
      stdio: "ignore",
    });
  }
}
