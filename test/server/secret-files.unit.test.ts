/** Secrets that are mounted as files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readConfig } from "../../src/config.js";

const folder = mkdtempSync(join(tmpdir(), "secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, `file-${text.length}`);
  writeFileSync(path, text);
  return path;
}

test.each([
  ["DATABASE_URL", "postgresql://gateway:secret@host/database"],
  ["S3_SECRET_ACCESS_KEY", "a secret of the bucket"],
  ["METRICS_TOKEN", "0123456789abcdef"],
] as const)("%s is read from its file, without the line's end", (name, value) => {
  expect(readConfig({ [`${name}_FILE`]: fileWith(`${value}\n`) })[name]).toBe(value);
  expect(readConfig({ [`${name}_FILE`]: "" })[name]).toBeUndefined();
  expect(() => readConfig({ [`${name}_FILE`]: "/none/file" })).toThrow(
    `wrong configuration: ${name}_FILE: cannot be read (ENOENT): /none/file`,
  );
  expect(() => readConfig({ [`${name}_FILE`]: fileWith(value), [name]: value })).toThrow(`${name}_FILE: must not be set beside ${name}`);
  expect(() => readConfig({ [`${name}_FILE`]: fileWith("\n") })).toThrow(`${name}_FILE: is empty: ${folder}`);
});

test("what a file holds is checked like the setting", () => {
  expect(() => readConfig({ DATABASE_URL_FILE: fileWith("mysql://host") })).toThrow("DATABASE_URL: must begin with postgresql://");
});
