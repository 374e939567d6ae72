import { expect, it } from "vitest";
import { SlowCallers } from "../../src/execution/slow-callers.js";

/** A clock that is set, and callers measured by it. */
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

it("a caller of short operations is not slow, and none is before it was measured", () => {
  const { callers, run } = measured();
  expect(callers.isSlow("a")).toBe(false);
  for (let i = 0; i < 100; i++) run("a", 499);
  expect(callers.isSlow("a")).toBe(false);
});

it("one long operation makes its caller slow, and no other; short ones do not hide it", () => {
  const { callers, run } = measured();
  run("a", 1_200);
  // (1,200² + 50 × 10²) / (1,200 + 50 × 10) = 850 ms.
  for (let i = 0; i < 50; i++) run("a", 10);
  expect([callers.isSlow("a"), callers.isSlow("b")]).toEqual([true, false]);
});

it("what runs counts with its length so far", () => {
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
  // Ten half-lives: about 1 ms of the long one is left.
  wait(300_000);
  run("a", 10);
  expect(callers.isSlow("a")).toBe(false);
});
