/** A request holds few connections at once, and a slow caller gets few slots, so that others get responses meanwhile (docs/fairness.md). */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Caller, type Gateway, onPostgresql, startGateway } from "../world.js";

const metered = { METRICS_TOKEN: "a-token-of-the-tests" };

/** Blocks reads of the table until the returned function is called, or the test fails: the gateway waits for its requests to end. */
async function lock({ database }: Gateway, table: string): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let over: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    over = database.transaction(async (tx) => {
      await tx.query(`lock table "${table}" in access exclusive mode`);
      resolve();
      await released;
    });
    over.catch(reject);
  });
  const unlock = async () => {
    release();
    await over;
  };
  onTestFinished(unlock);
  return unlock;
}

/** Number of statements that wait for a lock. */
const blocked = async ({ database }: Gateway): Promise<number> =>
  (
    await database.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  )[0]!.count;

const lanesOf = async ({ url }: Gateway): Promise<Record<string, number>> => {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metered.METRICS_TOKEN}` } })).text();
  const found = [...text.matchAll(/^gateway_admission_(running|queued)\{lane="(slow|short)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, part, lane, count]) => [`${lane} ${part}`, Number(count)]));
};

const bystanderAsks = async (caller: Caller) => expect((await caller.graphql("{ assets { totalCount } }")).data.assets.totalCount).toBe(0);

describe.runIf(onPostgresql)("a request", () => {
  test("of 20 statements holds one connection, so that others find one", async () => {
    // One connection for the lock, one for the request, one for the others.
    const gateway = await startGateway({ DATABASE_CONNECTIONS: "3", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
    const [caller, other] = [await gateway.newTenant(), await gateway.newTenant()];
    await Promise.all([bystanderAsks(caller), bystanderAsks(other)]);
    const release = await lock(gateway, "StockLevel");
    const answer = caller.graphql(`{ ${Array.from({ length: 20 }, (_, i) => `a${i}: inventoryTotals { stockLevels }`).join(" ")} }`);
    await expect.poll(() => blocked(gateway)).toBe(1);
    for (let i = 0; i < 3; i++) await bystanderAsks(other);
    expect(await blocked(gateway)).toBe(1);
    await release();
    const { data, errors } = await answer;
    expect([errors, Object.keys(data).length]).toEqual([undefined, 20]);
  });
});

describe.runIf(onPostgresql)("a slow caller", () => {
  test("gets a third of the slots, waits for them, and loses nothing; other keys and tenants have their own", async () => {
    const gateway = await startGateway({ DATABASE_CONNECTIONS: "7", MAX_RUNNING: "6", REQUEST_SECONDS: "600", ...metered });
    const caller = await gateway.newTenant();
    const [colleague, other] = [await caller.as("admin"), await gateway.newTenant()];
    for (const one of [caller, colleague, other]) await bystanderAsks(one);
    const release = await lock(gateway, "StockLevel");
    const blocking = "{ inventoryTotals { stockLevels } }";
    const answers = [caller.graphql(blocking)];
    // Adds one request at a time, until the running requests make the caller slow.
    while (!(await lanesOf(gateway))["slow running"] && answers.length < 3) {
      await expect.poll(() => blocked(gateway)).toBe(answers.length);
      await delay(600);
      answers.push(caller.graphql(blocking));
      await expect.poll(async () => (await blocked(gateway)) === answers.length).toBe(true);
    }
    expect((await lanesOf(gateway))["slow running"]).toBe(1);
    for (let i = 0; i < 3; i++) answers.push(caller.graphql(blocking));
    await expect
      .poll(() => lanesOf(gateway))
      .toEqual({ "slow running": 2, "slow queued": 2, "short running": answers.length - 2, "short queued": 0 });
    await bystanderAsks(colleague);
    await bystanderAsks(other);
    await release();
    for (const { status, data } of await Promise.all(answers))
      expect([status, data]).toEqual([200, { inventoryTotals: { stockLevels: 0 } }]);
  });
});
