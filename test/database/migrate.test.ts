/**
 * Applying migrations, and start-up with migrations that are missing, in progress elsewhere, or from another version
 * (docs/operations/database.md, "Migrations").
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openEmbedded } from "../../src/database/connection/embedded.js";
import { openDatabase } from "../../src/database/connection/open.js";
import type { Queryable } from "../../src/database/database.js";
import { applyMissing } from "../../src/database/migrations/apply.js";
import { connectToMigrate, embeddedToMigrate, type MigrationConnection } from "../../src/database/migrations/connection.js";
import { readMigrations } from "../../src/database/migrations/files.js";
import { migrateAtStart } from "../../src/database/migrations/migrate.js";
import type { Patience } from "../../src/database/migrations/others.js";
import { migrationsFolder } from "../../src/database/migrations/package-files.js";
import { migrationList, openSchemaEngine } from "../../src/database/migrations/schema-engine.js";
import { build } from "../generate.js";
import { freshDatabase, onPostgresql } from "../world.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const { environment, remove } = await freshDatabase(false);
/** The embedded database stays open throughout, because only one process can open it. */
const embedded = onPostgresql ? undefined : await openEmbedded(environment.DATA_DIR!);

/** A separate connection to the database, as an operator would use. */
async function onDatabase<T>(work: (db: MigrationConnection) => Promise<T>): Promise<T> {
  const connection = embedded ? await embeddedToMigrate(embedded) : await connectToMigrate(environment.DATABASE_URL!);
  return work(connection).finally(() => connection.close());
}

/** The lines that a start prints. */
async function start(settings: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const config = readConfig({ UPGRADE_COPY: "off", ...environment, ...settings });
  if (embedded) await migrateAtStart(embedded, config, log);
  else await (await openDatabase(config, log)).close();
  return lines;
}

/** Removes the record of a migration, but not its changes. */
const one = readMigrations().find(({ name }) => name.endsWith("_service_versions"))!;
const forget = (db: Queryable) => db.query(`delete from _prisma_migrations where migration_name = $1`, [one.name]);
const itsFunctions = "drop function least_service_version(); drop function require_service_version(text)";

let close = async () => embedded?.close();
afterAll(async () => {
  await close();
  await remove();
});

describe("a start", () => {
  test("applies missing migrations, with MIGRATE=auto", async () => {
    await onDatabase(async (db) => {
      await db.script(itsFunctions);
      await forget(db);
    });
    expect(await start()).toEqual(["applied 1 database migration"]);
    expect(await start()).toEqual([]);
  });

  test.runIf(embedded)("records what prisma migrate reads: nothing missing, failed or edited", async () => {
    const engine = await openSchemaEngine(embedded!.adapter);
    // The migrations as stored. The engine otherwise gets them without the statements that the embedded database or a plain owner cannot
    // run.
    const migrationsList = migrationList();
    for (const { path, migrationFile } of migrationsList.migrationDirectories)
      migrationFile.content = { tag: "ok", value: readFileSync(join(migrationsFolder, path, "migration.sql"), "utf8") };
    const filters = { externalTables: [], externalEnums: [] };
    expect(await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters })).toEqual({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    });
    engine.free();
  });

  test("rejects missing migrations with MIGRATE=check, and does not check with off", async () => {
    await onDatabase(forget);
    await expect(start({ MIGRATE: "check" })).rejects.toThrow(
      new Error(`the database lacks 1 migration (${one.name}); apply by: npm run -s cli -- migrate apply`),
    );
    expect(await start({ MIGRATE: "off" })).toEqual([]);
    await onDatabase((db) => db.script(`alter table "Part" rename column "leadTime" to "leadDays"`));
    await expect(start({ MIGRATE: "off" })).rejects.toThrow(
      "MIGRATE=off, and the database lacks 1 column that this version reads (Part.leadTime); apply its migrations by: npm run -s cli -- migrate apply",
    );
    await onDatabase(async (db) => {
      await db.script(`alter table "Part" rename column "leadDays" to "leadTime"`);
      await db.query(`insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('last', $1, $2, now())`, [
        one.checksum,
        one.name,
      ]);
    });
    expect(await start({ MIGRATE: "check" })).toEqual([]);
  });

  test("reports migrations of another version or in another wording, and is rejected once that version needs a later one", async () => {
    await onDatabase(async (db) => {
      await db.script(`
        insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('later', 'x', '29990101000000_later', now());
        update _prisma_migrations set checksum = 'y' where migration_name like '%\\_places'`);
    });
    const said = [
      "the database has 1 migration of another version, which this one can run with: 29990101000000_later",
      "the database has 1 migration in another wording than this version's: 20261122160000_places",
    ];
    expect(await start()).toEqual(said);
    await onDatabase((db) => db.script(`select require_service_version('0.1.0')`));
    expect(await start()).toEqual(said);
    await onDatabase((db) => db.script(`select require_service_version('97.10.0'); select require_service_version('97.9.0')`));
    for (const MIGRATE of ["auto", "check", "off"])
      await expect(start({ MIGRATE })).rejects.toThrow(
        /^this is version [\d.]+, and the database needs 97\.10\.0 or later since its last migration: start that version$/,
      );
    await onDatabase((db) =>
      db.script(`
        create or replace function "least_service_version"() returns text language sql as $$ select '0.2.0' $$;
        delete from _prisma_migrations where id = 'later'`),
    );
  });
});

describe("migrations of a folder", () => {
  const said: string[] = [];
  const patience: Patience = { waitSeconds: 20, everySeconds: 0, log: (line: string) => void said.push(line) };

  const folderOf = (files: Record<string, string>) => {
    const folder = mkdtempSync(join(inject("folder"), "migrations-"));
    for (const [name, sql] of Object.entries(files)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "migration.sql"), sql);
    }
    return readMigrations(folder);
  };

  const apply = (files: Record<string, string>, waiting = patience) => onDatabase((db) => applyMissing(db, folderOf(files), waiting));

  const rows = (sql: string) => onDatabase((db) => db.query<any>(sql));

  test("are applied all or none", async () => {
    const broken = { "1_one": `create table "One" (id int)`, "2_two": `insert into "One" values (1); select 1 / 0` };
    await expect(apply(broken)).rejects.toThrow("the migration 2_two failed: division by zero");
    expect(
      await rows(
        `select 1 from pg_class where relname = 'One' union all select 1 from _prisma_migrations where migration_name like '%\\_one'`,
      ),
    ).toEqual([]);
    expect(await apply({ ...broken, "2_two": `insert into "One" values (1)` })).toEqual(["1_one", "2_two"]);
    expect(await rows(`select * from "One"`)).toEqual([{ id: 1 }]);
    const [recorded] = await rows(`select * from _prisma_migrations where migration_name = '2_two'`);
    expect(recorded).toMatchObject({
      checksum: expect.stringMatching(/^[\da-f]{64}$/),
      applied_steps_count: 1,
      logs: null,
      rolled_back_at: null,
    });
    expect(recorded.finished_at - recorded.started_at).toBeGreaterThanOrEqual(0);
  });

  test.runIf(embedded)("let signals through between each other, although they run in the same thread", async () => {
    const seen: string[] = [];
    let timer = setImmediate(function look() {
      seen.push("turn");
      timer = setImmediate(look);
    });
    const names = [1, 2, 3, 4].map((i) => `21_part_${i}`);
    await apply(Object.fromEntries(names.map((name) => [name, "select 1"])));
    clearImmediate(timer);
    expect(seen.length).toBeGreaterThanOrEqual(names.length);
  });

  const online = {
    "3_large": `create table "Large" (id int primary key, doubled int, label text); insert into "Large" (id, label) select n, n % 1000 from generate_series(1, 5500) n`,
    "4_online": `-- online
-- repeat
update "Large" set doubled = id * 2 where id in (select id from "Large" where doubled is null limit 1000);
create unique index concurrently if not exists "Large_label_key" on "Large"(label);
create index concurrently "Large_doubled_idx" on "Large"(doubled)`,
    "5_after": `alter table "Large" alter column doubled set not null`,
  };

  const batch = `update "Large" set doubled = id * 2 where id in (select id f…`;

  test("run online statement by statement, in batches; interrupted, they are started again", async () => {
    await expect(apply(online)).rejects.toThrow(/^the migration 4_online failed: could not create unique index "Large_label_key"/);
    expect(await rows(`select count(*)::int as count from "Large" where doubled = id * 2`)).toEqual([{ count: 5500 }]);
    expect(said.filter((line) => line.startsWith("changed")).map((line) => line.replace(/[\d.]+ s/, "… s"))).toEqual([
      ...[1000, 2000, 3000, 4000, 5000, 5500].map((count) => `changed ${count} rows in … s: ${batch} under way`),
      `changed 5500 rows in … s: ${batch}`,
    ]);
    expect(await rows(`select finished_at, logs from _prisma_migrations where migration_name = '4_online'`)).toEqual([
      { finished_at: null, logs: expect.stringContaining(`could not create unique index "Large_label_key"`) },
    ]);
    expect(await rows(`select 1 from _prisma_migrations where migration_name = '5_after'`)).toEqual([]);
    const invalid = `select indisvalid from pg_index where indexrelid = to_regclass('"Large_label_key"')`;
    expect(await rows(invalid)).toEqual(onPostgresql ? [{ indisvalid: false }] : []);
    await onDatabase((db) => db.script(`update "Large" set label = id::text`));
    said.length = 0;
    expect(await apply(online)).toEqual(["4_online", "5_after"]);
    expect(await rows(invalid)).toEqual([{ indisvalid: true }]);
    if (onPostgresql) expect(said).toContain("the build of index Large_label_key was interrupted; rebuilding");
    expect(
      await rows(
        `select count(*)::int as count, max(applied_steps_count) as steps, max(logs) as logs from _prisma_migrations where migration_name = '4_online' and finished_at is not null`,
      ),
    ).toEqual([{ count: 1, steps: 1, logs: null }]);
    expect(await apply(online)).toEqual([]);
  });

  test("online, finish even where rows are added as fast as they are changed", async () => {
    const endless = `-- online\n-- repeat\nupdate "Large" set doubled = 0 where id in (select id from "Large" where doubled > 0 limit 3000) or id = 1`;
    await expect(apply({ "5_endless": endless })).rejects.toThrow(
      `the migration 5_endless failed: new rows that need the change are added as fast as existing ones are changed; first add a default or a trigger for new rows: update "Large" set doubled = 0 where id in (select id from "…`,
    );
    expect(await rows(`select count(*)::int as count from "Large" where doubled = 0`)).toEqual([{ count: 5500 }]);
  });

  test("build indexes of a partitioned table online", async () => {
    const migrations = {
      "51_months": `create table "Monthly" (month int, value int) partition by list (month); create schema months;
        create table months."one" partition of "Monthly" for values in (1); create table months."other" partition of "Monthly" default;
        insert into "Monthly" select n % 3, n from generate_series(1, 100) n`,
      "52_online": `-- online
create index concurrently "Monthly_value_idx" on "Monthly"(month, value) where value > 50`,
    };
    said.length = 0;
    expect(await apply(migrations)).toEqual(["51_months", "52_online"]);
    const indexes = `select i.indisvalid as valid, c.relkind as kind, count(h.inhrelid)::int as partitions from pg_index i join pg_class c on c.oid = i.indexrelid
      left join pg_inherits h on h.inhparent = c.oid where c.oid = to_regclass('"Monthly_value_idx"') group by 1, 2`;
    expect(await rows(indexes)).toEqual([{ valid: true, kind: "I", partitions: 2 }]);
    if (onPostgresql)
      expect(said.map((line) => line.replace(/[\d.]+ s$/, "… s"))).toEqual([
        "made the index Monthly_value_idx_one in … s",
        "made the index Monthly_value_idx_other in … s",
      ]);
    // A partition that is made later has the index too.
    await onDatabase((db) => db.script(`create table months."three" partition of "Monthly" for values in (3)`));
    expect(await rows(indexes)).toEqual([{ valid: true, kind: "I", partitions: 3 }]);
  });

  test.runIf(onPostgresql)("rebuild only the indexes of partitions whose build was interrupted", async () => {
    const twice = { "53_twice": `-- online\ncreate unique index concurrently "Monthly_key" on "Monthly"(month, value)` };
    await onDatabase((db) => db.script(`insert into "Monthly" values (2, 7), (2, 7)`));
    await expect(apply(twice)).rejects.toThrow('could not create unique index "Monthly_key_other"');
    await onDatabase((db) => db.script(`delete from "Monthly" where value = 7`));
    said.length = 0;
    expect(await apply(twice)).toEqual(["53_twice"]);
    expect(said.map((line) => line.replace(/[\d.]+ s$/, "… s"))).toEqual([
      "index Monthly_key_one is there",
      "the build of index Monthly_key_other was interrupted; rebuilding",
      "made the index Monthly_key_other in … s",
      "made the index Monthly_key_three in … s",
    ]);
    expect(await rows(`select indisvalid from pg_index where indexrelid = to_regclass('"Monthly_key"')`)).toEqual([{ indisvalid: true }]);
  });

  describe.runIf(onPostgresql)("on a server", () => {
    const client = async () => {
      const made = new pg.Client({ connectionString: environment.DATABASE_URL!, application_name: "somebody else" });
      await made.connect();
      onTestFinished(async () => void (await made.end()));
      return made;
    };

    const connected = async () => {
      const made = await connectToMigrate(environment.DATABASE_URL!);
      onTestFinished(() => made.close());
      return made;
    };

    test("may take longer than the statement timeout", async () => {
      const name = new URL(environment.DATABASE_URL!).pathname.slice(1);
      await onDatabase((db) => db.script(`alter database ${name} set statement_timeout = '200ms'`));
      await expect((await client()).query("select pg_sleep(0.4)")).rejects.toThrow("statement timeout");
      const slow = {
        "6_slow": `select pg_sleep(0.4); alter table "Large" add column other int`,
        "61_slow": "-- online\nselect pg_sleep(0.4)",
      };
      expect(await apply(slow)).toEqual(["61_slow", "6_slow"]);
      await onDatabase((db) => db.script(`alter database ${name} reset statement_timeout`));
    });

    test("are applied once by processes that start concurrently, and a waiting process names the holder of the lock", async () => {
      const migrations = folderOf({ "7_once": `create table "Once" (id int); select pg_sleep(0.5)` });
      const others = await Promise.all(["a", "b", "c"].map(connected));
      const lines: string[] = [];
      const done = await Promise.all(
        others.map((other) => applyMissing(other, migrations, { ...patience, log: (line) => lines.push(line) })),
      );
      expect(done.flat()).toEqual(["7_once"]);
      expect(lines.length).toBeGreaterThan(1);
      expect(new Set(lines.map((line) => line.replace(/process \d+/, "process …").replace(/since .*\)/, "since …)")))).toEqual(
        new Set([
          `waiting up to 20 s for the migrations of process … of PostgreSQL (${`maintenance-gateway migrations ${process.pid} ${hostname()}`.slice(0, 63)}, at 127.0.0.1, since …)`,
        ]),
      );
    });

    test("give up on a lock that is held for too long, naming its holder", async () => {
      const holder = await client();
      await holder.query("begin; select pg_advisory_xact_lock(hashtext('maintenance-gateway migrations'))");
      const lines: string[] = [];
      const migrations = folderOf({ "8_late": `create table "Late" (id int)` });
      const waiting = await connected();
      const { rows: self } = await holder.query("select pg_backend_pid() as pid");
      const by = new RegExp(`process ${self[0].pid} of PostgreSQL \\(somebody else, at [\\d.:a-f]+, since \\d{4}-[^)]+Z\\)`).source;
      await expect(applyMissing(waiting, migrations, { waitSeconds: 0, everySeconds: 10, log: () => {} })).rejects.toThrow(
        new RegExp(`^the migration lock is held by ${by}; timed out after 0 s \\(MIGRATE_WAIT_SECONDS\\)`),
      );
      const applied = applyMissing(waiting, migrations, { waitSeconds: 20, everySeconds: 10, log: (line) => lines.push(line) });
      await expect.poll(() => lines.length).toBe(1);
      await sleep(600);
      await holder.query("commit");
      expect(await applied).toEqual(["8_late"]);
      expect(lines).toEqual([expect.stringMatching(new RegExp(`^waiting up to 20 s for the migrations of ${by}$`))]);
    });

    test("report the progress of an index, and the transactions it waits for", async () => {
      const writer = await client();
      const { rows: self } = await writer.query("select pg_backend_pid() as pid");
      await writer.query(`begin; update "Large" set label = label where id = 1`);
      const lines: string[] = [];
      const applied = apply(
        { "91_index": `-- online\ncreate index concurrently "Large_other_idx" on "Large"(other)` },
        { ...patience, everySeconds: 0.1, log: (line) => lines.push(line) },
      );
      await expect
        .poll(() => lines)
        .toContain(`index Large_other_idx: waiting for writers before build, process ${self[0].pid} of PostgreSQL`);
      await writer.query("commit");
      expect(await applied).toEqual(["91_index"]);
      expect(lines.at(-1)).toMatch(/^made the index Large_other_idx in [\d.]+ s$/);
    });

    test("wait for a view before they lock the tables that its readers need next", async () => {
      await apply({ "92_view": `create view "Seen" as select id from "Large"` });
      const user = await client();
      const { rows: self } = await user.query("select pg_backend_pid() as pid");
      await user.query(`begin; comment on view "Seen" is 'in use'`);
      const lines: string[] = [];
      const applied = apply(
        { "93_view": `select pg_sleep(0.6); create or replace view "Seen" as select id from "Large" where id > 0` },
        { ...patience, log: (line) => lines.push(line) },
      );
      await sleep(300);
      // Deadlocks if the migration already holds the table.
      await user.query(`select count(*) from "Large"; commit`);
      expect(await applied).toEqual(["93_view"]);
      expect(lines[0]).toContain(`in use by process ${self[0].pid} of PostgreSQL`);
    });

    test("wait for tables without delaying others for long", async () => {
      const user = await client();
      const other = await client();
      await user.query(`begin; select count(*) from "Large"`);
      const lines: string[] = [];
      const applied = apply({ "9_wide": `alter table "Large" add column wide int` }, { ...patience, log: (line) => lines.push(line) });
      await expect.poll(() => lines.length).toBeGreaterThan(1);
      // A client that arrives during the wait gets through soon.
      await other.query(`set statement_timeout = '5s'; select count(*) from "Large"`);
      expect(lines[0]).toMatch(
        /^waiting up to 20 s for tables that migrations change: in use by process \d+ of PostgreSQL \(somebody else, /,
      );
      await user.query("commit");
      expect(await applied).toEqual(["9_wide"]);
    });
  });
});

describe("the command migrate", () => {
  beforeAll(build);

  async function migrate(verb: string, of: typeof environment = environment): Promise<{ code: number; out: string; err: string }> {
    const run = promisify(execFile)(process.execPath, [main, "migrate", verb], { env: { PATH: process.env.PATH, ...of } });
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
    );
  }

  test.runIf(embedded)("checks the embedded database", async () => {
    await onDatabase(forget);
    await close();
    close = async () => {};
    const lacks = `the database lacks 1 migration (${one.name}); apply by: npm run -s cli -- migrate apply\n`;
    expect(await migrate("check")).toEqual({ code: 1, out: "", err: lacks });
  });

  test.runIf(embedded)("creates no database if it only checks", async () => {
    const folder = join(inject("folder"), "no-database");
    const none = {
      code: 1,
      out: "",
      err: `maintenance: there is no database in ${folder}; start the service or run migrate apply to create one\n`,
    };
    expect(await migrate("status", { DATA_DIR: folder })).toEqual(none);
    expect(await migrate("check", { DATA_DIR: folder })).toEqual(none);
    expect(existsSync(folder)).toBe(false);
  });

  test.runIf(onPostgresql)("lists, checks and applies", async () => {
    await onDatabase(async (db) => {
      await db.script(`
        ${itsFunctions};
        update _prisma_migrations set checksum = 'y' where migration_name like '%\\_places';
        insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('later', 'x', '29990101000000_later', now())`);
      await forget(db);
    });
    const { code, out } = await migrate("status");
    expect(code).toBe(0);
    // Excludes the parent folders.
    const lines = out.split("\n").filter((line) => /^[12]\d{13}_\w/.test(line) || line.startsWith("2999"));
    expect(lines).toHaveLength(readMigrations().length + 1);
    expect(lines[0]).toMatch(/^20261121120000_foundation {2}applied \d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(lines.find((line) => line.includes("_places"))).toMatch(/Z, in another wording \(edited\)$/);
    expect(lines).toEqual(expect.arrayContaining([`${one.name}  missing`, "29990101000000_later  unknown to this version"]));
    expect(await migrate("apply")).toEqual({ code: 0, out: "", err: "applied 1 database migration\n" });
    expect(await migrate("check")).toEqual({ code: 0, out: "all migrations are applied\n", err: "" });
  });
});
