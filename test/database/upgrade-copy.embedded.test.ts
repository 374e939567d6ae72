/** The copy of an embedded database made before an upgrade, and its restore (docs/operations/upgrade.md, "Roll back an upgrade"). */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { version } from "../../src/version.js";
import { runHere as run } from "../cli/run-command.js";
import { freshDatabase } from "../world.js";

const before = `before-${version()}`;
const upgraded = `upgraded-${version()}`;
let environment: Record<string, string>;
let folder: string;
const removals: (() => Promise<void>)[] = [];

beforeEach(async () => {
  const fresh = await freshDatabase(false);
  environment = fresh.environment;
  folder = environment.DATA_DIR!;
  removals.push(fresh.remove);
});
afterAll(async () => {
  for (const remove of removals) await remove();
});

/** Starts and stops, with a statement in between. Returns the messages of the start and the result of the statement. */
async function start(statement?: string, settings: Record<string, string> = {}): Promise<{ lines: string[]; rows: unknown[] }> {
  const lines: string[] = [];
  const database = await openDatabase(readConfig({ ...environment, ...settings }), (line) => lines.push(line));
  try {
    return { lines, rows: statement ? await database.query(statement) : [] };
  } finally {
    await database.close();
  }
}

/** Undoes the last migration, as an earlier version would leave the database. */
async function takeBackLast(): Promise<void> {
  await start("drop function vacuum_often()");
  await start("delete from _prisma_migrations where migration_name like '%_vacuum_settings'", { MIGRATE: "off" });
}

const folders = () =>
  readdirSync(folder)
    .filter((name) => /^(before|upgraded)-/.test(name))
    .sort();
const tenants = `select "tenantId" as name from "ApiKey" order by 1`;
const addTenant = async (name: string) => expect((await run(["key", "--tenant", name, "--role", "viewer"], environment)).code).toBe(0);

test("is made before migrations are applied, restored, and replaced by the next upgrade", async () => {
  await addTenant("old");
  expect(folders()).toEqual([]);
  await takeBackLast();
  const { lines } = await start();
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(
        `^copied the database to ${before} in DATA_DIR before the upgrade \\(\\d+ MB\\); to go back, run restore --before-upgrade$`,
      ),
    ),
    "applied 1 database migration",
  ]);
  expect(folders()).toEqual([before]);
  await addTenant("since");
  expect((await start(tenants)).rows).toEqual([{ name: "old" }, { name: "since" }]);

  expect(await run(["restore", "--before-upgrade"], environment)).toEqual({
    code: 0,
    out: "",
    err: `restored ${before}; the replaced database is kept as ${upgraded} in DATA_DIR. Start the previous version now\n`,
  });
  expect(folders()).toEqual([upgraded]);
  // The migration is missing again.
  const again = await start(tenants);
  expect(again.rows).toEqual([{ name: "old" }]);
  expect(again.lines).toEqual([expect.stringContaining(before), "applied 1 database migration"]);
  expect(folders()).toEqual([before, upgraded]);
});

test("is kept when an upgrade was interrupted", async () => {
  await takeBackLast();
  await start();
  expect(folders()).toEqual([before]);
  // Simulates a process that ended between the copy and the last migration.
  writeFileSync(join(folder, "upgrade-pending"), "");
  await addTenant("since");
  await takeBackLast();
  expect((await start()).lines).toEqual(["applied 1 database migration"]);
  expect(existsSync(join(folder, "upgrade-pending"))).toBe(false);
  await run(["restore", "--before-upgrade"], environment);
  expect((await start(tenants)).rows).toEqual([]);
});

test("is replaced by the next upgrade, even to the same version, and older copies are removed", async () => {
  await takeBackLast();
  for (const name of ["before-0.1.0", "before-0.1.0.part", `${before}.part`]) mkdirSync(join(folder, name));
  await start();
  expect(folders()).toEqual([before]);
  await addTenant("since");
  await takeBackLast();
  expect((await start()).lines).toEqual([expect.stringContaining(before), "applied 1 database migration"]);
  expect(folders()).toEqual([before]);
  await run(["restore", "--before-upgrade"], environment);
  expect((await start(tenants)).rows).toEqual([{ name: "since" }]);
});

test("renews the log epoch after a restore, so that sync clients read everything again", async () => {
  const epochs = `select "logEpoch" as epoch from "Tenant" where "tenantId" = 'old'`;
  await addTenant("old");
  await takeBackLast();
  const [upgraded] = (await start(epochs)).rows;
  expect((await start(epochs)).rows).toEqual([upgraded]);
  await run(["restore", "--before-upgrade"], environment);
  const [restored] = (await start(epochs)).rows;
  expect(restored).not.toEqual(upgraded);
  expect((await start(epochs)).rows).toEqual([restored]);
});

test("is not made with UPGRADE_COPY=off, nor for a new database", async () => {
  await takeBackLast();
  mkdirSync(join(folder, "before-0.1.0"));
  expect((await start(undefined, { UPGRADE_COPY: "off" })).lines).toEqual(["applied 1 database migration"]);
  expect(folders()).toEqual([]);
  const fresh = join(folder, "fresh");
  await start(undefined, { DATA_DIR: fresh });
  expect(readdirSync(fresh).filter((name) => name.startsWith("before"))).toEqual([]);
});

test("is not restored without a copy, from a folder in use, or together with a server or a file", async () => {
  const refused = async (args: string[], settings: Record<string, string> = environment) => {
    const { code, out, err } = await run(["restore", ...args], settings);
    expect(out).toBe("");
    return [code, err];
  };
  expect(await refused(["--before-upgrade"])).toEqual([1, `maintenance: there is no copy from before an upgrade in ${folder}\n`]);
  expect(await refused([])).toEqual([2, "maintenance: restore takes a file or --before-upgrade\n"]);
  expect(await refused(["backup.tar.gz", "--before-upgrade"])).toEqual([2, "maintenance: restore takes a file or --before-upgrade\n"]);
  expect(await refused(["--before-upgrade"], { ...environment, DATABASE_URL: "postgresql://127.0.0.1/x" })).toEqual([
    2,
    "maintenance: --before-upgrade restores only an embedded database; unset DATABASE_URL\n",
  ]);
  await takeBackLast();
  await start();
  const database = await openDatabase(readConfig(environment), () => {});
  const [code, err] = await refused(["--before-upgrade"]);
  await database.close();
  expect([code, err]).toEqual([1, expect.stringContaining("is in use by process")]);
  expect(folders()).toEqual([before]);
});

test("an interrupted restore prevents a start, and a second restore completes it", async () => {
  await addTenant("old");
  await takeBackLast();
  await start();
  renameSync(join(folder, "postgresql"), join(folder, upgraded));
  await expect(start()).rejects.toThrow(`the restore in ${folder} was interrupted; run restore --before-upgrade again`);
  expect(existsSync(join(folder, "postgresql"))).toBe(false);
  expect((await run(["restore", "--before-upgrade"], environment)).code).toBe(0);
  expect((await start(tenants)).rows).toEqual([{ name: "old" }]);
});
