/** docs/decisions.md names the tests of each decision. */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";

const existing = new Set(
  readdirSync(new URL(".", import.meta.url), { recursive: true, encoding: "utf8" }).flatMap((path) => [path, basename(path)]),
);
/** Rows of the tables with a column of tests: subject, decision, tests. */
const rows = readFileSync(new URL("../docs/decisions.md", import.meta.url), "utf8")
  .split(/^## /m)
  .filter((section) => section.includes("| subject | decision | test |"))
  .flatMap((section) => section.split("\n").filter((line) => /^\| (?!subject|-)/.test(line)))
  .map((line) => line.slice(2, -2).split(/(?<!\\) \| /));

test("each decision names existing tests", () => {
  expect(rows.length).toBeGreaterThan(140);
  const without = rows.filter(([, decision, tests, ...more]) => !decision || !tests || more.length || !/^`|^test\//.test(tests));
  expect(without).toEqual([]);
  const named = rows.flatMap(([subject, , tests]) =>
    tests!.split(", ").map((name) => ({ subject, name: name.replace(/^`(.*)`$|^test\/(.*)$/, "$1$2") })),
  );
  expect(named.filter(({ name }) => !existing.has(name))).toEqual([]);
});
