import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { readMigrations } from "../../src/database/migrations/files.js";
import { checksumProblems, recordChecksum } from "../../src/database/migrations/migration-author.js";
import { statementsOf } from "../../src/database/migrations/online.js";
import { nextMigrationName, placementProblems } from "../../src/database/migrations/placement.js";
import { isBefore } from "../../src/database/migrations/versions.js";

test("a migration that has landed is never edited: all are as prisma/migrations/checksums lists them", () => {
  // A faked clock cannot date migrations.
  const now = process.env.FAKETIME ? Number.POSITIVE_INFINITY : Date.now();
  expect(checksumProblems(undefined, now)).toEqual([]);
  expect(readMigrations().length).toBeGreaterThan(20);
});

test("a migration that removes what older versions use declares the version it needs", () => {
  const contracts =
    /\b(drop\s+(table|column|view|schema)|rename\s+(column|to)|alter\s+column\s+"?\w+"?\s+(set\s+not\s+null|(set\s+data\s+)?type))\b/i;
  const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, "");
  const known = [
    // A table with the same name and columns replaces the renamed table. The remaining objects are functions that drop months.
    "20261123121000_readings_by_month",
    // Older versions omit these columns, and a trigger fills them.
    "20261123110100_stock_value_replay",
    // A view with the same name and columns replaces the table.
    "20261128124003_units_in_stock",
  ];
  const silent = readMigrations()
    .filter(({ name }) => name >= "20261123100000" && !known.includes(name))
    .filter(({ sql }) => contracts.test(withoutComments(sql)) && !sql.includes("require_service_version"));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

/** A folder of migrations, each with its script. None is in the list. */
function newFolder(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "gateway-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) addMigration(folder, name);
  return folder;
}

function addMigration(folder: string, name: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "migration.sql"), `select '${name}';\n`);
}

test("an edited, unlisted or missing migration is reported, with the remedy", () => {
  const [one, two, three] = ["20260101000000_one", "20260102000000_two", "20260103000000_two"] as const;
  const folder = newFolder(one, two);
  expect(checksumProblems(folder)).toEqual([
    `${one} is not listed in prisma/migrations/checksums: npm run -s migration -- --record ${one}`,
    `${two} is not listed in prisma/migrations/checksums: npm run -s migration -- --record ${two}`,
  ]);
  recordChecksum(one, folder);
  recordChecksum(two, folder);
  expect(checksumProblems(folder)).toEqual([]);
  appendFileSync(join(folder, one, "migration.sql"), " ");
  renameSync(join(folder, two), join(folder, three));
  expect(checksumProblems(folder)).toEqual([
    `${one} was edited. If it has landed, undo that and write another migration; if it has not: npm run -s migration -- --record ${one}`,
    `${three} is not listed in prisma/migrations/checksums: npm run -s migration -- --record ${three}`,
    `${two} is listed in prisma/migrations/checksums and gone`,
  ]);
  expect(() => recordChecksum(two, folder)).toThrow(`there is no prisma/migrations/${two}`);
});

describe("the place of a migration", () => {
  const now = Date.UTC(2027, 2, 1, 12, 0, 0);

  test.each([
    ["now, after a last one that is older", ["20270301115959_last"], "20270301120000_new_table"],
    ["a second after the last one, if that is of this second", ["20270301120000_last"], "20270301120001_new_table"],
    ["a second after the last one, if that is of the future", ["20261121120000_first", "20270331235959_last"], "20270401000000_new_table"],
    ["now, if there is none", [], "20270301120000_new_table"],
  ])("a new one is dated %s", (_, names, expected) => {
    expect(nextMigrationName("new table", names, now)).toBe(expected);
  });

  test("a new one sorts after those of this repository, whose dates are partly ahead of their time", () => {
    const names = readMigrations().map(({ name }) => name);
    const next = nextMigrationName("a", names, Date.now());
    expect([...names, next].sort().at(-1)).toBe(next);
    expect(next >= "20261126120001_a").toBe(true);
    expect(placementProblems([...names, next], Date.now())).toEqual([]);
  });

  test("each new one sorts last, for any existing migrations and any clock, and is accepted with the others", () => {
    const instants = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }).map(Number);
    const words = fc.stringMatching(/^[a-z_ ]{1,20}$/);
    fc.assert(
      fc.property(
        fc.array(instants, { maxLength: 20 }),
        instants,
        fc.array(words, { minLength: 1, maxLength: 5 }),
        (times, clock, added) => {
          const names = [...new Set(times.map((ms) => nextMigrationName("z", [], ms)))].sort();
          const areAccepted = placementProblems(names, clock).length === 0;
          for (const word of added) {
            const next = nextMigrationName(word, names, clock);
            names.push(next);
            expect([...new Set(names)].sort()).toEqual(names);
          }
          if (areAccepted) expect(placementProblems(names, clock)).toEqual([]);
        },
      ),
    );
  });

  test.each([
    ["a minute ahead", "20270301120100_b", []],
    ["more than a minute ahead", "20270301120101_b", ["20270301120101_b is dated in the future: rename it to 20270301120000_b"]],
    ["of a time that is none", "20270230000000_b", ["20270230000000_b does not begin with a time: rename it to <yyyymmddhhmmss>_<name>"]],
    ["without a time", "b", ["b does not begin with a time: rename it to <yyyymmddhhmmss>_<name>"]],
  ])("one %s", (_, name, problems) => {
    expect(placementProblems(["20270101000000_a", name], now)).toEqual(problems);
  });

  test("an insertion before a landed migration is rejected by the command and the check, and nothing is listed", () => {
    const folder = newFolder("20270101000000_a", "20270103000000_c");
    for (const name of ["20270101000000_a", "20270103000000_c"]) recordChecksum(name, folder, now);
    const list = readFileSync(join(folder, "checksums"), "utf8");
    addMigration(folder, "20270102000000_b");
    const problem = "20270102000000_b sorts before 20270103000000_c, which landed first: rename it to 20270301120000_b";
    expect(() => recordChecksum("20270102000000_b", folder, now)).toThrow(problem);
    expect(readFileSync(join(folder, "checksums"), "utf8")).toBe(list);
    expect(checksumProblems(folder, now)).toEqual([
      "20270102000000_b is not listed in prisma/migrations/checksums: npm run -s migration -- --record 20270102000000_b",
      problem,
    ]);
  });

  test("a future date is rejected by the command, and nothing is listed", () => {
    const folder = newFolder("20270101000000_a", "20280101000000_b");
    recordChecksum("20270101000000_a", folder, now);
    const list = readFileSync(join(folder, "checksums"), "utf8");
    expect(() => recordChecksum("20280101000000_b", folder, now)).toThrow(
      "20280101000000_b is dated in the future: rename it to 20270301120000_b",
    );
    expect(readFileSync(join(folder, "checksums"), "utf8")).toBe(list);
  });
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
