/**
 * Checks the list of mutations that tests must detect (scripts/mutants.mjs): an obsolete entry fails here rather than in a run of an hour.
 */
import { expect, test } from "vitest";
import { problemsOf, readMutants } from "../scripts/mutants.mjs";

const valid = {
  area: "inventory",
  file: "package.json",
  line: '"private": true',
  change: '"private": false',
  tests: ["mutants.unit"],
  holds: "the list is valid",
};

test("every entry of test/mutants.json applies to exactly one place and names tests that exist", () => {
  expect(problemsOf(readMutants())).toEqual([]);
});

test.each([
  ["a line that occurs nowhere", { line: ["no", "where"].join("") }, 'the file contains the line nowhere, not once: "nowhere"'],
  ["a line that occurs several times", { line: "test:" }, /^the file contains the line \d+ times, not once: "test:"$/],
  ["no such file", { file: "src/none.ts" }, "the file does not exist"],
  ["no such test", { tests: ["none"] }, "test/none.test.ts does not exist"],
  ["no tests", { tests: [] }, "tests must name a test file"],
  ["a change that changes nothing", { change: '"private": true' }, "change must be a text other than line"],
  ["a pattern that is none", { only: "(" }, "only must be a regular expression"],
  ["no rule", { holds: "" }, "holds must be a text that is not empty"],
  ["a field of another name", { onyl: "x" }, "onyl is not a field"],
])("rejected: %s", (_, fields, problem) => {
  const mutant = { ...valid, ...fields };
  const [found, ...others] = problemsOf([mutant]);
  expect(others).toEqual([]);
  expect(found!.slice(`entry 1 (inventory, ${mutant.file}): `.length)).toEqual(
    typeof problem === "string" ? problem : expect.stringMatching(problem),
  );
});

test("the same mutation twice is rejected", () => {
  expect(problemsOf([valid, valid])).toEqual(["entry 2 (inventory, package.json): is the same mutation as entry 1"]);
});
