/** The folder of a test run: databases and files. The next run removes folders of killed runs. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "gateway-test-";
const minimumFreeBytes = 4 * 2 ** 30;

/**
 * Start time of a process, in a unit unaffected by clock changes. Empty if the system does not report it, undefined if the process has
 * ended.
 */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  // The name in parentheses may contain spaces. The start is the 22nd field of the line.
  const stat = existsSync("/proc/self/stat") ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** Marks a folder as owned by this process. */
const mark = (folder: string) => writeFileSync(join(folder, "owner"), `${process.pid} ${startOf(process.pid)}`);

/** True if the process that marked a folder still runs. A folder without a mark is being created. */
export function isOwned(folder: string): boolean {
  const file = join(folder, "owner");
  if (!existsSync(file)) return true;
  const [pid, start] = readFileSync(file, "utf8").split(" ");
  return startOf(Number(pid)) === start;
}

/** Stops a server that outlived its run. */
function stopServers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const data = join(folder, name, "data");
    const file = join(data, "postmaster.pid");
    if (!existsSync(file)) continue;
    const [pid, itsData] = readFileSync(file, "utf8").split("\n");
    if (itsData === data && startOf(Number(pid)) !== undefined) process.kill(Number(pid), "SIGQUIT");
  }
}

/** Removes folders of runs that have ended. */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (!name.startsWith(prefix) || isOwned(folder)) continue;
    stopServers(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates the folder in memory if there is room for many databases of a thousand files each, otherwise on disk. */
export function createRunFolder(): string {
  const memory = "/dev/shm";
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const parent = bavail * bsize > minimumFreeBytes ? memory : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, prefix));
  mark(folder);
  // PostgreSQL runs as another user and enters its folder through this one.
  chmodSync(folder, 0o711);
  return folder;
}
