/**
 * Stock after kill -9 during writes of many clients: confirmed writes are stored, no write is stored in part, and every movement and view
 * matches the model. `npm run test:ledger` kills 10 times. Without LEDGER_KILLS the test is skipped.
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/config.js";
import { openDatabase } from "../../../src/database/connection/open.js";
import { ensureTenant, insertKey } from "../../../src/database/records/directory.js";
import { buildGateway } from "../../../src/server/http.js";
import { killLeft, launch, ways } from "../../deploy/service.js";
import { build } from "../../generate.js";
import { Caller, freshDatabase, Gateway } from "../../world.js";
import type { Adjusted } from "./stock-model.js";
import { atOnce, number, operation, Pair } from "./stock-pair.js";

const kills = Number(process.env.LEDGER_KILLS ?? 0);
/** Responses awaited before each kill. */
const answeredBefore = 150;

beforeAll(() => (kills ? build() : undefined), 300_000);
afterAll(killLeft);

test.runIf(kills)(`after ${kills} kills the ledger matches the responses`, { timeout: 300_000 + kills * 120_000 }, async () => {
  const { environment, remove } = await freshDatabase();
  onTestFinished(remove);
  const config = readConfig({ LOG_LEVEL: "silent", PORT: "0", DATABASE_CONNECTIONS: "5", ...environment });
  let database = await openDatabase(config, () => {});
  await ensureTenant(database, "plant");
  const keyOf = (name: string) => insertKey(database, "plant", { name, role: "admin", sites: [], readAll: true });
  const keys = [await keyOf("one"), await keyOf("other")];
  await database.close();

  let service = launch(ways["node dist/server.js"], environment);
  const gateway = new Gateway(await service.url(), undefined!, undefined!, config);
  await gateway.learnContract();
  const pair = await Pair.of(
    gateway,
    keys.map((key) => new Caller(gateway, "plant", key)),
  );
  const { tenant } = pair;
  const answered: string[] = [];
  let stopped = false;
  const client = async (work: () => Promise<void>) => {
    while (!stopped) {
      try {
        await work();
      } catch (error) {
        // The connection broke. Any other error is a defect.
        if (!(error instanceof TypeError)) throw error;
        await sleep(20);
      }
    }
  };
  const operate = async () => {
    const op = atOnce(fc.sample(operation, 1)[0]!);
    const { status, id } = await pair.send(op);
    expect([200, 400, 403, 404, 409], op.kind).toContain(status);
    // An adjustment has a separate id.
    if (!id) return;
    if ("by" in op) pair.adjusted.unshift({ id } as Adjusted);
    else if (op.kind !== "set") answered.push(id);
  };
  const step = async (name: string, id: string) =>
    (await tenant.graphql(`mutation ($id: ID!) { ${name}Transfer(id: $id) { id } }`, { id })).errors === undefined;
  /** Each step of a transfer changes several rows. */
  const travel = async () => {
    const input = { fromSite: "A", toSite: "B", quantity: number(BigInt(1 + Math.floor(Math.random() * 50_000))) };
    const { data } = await tenant.graphql(
      "mutation ($partId: ID!, $input: StartTransferInput!) { startTransfer(partId: $partId, input: $input) { id } }",
      { partId: pair.partIds[Math.floor(Math.random() * 3)], input },
    );
    const id = data?.startTransfer?.id;
    if (id && (await step("ship", id))) await step(Math.random() < 0.8 ? "receive" : "cancel", id);
    else await sleep(20);
  };

  for (let killed = 0; killed < kills; killed++) {
    stopped = false;
    const goal = answered.length + answeredBefore;
    const clients = [...Array.from({ length: 6 }, () => client(operate)), client(travel), client(travel)];
    await Promise.race([
      expect.poll(() => answered.length, { timeout: 90_000, interval: 10 }).toBeGreaterThan(goal),
      // A client that fails ends the test.
      ...clients,
    ]);
    const ended = once(service.child, "exit");
    service.child.kill("SIGKILL");
    await ended;
    stopped = true;
    await Promise.all(clients);
    service = launch(ways["node dist/server.js"], environment);
    Object.assign(gateway, { url: await service.url() });
    const { verifyLedger } = await tenant.ask("{ verifyLedger(instants: 20) { balanced faults { problem } instants { problem } } }");
    expect(verifyLedger).toEqual({ balanced: true, faults: [], instants: Array(20).fill({ problem: null }) });
  }

  expect(await service.stop()).toBe(0);
  database = await openDatabase(config, () => {});
  const app = await buildGateway({ config, database });
  onTestFinished(async () => {
    await app.close();
    await database.close();
  });
  Object.assign(gateway, { url: await app.listen({ host: "127.0.0.1", port: 0 }), app, database });
  const [kept] = await database.query<{ count: number }>(
    `select count(*)::int as count from "StockMovement" where "tenantId" = 'plant' and id = any($1)`,
    [answered],
  );
  expect(kept!.count).toBe(answered.length);
  await pair.reckon();
  await pair.compare(Math.random);
});
