/** Everything a person reads keeps the countable rules of test/prose.ts. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Finding, inComments, inMarkdown, inSchema } from "./prose.js";

const tracked = (...patterns: string[]) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns], { encoding: "utf8" })
    .split("\n")
    .filter((path) => path && existsSync(path));
const listed = (findings: Finding[]) => findings.map(({ line, rule, text }) => `line ${line}: ${rule}: ${text}`);

/** The documented interface is fixed word by word. */
const isFixed = (path: string) => path === "docs/interface.md";

test.each(tracked("*.md", "docs/**/*.md", "bench/**/*.md").filter((path) => !isFixed(path)))("%s", (path) => {
  let text = readFileSync(path, "utf8");
  // Sections of releases are not rewritten.
  if (path === "CHANGELOG.md") text = text.slice(0, text.search(/^## \[?\d/m));
  expect(listed(inMarkdown(text))).toEqual([]);
});

test("descriptions of the schema", () => {
  expect(listed(inSchema(readFileSync("src/schema/schema.graphql", "utf8")))).toEqual([]);
});

describe("comments", () => {
  test.each(
    tracked("src/**/*.ts", "console/src/**/*.ts", "console/src/**/*.tsx", "test/**/*.ts", "scripts/**/*.mjs", "bench/**/*.mjs").filter(
      (path) => !path.includes("/generated/") && !path.includes("prose"),
    ),
  )("%s", (path) => expect(listed(inComments(readFileSync(path, "utf8")))).toEqual([]));
});

test("no literal is spread into another only to pack lines", () => {
  const packed = /^\s*\.\.\.(?:\{.*\},?|\[[^[\]]*\],?|\{|\[)$/;
  const sources = tracked("src/**/*.ts", "console/src/**/*.ts", "console/src/**/*.tsx", "test/**/*.ts", "scripts/**/*.mjs");
  const found = sources
    .filter((path) => !path.includes("/generated/"))
    .flatMap((path) => {
      const lines = readFileSync(path, "utf8").split("\n");
      return lines.flatMap((line, index) => {
        // A list that is spread to be mapped ends with its call.
        const end = /[{[]$/.test(line) ? lines.slice(index + 1).find((next) => next.search(/\S/) <= line.search(/\S/)) : line;
        return packed.test(line) && /[}\]],?$/.test(end ?? "") ? [`${path}:${index + 1}`] : [];
      });
    });
  expect(found).toEqual([]);
});
