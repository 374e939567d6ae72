/** SIGTERM under 40 clients that keep their connections: no started request is lost. stop.slow.test.ts does it 10 times for each way to start. */
import { afterEach, beforeAll, expect, inject, it } from "vitest";
import { build } from "../generate.js";
import { issueKey, launch, ways } from "./service.js";
import { cleanUp, fresh, stopUnderLoad } from "./stop.js";

beforeAll(build, 300_000);
afterEach(cleanUp);

it("node dist/server.js loses no request that was started", async () => {
  const settings = await fresh();
  await stopUnderLoad("node dist/server.js", settings, await issueKey(settings));
});

// The same without a database, so once is enough.
it.runIf(inject("template"))("ends on SIGTERM while it starts, and says so", async () => {
  const service = launch(ways["node dist/server.js"], {
    DATABASE_URL: "postgresql://nobody@127.0.0.1:9/nothing",
    // Longer than a test may take: it is the signal that ends it.
    DATABASE_WAIT_SECONDS: "3600",
  });
  await expect.poll(service.said).toMatch(/waiting up to 3600 s for the database/);
  expect(await service.stop()).toBe(0);
  const said = service.said().trim().split("\n");
  expect(said.map((line) => line.replace(/^\S+Z /, "").replace(/: .*/, ""))).toEqual([
    expect.stringMatching(/^INFO {2}starting maintenance-gateway /),
    "INFO  waiting up to 3600 s for the database",
    "INFO  stopping",
    expect.stringMatching(/^INFO {2}stopped after \d+\.\d s, before it was up$/),
  ]);
});
