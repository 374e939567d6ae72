/** Calls to a service that does not respond. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Breaker } from "../../src/storage/breaker.js";

class Away extends Error {}

const breaker = () =>
  new Breaker({ failures: 3, pauseMs: 100, isFailure: (error) => error instanceof Away, refused: () => new Away("left alone") });

/** The outcome of a call, and whether the call was made. */
async function attempt(of: Breaker, work: () => Promise<string>): Promise<[string, boolean]> {
  let isMade = false;
  const outcome = await of
    .run(() => {
      isMade = true;
      return work();
    })
    .catch((error: Error) => error.message);
  return [outcome, isMade];
}

const fails = (error = new Away("away")) => Promise.reject(error);
const answers = async () => "here";

test("fails immediately after failures in a row, and one call tries after the pause", async () => {
  const tried = breaker();
  for (let i = 0; i < 3; i++) expect(await attempt(tried, fails)).toEqual(["away", true]);
  expect(await attempt(tried, answers)).toEqual(["left alone", false]);
  await sleep(120);
  let end = (_: string) => {};
  const slow = attempt(tried, () => new Promise((resolve) => (end = resolve)));
  expect(await attempt(tried, answers)).toEqual(["left alone", false]);
  end("slowly");
  expect(await slow).toEqual(["slowly", true]);
  expect(await attempt(tried, answers)).toEqual(["here", true]);
});

test("stays open while the tries fail, and another call may try while one is pending", async () => {
  const tried = breaker();
  for (let i = 0; i < 3; i++) await attempt(tried, fails);
  await sleep(120);
  expect(await attempt(tried, fails)).toEqual(["away", true]);
  expect(await attempt(tried, answers)).toEqual(["left alone", false]);
  await sleep(120);
  void attempt(tried, () => new Promise(() => {}));
  await sleep(120);
  expect(await attempt(tried, answers)).toEqual(["here", true]);
});

test("a success between two failures, and a refusal, do not count as no response", async () => {
  const tried = breaker();
  const refuses = () => fails(new Error("no such key"));
  for (const work of [fails, fails, answers, fails, fails, refuses, fails, fails]) expect((await attempt(tried, work))[1]).toBe(true);
  expect(await attempt(tried, answers)).toEqual(["here", true]);
});
