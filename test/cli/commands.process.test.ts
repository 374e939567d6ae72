/**
 * The built command line in separate processes: each command once, with the same output as in commands.test.ts, and behavior that only a
 * process shows (pipes, signals, shells).
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { program } from "../../src/cli/program.js";
import { connectToMigrate } from "../../src/database/migrations/connection.js";
import { build } from "../generate.js";
import { freshDatabase } from "../world.js";
import { type Ended, jsonLines, main, runBuilt, runHere, type Settings, startBuilt } from "./run-command.js";

const onPostgresql = Boolean(inject("template"));
const { environment, remove } = await freshDatabase(false);
const folder = mkdtempSync(join(tmpdir(), "commands-"));
const inFolder = (name: string) => join(folder, name);

/** File arguments are relative to this folder. */
const workingDirectory = process.cwd();
beforeAll(() => {
  build();
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(workingDirectory);
  rmSync(folder, { recursive: true, force: true });
  await remove();
});

/** The commands that a test started as processes. */
const started = new Set<string>();

function built(args: string[], settings: Settings = {}, input?: string): Promise<Ended> {
  started.add(args[0]!);
  return runBuilt(args, settings, input);
}

const alarm = JSON.stringify({ type: "anomaly", severity: "warning", title: "Hot", message: "Bearing is hot" });

/** In the order of a plant's life, on a single database. */
describe("each command, built", () => {
  it("init", async () => {
    const ended = await built(["init", "plant.env", "--port", "4711", "--data-dir", environment.DATA_DIR!]);
    const steps = ["doctor", "serve"].map((command) => `  maintenance ${command} --settings plant.env\n`);
    expect(ended).toEqual({ code: 0, out: "", err: `wrote plant.env for the embedded database\nnext:\n${steps.join("")}` });
    expect(readFileSync(inFolder("plant.env"), "utf8")).toMatch(/^PORT=4711$/m);
  });

  it("migrate", async () => {
    const ended = await built(["migrate", "status"], environment);
    expect(ended.out).toMatch(/^\d+_\w+ {2}applied .*Z\n/);
    expect(ended).toEqual(await runHere(["migrate", "status"], environment));
  });

  it("doctor, with a file of settings", async () => {
    // The service's port is free, and the free space may change between two runs.
    const checked = async (ended: Promise<Ended>) => {
      const { code, err, ...rest } = await ended;
      const [{ ok, checks }] = jsonLines({ code, err, ...rest });
      return { code, err, ok, checks: checks.filter(({ check }: { check: string }) => check !== "space") };
    };
    const args = ["doctor", "--settings", "plant.env", "--json"];
    const found = await checked(built(args, environment));
    expect(found).toMatchObject({ code: 0, err: "", ok: true });
    expect(found.checks.map(({ check }: { check: string }) => check)).toEqual(
      expect.arrayContaining(["node", "settings", "database", "migrations", "storage"]),
    );
    expect(found).toEqual(await checked(runHere(args, environment)));
  });

  it("key", async () => {
    const ended = await built(["key", "--tenant", "acme", "--role", "admin"], environment);
    expect(ended).toEqual({ code: 0, out: expect.stringMatching(/^mg_[0-9a-f]{16}_[0-9a-f]{64}\n$/), err: "" });
  });

  it("tenant", async () => {
    const ended = await built(["tenant", "list"], environment);
    expect(ended).toEqual({ code: 0, out: "acme: active\n", err: "" });
  });

  it("import", async () => {
    const rows = ["Pump,pump,Hall,S1,KSB,E,2024-01-01", "Fan,,Hall,S2,KSB,E,2024-01-01"];
    writeFileSync(inFolder("assets.csv"), ["name,type,location,serialNumber,manufacturer,model,installDate", ...rows, ""].join("\n"));
    expect(await built(["import", "assets", "assets.csv", "--tenant", "acme"], environment)).toEqual({
      code: 2,
      out: "",
      err: "row 3, type: is required\nimported 1 rows, 1 failed\n1 created, 0 updated, 0 unchanged\n",
    });
  });

  it("export", async () => {
    const ended = await built(["export", "assets", "--tenant", "acme"], environment);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toMatch(/^[^\n]*serialNumber[^\n]*\n[^\n]*,S1,[^\n]*\n$/);
    expect(ended).toEqual(await runHere(["export", "assets", "--tenant", "acme"], environment));
  });

  it("demo", async () => {
    const ended = await built(["demo", "--tenant", "acme"], environment);
    expect(ended).toEqual({
      code: 1,
      out: "",
      err: "maintenance: the tenant acme already has assets; choose an empty tenant with --tenant\n",
    });
  });

  it("notify, from standard input", async () => {
    const ended = await built(["notify", "-", "--tenant", "acme"], environment, `${alarm}\nno json\n${alarm}\n`);
    expect(ended).toEqual({
      code: 2,
      out: expect.stringMatching(/^[\w-]{20,}\n[\w-]{20,}\n$/),
      err: 'line 2: {"line":"must be valid JSON"}\nraised 2, failed 1\n',
    });
  });

  it("changes", async () => {
    const args = ["changes", "--tenant", "acme"];
    // A token contains its time of issue.
    const read = async (ended: Promise<Ended>) => {
      const { code, out, err } = await ended;
      return { code, err, entries: jsonLines({ code, out, err }).map(({ token, ...entry }) => [typeof token, entry]) };
    };
    const found = await read(built(args, environment));
    expect(found).toMatchObject({ code: 0, err: "" });
    expect(found.entries.map(([, { recordType }]: any) => recordType)).toEqual(expect.arrayContaining(["Asset", "Notification"]));
    expect(found).toEqual(await read(runHere(args, environment)));
  });

  it("purge", async () => {
    const ended = await built(["purge", "--dry-run"], environment);
    expect(ended).toEqual({ code: 0, out: "", err: "nothing to delete: no record is past its retention\n" });
  });

  it("ledger", async () => {
    const ended = await built(["ledger", "verify"], environment);
    const line = /^acme: balanced, 0 movements of 0 stock levels, views compared at \d+ instants, in \d+\.\d s\n$/;
    expect(ended).toEqual({ code: 0, out: expect.stringMatching(line), err: "" });
  });

  it("backup and restore", async () => {
    const saved = await built(["backup", "all.tar.gz"], environment);
    expect(saved).toEqual({ code: 0, out: "", err: expect.stringMatching(/^backed up 1 tenant: \d+ records, 0 files\n$/) });
    const other = await freshDatabase(false);
    try {
      const restored = await built(["restore", "all.tar.gz"], other.environment);
      expect(restored).toEqual({ ...saved, err: saved.err.replace("backed up", "restored") });
      expect(await runHere(["export", "assets", "--tenant", "acme"], other.environment)).toEqual(
        await runHere(["export", "assets", "--tenant", "acme"], environment),
      );
    } finally {
      await other.remove();
    }
  });

  it("move", async () => {
    const ended = await built(["move", "--to", "mysql://x"], environment);
    expect(ended).toEqual({ code: 2, out: "", err: "maintenance: --to must begin with postgresql://\n" });
  });

  it("serve", async () => {
    const args = ["serve", "--settings", "none.env"];
    const ended = await built(args, environment);
    expect(ended.code).toBe(2);
    expect(ended).toEqual(await runHere(args, environment));
  });

  it("migration", async () => {
    const ended = await built(["migration"]);
    expect(ended).toEqual({ code: 2, out: "", err: "maintenance: give the migration a name, or use --record with its folder\n" });
  });

  it("print-schema", async () => {
    const file = "src/schema/schema.graphql";
    mkdirSync(inFolder("src/schema"), { recursive: true });
    expect(await built(["print-schema"])).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(inFolder(file), "utf8")).toBe(readFileSync(join(workingDirectory, file), "utf8"));
  });
});

it("--version names the commit of the build, and whether its sources were changed", async () => {
  const { out } = await runBuilt(["--version"], {});
  const { version } = JSON.parse(readFileSync(join(workingDirectory, "package.json"), "utf8"));
  expect(out.startsWith(`${version}+`)).toBe(true);
  expect(out.slice(version.length)).toMatch(/^\+[0-9a-f]{7,}(\.modified)?\n$/);
});

/** The exit code and messages of a command whose output a shell pipes into another program. */
async function piped(into: string, args: string[]): Promise<[number, string]> {
  const { PATH, HOME } = process.env;
  const shell = spawn("bash", ["-c", `"$@" | ${into}; exit "\${PIPESTATUS[0]}"`, "bash", process.execPath, main, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  shell.stderr.on("data", (text) => (said += text));
  const [code] = await once(shell, "close");
  return [code, said];
}

it("notify raises every notification, even if nobody reads their ids", async () => {
  await runHere(["key", "--tenant", "quiet", "--role", "viewer"], environment);
  writeFileSync(inFolder("many.jsonl"), `${alarm}\n`.repeat(20));
  expect(await piped("true", ["notify", "many.jsonl", "--tenant", "quiet"])).toEqual([0, "raised 20, failed 0\n"]);
});

it("export exits with 0 when head has read enough", async () => {
  const rows = Array.from({ length: 2_000 }, (_, i) => `Pump ${i},pump,Hall,H${i},KSB,E,2024-01-01\n`);
  writeFileSync(inFolder("many.csv"), `name,type,location,serialNumber,manufacturer,model,installDate\n${rows.join("")}`);
  expect(await runHere(["import", "assets", "many.csv", "--tenant", "large"], environment)).toMatchObject({ code: 0 });
  expect(await piped("head -n 1 > first.csv", ["export", "assets", "--tenant", "large"])).toEqual([0, ""]);
  expect(readFileSync(inFolder("first.csv"), "utf8")).toMatch(/^[^\n]*serialNumber[^\n]*\n$/);
});

it.runIf(onPostgresql)("backup leaves nothing behind when it is interrupted", async () => {
  const db = await connectToMigrate(environment.DATABASE_URL!);
  try {
    await db.query("begin");
    await db.query(`lock table "Asset" in access exclusive mode`);
    const { child, ended } = startBuilt(["backup", "stopped.tar.gz"], environment);
    await expect.poll(() => existsSync(inFolder("stopped.tar.gz"))).toBe(true);
    // The lock delays the database's response, so that the signal arrives before the end.
    await expect
      .poll(
        async () =>
          (await db.query(`select 1 from pg_locks l join pg_class c on c.oid = l.relation where relname = 'Asset' and not granted`)).length,
      )
      .toBe(1);
    child.kill("SIGINT");
    await db.query("rollback");
    expect(await ended).toEqual({ code: 1, out: "", err: "maintenance: interrupted; no data was kept\n" });
    expect(existsSync(inFolder("stopped.tar.gz"))).toBe(false);
  } finally {
    await db.close();
  }
});

describe("completion", () => {
  /** Completions that bash offers for the last word. */
  function offered(script: string, ...words: string[]): string[] {
    const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _maintenance; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", ask, "bash", script, "maintenance", ...words], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.split("\n").filter(Boolean);
  }

  it("completes commands, their options and values in bash", async () => {
    const script = inFolder("completion.bash");
    writeFileSync(script, (await built(["completion", "bash"])).out);
    expect(offered(script, "ten")).toEqual(["tenant"]);
    expect(offered(script, "tenant", "")).toEqual(["list", "suspend", "resume", "export", "import", "delete", "help"]);
    expect(offered(script, "tenant", "import", "--su")).toEqual(["--suspended"]);
    expect(offered(script, "key", "--tenant", "key", "--role", "ma")).toEqual(["manager"]);
    expect(offered(script, "export", "wo")).toEqual(["work-orders"]);
    expect(offered(script, "import", "read")).toEqual(["readings"]);
    expect(offered(script, "migrate", "")).toEqual(["status", "check", "apply"]);
  });

  it.each([
    ["zsh", "-n"],
    ["fish", "--no-execute"],
  ])("is a script that %s reads, if installed", async (shell, check) => {
    const script = inFolder(`completion.${shell}`);
    writeFileSync(script, (await runHere(["completion", shell])).out);
    expect(readFileSync(script, "utf8")).toContain("suspend");
    const { error, status, stderr } = spawnSync(shell, [check, script], { encoding: "utf8" });
    if ((error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") expect([status, stderr]).toEqual([0, ""]);
  });
});

it("every command was started as a process", () => {
  const names = program.commands.map((command) => command.name());
  expect(names.filter((name) => !started.has(name))).toEqual([]);
});
