/**
 * Summary of a run: skipped tests, failed tests, and tests that passed only on a retry, each with its cause. With TEST_REPORT set to a
 * path, the summary is also written there as JSON with the counts.
 */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

const maxCauseLength = 1_000;

const causeOf = (errors: readonly SerializedError[] = []): string =>
  errors
    .map(({ message, stack }) => stack ?? message)
    .join("\n")
    .slice(0, maxCauseLength);

const pathOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId);
const nameOf = (test: TestCase): string => `${pathOf(test.module)}: ${test.fullName}`;

export default class Report implements Reporter {
  /** Printed immediately, for a run that is watched or interrupted. */
  onTestCaseResult(test: TestCase): void {
    if (test.result().state === "failed") console.log(`\nfailed: ${nameOf(test)} (${test.project.name})`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const lines: string[] = [];
    const ran = new Set<string>();
    const skipped = new Map<string, string>();
    let passed = 0;
    let failed = unhandled.length;
    for (const error of unhandled) lines.push(`FAILED: outside of a test\n${causeOf([error])}`);
    for (const module of modules) {
      let failedInside = 0;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === "passed" || state === "failed") ran.add(nameOf(test));
        else skipped.set(nameOf(test), pathOf(module));
        if (state === "passed") passed++;
        if (state === "failed") {
          failedInside++;
          lines.push(`FAILED: ${nameOf(test)} (${module.project.name})\n${causeOf(errors)}`);
        }
        if (state === "passed" && test.diagnostic()?.flaky)
          lines.push(`FLAKY: ${nameOf(test)} (${module.project.name}) passed at the second attempt\n${causeOf(errors)}`);
      }
      failed += failedInside;
      // Imports and hooks of a file fail outside of its tests.
      if (module.state() === "failed" && !failedInside) {
        failed++;
        lines.push(`FAILED: ${pathOf(module)} (${module.project.name})\n${causeOf(module.errors())}`);
      }
    }
    const skippedInFile = new Map<string, number>();
    for (const [test, file] of skipped) if (!ran.has(test)) skippedInFile.set(file, (skippedInFile.get(file) ?? 0) + 1);
    for (const [file, count] of skippedInFile) lines.unshift(`SKIPPED: ${count} tests of ${file}`);
    if (lines.length) console.log(`\n${lines.join("\n")}`);
    const { TEST_REPORT } = process.env;
    if (TEST_REPORT) writeFileSync(TEST_REPORT, JSON.stringify({ passed, failed, lines, files: modules.map(seconds) }));
  }
}

const seconds = (module: TestModule) => ({
  file: pathOf(module),
  project: module.project.name,
  tests: [...module.children.allTests()].length,
  seconds: Math.round(module.diagnostic().duration / 100) / 10,
});
