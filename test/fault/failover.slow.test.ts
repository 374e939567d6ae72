/** A primary is lost or becomes read-only, and its standby takes over. Run by `npm run test:fault`. Skipped without server programs. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";
import { type Answer, GatewayProcess } from "./process.js";

async function rows<T extends object>(server: Server, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  return (await client.query<T>(sql).finally(() => client.end())).rows;
}

/** Makes every session of the server read-only, including open ones, or writable again. */
async function setReadOnly(server: Server, isReadOnly: boolean): Promise<void> {
  await rows(server, `alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
  await rows(server, "select pg_reload_conf()");
}

const expectUnavailable = ({ status, retryAfter, body }: Answer) => {
  expect([status, retryAfter], JSON.stringify(body)).toEqual([503, "2"]);
  const { message, code } = body.errors
    ? { ...body.errors[0].extensions, message: body.errors[0].message }
    : { ...body, message: body.error };
  expect([message, code]).toEqual(["The database cannot be reached for the moment; try again shortly", "SERVICE_UNAVAILABLE"]);
};

const mutation = { query: `mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }` };

describe.skipIf(!binaries)("failover", () => {
  let primary: Server;
  let standby: Server;
  const gateways: GatewayProcess[] = [];
  const start = async (url: string) => {
    const gateway = await new GatewayProcess({ DATABASE_URL: url, DATABASE_MIGRATE_URL: url, DATABASE_CONNECTIONS: "5" }).start();
    gateways.push(gateway);
    return gateway;
  };
  const both = () => `postgresql://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres?target_session_attrs=read-write`;

  beforeAll(build);

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    for (const server of [standby, primary]) server?.remove();
  });

  /** A new pair, for each test that loses its primary. */
  async function pair(): Promise<void> {
    for (const gateway of gateways.splice(0)) await gateway.stop();
    for (const server of [standby, primary]) server?.remove();
    primary = await Server.start(() => ["synchronous_commit = remote_apply"]);
    standby = await primary.standby();
    await rows(primary, "alter system set synchronous_standby_names = '*'");
    await rows(primary, "select pg_reload_conf()");
  }

  test("a single read-only server: reads succeed, writes and /ready do not", async () => {
    await pair();
    const gateway = await start(primary.url);
    expect((await gateway.write()).status).toBe(201);
    await setReadOnly(primary, true);
    await sleep(300);
    const { processes } = (
      await rows<{ processes: number[] }>(
        primary,
        `select array_agg(pid) as processes from pg_stat_activity where application_name = 'maintenance-gateway'`,
      )
    )[0]!;
    expectUnavailable(await gateway.write());
    expectUnavailable(await gateway.call("POST", "/graphql", mutation));
    expect((await gateway.read()).status).toBe(200);
    const { status, retryAfter, body } = await gateway.ready();
    const message = "The database takes no writes: it is a standby, or read-only";
    expect([status, retryAfter, body]).toEqual([
      503,
      "2",
      { status: "unavailable", error: message, database: "postgresql", reasons: [{ code: "DATABASE_READ_ONLY", message }] },
    ]);
    await sleep(1_500);
    for (let i = 0; i < 6; i++) expectUnavailable(await gateway.write());
    await setReadOnly(primary, false);
    const backMs = await gateway.until(201, gateway.write);
    console.info(`read-only for a while: back after ${backMs} ms`);
    expect((await gateway.ready()).status).toBe(200);
    const left = await rows<{ pid: number }>(primary, `select pid from pg_stat_activity where application_name = 'maintenance-gateway'`);
    expect(left.map(({ pid }) => pid).filter((pid) => processes.includes(pid))).toEqual([]);
  });

  test("a primary that crashes: its standby is used once promoted, and no confirmed write is lost", async () => {
    await pair();
    const gateway = await start(both());
    const written: string[] = [];
    const statuses = new Map<number, number>();
    let isOver = false;
    let slowest = 0;
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let i = 0; !isOver; i++) {
        const name = `${writer} ${i}`;
        const { status, ms } = await gateway.write(name);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        slowest = Math.max(slowest, ms);
        if (status === 201) written.push(name);
        else await sleep(50);
      }
    });
    await sleep(1_500);
    primary.stop("immediate");
    await sleep(3_000);
    expectUnavailable(await gateway.read());
    expect((await gateway.ready()).status).toBe(503);
    standby.promote();
    const backMs = await gateway.until(201, gateway.write);
    await sleep(1_000);
    isOver = true;
    await Promise.all(writers);
    console.info(`crash: back ${backMs} ms after the promotion, slowest answer ${slowest} ms, ${JSON.stringify([...statuses])}`);
    expect([...statuses.keys()].sort()).toEqual([201, 503]);
    const stored = new Set((await rows<{ name: string }>(standby, `select name from "Asset"`)).map(({ name }) => name));
    expect(written.filter((name) => !stored.has(name))).toEqual([]);
    expect(gateway.said).toMatch(
      / ERROR database lost: [^\n]*\n(?:\S+ WARN [^\n]*\n)*\S+ INFO {2}database found again after [\d.]+ s, new primary: 127\.0\.0\.1:\d+\n/,
    );
    expect((await gateway.ready()).status).toBe(200);
  });

  test("a primary that becomes read-only is left for the writable server, with all connections", async () => {
    await pair();
    const gateway = await start(both());
    await Promise.all(Array.from({ length: 5 }, () => gateway.write()));
    await rows(primary, "alter system set synchronous_standby_names = ''");
    await setReadOnly(primary, true);
    standby.promote();
    await sleep(300);
    expectUnavailable(await gateway.write());
    const backMs = await gateway.until(201, gateway.write);
    expect((await gateway.ready()).status).toBe(200);
    await Promise.all(Array.from({ length: 10 }, () => gateway.write()));
    console.info(`no more writes: back after ${backMs} ms`);
    const of = async (server: Server) =>
      (
        await rows<{ n: number }>(
          server,
          `select count(*)::int as n from pg_stat_activity where application_name = 'maintenance-gateway' and state <> ''`,
        )
      )[0]!.n;
    expect(await of(standby)).toBeGreaterThan(0);
    await expect.poll(() => of(primary)).toBe(0);
  });
});
