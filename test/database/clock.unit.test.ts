/** A process's estimate of the database clock. test/fault/clock.slow.test.ts covers decisions based on it. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followClock, now, nowDate } from "../../src/database/clock.js";

/** The process clock stands still, except while the database responds. */
beforeEach(() => void vi.useFakeTimers());

/** A database whose clock is off by `offsetMs` and that takes `takesMs` to respond. */
const database = (offsetMs: number, takesMs = 0) => ({
  async query<T>() {
    vi.advanceTimersByTime(takesMs / 2);
    const at = Date.now() + offsetMs;
    vi.advanceTimersByTime(takesMs / 2);
    return [{ at }] as T[];
  },
});

const follow = async (...values: Parameters<typeof database>) => (await followClock(database(...values)))();

afterEach(async () => {
  await follow(0);
  vi.useRealTimers();
});

test.each([7_200_000, -7_200_000, 5_000])("a process whose clock is off by %i ms corrects for it", async (offset) => {
  await follow(offset, 20);
  expect([now(), nowDate().getTime()]).toEqual([Date.now() + offset, Date.now() + offset]);
});

test("the log reports once when this machine's clock starts to be off, and when it is right again", async () => {
  const told: string[] = [];
  let offset = 0;
  const asked = { query: async <T>() => [{ at: Date.now() + offset }] as T[] };
  const stop = await followClock(asked, (line, level = "info") => told.push(`${level} ${line}`));
  for (offset of [900, 3_200, 3_300, -1_500, 0]) await vi.advanceTimersByTimeAsync(60_000);
  stop();
  expect(told).toEqual(["warn clock off: this machine is 3.2 s behind the database, whose time is used", "info clock right again"]);
});

test("a difference within the measuring error does not count", async () => {
  await follow(40, 200);
  expect(now()).toBe(Date.now());
});

test("a jump of this machine's clock counts for at most a second, and not at all once the database was asked", async () => {
  let wall = 0;
  const database = { query: async <T>() => [{ at: Date.now() - wall }] as T[] };
  const jump = (ms: number) => {
    wall += ms;
    vi.setSystemTime(Date.now() + ms);
  };
  const stop = await followClock(database);
  for (const ms of [3_600_000, -86_400_000, -3_600_000, 86_400_000]) {
    jump(ms);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(now() - (Date.now() - wall), `${ms} ms`).toBe(0);
  }
  stop();
});

test("while the database is unavailable, time goes on without the jump", async () => {
  let isAway = false;
  const database = {
    async query<T>() {
      if (isAway) throw new Error("away");
      return [{ at: Date.now() }] as T[];
    },
  };
  const stop = await followClock(database);
  const before = now();
  isAway = true;
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(now()).toBe(before + 5_000);
  stop();
});
