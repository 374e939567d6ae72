/** Cancelled statements affect no other request: the connection is reused only after PostgreSQL has responded. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { Cancellation } from "../../src/database/cancellation.js";
import { startGateway } from "../world.js";

const { database } = await startGateway({ DATABASE_CONNECTIONS: "3" });
const reason = new Error("nobody waits");

test.runIf(database.kind === "postgresql")("many aborts never end the statements of another caller", async () => {
  let isOver = false;
  const outcomes = { done: 0, aborted: 0 };
  const abort = async () => {
    while (!isOver) {
      const client = new Cancellation();
      const work = database.query("/* planned each time */ select pg_sleep($1)", [Math.random() / 200], client);
      const timer = delay(Math.random() * 6).then(() => client.cancel(reason));
      await work.then(
        () => outcomes.done++,
        (error) => {
          expect(error).toBe(reason);
          outcomes.aborted++;
        },
      );
      await timer;
    }
  };
  const inTransaction = async () => {
    while (!isOver)
      await database
        .transaction(async (tx) => {
          const client = new Cancellation();
          const work = tx.query("select pg_sleep($1)", [Math.random() / 200], client);
          setTimeout(() => client.cancel(reason), Math.random() * 6);
          await work;
          return tx.query("select 1 as one");
        })
        .catch((error) => expect(error).toBe(reason));
  };
  const bystander = async () => {
    for (let i = 0; i < 1_500; i++) expect(await database.query("select $1::int as i", [i])).toEqual([{ i }]);
  };
  const aborters = [...Array.from({ length: 6 }, abort), inTransaction(), inTransaction()];
  await Promise.all([bystander(), bystander()]).finally(() => (isOver = true));
  await Promise.all(aborters);
  expect(outcomes.done).toBeGreaterThan(20);
  expect(outcomes.aborted).toBeGreaterThan(20);
});

test("a request that waits for its slot is dropped", async () => {
  const client = new Cancellation();
  const order: string[] = [];
  let begun!: () => void;
  const began = new Promise<void>((resolve) => (begun = resolve));
  const hold = Array.from({ length: 3 }, () =>
    database.transaction(async (tx) => {
      begun();
      await delay(300);
      await tx.query("select 1");
      order.push("transaction");
    }),
  );
  await began;
  await delay(50);
  const queued = database.query("select 1", [], client).then(
    () => order.push("sent"),
    (error) => order.push(error.message),
  );
  client.cancel(reason);
  await Promise.all([...hold, queued]);
  expect(order.filter((one) => one !== "transaction")).toEqual(["nobody waits"]);
});

test.runIf(database.kind === "postgresql")(
  "a waiting request gets a connection when one becomes available: a server that answers others is busy, even if nothing ends for long",
  async () => {
    const asleep = (seconds: number) => database.query("/* planned each time */ select pg_sleep($1)::text as slept", [seconds]);
    const busy = await Promise.all(Array.from({ length: 12 }, () => asleep(0.6)));
    expect(busy, "four rounds of all connections").toHaveLength(12);
    const stuck = Array.from({ length: 3 }, () => asleep(2.5));
    expect(await database.query("select 1 as one")).toEqual([{ one: 1 }]);
    await Promise.all(stuck);
  },
);

test.runIf(database.kind === "postgresql")(
  "waiting too long for a connection is reported as a busy service, and /ready responds as before",
  async () => {
    const gateway = await startGateway({ DATABASE_CONNECTIONS: "2" });
    const caller = await gateway.newTenant();
    await caller.ask("{ viewer { role } }");
    const ready = async () => (await fetch(`${gateway.url}/ready`)).status;
    expect(await ready()).toBe(200);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const busy = Array.from({ length: 2 }, () => gateway.database.transaction(() => released));
    await expect.poll(() => gateway.database.load().pool).toMatchObject({ isBusy: true, isStuck: false });
    const { status, errors } = await caller.graphql("{ assets { totalCount } }");
    expect(status).toBe(503);
    expect(errors).toMatchObject([
      { message: "The service is busy for the moment; try again shortly", extensions: { code: "SERVICE_UNAVAILABLE" } },
    ]);
    expect(await ready()).toBe(200);
    release();
    await Promise.all(busy);
    await caller.ask("{ assets { totalCount } }");
  },
);
