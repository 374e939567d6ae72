/**
 * SIGTERM under 40 clients that keep their connections: no started request is lost, and the process is gone within 10 seconds. Once for
 * `node dist/server.js`; `npm run test:deploy` does it 10 times for each way to start.
 */
import { afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { build } from "../generate.js";
import { freshDatabase } from "../world.js";
import { startClients } from "./clients.js";
import { issueKey, killLeft, launch, listens, type Settings, type Way, ways } from "./service.js";

beforeAll(build, 300_000);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await killLeft();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function fresh(): Promise<Settings> {
  const { environment, remove } = await freshDatabase();
  cleanups.push(remove);
  return environment;
}

async function stopUnderLoad(way: Way, settings: Settings, key?: string) {
  const service = launch(ways[way], settings);
  const url = await service.url();
  // The demo's key is told a line later than the address.
  const toldKey = () => vi.waitUntil(() => /demo key +(mg_\w+)\n/.exec(service.said())?.[1]);
  const clients = startClients(url, key ?? (await toldKey()), 40);
  await expect.poll(() => clients.outcomes.served, { interval: 20, timeout: 30_000 }).toBe(40);
  const before = clients.outcomes.answered;
  const { code, ms } = await service.stop();
  expect(await listens(url)).toBe(false);
  await clients.ended;
  const { answered, lost, refused } = clients.outcomes;
  expect(lost).toEqual([]);
  expect(refused).toBe(40);
  expect(code).toBe(0);
  expect(ms).toBeLessThan(10_000);
  return { answered, afterSignal: answered - before, ms };
}

it("node dist/server.js loses no request that was started", async () => {
  const settings = await fresh();
  await stopUnderLoad("node dist/server.js", settings, await issueKey(settings));
});

describe.runIf(process.env.DEPLOY)("10 times", () => {
  it.each(Object.keys(ways) as Way[])("%s", { timeout: 600_000 }, async (way) => {
    const settings = await fresh();
    const key = way === "npm start" ? undefined : await issueKey(settings);
    const figures: Awaited<ReturnType<typeof stopUnderLoad>>[] = [];
    for (let i = 0; i < 10; i++) figures.push(await stopUnderLoad(way, settings, key));
    const of = (name: "answered" | "afterSignal" | "ms") => figures.map((figure) => figure[name]).join(" ");
    console.log(`${way}: answered ${of("answered")}; after the signal ${of("afterSignal")}; ms until gone ${of("ms")}`);
  });
});

// The same without a database, so once is enough.
it.runIf(inject("template"))("ends on SIGTERM while it starts, and says nothing of it", async () => {
  const service = launch(ways["node dist/server.js"], {
    DATABASE_URL: "postgresql://nobody@127.0.0.1:9/nothing",
    DATABASE_WAIT_SECONDS: "60",
  });
  await expect.poll(service.said).toMatch(/waiting up to 60 s for the database/);
  const { code, ms } = await service.stop();
  expect(code).toBe(0);
  expect(ms).toBeLessThan(3_000);
  expect(service.said().trim().split("\n")).toHaveLength(1);
});
