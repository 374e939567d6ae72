/** docs/performance.md describes the current code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checksumOf, codeChecksum } from "../../bench/code.mjs";

test("docs/performance.md was written after the last change of the measured folders", async () => {
  const [, described] = /checksum `(\w+)`/.exec(readFileSync("docs/performance.md", "utf8")) ?? [];
  expect(described, "docs/performance.md describes older code: run `npm run bench`").toBe(await codeChecksum());
});

const source = `export function sum(one: number, other: number): number {\n  return one + other; // exact\n}\n`;
const path = "src/server/sum.ts";
const checksum = await checksumOf({ [path]: source });

test.each([
  ["comments", source.replace("// exact", "/* as of IEEE 754 */")],
  ["layout", source.replaceAll("\n", " \n\n ").replace("// exact", "")],
  ["types", source.replace("): number", ")")],
])("%s do not change the checksum", async (_, changed) => {
  expect(changed).not.toBe(source);
  expect(await checksumOf({ [path]: changed })).toBe(checksum);
});

test.each([
  ["code", { [path]: source.replace("one + other", "one - other") }],
  ["names of files", { "src/server/total.ts": source }],
  ["further files", { [path]: source, "src/server/empty.ts": "" }],
])("%s change the checksum", async (_, changed) => {
  expect(await checksumOf(changed)).not.toBe(checksum);
});
