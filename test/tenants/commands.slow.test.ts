/**
 * The demo plant moved by commands between two databases and back, backed up, restored, and deleted by the service, with the same responses
 * everywhere. The other database is PostgreSQL if there is a server, otherwise another folder.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { buildGateway } from "../../src/server/http.js";
import { runHere, startBuilt } from "../cli/run-command.js";
import { build } from "../generate.js";
import { onServer, urlOf } from "../prepare.js";
import { Caller, Gateway, onPostgresql } from "../world.js";
import { answersOf, fillPlant } from "./plant.js";

type Home = Record<string, string>;

describe("the demo plant", () => {
  let folder: string;
  let first: Home;
  const databases: string[] = [];
  let asked: Record<string, string>;
  let key: string;
  const embedded = (name: string): Home => ({ DATA_DIR: join(folder, name) });
  const other = async (name: string): Promise<Home> => {
    if (!onPostgresql) return embedded(name);
    const database = `gateway_test_tenants_${process.pid}_${name}`;
    databases.push(database);
    await onServer(`create database ${database}`);
    return { DATABASE_URL: urlOf(database), DATA_DIR: join(folder, name) };
  };
  const file = (name: string) => join(folder, `${name}.tar.gz`);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "gateway-tenants-"));
    first = embedded("first");
    await build();
  });
  afterAll(async () => {
    for (const name of databases) await onServer(`drop database if exists ${name} with (force)`);
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (home: Home, ...args: string[]): Promise<{ code: number | string; said: string }> => {
    const { code, out, err } = await runHere(args, home);
    return { code, said: out + err };
  };
  const succeed = async (home: Home, ...args: string[]): Promise<string> => {
    const { code, said } = await run(home, ...args);
    expect(code, said).toBe(0);
    return said;
  };

  /** Runs `work` with a caller of a gateway on this database. */
  async function within<T>(home: Home, work: (caller: Caller) => Promise<T>): Promise<T> {
    const settings = {
      LOG_LEVEL: "silent",
      PORT: "0",
      RATE_LIMIT_KEY: "0",
      RATE_LIMIT_TENANT: "0",
      MAX_QUERY_COST: "1000000",
      WEBHOOK_POLL_MS: "3600000",
    };
    const config = readConfig({ ...settings, ...home });
    const database = await openDatabase(config, () => {});
    const app = await buildGateway({ config, database });
    try {
      const url = await app.listen({ host: "127.0.0.1", port: 0 });
      const gateway = new Gateway(url, app, database, config);
      await gateway.learnContract();
      return await work(new Caller(gateway, "demo", key));
    } finally {
      await app.close();
      await database.close();
    }
  }

  const isTheSame = async (home: Home) => {
    const answers = await within(home, answersOf);
    expect(Object.keys(answers).length).toBeGreaterThanOrEqual(30);
    for (const [question, told] of Object.entries(asked)) expect([question, answers[question]]).toEqual([question, told]);
  };

  test("is loaded, and used", async () => {
    key = (await succeed(first, "key", "--tenant", "demo", "--role", "admin")).split("\n").find((line) => line.startsWith("mg_"))!;
    await within(first, (caller) => fillPlant(caller, 1));
    asked = await within(first, answersOf);
  });

  test("exported and imported elsewhere, and from there back into a third one", async () => {
    const second = await other("second");
    await succeed(first, "tenant", "export", "demo", file("demo"));
    await succeed(second, "tenant", "import", file("demo"));
    await isTheSame(second);
    const third = embedded("third");
    await succeed(second, "tenant", "export", "demo", file("back"));
    await succeed(third, "tenant", "import", file("back"));
    await isTheSame(third);
    expect(await run(third, "tenant", "import", file("back"))).toMatchObject({
      code: 1,
      said: expect.stringContaining("there is a tenant of this name already: demo"),
    });
    expect(await run(first, "tenant", "export", "demo", file("demo"))).toMatchObject({
      code: 1,
      said: expect.stringContaining("exists; name a new file"),
    });
  });

  test("backed up and restored, in both databases", async () => {
    const second = await other("restored");
    await succeed(first, "backup", file("all"));
    await succeed(second, "restore", file("all"));
    await isTheSame(second);
    expect(await run(second, "restore", file("all"))).toMatchObject({
      code: 1,
      said: expect.stringContaining("restore into an empty one"),
    });
    await succeed(second, "backup", file("again"));
    const third = embedded("restored-again");
    await succeed(third, "restore", file("again"));
    await isTheSame(third);
    expect(await succeed(third, "ledger", "verify")).toContain("demo: balanced");
  });

  test.runIf(onPostgresql)("moved to PostgreSQL, where its files stay", async () => {
    const moved = { ...(await other("moved")), ...first };
    await succeed(first, "move", "--to", moved.DATABASE_URL!);
    await isTheSame(moved);
    expect(await run(first, "move", "--to", moved.DATABASE_URL!)).toMatchObject({
      code: 1,
      said: expect.stringContaining("has tenants already"),
    });
  });

  test("suspended, resumed and deleted, by the service and after kill -9", async () => {
    const home = await other("deleted");
    await succeed(home, "restore", file("all"));
    await succeed(home, "tenant", "suspend", "demo");
    expect(await succeed(home, "tenant", "list")).toMatch(/^demo: suspended since 20/m);
    await succeed(home, "tenant", "resume", "demo");
    expect(await run(home, "tenant", "delete", "demo")).toMatchObject({ code: 2, said: expect.stringContaining("--confirm") });
    await succeed(home, "tenant", "delete", "demo", "--confirm", "demo");
    expect(await succeed(home, "tenant", "list")).toMatch(/^demo: being deleted since .*: ?.* left|^demo: being deleted since .* left/m);
    const killed = startBuilt(["serve"], home);
    await expect.poll(killed.err, { timeout: 120_000 }).toContain("answers at");
    await sleep(5_300);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const service = startBuilt(["serve"], home);
    await expect.poll(service.err, { timeout: 120_000 }).toContain("answers at");
    await sleep(80_000);
    service.child.kill("SIGTERM");
    await service.ended;
    expect(await succeed(home, "tenant", "list")).toBe("");
  });
});
