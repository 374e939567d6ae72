/** The command line: exit codes, messages, settings files, findings of doctor, JSON output (docs/commands.md). */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/config.js";
import { connectToMigrate } from "../../src/database/migrations/connection.js";
import { readMigrations } from "../../src/database/migrations/files.js";
import { serve } from "../../src/main.js";
import { freshDatabase } from "../world.js";
import { type Ended, jsonLines, runHere as run } from "./run-command.js";

const onPostgresql = Boolean(inject("template"));
const { environment, remove } = await freshDatabase(false);
const folder = mkdtempSync(join(tmpdir(), "commands-"));
const inFolder = (name: string) => join(folder, name);

/** File arguments are relative to this folder. */
const workingDirectory = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(async () => {
  process.chdir(workingDirectory);
  rmSync(folder, { recursive: true, force: true });
  await remove();
});

interface Finding {
  check: string;
  state: string;
  message: string;
  advice?: string;
}

/** The findings of doctor for the named checks. */
async function findings(
  settings: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number | string; ok: boolean; of: (check: string) => Finding[] }> {
  const ended = await run(["doctor", "--json", ...args], settings);
  const [{ ok, checks }] = jsonLines(ended);
  return { code: ended.code, ok, of: (check) => checks.filter((finding: Finding) => finding.check === check) };
}

it("reports a usage error in one line with the remedy, and exits with status 2", async () => {
  const ends = await Promise.all([
    run(["tenat", "list"]),
    run(["key", "--tenant", "x"]),
    run(["tenant", "delete", "acme"]),
    run(["demo", "--scale", "-1"]),
    run(["serve", "--settings", "none.env"]),
  ]);
  expect(ends).toEqual(
    [
      "unknown command 'tenat' (Did you mean tenant?); see: maintenance --help",
      "required option '--role <role>' not specified; see: maintenance key --help",
      'this cannot be undone: repeat the name, as in tenant delete "acme" --confirm "acme"',
      "--scale must be a number of at least 0.01 (4 assets)",
      "--settings: none.env cannot be read (ENOENT); `init` writes one",
    ].map((line) => ({ code: 2, out: "", err: `maintenance: ${line}\n` })),
  );
  expect(existsSync(inFolder("data"))).toBe(false);
});

describe("init", () => {
  const secret = /^SECRETS_KEY=(\S+)$/m;

  it("writes settings that only their owner can read, which the other commands use and doctor accepts", async () => {
    const home = mkdtempSync(inFolder("home-"));
    process.chdir(home);
    onTestFinished(() => process.chdir(folder));
    const { code, out, err } = await run(["init", "--port", "4711", "--public-url", "https://plant.example.com"]);
    const steps = ["doctor", "serve"].map((command) => `  maintenance ${command} --settings maintenance.env\n`);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "",
      err: `wrote maintenance.env for the embedded database\nnext:\n${steps.join("")}`,
    });
    const file = join(home, "maintenance.env");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^PORT=4711$/m);
    expect(text).not.toMatch(secret);

    const again = await run(["init", "--port", "1"]);
    expect(again).toEqual({
      code: 1,
      out: "",
      err: "maintenance: maintenance.env exists; name another file, or replace it with --force\n",
    });
    expect(readFileSync(file, "utf8")).toBe(text);

    writeFileSync(file, `${text}DATABSE_URL=postgresql://x\nPORT=0\n`);
    const looked = await run(["doctor", "--settings", "maintenance.env", "--json"]);
    const [{ ok, checks }] = jsonLines(looked);
    expect([looked.code, ok]).toEqual([0, true]);
    expect(checks).toContainEqual(
      expect.objectContaining({ check: "settings", state: "warning", message: "DATABSE_URL is not a setting of this version" }),
    );
    expect(checks).toContainEqual({
      check: "database",
      state: "ok",
      message: "embedded; no database in ./data yet: created at the first start",
    });
    expect(readdirSync(home)).toEqual(["maintenance.env"]);
  });

  it("creates a key for secrets if PostgreSQL stores them, unless disabled, and rejects what the service would", async () => {
    const url = "postgresql://gateway@db.invalid/gateway";
    const [made, without, wrong] = await Promise.all([
      run(["init", "with.env", "--database-url", url, "--data-dir", "./it's #1", "--json"]),
      run(["init", "without.env", "--database-url", url, "--no-secrets-key", "--json"]),
      run(["init", "wrong.env", "--database-url", "mysql://db", "--port", "no"]),
    ]);
    expect(jsonLines(made)[0]).toMatchObject({ file: "with.env", database: "postgresql", secretsKey: true });
    expect(Buffer.from(secret.exec(readFileSync(inFolder("with.env"), "utf8"))![1]!, "base64")).toHaveLength(32);
    expect(jsonLines(without)[0]).toMatchObject({ secretsKey: false });
    expect(readFileSync(inFolder("without.env"), "utf8")).not.toMatch(secret);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toBe("maintenance: PORT: must be a whole number from 0 to 65535; DATABASE_URL: must begin with postgresql://\n");
    expect(existsSync(inFolder("wrong.env"))).toBe(false);
    // The written settings file is read back.
    const { of } = await findings({}, ["--settings", "with.env"]);
    expect(of("database")[0]!.message).toMatch(/does not answer \(.*db\.invalid/);
    expect(of("space")[0]!.message).toContain(folder);
    expect(of("storage")[0]!.message).toMatch(/^it's #1\/files /);
  });
});

describe("doctor", () => {
  it("names every invalid setting at once", async () => {
    const { code, ok, of } = await findings({ PORT: "x", DATABASE_URL: "mysql://x", METRICS_TOKEN: "short" });
    expect([code, ok]).toEqual([1, false]);
    expect(of("settings").map(({ state, message }) => `${state} ${message.split(":")[0]}`)).toEqual([
      "failure PORT",
      "failure DATABASE_URL",
      "failure METRICS_TOKEN",
    ]);
    expect(of("database")).toEqual([]);
  });

  it("names what does not respond, with the remedy", async () => {
    // Accepts connections but sends nothing.
    const silent = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const at = `127.0.0.1:${port}`;
    try {
      const { code, of } = await findings({
        DATABASE_URL: `postgresql://postgres@${at}/x`,
        SMTP_URL: `smtp://${at}`,
        MAIL_FROM: "gateway@example.com",
        OIDC_ISSUER: `http://${at}`,
        OIDC_AUDIENCE: "gateway",
        S3_BUCKET: "photos",
        S3_ENDPOINT: `http://${at}`,
        S3_ACCESS_KEY_ID: "a",
        S3_SECRET_ACCESS_KEY: "b",
      });
      expect(code).toBe(1);
      for (const [check, advice] of [
        ["database", /DATABASE_URL/],
        ["storage", /S3_ENDPOINT/],
        ["mail", /SMTP_URL/],
        ["sign-in", /OIDC_ISSUER/],
      ] as const)
        expect(of(check)).toEqual([{ check, state: "failure", message: expect.any(String), advice: expect.stringMatching(advice) }]);
    } finally {
      silent.close();
    }
  });

  it("reports nothing for a healthy database, and leaves the storage unchanged", async () => {
    const files = join(environment.DATA_DIR!, "files");
    mkdirSync(files, { recursive: true });
    writeFileSync(inFolder("here.env"), `SECRETS_KEY=${Buffer.alloc(32, 1).toString("base64")}\n`);
    const { code, ok, of } = await findings(environment, ["--settings", "here.env"]);
    expect([code, ok]).toEqual([0, true]);
    expect(of("storage")).toEqual([{ check: "storage", state: "ok", message: `${files}: a file was written, read and deleted` }]);
    expect(readdirSync(files, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);
    const all = readMigrations().length;
    expect(of("migrations")).toEqual([{ check: "migrations", state: "ok", message: `all ${all} are applied` }]);
    expect(of("secrets")).toEqual([expect.objectContaining({ state: "ok" })]);
    if (!onPostgresql) return;
    expect(of("database")[0]!.message).toMatch(/^PostgreSQL \d+/);
    expect(of("extensions")).toEqual([{ check: "extensions", state: "ok", message: "pg_trgm, btree_gin, btree_gist" }]);
    expect(of("clock")).toEqual([{ check: "clock", state: "ok", message: expect.stringContaining("agree") }]);
  });

  it("reports whether work orders of due procedures are created", async () => {
    const on = { check: "scheduler", state: "ok", message: "work orders are created for due procedures" };
    expect((await findings(environment)).of("scheduler")).toEqual([on]);
    const { code, of } = await findings({ ...environment, SCHEDULER: "false" });
    expect(code).toBe(0);
    const advice = "set SCHEDULER=true in at least one process, or unset it";
    const message = "No process makes the work orders of due procedures: SCHEDULER is false";
    expect(of("scheduler")).toEqual([{ check: "scheduler", state: "warning", message, advice }]);
  });

  it.runIf(onPostgresql)("compares the connections of all workers with those of the server", async () => {
    const db = await connectToMigrate(environment.DATABASE_URL!);
    // PostgreSQL 15 reserves connections only for superusers.
    const [{ allowed }] = await db
      .query<any>("select setting::int - 3 as allowed from pg_settings where name = 'max_connections'")
      .finally(() => db.close());
    const about = async (settings: Record<string, string>) => {
      const { of } = await findings({ ...environment, DATABASE_CONNECTIONS: "10", ...settings });
      return of("database").filter(({ message }) => message.includes(" connections of "));
    };
    const message = (taken: string) => `${taken} connections of ${allowed} that the database allows`;
    expect(await about({})).toEqual([{ check: "database", state: "ok", message: message("1 process takes up to 12") }]);
    expect(await about({ WORKERS: "4" })).toEqual([{ check: "database", state: "ok", message: message("4 workers take up to 48") }]);
    expect(await about({ WORKERS: "60" })).toEqual([
      {
        check: "database",
        state: "warning",
        message: message("60 workers take up to 720"),
        advice: "lower WORKERS or DATABASE_CONNECTIONS, or raise max_connections of PostgreSQL",
      },
    ]);
    // A pooler shares the connections of the pools.
    expect(await about({ WORKERS: "60", DATABASE_DIRECT_URL: environment.DATABASE_URL! })).toEqual([
      { check: "database", state: "ok", message: message("60 workers take up to 120") },
    ]);
  });

  it.runIf(onPostgresql)("rejects a primary as the replica", async () => {
    const { code, of } = await findings({ ...environment, DATABASE_REPLICA_URL: environment.DATABASE_URL! });
    expect(code).toBe(1);
    expect(of("database")).toContainEqual({
      check: "database",
      state: "failure",
      message: "DATABASE_REPLICA_URL names a server that accepts writes, not a replica of this database",
      advice: 'name a standby that follows the primary, or unset it: docs/operations/scale.md, "Read replica"',
    });
  });

  it.runIf(onPostgresql)("names tenants whose technicians receive stock without an order and without approval", async () => {
    const db = await connectToMigrate(environment.DATABASE_URL!);
    try {
      await db.query(`insert into "Tenant" ("tenantId", "receiptApproval") values ('lax', false), ('strict', true)`);
      await db.query(`insert into "Tenant" ("tenantId") values ('set')`);
      await db.query(`insert into "StockSettings" ("tenantId", "receiptApproval") values ('set', true)`);
      const { code, of } = await findings(environment);
      expect(code).toBe(0);
      expect(of("stock")).toEqual([
        {
          check: "stock",
          state: "warning",
          message: "technicians can receive stock without an order or an approval: lax",
          advice: 'set receiptApproval with updateStockSettings: docs/stock.md, "Approvals"',
        },
      ]);
    } finally {
      await db.query(`delete from "StockSettings" where "tenantId" = 'set'`);
      await db.query(`delete from "Tenant" where "tenantId" in ('lax', 'strict', 'set')`);
      await db.close();
    }
  });

  it.runIf(onPostgresql)("names tenants whose assets were loaded without triggers, and so were not counted", async () => {
    const db = await connectToMigrate(environment.DATABASE_URL!);
    try {
      for (const tenant of ["counted", "loaded"]) {
        await db.query(`insert into "Tenant" ("tenantId", "receiptApproval") values ('${tenant}', true)`);
        if (tenant === "loaded") await db.query(`alter table "Asset" disable trigger "Asset_count_insert"`);
        await db.query(`insert into "Asset" ("tenantId", id, name, type, site) values ('${tenant}', 'a', 'Pump', 'pump', 'North')`);
      }
      await db.query(`alter table "Asset" enable trigger "Asset_count_insert"`);
      const { code, of } = await findings(environment);
      expect(code).toBe(1);
      expect(of("assets")).toEqual([
        {
          check: "assets",
          state: "failure",
          message: "the counts of assets that sites show are wrong: loaded",
          advice: "as the owner of the tables: select recount_assets(). Writers of assets wait meanwhile",
        },
      ]);
      await db.query("select recount_assets()");
      expect((await findings(environment)).of("assets")).toEqual([]);
    } finally {
      await db.query(`update "Tenant" set state = 'deleting' where "tenantId" in ('counted', 'loaded')`);
      for (const tenant of ["counted", "loaded"])
        for (const table of ["Change", "AssetStatusChange", "Asset", "AssetCount"])
          await db.query(`select delete_tenant_rows('${table}', '${tenant}', 10)`);
      await db.query(`delete from "Tenant" where "tenantId" in ('counted', 'loaded')`);
      await db.close();
    }
  });

  it.runIf(onPostgresql)("reports missing migrations, and does not apply them", async () => {
    const db = await connectToMigrate(environment.DATABASE_URL!);
    const { name } = readMigrations().at(-1)!;
    const applied = async () =>
      (await db.query(`select 1 from _prisma_migrations where migration_name = $1 and rolled_back_at is null`, [name])).length;
    try {
      await db.query(`update _prisma_migrations set rolled_back_at = now() where migration_name = $1`, [name]);
      const { code, of } = await findings(environment);
      expect(code).toBe(0);
      expect(of("migrations")).toEqual([
        expect.objectContaining({ state: "warning", message: `the database lacks 1 migration (${name})` }),
      ]);
      expect(await applied()).toBe(0);
      const checked = await findings({ ...environment, MIGRATE: "check" });
      expect([checked.code, checked.of("migrations")[0]!.state]).toEqual([1, "failure"]);
    } finally {
      await db.query(`update _prisma_migrations set rolled_back_at = null where migration_name = $1`, [name]);
      await db.close();
    }
  });
});

it("prints JSON: keys, tenants, notifications, the ledger", async () => {
  const made = await run(["key", "--tenant", "acme", "--role", "technician", "--site", "North", "--json"], environment);
  expect(jsonLines(made)).toEqual([
    { key: expect.stringMatching(/^mg_/), tenant: "acme", role: "technician", sites: ["North"], readAll: false, name: "command line" },
  ]);
  const listed = await run(["tenant", "list", "--json"], environment);
  expect(jsonLines(listed)).toEqual([{ tenant: "acme", state: "active", stateSince: null, createdAt: expect.any(String) }]);

  const good = { type: "anomaly", severity: "warning", title: "Hot", message: "Bearing is hot" };
  writeFileSync(inFolder("alarms.jsonl"), `${JSON.stringify(good)}\n{"type":"anomaly"}\nno json\n`);
  const notified = await run(["notify", "alarms.jsonl", "--tenant", "acme", "--json"], environment);
  expect(notified.code).toBe(2);
  expect(jsonLines(notified)).toEqual([
    { line: 1, id: expect.any(String) },
    { line: 2, error: expect.objectContaining({ title: expect.any(String) }) },
    { line: 3, error: { line: "must be valid JSON" } },
  ]);
  const older = await run(["notify", "--tenant", "acme", "--json", "alarms.jsonl"], environment);
  expect(older.code).toBe(2);
  expect(older.out).toMatch(/^[\w-]{20,}\n$/);
  expect(older.err).toMatch(/^line 2: .*\nline 3: .*\nraised 1, failed 2\n$/);

  const verified = await run(["ledger", "verify", "--json"], environment);
  expect(verified.code).toBe(0);
  expect(jsonLines(verified)).toEqual([expect.objectContaining({ tenant: "acme", balanced: true, movements: 0, faults: [] })]);
});

it("reports errors as JSON if JSON was requested, and names the field", async () => {
  const ends = await Promise.all([
    run(["key", "--tenant", "acme", "--json"]),
    run(["tenant", "suspend", "acme", "--json", "--settings", "none.env"]),
    run(["ledger", "verify", "--instants", "many", "--json"]),
    run(["key", "--tenant", "acme", "--role", "viewer", "--site", " ", "--json"]),
    run(["key", "--tenant", "acme", "--role", "viewer", "--name", "", "--json"]),
  ]);
  expect(ends).toEqual(
    [
      "required option '--role <role>' not specified; see: maintenance key --help",
      "--settings: none.env cannot be read (ENOENT); `init` writes one",
      "--instants must be a whole number from 0 to 100",
      "--site must not be empty",
      "--name must not be empty",
    ].map((error) => ({ code: 2, out: `${JSON.stringify({ error })}\n`, err: `maintenance: ${error}\n` })),
  );
  await run(["key", "--tenant", "acme", "--role", "viewer"], environment);
  const details = { after: "is not a token of the log of changes; use one that an answer or an event had" };
  const after = ["changes", "--tenant", "acme", "--after", "x"];
  const line = `maintenance: Invalid input; after ${details.after}\n`;
  expect(await run(after, environment)).toEqual({ code: 1, out: "", err: line });
  const document = `${JSON.stringify({ error: "Invalid input", details })}\n`;
  expect(await run([...after, "--json"], environment)).toEqual({ code: 1, out: document, err: line });
});

describe("a name that is mistyped", () => {
  const listed = () => run(["tenant", "list", "--json"], environment);

  it("is reported, and creates no tenant", async () => {
    const csv = inFolder("assets.csv");
    writeFileSync(csv, "name,type,location,serialNumber,manufacturer,model,installDate\nPump,pump,Hall,S1,KSB,E,2024-01-01\n");
    const before = await listed();
    const ended: Record<string, Ended> = {};
    // One after the other: only one process can open the embedded database.
    for (const line of [
      "ledger verify --tenant acmee",
      "export assets --tenant acmee",
      "import assets assets.csv --tenant acmee --dry-run",
      "import assets assetz.csv --tenant acmee",
      "import assets assets.csv --tenant acmee --errors none/failed.csv",
    ])
      ended[line] = await run(line.split(" "), environment);
    const unknown = { code: 1, out: "", err: "maintenance: there is no tenant acmee; run tenant list to see all tenants\n" };
    const ends = Object.values(ended);
    expect(ends.slice(0, 3)).toEqual(ends.slice(0, 3).map(() => unknown));
    expect(ends.slice(3)).toEqual([
      { code: 1, out: "", err: "maintenance: cannot read assetz.csv (ENOENT)\n" },
      { code: 2, out: "", err: "maintenance: --errors: none/failed.csv cannot be written; name a file in an existing folder\n" },
    ]);
    expect(await listed()).toEqual(before);

    const imported = await run(["import", "assets", "assets.csv", "--tenant", "acmee", "--json"], environment);
    expect([imported.code, imported.err]).toEqual([0, "created the tenant acmee\n"]);
    expect(jsonLines(imported)).toEqual([{ dryRun: false, created: 1, updated: 0, unchanged: 0, failed: 0, errors: [] }]);
    const again = await run(["demo", "--tenant", "acmee"], environment);
    expect(again).toEqual({
      code: 1,
      out: "",
      err: "maintenance: the tenant acmee already has assets; choose an empty tenant with --tenant\n",
    });
  });
});

describe("backup", () => {
  it("exits with status 2, and names every file missing from the storage", async () => {
    const key = jsonLines(await run(["key", "--tenant", "photos", "--role", "admin", "--json"], environment))[0].key as string;
    const service = await serve(readConfig({ ...environment, PORT: "0", LOG_LEVEL: "silent" }), () => {});
    const { url } = service;
    const headers = { authorization: `Bearer ${key}` };
    const asset = { name: "Pump", type: "pump", location: "Hall", serialNumber: "P1", manufacturer: "KSB", model: "E" };
    const made = await fetch(`${url}/assets`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ ...asset, installDate: "2024-01-01" }),
    });
    const { id: assetId } = (await made.json()) as { id: string };
    const send = async (path: string, body: object) => {
      const json = { ...headers, "content-type": "application/json" };
      const response = await fetch(`${url}/assets/${assetId}/photos${path}`, { method: "POST", headers: json, body: JSON.stringify(body) });
      return {
        status: response.status,
        body: (await response.json()) as { fields: Record<string, string>; uploadUrl: string; mediaId: string },
      };
    };
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const { body: grant } = await send("/presigned-url", { filename: "a.png", contentType: "image/png", size: image.length });
    const form = new FormData();
    for (const [name, value] of Object.entries(grant.fields)) form.append(name, value);
    form.append("file", new Blob([image], { type: "image/png" }), "a.png");
    expect((await fetch(grant.uploadUrl, { method: "POST", body: form })).status).toBe(204);
    expect(await send("", { mediaId: grant.mediaId, filename: "a.png" })).toMatchObject({ status: 201 });
    await service.close();

    const whole = jsonLines(await run(["backup", "whole.tar.gz", "--json"], environment))[0];
    expect(whole).toMatchObject({ files: 2, missing: [] });
    rmSync(join(environment.DATA_DIR!, "files"), { recursive: true });
    const part = await run(["backup", "part.tar.gz", "--json"], environment);
    const [{ missing, files }] = jsonLines(part);
    expect([part.code, files, missing.length]).toEqual([2, 0, 2]);
    for (const of of [
      ["backup", "again.tar.gz"],
      ["tenant", "export", "photos", "photos.tar.gz"],
    ]) {
      const { code, out, err } = await run(of, environment);
      expect([code, out]).toEqual([2, ""]);
      expect(err.split("\n").slice(-4)).toEqual(["2 files missing from the storage:", ...missing.map((file: string) => `  ${file}`), ""]);
    }
  });
});

it.runIf(onPostgresql)(
  "move reports that the URL of --to does not respond",
  async () => {
    const to = "postgresql://nobody@127.0.0.1:1/x";
    const ended = await run(["move", "--to", to], {
      ...environment,
      DATABASE_WAIT_SECONDS: "0",
      DATABASE_DIRECT_URL: environment.DATABASE_URL!,
    });
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.err).toMatch(/ECONNREFUSED.*Check --to\n$/);
  },
  60_000,
);

it("leaves its process unchanged: environment, signals, working directory", async () => {
  writeFileSync(inFolder("around.env"), `DATA_DIR=./elsewhere\nSMTP_URL=no\n`);
  await run(["key", "--tenant", "around", "--role", "viewer"], environment);
  const state = () => ({
    environment: { ...process.env },
    signals: ["SIGINT", "SIGTERM"].map((signal) => process.listenerCount(signal)),
    workingDirectory: process.cwd(),
  });
  const before = state();
  expect(await run(["serve", "--settings", "around.env"])).toMatchObject({ code: 1, err: expect.stringContaining("SMTP_URL") });
  expect(await run(["changes", "--tenant", "around"], environment)).toMatchObject({ code: 0 });
  expect(await run(["tenant", "export", "around", "around.tar.gz"], environment)).toMatchObject({ code: 0 });
  expect(state()).toEqual(before);
});
