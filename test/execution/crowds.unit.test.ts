import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Crowds } from "../../src/execution/admission/crowds.js";
import { RequestLifetime } from "../../src/resolvers/request-lifetime.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Crowds of which two operations may run without a time limit, and the names of the ended operations. */
function crowds({ isSlow = true, isAwaited = false } = {}) {
  const all = new Crowds(2, { isSlow: () => isSlow, isAwaited: () => isAwaited });
  const ended: string[] = [];
  const enter = (name: string, caller = "a") => {
    const lifetime = new RequestLifetime({ seconds: 60, long: 600 });
    lifetime.add(() => ended.push(`${name} ${(lifetime.reason as { code: string }).code}`));
    return { lifetime, ...all.enter({ caller, tenantId: "t", lifetime, arrivedAt: undefined }) };
  };
  return { all, ended, enter };
}

it("three slow operations of a slow caller end after 6 seconds with their waits, two do not", () => {
  const { all, ended, enter } = crowds();
  for (const name of ["a1", "a2"]) enter(name).begin();
  for (const name of ["b1", "b2"]) enter(name, "b").begin();
  vi.advanceTimersByTime(3_000);
  enter("a3");
  vi.advanceTimersByTime(2_900);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(400);
  expect(ended).toEqual(["a1 RATE_LIMITED", "a2 RATE_LIMITED"]);
  vi.advanceTimersByTime(3_000);
  expect(ended).toEqual(["a1 RATE_LIMITED", "a2 RATE_LIMITED", "a3 RATE_LIMITED"]);
  vi.advanceTimersByTime(60_000);
  expect(all.ended).toBe(3);
});

it("operations of a caller that is not slow have no such limit", () => {
  const { ended, enter } = crowds({ isSlow: false, isAwaited: true });
  for (const name of ["a1", "a2", "a3"]) enter(name).begin();
  vi.advanceTimersByTime(30_000);
  expect(ended).toEqual([]);
});

it("short operations beside a report do not end it", () => {
  const { ended, enter } = crowds();
  enter("report").begin();
  for (let i = 0; i < 100; i++) {
    const ends = [enter("short").begin(), enter("short").begin(), enter("short").begin()];
    vi.advanceTimersByTime(300);
    for (const end of ends) end();
  }
  expect(ended).toEqual([]);
});

it("if another tenant waits, the newest operations beyond two end after a second", () => {
  const { ended, enter } = crowds({ isAwaited: true });
  for (const name of ["a1", "a2", "a3", "a4"]) enter(name).begin();
  enter("a5");
  vi.advanceTimersByTime(900);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(ended).toEqual(["a3 RATE_LIMITED", "a4 RATE_LIMITED"]);
});

it("mutations that have begun, imports and exports continue", () => {
  const { ended, enter } = crowds();
  const [write, long, read] = [enter("write"), enter("long"), enter("read")];
  for (const { begin } of [write, long, read]) begin();
  write.lifetime.isWriting = true;
  long.lifetime.takeLong();
  vi.advanceTimersByTime(20_000);
  expect(ended).toEqual(["read RATE_LIMITED"]);
});

it("completed and refused operations do not count", () => {
  const { ended, enter } = crowds();
  enter("a1").begin();
  enter("a2").begin();
  enter("a3").begin()();
  enter("a4").leave();
  vi.advanceTimersByTime(20_000);
  expect(ended).toEqual([]);
});
