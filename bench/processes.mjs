// CPU time and memory of processes, as Linux reports them.
import { readdirSync, readFileSync } from "node:fs";

/** Undefined if the process or thread exited in the meantime. */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The process and its descendants. */
export const tree = (pid) => [pid, ...(read(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ").filter(Boolean).flatMap(tree) ?? [])];

/** CPU microseconds of all threads of the processes. */
export function cpuOf(pids) {
  let nanoseconds = 0;
  for (const pid of pids) {
    let threads = [];
    try {
      threads = readdirSync(`/proc/${pid}/task`);
    } catch {
      continue;
    }
    for (const thread of threads) nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0] ?? 0);
  }
  return nanoseconds / 1000;
}

/** CPU microseconds of the exited children of a process, in steps of 10,000. */
export function cpuOfExited(pid) {
  const fields = read(`/proc/${pid}/stat`)?.split(") ")[1].split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}

export const parentOf = (pid) => Number(/PPid:\s+(\d+)/.exec(read(`/proc/${pid}/status`) ?? "")?.[1]);

/** Resident memory in MB, with pages that processes share counted once (PSS). */
export const memoryOf = (pids) =>
  pids.reduce((sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? "")?.[1] ?? 0) / 1024, 0);
