/** Start, repetition and stop of background jobs. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Job, startJobs } from "../../src/background/jobs.js";

const unexpected = (error: unknown) => {
  throw error;
};

function counting(job: Partial<Job> = {}): Job & { runs: number } {
  const counted: Job & { runs: number } = {
    name: "counting",
    intervalMs: 5,
    runs: 0,
    enabled: true,
    run: async () => counted.runs++,
    ...job,
  };
  return counted;
}

test("a job runs again after each interval, until it is stopped", async () => {
  const job = counting();
  const stop = startJobs([job], unexpected);
  await expect.poll(() => job.runs).toBeGreaterThan(2);
  await stop();
  const { runs } = job;
  await sleep(50);
  expect(job.runs).toBe(runs);
});

test("stopping a job calls its stop function and waits for the current run", async () => {
  const events: string[] = [];
  let release = () => {};
  const job = counting({
    run: async () => {
      events.push("started");
      await new Promise<void>((resolve) => (release = resolve));
      await sleep(20);
      events.push("ended");
    },
    stop: async () => {
      events.push("stop");
      release();
    },
  });
  const stop = startJobs([job], unexpected);
  await expect.poll(() => events).toEqual(["started"]);
  await stop();
  expect(events).toEqual(["started", "stop", "ended"]);
});

test("a failed run is logged with the job's name, and the job runs again", async () => {
  const failures: unknown[] = [];
  const job = counting({
    run: async () => {
      job.runs++;
      throw new Error("no database");
    },
  });
  const stop = startJobs([job], (error, name) => failures.push([(error as Error).message, name]));
  await expect.poll(() => job.runs).toBeGreaterThan(1);
  await stop();
  expect(failures.slice(0, 2)).toEqual([
    ["no database", "counting"],
    ["no database", "counting"],
  ]);
});

test("only an enabled job runs", async () => {
  const jobs = [counting({ enabled: false }), counting()];
  const stop = startJobs(jobs, unexpected);
  await expect.poll(() => jobs[1]!.runs).toBeGreaterThan(1);
  await stop();
  expect(jobs[0]!.runs).toBe(0);
});
