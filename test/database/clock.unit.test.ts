/** The database's clock, as a process reckons it (test/fault/clock.test.ts has what is decided by it). */
import { afterEach, expect, test } from "vitest";
import { followClock, now, nowDate } from "../../src/database/clock.js";

/** A database whose clock is off by so much, and whose answers take a while. */
const database = (offsetMs: number, takesMs = 0) => ({
  async query<T>() {
    const half = () => new Promise((resolve) => setTimeout(resolve, takesMs / 2));
    await half();
    const at = Date.now() + offsetMs;
    await half();
    return [{ at }] as T[];
  },
});

const follow = async (...values: Parameters<typeof database>) => (await followClock(database(...values)))();

afterEach(() => follow(0));

test.each([7_200_000, -7_200_000, 5_000])("a process that is off by %i ms reckons with it", async (offset) => {
  await follow(offset, 20);
  expect(Math.abs(now() - Date.now() - offset)).toBeLessThan(100);
  expect(Math.abs(nowDate().getTime() - Date.now() - offset)).toBeLessThan(100);
});

test("what may as well come from measuring is no difference", async () => {
  await follow(40, 200);
  expect(Math.abs(now() - Date.now())).toBeLessThan(10);
});
