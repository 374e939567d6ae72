/**
 * Returns unused memory to the operating system. V8 collects garbage only when it allocates, so after a burst of large responses an idle
 * process would keep hundreds of megabytes.
 */
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookMs = 5_000;

/** Share of busy time between two polls, below which a process is idle. */
const idleShare = 0.05;

/**
 * Bytes of resident memory beyond the initial amount, or of change since the last collection, that justify a collection of a tenth of a
 * second.
 */
const worthwhile = 64 * 1_048_576;

/** Minimum interval of collections while memory does not change. */
const againMs = 300_000;

/** Collects whenever the process has been idle for a while and has grown. Returns a function that stops it. */
export function collectWhenIdle(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { rss } = process.memoryUsage;
  const atStart = rss();
  let last = { rss: atStart, at: 0 };
  let utilization = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const before = utilization;
    utilization = performance.eventLoopUtilization();
    const isIdle = performance.eventLoopUtilization(utilization, before).utilization < idleShare;
    const isChanged = Math.abs(rss() - last.rss) > worthwhile || performance.now() - last.at > againMs;
    if (!isIdle || !isChanged || rss() < atStart + worthwhile) return;
    collect();
    last = { rss: rss(), at: performance.now() };
  }, lookMs).unref();
  return () => clearInterval(timer);
}
