/** What the log of a service says of the scheduler. */
import { expect, test } from "vitest";
import { noteSchedulerRun, watchScheduler } from "../../src/background/scheduler-state.js";
import { startGateway } from "../world.js";

const { database } = await startGateway();

test("once that no process runs it, and once that one does again", async () => {
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
