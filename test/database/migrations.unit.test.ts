import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checksumProblems, recordChecksum } from "../../src/database/migration-author.js";
import { readMigrations } from "../../src/database/migrations/files.js";
import { statementsOf } from "../../src/database/migrations/online.js";
import { isBefore } from "../../src/database/migrations/versions.js";

test("a migration that has landed is never edited: all are as prisma/migrations/checksums lists them", () => {
  expect(checksumProblems()).toEqual([]);
  expect(readMigrations().length).toBeGreaterThan(20);
});

test("a migration that takes away what older versions use says which version it needs", () => {
  const contracts =
    /\b(drop\s+(table|column|view|schema)|rename\s+(column|to)|alter\s+column\s+"?\w+"?\s+(set\s+not\s+null|(set\s+data\s+)?type))\b/i;
  const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, "");
  const known = [
    // A table of the same name and columns takes the place of the one that it renames; the rest are functions that drop months.
    "20261123121000_readings_by_month",
    // Columns of its own that older versions leave out: a trigger fills them.
    "20261123110100_stock_value_replay",
  ];
  const silent = readMigrations()
    .filter(({ name }) => name >= "20261123100000" && !known.includes(name))
    .filter(({ sql }) => contracts.test(withoutComments(sql)) && !sql.includes("require_service_version"));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test("one that is edited, not listed or gone is named, with what to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["1_one", "2_two"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "migration.sql"), `select '${name}';\n`);
  }
  expect(checksumProblems(folder)).toEqual([
    "1_one is not listed in prisma/migrations/checksums: npm run -s migration -- --record 1_one",
    "2_two is not listed in prisma/migrations/checksums: npm run -s migration -- --record 2_two",
  ]);
  recordChecksum("2_two", folder);
  recordChecksum("1_one", folder);
  expect(checksumProblems(folder)).toEqual([]);
  appendFileSync(join(folder, "1_one/migration.sql"), " ");
  renameSync(join(folder, "2_two"), join(folder, "3_two"));
  expect(checksumProblems(folder)).toEqual([
    "1_one was edited. If it has landed, undo that and write another migration; if it has not: npm run -s migration -- --record 1_one",
    "3_two is not listed in prisma/migrations/checksums: npm run -s migration -- --record 3_two",
    "2_two is listed in prisma/migrations/checksums and gone",
  ]);
  expect(() => recordChecksum("2_two", folder)).toThrow("there is no prisma/migrations/2_two");
});

test("a script is split at the semicolons between its statements", () => {
  const script = `-- online
-- Words; of people.
CREATE TABLE "a;b" (c text DEFAULT 'it''s; so');
/* one; two */
-- repeat
UPDATE x SET y = 1
  WHERE y IS NULL; -- behind; it
CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $body$ BEGIN PERFORM $$;$$; END $body$;
SELECT 1`;
  expect(statementsOf(script)).toEqual([
    { sql: `CREATE TABLE "a;b" (c text DEFAULT 'it''s; so')`, isRepeated: false },
    { sql: "UPDATE x SET y = 1\n  WHERE y IS NULL", isRepeated: true },
    { sql: "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $body$ BEGIN PERFORM $$;$$; END $body$", isRepeated: false },
    { sql: "SELECT 1", isRepeated: false },
  ]);
});

test.each([
  ["0.2.0", "0.4.0", true],
  ["0.4.0", "0.4.0", false],
  ["0.10.0", "0.9.9", false],
  ["0.9.9", "0.10.0", true],
  ["1.0.0-rc.1", "1.0.0", false],
  ["1.0.0", "0.9.0", false],
])("%s is before %s: %s", (one, other, expected) => {
  expect(isBefore(one, other)).toBe(expected);
});
