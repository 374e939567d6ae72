/**
 * A streaming standby for reads that tolerate some seconds of delay: reports, exports, and requests with `Max-Staleness`. Run by `npm run
 * test:scale`. Skipped without server programs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binaries, Server } from "../postgresql.js";
import type { Caller } from "../world.js";
import { ask, openGateway, Standby } from "./servers.js";

const maxLag = 4;

describe.skipIf(!binaries)("a read replica", () => {
  let server: Server;
  let standby: Standby;
  let opened: Awaited<ReturnType<typeof openGateway>>;
  let tenant: Caller;

  beforeAll(async () => {
    server = await Server.start();
    standby = await Standby.start(server.url);
    opened = await openGateway({
      DATABASE_URL: server.url,
      DATABASE_REPLICA_URL: standby.url,
      REPLICA_MAX_LAG_SECONDS: String(maxLag),
      DATABASE_CONNECTIONS: "5",
    });
    tenant = await opened.gateway.newTenant();
    await tenant.createAsset({ name: "First" });
    await isRead();
  });

  afterAll(async () => {
    await opened?.close();
    standby?.remove();
    server?.remove();
  });

  const onStandby = (sql: string) => ask(standby.url, sql);
  const pause = () => onStandby("select pg_wal_replay_pause()");
  const resume = () => onStandby("select pg_wal_replay_resume()");

  /** Resolves once the gateway reads from the standby, where a statement is observed. */
  async function isRead(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      await rest("/assets", "3600");
      const [found] = await ask<{ count: number }>(
        standby.url,
        `select count(*)::int as count from pg_stat_activity where application_name = 'maintenance-gateway' and query ilike '%"Asset"%'`,
      );
      if (found!.count) return;
      await sleep(200);
    }
    throw new Error("the standby is not read");
  }

  const rest = (path: string, staleness?: string) =>
    tenant.rest("GET", path, undefined, staleness === undefined ? {} : { "max-staleness": staleness });
  /** The list is grouped by site and area. */
  const names = async (staleness?: string): Promise<string[]> => {
    const { status, body } = await rest("/assets", staleness);
    expect(status).toBe(200);
    return [...JSON.stringify(body).matchAll(/"name":"((?:First|Second|Third|Late)[^"]*)"/g)].map(([, name]) => name!).sort();
  };
  async function graphql(query: string, staleness?: string): Promise<{ status: number; body: any }> {
    const response = await fetch(`${opened.gateway.url}/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${tenant.key}`,
        ...(staleness !== undefined && { "max-staleness": staleness }),
      },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, body: await response.json() };
  }
  const listed = async (staleness?: string): Promise<string[]> =>
    (await graphql("{ assets { nodes { name } } }", staleness)).body.data.assets.nodes.map(({ name }: any) => name).sort();
  const exported = async (staleness?: string): Promise<string> => (await graphql("{ exportAssets }", staleness)).body.data.exportAssets;

  test("serves reads that may be stale, over REST and GraphQL, and nothing else", async () => {
    await pause();
    try {
      await tenant.createAsset({ name: "Second" });
      const now = ["First", "Second"];
      expect([await names(), await listed()], "without the header: the primary").toEqual([now, now]);
      expect([await names("0"), await listed("0")]).toEqual([now, now]);
      expect([await names("600"), await listed("600")]).toEqual([["First"], ["First"]]);
      for (let i = 0; i < 4; i++) expect(await listed("600"), "the short way too").toEqual(["First"]);
      const file = await exported();
      expect(file, "exports by default").toContain("First");
      expect(file).not.toContain("Second");
      expect(await exported("0")).toContain("Second");
      const made = await graphql(`mutation { createAsset(input: { name: "Third", type: "pump" }) { name site } }`, "600");
      expect(made.body).toEqual({ data: { createAsset: { name: "Third", site: "" } } });
      const { body } = await graphql("{ changesSince(recordTypes: [ASSET]) { records { record { ... on Asset { name } } } } }", "600");
      expect(JSON.stringify(body), "a synchronisation reads the primary").toContain("Third");
    } finally {
      await resume();
    }
    await expect.poll(() => listed("600")).toEqual(["First", "Second", "Third"]);
  });

  const state = () => opened.gateway.database.replica!.load.state;

  test("with all connections taken is not gone: running reads continue, and the primary serves the rest", async () => {
    const read = opened.gateway.database.replica!.within(3_600)<{ where: boolean }>;
    const busy = Array.from({ length: 5 }, () => read(`select pg_is_in_recovery() as "where", pg_sleep(2.5)::text`));
    expect(await read(`select pg_is_in_recovery() as "where"`)).toEqual([{ where: false }]);
    expect(state()).toBe("serving");
    expect((await Promise.all(busy)).map(([row]) => row!.where)).toEqual(Array(5).fill(true));
  });

  test("the primary serves reads beyond the allowed staleness", async () => {
    // Without a free connection in the test before, the lag was not measured.
    await expect.poll(state).toBe("serving");
    const before = await listed("600");
    await pause();
    const pausedAt = Date.now();
    try {
      await tenant.createAsset({ name: `Late ${pausedAt}` });
      expect(await listed("600")).toEqual(before);
      await expect.poll(async () => (await listed("3")).length, { interval: 50 }).toBe(before.length + 1);
      const switchedAfter = Date.now() - pausedAt;
      await expect.poll(async () => (await exported()).includes(`Late ${pausedAt}`), { interval: 100 }).toBe(true);
      console.info(
        `the primary is read ${switchedAfter} ms after the pause for Max-Staleness: 3, exports after ${Date.now() - pausedAt} ms`,
      );
      const { state, lag } = opened.gateway.database.replica!.load;
      expect(state).toBe("behind");
      expect(lag).toBeGreaterThan(maxLag);
      expect(await listed("600"), "who allows more still gets it from the replica").toEqual(before);
    } finally {
      await resume();
    }
    await isRead();
  });

  test.each(["", "-1", "1.5", "10s", "86401", "1, 2"])("Max-Staleness: %j is rejected by name", async (value) => {
    const details = { "Max-Staleness": "must be a whole number of seconds from 0 to 86400" };
    const refused = await rest("/assets", value);
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: "Invalid input", details, code: "BAD_USER_INPUT", requestId: expect.any(String) },
    ]);
    const { status, body } = await graphql("{ assets { nodes { name } } }", value);
    expect([status, body.errors[0].extensions]).toMatchObject([400, { code: "BAD_USER_INPUT", details }]);
  });

  test("a replica that ends, or ends our statements, causes no error, and is read again once it is back", async () => {
    const statuses: number[] = [];
    let isOver = false;
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.push((await rest("/assets", "3600")).status);
    });
    await sleep(300);
    // Terminates connections of the standby during their statements.
    await onStandby(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'maintenance-gateway'`);
    await sleep(1_500);
    standby.stop("immediate");
    await sleep(3_000);
    expect(state()).toBe("gone");
    expect(await names("3600")).toEqual(await names());
    standby.resume();
    await isRead();
    isOver = true;
    await Promise.all(readers);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    console.info(`${statuses.length} reads while the replica went and came`);
    expect(opened.logged.filter((line) => line.startsWith("the replica")).length).toBeGreaterThanOrEqual(3);
  });

  test("the primary answers a statement that the recovery cancels", async () => {
    await onStandby(`alter system set max_standby_streaming_delay = '100ms'`);
    await onStandby("select pg_reload_conf()");
    const { database } = opened.gateway;
    const read = database.replica!.within(3_600)<{ where: boolean }>(
      `select pg_is_in_recovery() as "where", pg_sleep(case when pg_is_in_recovery() then 8 else 0 end)::text from (select count(*) from "Asset") a`,
    );
    await sleep(300);
    // Removes rows that a statement of the standby may still see.
    await ask(server.url, `update "Asset" set name = name || ' '`);
    await ask(server.url, `vacuum "Asset"`);
    expect((await read)[0]!.where).toBe(false);
  });

  test("a server that is not a standby of the primary is never read", async () => {
    const alone = await openGateway({ DATABASE_URL: server.url, DATABASE_REPLICA_URL: server.url });
    try {
      await sleep(2_500);
      const [found] = await alone.gateway.database.replica!.within(3_600)<{ here: boolean }>("select true as here");
      expect(found!.here).toBe(true);
      expect(alone.logged.filter((line) => line.startsWith("the replica can be read"))).toEqual([]);
    } finally {
      await alone.close();
    }
  });
});
