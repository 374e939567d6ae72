import { expect, it } from "vitest";
import { SlowCallers } from "../../src/execution/admission/slow-callers.js";

/** A controllable clock, and callers measured with it. */
function measured() {
  let time = 0;
  const callers = new SlowCallers(() => time);
  return {
    callers,
    wait: (ms: number) => void (time += ms),
    run(caller: string, ms: number) {
      const end = callers.begin(caller);
      time += ms;
      end();
    },
  };
}

it("a caller of short operations is not slow, and no caller is before its first measurement", () => {
  const { callers, run } = measured();
  expect(callers.isSlow("a")).toBe(false);
  for (let i = 0; i < 100; i++) run("a", 499);
  expect(callers.isSlow("a")).toBe(false);
});

it("one long operation makes only its caller slow, and short ones do not hide it", () => {
  const { callers, run } = measured();
  run("a", 1_200);
  // (1,200² + 50 × 10²) / (1,200 + 50 × 10) = 850 ms.
  for (let i = 0; i < 50; i++) run("a", 10);
  expect([callers.isSlow("a"), callers.isSlow("b")]).toEqual([true, false]);
});

it("a running operation counts with its duration so far", () => {
  const { callers, wait } = measured();
  const end = callers.begin("a");
  wait(500);
  expect(callers.isSlow("a")).toBe(false);
  wait(1);
  expect(callers.isSlow("a")).toBe(true);
  end();
  expect(callers.isSlow("a")).toBe(true);
});

it("a caller is no longer slow once as much time went into short operations as remains of the long one", () => {
  const { callers, run, wait } = measured();
  run("a", 1_000);
  expect(callers.isSlow("a")).toBe(true);
  // After ten half-lives, about 1 ms of the long run remains.
  wait(300_000);
  run("a", 10);
  expect(callers.isSlow("a")).toBe(false);
});

it("waits for the statements of others do not count, so that a victim is not slow", () => {
  const { callers, wait } = measured();
  let waited = 2_000;
  const end = callers.begin("victim", () => waited);
  wait(3_000);
  waited += 2_900;
  expect(callers.isSlow("victim")).toBe(false);
  end();
  expect(callers.isSlow("victim")).toBe(false);
});
