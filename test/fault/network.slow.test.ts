/**
 * Faults between the gateway and PostgreSQL: requests get a response soon, and the gateway recovers automatically. Run by `npm run
 * test:fault`. Skipped without server programs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";
import { type Answer, GatewayProcess } from "./process.js";
import { type Fault, FaultyNetwork } from "./proxy.js";

const connections = 3;
/** Longer than a connection attempt. */
const faultMs = 9_000;

describe.skipIf(!binaries)("the network between gateway and PostgreSQL", () => {
  let server: Server;
  let proxy: FaultyNetwork;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    await build();
    server = await Server.start();
    proxy = await new FaultyNetwork(server.port).open();
    gateway = await new GatewayProcess({ DATABASE_URL: proxy.url, DATABASE_CONNECTIONS: String(connections), MAX_RUNNING: "50" }).start();
  });

  afterAll(async () => {
    await gateway?.stop();
    proxy?.close();
    server?.remove();
  });

  let holder: pg.Client | undefined;

  /** Blocks all writers of assets, over a connection that bypasses the proxy. */
  async function hold(): Promise<void> {
    holder = new pg.Client({ connectionString: server.url });
    await holder.connect();
    await holder.query(`begin; lock table "Asset" in exclusive mode`);
  }

  async function release(): Promise<void> {
    const held = holder;
    holder = undefined;
    await held?.end();
  }

  afterEach(async () => {
    await release();
    await proxy.heal();
  });

  const expectUnavailable = ({ status, retryAfter, body }: Answer, isGraphql = false) => {
    expect([status, retryAfter], JSON.stringify(body)).toEqual([503, "2"]);
    const { code, message } = isGraphql ? { ...body.errors[0].extensions, ...body.errors[0] } : { ...body, message: body.error };
    if (code) expect(code).toBe("SERVICE_UNAVAILABLE");
    expect(message).toBe("The database cannot be reached for the moment; try again shortly");
  };

  const mutate = () =>
    gateway.call("POST", "/graphql", { query: `mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }` });

  test.each(["refuse", "reset", "hole"] as const)("%s", async (fault: Fault) => {
    await gateway.until(201, gateway.write);
    const { pid } = gateway;
    await hold();
    // All connections are taken by statements that wait longer than the timeout for a dead server.
    const running = Array.from({ length: connections }, () => gateway.write());
    const answered: Answer[] = [];
    for (const one of running) void one.then((answer) => answered.push(answer));
    await sleep(3_500);
    expect(answered, "a slow statement is no fault").toEqual([]);

    proxy.begin(fault);
    const begun = performance.now();
    const first = await Promise.all([gateway.write(), gateway.read(), gateway.call("GET", "/ready")]);
    const ended = await Promise.all(running);
    const endedMs = Math.round(performance.now() - begun);
    await release();
    for (const answer of [...ended, first[0], first[1]]) expectUnavailable(answer);
    expect(first[2].status).toBe(503);
    const later: Answer[] = [];
    while (performance.now() - begun < faultMs) {
      const [write, read, mutation] = await Promise.all([gateway.write(), gateway.read(), mutate()]);
      expectUnavailable(write);
      expectUnavailable(read);
      expectUnavailable(mutation, true);
      later.push(write, read, mutation);
      await sleep(200);
    }
    await proxy.heal();
    const backMs = await gateway.until(201, gateway.write);
    const most = (answers: Answer[]) => Math.max(...answers.map(({ ms }) => ms));
    console.info(
      `${fault}: first refused after ${most(first)} ms, later after ${most(later)} ms, running ended after ${endedMs} ms, back after ${backMs} ms`,
    );
    expect((await gateway.ready()).status).toBe(200);
    expect([gateway.isRunning, gateway.pid]).toEqual([true, pid]);
  });

  test("300 ms more: all requests succeed, late", async () => {
    await gateway.until(201, gateway.write);
    proxy.begin("slow");
    const answers: Answer[] = [];
    for (let i = 0; i < 5; i++) answers.push(...(await Promise.all([gateway.write(), gateway.read(), gateway.ready()])));
    await proxy.heal();
    console.info(`slow: answered after ${Math.min(...answers.map(({ ms }) => ms))} to ${Math.max(...answers.map(({ ms }) => ms))} ms`);
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 201]);
  });

  test("connections that are taken for a moment are waited for", async () => {
    await gateway.until(201, gateway.write);
    await hold();
    const waiting = Array.from({ length: 4 * connections }, () => gateway.write());
    await sleep(700);
    await release();
    const answers = await Promise.all(waiting);
    console.info(`taken for 0.7 s: answered after ${Math.max(...answers.map(({ ms }) => ms))} ms`);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });

  test("while none is available, new requests are refused after a wait, and requests with a connection continue", async () => {
    // By default there are as many slots as connections, so new requests wait for a slot.
    const usual = await new GatewayProcess({ DATABASE_URL: server.url, DATABASE_CONNECTIONS: String(connections) }).start(gateway.key);
    try {
      for (const [what, { write, read, until }] of Object.entries({ connections: gateway, turns: usual })) {
        await until(201, write);
        await hold();
        const running = Array.from({ length: connections }, () => write());
        // Leaves time to reach the lock, even on a busy machine.
        await sleep(1_000);
        const refused = await Promise.all([read(), write(), read()]);
        const later = await read();
        await release();
        console.info(`no ${what} come free: refused after ${Math.max(...refused.map(({ ms }) => ms))} ms, later after ${later.ms} ms`);
        for (const { status, retryAfter } of [...refused, later]) {
          expect([status, retryAfter]).toEqual([503, "2"]);
        }
        expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201, 201]);
        expect((await read()).status).toBe(200);
      }
    } finally {
      await usual.stop();
    }
  });
});
