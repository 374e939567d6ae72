/**
 * Random operations on units (unit-model.test.ts) in a service that is killed during writes, on both databases. Each write without a response
 * has its whole effect or none. `npm run test:units` kills it every 50 of 10,000 operations.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config.js";
import { runHere, type Settings } from "../cli/run-command.js";
import { build } from "../generate.js";
import { cleanUpProcesses, serve } from "../server/running.js";
import { Caller, freshDatabase, Gateway, onPostgresql } from "../world.js";
import { Run } from "./unit-run.js";
import { readsAll } from "./unit-service.js";

const plants = Number(process.env.UNIT_RUNS ?? 1);
const operations = Number(process.env.UNIT_OPERATIONS ?? 20);
/** Number of operations between two kills. */
const every = Number(process.env.UNIT_KILL_EVERY ?? 10);
const firstSeed = Number(process.env.UNIT_SEED ?? Date.now() % 1_000_000);

/** A start takes seconds, and much longer beside other tests. */
const timeout = 600_000 + plants * operations * (1_000 + 60_000 / every);

beforeAll(build);
cleanUpProcesses();

async function databaseOf(name: string): Promise<Settings> {
  if (name === "PostgreSQL") {
    const { environment, remove } = await freshDatabase();
    onTestFinished(remove);
    return environment;
  }
  const folder = mkdtempSync(join(tmpdir(), "unit-kill-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { DATA_DIR: folder };
}

async function keyOf(settings: Settings, tenant: string, role: string): Promise<string> {
  const { code, out, err } = await runHere(["key", "--tenant", tenant, "--role", role], settings);
  expect(code, err).toBe(0);
  return out.trim();
}

describe.each(onPostgresql ? ["PostgreSQL", "embedded"] : ["embedded"])("%s", (name) => {
  test("units and stock after kill -9 are those of the model", { timeout }, async () => {
    const settings = { SCHEDULER: "false", ...readsAll, ...(await databaseOf(name)) };
    const keys: string[][] = [];
    for (let plant = 0; plant < plants; plant++)
      keys.push([await keyOf(settings, `plant-${plant}`, "admin"), await keyOf(settings, `plant-${plant}`, "manager")]);
    let service = await serve(settings);
    const gateway = new Gateway(service.url, undefined!, undefined!, readConfig(settings));
    await gateway.learnContract();
    const done: Record<string, number> = {};
    let [kills, without, kept, count] = [0, 0, 0, 0];
    for (const [plant, [admin, manager]] of keys.entries()) {
      const callers = [admin!, manager!].map((key) => new Caller(gateway, `plant-${plant}`, key)) as [Caller, Caller];
      const run = await Run.begin(...callers, firstSeed + plant);
      for (let i = 1; i <= operations; i++) {
        count++;
        if (i % every) {
          await run.one(async () => undefined);
          continue;
        }
        const answers = await run.several(1 + (i % 3), async (sent) => {
          // Before, during or after the write.
          await Promise.race([sleep(Math.random() * 2 * run.sendMs), sent]);
          service.child.kill("SIGKILL");
          await service.ended;
          await sent;
          service = await serve(settings);
          Object.assign(gateway, { url: service.url });
        });
        kills++;
        count += answers.length - 1;
        without += answers.filter((answer) => answer === undefined).length;
        kept += run.kept;
      }
      await run.compare();
      for (const [kind, times] of Object.entries(run.done)) done[kind] = (done[kind] ?? 0) + times;
      if (process.env.UNIT_RUNS) console.info(JSON.stringify({ name, seed: run.seed, count, kills, without, kept }));
    }
    if (process.env.UNIT_RUNS) console.info(JSON.stringify(done));
  });
});
