import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sharedGateway } from "../world.js";

const { OfflineClient } = (await import("../../examples/offline-client.mjs" as string)) as any;

const gateway = await sharedGateway();

it("a client that was offline catches up, and overwrites no other client's change", async () => {
  const caller = await gateway.newTenant();
  const [mine, both, theirs] = [await caller.createAsset(), await caller.createAsset(), await caller.createAsset()];
  const file = join(mkdtempSync(join(tmpdir(), "offline-")), "copy.json");
  const client = new OfflineClient(gateway.url, caller.key, file);
  await gateway.logIsComplete();
  expect(await client.catchUp()).toEqual([]);
  expect([...client.assets.keys()].sort()).toEqual([mine.id, both.id, theirs.id].sort());

  client.change(mine.id, { name: "Mine" });
  client.change(mine.id, { site: "North" });
  client.change(both.id, { name: "Mine" });
  await caller.rest("PUT", `/assets/${both.id}`, { name: "Theirs" });
  await caller.rest("DELETE", `/assets/${theirs.id}`);

  // A restart of the client keeps the queue.
  const again = new OfflineClient(gateway.url, caller.key, file);
  // Simulates a lost response to the first change.
  const { idempotencyKey, ...change } = again.queue[0];
  await again.ask(
    "mutation ($id: ID!, $input: UpdateAssetInput!, $expectedVersion: Int) {\n  updateAsset(id: $id, input: $input, expectedVersion: $expectedVersion) { id name status site version }\n}",
    change,
    { idempotencyKey },
  );
  expect(await again.catchUp()).toMatchObject([{ id: both.id, extensions: { code: "CONFLICT", version: 2, changedFields: ["name"] } }]);
  await gateway.logIsComplete();
  await again.catchUp();
  expect(again.assets).toEqual(
    new Map([
      [mine.id, expect.objectContaining({ name: "Mine", site: "North", version: 3 })],
      [both.id, expect.objectContaining({ name: "Theirs", version: 2 })],
    ]),
  );
  expect((await caller.ask(`{ asset(id: "${mine.id}") { version name site } }`)).asset).toEqual({
    version: 3,
    name: "Mine",
    site: "North",
  });
  expect(again.queue).toEqual([]);
});
