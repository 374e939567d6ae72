/** Log messages of the scheduler. */
import { expect, test } from "vitest";
import { noteSchedulerRun, watchScheduler } from "../../src/background/scheduler-state.js";
import { startGateway } from "../world.js";

const { database } = await startGateway();

test("logs once that no process runs it, and once that a process does again", async () => {
  const told: string[] = [];
  const watch = watchScheduler(database, false, (line, level = "info") => told.push(`${level} ${line}`));
  await watch();
  await watch();
  expect(told.splice(0)).toEqual(["warn scheduler off: No process makes the work orders of due procedures: SCHEDULER is false"]);
  await noteSchedulerRun(database);
  await watch();
  await watch();
  expect(told).toEqual(["info scheduler no longer off"]);
});
