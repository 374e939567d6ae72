/** /metrics in the format that Prometheus reads: effects of requests, protection against label abuse, and access. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { readConfig } from "../../src/config.js";
import { openPostgresql } from "../../src/database/connection/postgresql.js";
import { Replica } from "../../src/database/connection/replica.js";
import { ensureTenant, insertKey } from "../../src/database/records/directory.js";
import { buildGateway } from "../../src/server/http.js";
import { Metrics } from "../../src/server/metrics/metrics.js";
import { addServers } from "../../src/server/metrics/metrics-of-servers.js";
import type { Storage } from "../../src/storage/storage.js";
import { postStream } from "../execution/event-stream.js";
import { Caller, Gateway, sharedGateway, startGateway } from "../world.js";

const token = "a-token-of-the-tests";
const gateway = await startGateway({ METRICS_TOKEN: token });
const soon = { interval: 20 };

const scrape = (url: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
  fetch(`${url}/metrics`, { headers });

/** Values by series, with labels in the order sent. */
async function read({ url }: Pick<Gateway, "url"> = gateway): Promise<Map<string, number>> {
  const response = await scrape(url);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => line && !line.startsWith("#"));
  const entries = lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))] as const);
  expect(new Set(entries.map(([series]) => series)).size, "no series is there twice").toBe(entries.length);
  return new Map(entries);
}

const ofService = (series: string) => series.startsWith("gateway_");

/** Growth of the counters with these names, without unchanged counters. */
function growth(before: Map<string, number>, after: Map<string, number>, ...names: string[]): Record<string, number> {
  const grown = [...after].filter(([series, value]) => names.includes(series.split("{")[0]!) && value !== (before.get(series) ?? 0));
  return Object.fromEntries(grown.map(([series, value]) => [series, value - (before.get(series) ?? 0)]));
}

/** Expects this growth once all requests are logged, because responses arrive earlier. Excludes the scrapes themselves. */
async function expectGrowth(before: Map<string, number>, names: string[], expected: Record<string, number>): Promise<void> {
  const grown = async () => {
    const found = growth(before, await read(), ...names);
    for (const series of Object.keys(found)) if (series.includes("GET /metrics")) delete found[series];
    return found;
  };
  await expect.poll(grown, soon).toEqual(expected);
}

const requests = (transport: string, operation: string, status: number) =>
  `gateway_requests_total{transport="${transport}",operation="${operation}",status="${status}"}`;
const errors = (transport: string, code: string) => `gateway_errors_total{transport="${transport}",code="${code}"}`;
const duration = (transport: string, operation: string) =>
  `gateway_request_duration_seconds_count{transport="${transport}",operation="${operation}"}`;
const counters = ["gateway_requests_total", "gateway_errors_total", "gateway_request_duration_seconds_count"];

describe("access", () => {
  test("there is no /metrics if neither setting is given", async () => {
    const { url } = await sharedGateway();
    expect((await scrape(url)).status).toBe(404);
  });

  test("requires the complete token, and accepts no other", async () => {
    const answers = [
      await scrape(gateway.url),
      await scrape(gateway.url, {}),
      await scrape(gateway.url, { authorization: `Bearer ${token}x` }),
      await scrape(gateway.url, { authorization: `Bearer ${token.slice(0, -1)}` }),
      await scrape(gateway.url, { authorization: token }),
      await scrape(gateway.url, { authorization: `Bearer ${(await gateway.newTenant()).key}` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401, 401, 401]);
    expect(answers[0]!.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answers[1]!.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answers[1]!.text()).not.toContain("gateway_");
  });

  test("on a separate port there is nothing else, and no metrics on the service's port", async () => {
    const port = await freePort();
    const { url } = await startGateway({ METRICS_PORT: String(port) });
    const own = `http://127.0.0.1:${port}`;
    const answers = [
      await scrape(own, {}),
      await fetch(`${own}/`),
      await fetch(`${own}/assets`),
      await fetch(`${own}/metrics`, { method: "POST" }),
      await scrape(url, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 404, 404]);
    expect(await answers[0]!.text()).toContain("gateway_info{");
    const taken = startGateway({ METRICS_PORT: String(port) });
    await expect(taken).rejects.toThrow(`port ${port} of 127.0.0.1 is in use; stop what listens there or set METRICS_PORT`);
  });

  test("with both settings the port requires the token too", async () => {
    const port = await freePort();
    const { url } = await startGateway({ METRICS_PORT: String(port), METRICS_TOKEN: token });
    const own = `http://127.0.0.1:${port}`;
    const answers = [await scrape(own), await scrape(own, {}), await scrape(url), await scrape(url, {})];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 401]);
  });

  test.each([
    [{ METRICS_PORT: "0" }, "METRICS_PORT: must be a whole number from 1 to 65535"],
    [{ METRICS_PORT: "x" }, "METRICS_PORT: must be a whole number from 1 to 65535"],
    [{ PORT: "4100", METRICS_PORT: "4100" }, "METRICS_PORT: must be another one than PORT"],
    [{ METRICS_TOKEN: "short" }, "METRICS_TOKEN: must be 16 or more letters, digits and -._~+/="],
    [{ METRICS_TOKEN: "sixteen letters and more" }, "METRICS_TOKEN: must be 16 or more letters, digits and -._~+/="],
  ])("%j is rejected", (settings, message) => {
    expect(() => readConfig(settings as unknown as Record<string, string>)).toThrow(message);
  });
});

describe("requests", () => {
  test("GraphQL by root field, REST by route, on every path", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const before = await read();
    for (let i = 0; i < 3; i++) await tenant.ask("{ assets(first: 1) { edges { node { id } } } }");
    await tenant.ask("query ($id: ID!) { asset(id: $id) { id } }", { id });
    await tenant.ask("{ one: parts(first: 1) { totalCount } two: parts(first: 1) { totalCount } }");
    await tenant.ask("{ __typename }");
    await tenant.rest("GET", `/assets/${id}`);
    await tenant.rest("GET", `/assets/${id}?x=1`);
    await expectGrowth(before, counters, {
      [requests("graphql", "assets", 200)]: 3,
      [requests("graphql", "asset", 200)]: 1,
      [requests("graphql", "several", 200)]: 2,
      [requests("rest", "GET /assets/{assetId}", 200)]: 2,
      [duration("graphql", "assets")]: 3,
      [duration("graphql", "asset")]: 1,
      [duration("graphql", "several")]: 2,
      [duration("rest", "GET /assets/{assetId}")]: 2,
    });
  });

  test("errors by code, even if the status is 200", async () => {
    const tenant = await gateway.newTenant();
    const before = await read();
    for (let i = 0; i < 3; i++) await tenant.graphql(`query { asset(id: "none") { id } }`);
    await tenant.graphql("{ nothing }");
    await tenant.graphql("{ assets(first: 501) { totalCount } }");
    await tenant.rest("GET", "/assets/none");
    await tenant.rest("GET", "/assets?limit=x");
    await tenant.rest("PATCH", "/assets");
    await expectGrowth(before, counters.slice(0, 2), {
      [requests("graphql", "asset", 200)]: 3,
      [requests("graphql", "unread", 200)]: 1,
      [requests("graphql", "assets", 200)]: 1,
      [requests("rest", "GET /assets/{assetId}", 404)]: 1,
      [requests("rest", "GET /assets", 400)]: 1,
      [requests("other", "other", 405)]: 1,
      [errors("graphql", "NOT_FOUND")]: 3,
      [errors("graphql", "GRAPHQL_VALIDATION_FAILED")]: 1,
      [errors("graphql", "BAD_USER_INPUT")]: 1,
      [errors("rest", "NOT_FOUND")]: 1,
      [errors("rest", "BAD_USER_INPUT")]: 1,
      [errors("other", "METHOD_NOT_ALLOWED")]: 1,
    });
  });

  test("a refused key, over each API", async () => {
    const stranger = new Caller(gateway, "none", "mg_0000000000000000_nothing");
    const before = await read();
    await stranger.graphql("{ assets(first: 1) { totalCount } }");
    await stranger.rest("GET", "/assets");
    await (await postStream(stranger, { query: "{ __typename }" })).text();
    await expectGrowth(before, counters.slice(0, 2), {
      [requests("graphql", "unread", 401)]: 1,
      [requests("rest", "GET /assets", 401)]: 1,
      [requests("sse", "unread", 401)]: 1,
      [errors("graphql", "UNAUTHENTICATED")]: 1,
      [errors("rest", "UNAUTHENTICATED")]: 1,
      [errors("sse", "UNAUTHENTICATED")]: 1,
    });
  });

  test("operations of sockets and streams, and how many are open", async () => {
    const tenant = await gateway.newTenant();
    const before = await read();
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await new Promise((resolve) => socket.once("open", resolve));
    const send = (message: object) => socket.send(JSON.stringify(message));
    const messages: any[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(String(data))));
    send({ type: "connection_init", payload: { Authorization: `Bearer ${tenant.key}` } });
    await expect.poll(() => messages.length, soon).toBe(1);
    send({ id: "1", type: "subscribe", payload: { query: "{ assets(first: 1) { totalCount } }" } });
    send({ id: "2", type: "subscribe", payload: { query: `{ asset(id: "none") { id } }` } });
    send({ id: "3", type: "subscribe", payload: { query: "subscription { changes(recordTypes: [ASSET]) { kind } }" } });
    const stream = new AbortController();
    await postStream(tenant, { query: "subscription { changes(recordTypes: [ASSET]) { kind } }" }, { signal: stream.signal });
    await expectGrowth(before, [...counters.slice(0, 2), "gateway_sockets", "gateway_event_streams", "gateway_subscriptions"], {
      [requests("websocket", "assets", 200)]: 1,
      [requests("websocket", "asset", 404)]: 1,
      [requests("websocket", "changes", 200)]: 1,
      [requests("sse", "changes", 200)]: 1,
      [errors("websocket", "NOT_FOUND")]: 1,
      gateway_sockets: 1,
      gateway_event_streams: 1,
      gateway_subscriptions: 2,
    });
    socket.terminate();
    stream.abort();
    await expectGrowth(before, ["gateway_sockets", "gateway_event_streams", "gateway_subscriptions"], {});
  });

  test("client-supplied names create no series", async () => {
    const tenant = await gateway.newTenant();
    const attempts = (i: number) => [
      tenant.graphql(`query Name${i} { alias${i}: assets(first: 1) { totalCount } }`),
      tenant.graphql(`{ unknown${i} }`),
      tenant.graphql(`query Named${i} { ...f } fragment f on Query { alias${i}: parts(first: 1) { totalCount } }`),
      tenant.rest("GET", `/path${i}`),
      tenant.rest("GET", `/assets/id-${i}`),
      tenant.rest("PROPFIND", `/assets/id-${i}`),
      gateway.rest("GET", `/files/tenant${i}/media${i}`),
      gateway.rest("GET", `/explorer/${i}.js`),
      gateway.rest("GET", `/assets`, undefined, { authorization: `Bearer key${i}` }),
    ];
    await Promise.all(attempts(0));
    await expect
      .poll(async () => [...(await read()).keys()].some((series) => series.includes(`"/files`) || series.includes("/files/")), soon)
      .toBe(true);
    // Jobs run meanwhile, possibly for the first time.
    const named = async () => [...(await read()).keys()].filter((series) => ofService(series) && !series.startsWith("gateway_job_")).sort();
    const before = await named();
    for (let i = 1; i <= 60; i++) await Promise.all(attempts(i));
    const counted = async () => (await read()).get(requests("rest", "GET /assets/{assetId}", 404));
    await expect.poll(counted, soon).toBeGreaterThan(60);
    expect(await named()).toEqual(before);
  });
});

describe("cost", () => {
  const query = "{ assets(first: 10) { edges { node { id name } } } }";

  /** The cost that the response reports, plus the point for the request. */
  async function spend(tenant: Caller): Promise<number> {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, "graphql-cost": "1" },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as any).extensions.cost.actual + 1;
  }

  const points = (tenant: Caller) => `gateway_tenant_points{tenant="${tenant.tenantId}"}`;

  test("of two tenants, to the point, and of the rest together", async () => {
    const [first, second] = [await gateway.newTenant(), await gateway.newTenant()];
    // Puts the tenants among the top spenders.
    for (const [tenant, times] of [
      [first, 40],
      [second, 60],
    ] as const)
      for (let i = 0; i < times; i++) await tenant.rest("GET", "/assets/none");
    const before = await read();
    const costs = [await spend(first), await spend(first), await spend(second)];
    const after = await read();
    expect(growth(before, after, "gateway_tenant_points", "gateway_points_total")).toEqual({
      [points(first)]: costs[0]! + costs[1]!,
      [points(second)]: costs[2]!,
      gateway_points_total: costs[0]! + costs[1]! + costs[2]!,
    });
  });

  test("has 20 tenants at most, and the sum covers all", async () => {
    await ensureTenant(gateway.database, "other");
    const key = await insertKey(gateway.database, "other", { name: "x", role: "admin", sites: [], readAll: true });
    for (let i = 0; i < 100; i++) await new Caller(gateway, "other", key).rest("GET", "/assets/none");
    for (let i = 0; i < 25; i++) await (await gateway.newTenant()).rest("GET", "/assets");
    const found = await read();
    const ofTenants = [...found].filter(([series]) => series.startsWith("gateway_tenant_points{"));
    expect(ofTenants).toHaveLength(21);
    expect(found.get(`gateway_tenant_points{tenant="other"}`)).toBeGreaterThan(100);
    expect(ofTenants.reduce((sum, [, value]) => sum + value, 0)).toBe(found.get("gateway_points_total"));
  });

  test.each([
    ["RATE_LIMIT_KEY", "key_budget"],
    ["RATE_LIMIT_TENANT", "tenant_budget"],
  ])("requests refused for lack of points are counted by the reason: %s", async (setting, reason) => {
    const config = { ...gateway.config, RATE_LIMIT_KEY: 0, RATE_LIMIT_TENANT: 0, [setting]: 1, RATE_LIMIT_BURST: 10 };
    const app = await buildGateway({ config, database: gateway.database });
    afterAll(() => app.close());
    const poor = new Gateway(await app.listen({ host: "127.0.0.1", port: 0 }), app, gateway.database, config);
    const newTenant = async () => {
      const { tenantId, key } = await gateway.newTenant();
      return new Caller(poor, tenantId, key);
    };
    const [tenant, another] = [await newTenant(), await newTenant()];
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await tenant.rest("GET", "/assets/none")).status);
    const times = statuses.filter((status) => status === 429).length;
    expect(times).toBeGreaterThan(0);
    const { errors: refusals } = await another.graphql("{ assets(first: 100) { edges { node { id } } } }");
    expect(refusals![0]!.extensions.code).toBe("BAD_USER_INPUT");
    const refused = growth(new Map(), await read(poor), "gateway_admission_refused_total");
    expect(refused).toEqual({
      [`gateway_admission_refused_total{reason="${reason}"}`]: times,
      [`gateway_admission_refused_total{reason="too_dear"}`]: 1,
    });
  });
});

describe("internals", () => {
  test("statements, as many as the database was sent", async () => {
    const tenant = await gateway.newTenant();
    const [before, sent] = [await read(), gateway.database.statements()];
    const since = performance.now();
    for (let i = 0; i < 5; i++) await tenant.createAsset();
    const after = await read();
    const passedSeconds = (performance.now() - since) / 1_000;
    const ofRequests = `{source="requests"}`;
    const grown = growth(before, after, "gateway_statements_total", "gateway_statement_seconds_total");
    expect(grown[`gateway_statements_total${ofRequests}`]).toBe(gateway.database.statements() - sent);
    expect(grown[`gateway_statements_total${ofRequests}`]).toBeGreaterThanOrEqual(5);
    expect(grown[`gateway_statement_seconds_total${ofRequests}`]).toBeGreaterThan(0);
    // In seconds: at most the elapsed time on each connection.
    expect(grown[`gateway_statement_seconds_total${ofRequests}`]).toBeLessThanOrEqual(passedSeconds * gateway.config.DATABASE_CONNECTIONS);
  });

  test("version, database, pool, slots and the process", async () => {
    const found = await read();
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    const { kind } = gateway.database;
    expect(found.get(`gateway_info{version="${version}",commit="",database="${kind}"}`)).toBe(1);
    expect(found.get("gateway_database_connections_max")).toBe(kind === "postgresql" ? 5 : undefined);
    expect(found.get("gateway_database_connections_awaited")).toBe(kind === "postgresql" ? 0 : undefined);
    const servers = [...found].filter(([series]) => series.startsWith("gateway_database_server{"));
    const { host } = new URL(gateway.config.DATABASE_URL ?? "postgresql://-");
    expect(servers).toEqual(kind === "postgresql" ? [[`gateway_database_server{server="${host}"}`, 1]] : []);
    expect(found.get("gateway_database_moves_total")).toBe(kind === "postgresql" ? 0 : undefined);
    expect(
      [...found.keys()].filter((series) => /^gateway_(replica|storage)/.test(series)),
      "there is neither",
    ).toEqual([]);
    for (const lane of ["short", "long", "files"])
      for (const state of ["running", "queued"]) expect(found.get(`gateway_admission_${state}{lane="${lane}"}`)).toBe(0);
    expect(found.get("gateway_connections")).toBeGreaterThan(0);
    expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(found.get("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
  });

  test.runIf(gateway.database.kind === "postgresql")("an invalid replica, and the server that reads in its place", async () => {
    const { database, config } = gateway;
    const standby = openPostgresql({ url: config.DATABASE_URL!, connections: 1, statementTimeout: 5_000 });
    const replica = new Replica(database, standby, 10, () => {});
    afterAll(() => replica.close());
    await replica.within(3_600)("select 1");
    const metrics = new Metrics([]);
    addServers(metrics, Object.assign(Object.create(database), { replica }), { kind: "local" } as Storage);
    const text = await metrics.registry.metrics();
    expect(text.match(/^gateway_replica_(state|reads).*$/gm)).toEqual([
      `gateway_replica_state{state="serving"} 0`,
      `gateway_replica_state{state="behind"} 0`,
      `gateway_replica_state{state="gone"} 1`,
      `gateway_replica_reads_total{server="standby"} 0`,
      `gateway_replica_reads_total{server="primary"} 1`,
    ]);
  });

  test("runs and failures of jobs", async () => {
    const busy = await startGateway({ METRICS_TOKEN: token, WEBHOOK_POLL_MS: "10" });
    const of = async (name: string) => (await read(busy)).get(`gateway_job_${name}{name="webhooks"}`) ?? 0;
    await expect.poll(() => of("runs_total"), soon).toBeGreaterThan(3);
    expect(await of("failures_total")).toBe(0);
    expect(await of("last_duration_seconds")).toBeGreaterThan(0);
    await busy.database.query(`alter table "WebhookDelivery" rename to "Elsewhere"`);
    try {
      await expect.poll(() => of("failures_total"), soon).toBeGreaterThan(1);
    } finally {
      await busy.database.query(`alter table "Elsewhere" rename to "WebhookDelivery"`);
    }
  });

  test("pending deliveries, and the age of the oldest", async () => {
    const { tenantId } = await gateway.newTenant();
    const insert = (text: string) => gateway.database.query(text, [tenantId]);
    for (const [webhook, isActive] of [
      ["w1", true],
      ["w2", false],
    ] as const) {
      await insert(
        `insert into "Webhook" ("tenantId", id, url, secret, "createdBy", "isActive") values ($1, '${webhook}', 'https://example.com', 'x', 'x', ${isActive})`,
      );
      await insert(
        `insert into "WebhookEvent" ("tenantId", id, kind, "recordId", data, "createdAt")
         select $1, '${webhook}' || i, 'notification.created', 'r', '{}', now() - i * interval '1 hour' from generate_series(1, 5) i`,
      );
      await insert(
        `insert into "WebhookDelivery" ("tenantId", "webhookId", "eventId", "recordId", status, "nextAttemptAt", "settledAt")
         select $1, '${webhook}', '${webhook}' || i, 'r', case when i = 5 then 'delivered' else 'pending' end, now() + interval '1 hour', case when i = 5 then now() end
         from generate_series(5, 1, -1) i`,
      );
    }
    // These values are read at start-up.
    const app = await buildGateway({ config: gateway.config, database: gateway.database });
    afterAll(() => app.close());
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    await expect.poll(async () => (await read({ url })).get("gateway_webhook_deliveries_pending"), soon).toBe(4);
    const age = (await read({ url })).get("gateway_webhook_oldest_pending_seconds");
    // The fourth delivery, in seconds, because the fifth was delivered.
    expect(Math.floor(age! / 3_600)).toBe(4);
  });
});

test("docs/operations/monitor.md lists the metrics that are served", async () => {
  const text = readFileSync(fileURLToPath(new URL("../../docs/operations/monitor.md", import.meta.url)), "utf8");
  const [section] = /^## Metrics$[\s\S]*?(?=^##)/m.exec(text)!;
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const told = rows.flatMap((row) => [...row.split(" | ")[0]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const served = [...(await (await scrape(gateway.url)).text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
  expect(told.sort()).toEqual(served.sort());
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
