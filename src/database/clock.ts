/**
 * The reference time for everything stored: the clock of the database, which all processes share. The offset of this process's clock is
 * measured at startup, every minute and after a jump of this machine's clock, so that reading the time needs no statement.
 */
import type { Log } from "../log.js";
import { inBackground } from "./background.js";

interface Asked {
  query<T>(text: string): Promise<T[]>;
}

const againMs = 60_000;
/** Interval of checks for jumps of this machine's clock. */
const jumpCheckMs = 1_000;
/** Offsets from this value are logged. Machines synchronized by NTP deviate less. */
const tellMs = 1_000;

let offsetMs = 0;
let simulated: number | undefined;

/** Milliseconds since the epoch. Not for durations. */
export const now = (): number => simulated ?? Date.now() + offsetMs;

export const nowDate = (): Date => new Date(now());

/** Stops the clock of this process at a time, for simulations. Without a time, resumes the clock. */
export function stopClock(at?: Date): void {
  simulated = at?.getTime();
}

/** Milliseconds that the database's clock is ahead. 0 if the difference is within the error of the measurement. */
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
  // While the database is unavailable, the last offset stays.
  const again = () => void inBackground(measure).catch(() => {});
  const timer = setInterval(again, againMs).unref();
  let lead = Date.now() - performance.now();
  const jumps = setInterval(() => {
    const jump = Date.now() - performance.now() - lead;
    lead += jump;
    if (Math.abs(jump) <= tellMs) return;
    // The time goes on without the jump until the database is asked.
    offsetMs -= jump;
    again();
  }, jumpCheckMs).unref();
  return () => {
    clearInterval(timer);
    clearInterval(jumps);
  };
}
