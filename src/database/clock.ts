/**
 * The time by which everything stored is judged: the database's, which all processes share. How far this process's clock is off is measured at the start
 * and each minute, so that asking for the time costs no statement.
 */
import type { Log } from "../log.js";
import { inBackground } from "./background.js";

interface Asked {
  query<T>(text: string): Promise<T[]>;
}

const againMs = 60_000;
/** Machines synchronized by NTP deviate less. */
const tellMs = 1_000;

let offsetMs = 0;
let simulated: number | undefined;

/** Milliseconds since the epoch. Not for durations. */
export const now = (): number => simulated ?? Date.now() + offsetMs;

export const nowDate = (): Date => new Date(now());

/** Stops the clock of this process at a time, for simulations; without one it goes on. */
export function stopClock(at?: Date): void {
  simulated = at?.getTime();
}

/** By how many milliseconds the database's clock is ahead. A difference within what the measurement itself leaves open is none. */
export async function clockOffset(database: Asked): Promise<number> {
  const begun = performance.now();
  const [read] = await database.query<{ at: number }>(`select extract(epoch from clock_timestamp()) * 1000 as at`);
  const halfway = (performance.now() - begun) / 2;
  const offset = read!.at - (Date.now() - halfway);
  return Math.abs(offset) <= halfway + 1 ? 0 : Math.round(offset);
}

/** Follows the database clock, and logs when the local clock starts or stops deviating. Returns a function that stops following. */
export async function followClock(database: Asked, log: Log = () => {}): Promise<() => void> {
  let isOff = false;
  const measure = async () => {
    offsetMs = await clockOffset(database);
    const wasOff = isOff;
    isOff = Math.abs(offsetMs) > tellMs;
    const side = offsetMs > 0 ? "behind" : "ahead of";
    if (isOff && !wasOff) log(`clock off: this machine is ${Math.abs(offsetMs) / 1000} s ${side} the database, whose time is used`, "warn");
    if (wasOff && !isOff) log("clock right again");
  };
  await measure();
  // While the database is away, nothing is decided.
  const timer = setInterval(() => void inBackground(measure).catch(() => {}), againMs).unref();
  return () => clearInterval(timer);
}
