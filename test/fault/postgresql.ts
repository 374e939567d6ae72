/** A PostgreSQL server of its own, which a test may stop. `POSTGRESQL_BIN` is the folder of initdb and pg_ctl. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
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
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly port: number,
    private readonly user: ExecFileSyncOptions,
  ) {}

  static async start(): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "gateway-fault-"));
    const port = await freePort();
    // PostgreSQL refuses to run as root.
    const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const server = new Server(`postgresql://postgres@127.0.0.1:${port}/postgres`, folder, port, user);
    server.run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8");
    server.resume();
    return server;
  }

  /** `fast` ends every session; `immediate` is a crash, with recovery at the next start. */
  stop(mode: "fast" | "immediate"): void {
    this.run("pg_ctl", "stop", "--wait", `--mode=${mode}`);
  }

  resume(): void {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder}`;
    this.run("pg_ctl", "start", "--wait", `--log=${join(this.folder, "log")}`, `--options=${options}`);
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
