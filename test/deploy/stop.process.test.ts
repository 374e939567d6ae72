/** SIGTERM under 40 keep-alive clients: no started request is lost. stop.slow.test.ts does it 10 times for each way to start. */
import { afterEach, beforeAll, expect, inject, it } from "vitest";
import { build } from "../generate.js";
import { issueKey, launch, ways } from "./service.js";
import { cleanUp, fresh, stopUnderLoad } from "./stop.js";

beforeAll(build);
afterEach(cleanUp);

it("node dist/server.js loses no request that was started", async () => {
  const settings = await fresh();
  await stopUnderLoad("node dist/server.js", settings, await issueKey(settings));
});

it.runIf(inject("template"))("workers lose no request that was started", async () => {
  const settings = await fresh();
  await stopUnderLoad("node dist/server.js", { ...settings, WORKERS: "2", DATABASE_CONNECTIONS: "5" }, await issueKey(settings));
});

it.runIf(inject("template"))("workers lose no request if the primary process is slow to close the listening socket", async () => {
  const settings = await fresh();
  const slow = { NODE_OPTIONS: `--import ${new URL("slow-release.mjs", import.meta.url).href}` };
  await stopUnderLoad("node dist/server.js", { ...settings, ...slow, WORKERS: "2", DATABASE_CONNECTIONS: "5" }, await issueKey(settings));
});

// Identical on every database, so a single run is enough.
it.runIf(inject("template"))("ends on SIGTERM during its start, and reports it", async () => {
  const service = launch(ways["node dist/server.js"], {
    DATABASE_URL: "postgresql://nobody@127.0.0.1:9/nothing",
    // Longer than the test may take, so that only the signal can end the process.
    DATABASE_WAIT_SECONDS: "3600",
  });
  await expect.poll(service.said).toMatch(/waiting up to 3600 s for the database/);
  expect(await service.stop()).toBe(0);
  const said = service.said().trim().split("\n");
  expect(said.map((line) => line.replace(/^\S+Z /, "").replace(/: .*/, ""))).toEqual([
    expect.stringMatching(/^INFO {2}starting maintenance-gateway /),
    "INFO  waiting up to 3600 s for the database",
    "INFO  stopping",
    expect.stringMatching(/^INFO {2}stopped after \d+\.\d s, before startup finished$/),
  ]);
});
