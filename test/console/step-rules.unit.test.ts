/** Steps that prevent the completion of work in the console, as in the service (test/maintenance, "steps"). */
import { expect, test } from "vitest";
import { gateBefore, releaseOf, requiredSteps } from "../../console/src/pages/work/step-rules.js";

const stepsOf = (...steps: [kind: string, status: string, required?: boolean][]): any[] =>
  steps.map(([kind, status, required = true], index) => ({ order: index + 1, kind, status, required }));

test.each<[string, any[], number | undefined, number[], number | undefined]>([
  ["nothing isolated yet", stepsOf(["ISOLATE", "PENDING", false], ["TASK", "PENDING"], ["RELEASE", "PENDING"]), 1, [1, 2, 3], undefined],
  ["isolated", stepsOf(["ISOLATE", "COMPLETED"], ["TASK", "COMPLETED"], ["RELEASE", "PENDING", false]), undefined, [], 3],
  ["isolated, not verified", stepsOf(["ISOLATE", "COMPLETED"], ["VERIFY", "IN_PROGRESS", false], ["RELEASE", "PENDING"]), 2, [2, 3], 3],
  ["released", stepsOf(["ISOLATE", "COMPLETED"], ["TASK", "PENDING", false], ["RELEASE", "COMPLETED"]), undefined, [], undefined],
  ["isolation skipped", stepsOf(["ISOLATE", "SKIPPED"], ["TASK", "COMPLETED"], ["RELEASE", "PENDING", false]), undefined, [], undefined],
  [
    "isolated again",
    stepsOf(["ISOLATE", "COMPLETED"], ["RELEASE", "COMPLETED"], ["ISOLATE", "COMPLETED"], ["RELEASE", "PENDING", false]),
    undefined,
    [],
    4,
  ],
])("%s", (_, steps, gate, required, release) => {
  expect(gateBefore(steps, steps.at(-1))?.order).toBe(gate);
  expect(requiredSteps(steps).map(({ order }) => order)).toEqual(required);
  expect(releaseOf(steps)?.order).toBe(release);
});
