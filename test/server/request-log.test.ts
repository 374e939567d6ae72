/** Log entries of requests (statements, key and names) and of slow operations (statements and a plan). */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { afterAll, describe, expect, test, vi } from "vitest";
import { genericPlan } from "../../src/database/watch/generic-plan.js";
import { buildGateway } from "../../src/server/http.js";
import { postStream } from "../execution/event-stream.js";
import { overWebSocket } from "../execution/socket.js";
import { Caller, Gateway, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", SLOW_OPERATION_MS: "60000" });
const { database } = gateway;
const soon = { interval: 20 };

/** The log lines of requests or warnings that `work` causes, once there are as many as requests. */
async function linesOf(app: FastifyInstance, level: "info" | "warn", count: number, work: () => Promise<unknown>): Promise<any[]> {
  const spy = vi.spyOn(app.log, level);
  const message = level === "info" ? "request" : "slow operation";
  const lines = () => spy.mock.calls.filter((call: any[]) => call[1] === message).map(([line]: any) => line);
  try {
    await work();
    await expect.poll(() => lines().length, soon).toBeGreaterThanOrEqual(count);
    return lines();
  } finally {
    spy.mockRestore();
  }
}

const requestLines = (count: number, work: () => Promise<unknown>) => linesOf(gateway.app, "info", count, work);

/** Posts to /graphql with a pause in the middle of the body, so that the body is read separately from its head. */
async function slowly({ key }: Caller, payload: object): Promise<void> {
  const body = JSON.stringify(payload);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const sending = request(`${gateway.url}/graphql`, { method: "POST", headers });
  sending.write(body.slice(0, 20));
  await delay(100);
  sending.end(body.slice(20));
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  for await (const _ of response);
}

describe("the line of a request", () => {
  const change = `mutation Change($id: ID!) { updateAsset(id: $id, input: { status: MAINTENANCE }) { id } }`;
  const transports: [string, (tenant: Caller, id: string) => Promise<unknown>, object][] = [
    ["GraphQL", (tenant, id) => tenant.ask(change, { id }), { method: "POST", operation: "updateAsset", operationName: "Change" }],
    [
      "GraphQL, sent in two parts",
      (tenant, id) => slowly(tenant, { query: change, variables: { id } }),
      { method: "POST", operation: "updateAsset" },
    ],
    ["REST", (tenant, id) => tenant.rest("PUT", `/assets/${id}`, { status: "maintenance" }), { method: "PUT" }],
    [
      "WebSocket",
      (tenant, id) => overWebSocket(tenant, { query: change, variables: { id } }),
      { method: "WS", operation: "updateAsset", operationName: "Change" },
    ],
    [
      "server-sent events",
      async (tenant, id) => (await postStream(tenant, { query: change, variables: { id } })).text(),
      { method: "SSE", operation: "updateAsset", operationName: "Change" },
    ],
  ];

  test.each(transports)("over %s: statements as many as were sent, and the key's id", async (_, send, expected) => {
    const tenant = await gateway.newTenant();
    const { apiKeys } = await tenant.ask("{ apiKeys { nodes { id } } }");
    const { id } = await tenant.createAsset();
    const before = database.statements();
    const [line] = await requestLines(1, () => send(tenant, id));
    const sent = database.statements() - before;
    expect(line).toMatchObject({ ...expected, status: 200, tenant: tenant.tenantId, key: apiKeys.nodes[0].id });
    expect(line.statements).toBe(sent);
    expect(sent).toBeGreaterThan(0);
    expect(JSON.stringify(line)).not.toContain(tenant.key.slice(-64));
  });

  test("requests at the same time count their own", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const read = () => tenant.ask("query Read { assets(first: 1) { nodes { id } } }");
    const one = "updateAsset(id: $id, input: { status: MAINTENANCE }) { id components(first: 1) { totalCount } }";
    const write = () => tenant.ask(`mutation Change($id: ID!) { a: ${one} b: ${one} c: ${one} }`, { id });
    const [alone] = await requestLines(1, write);
    const before = database.statements();
    const lines = await requestLines(40, () => Promise.all(Array.from({ length: 40 }, (_, i) => (i % 4 ? read() : write()))));
    const sent = database.statements() - before;
    const counts = (name: string) => lines.filter(({ operationName }) => operationName === name).map(({ statements }) => statements);
    // Every 3 seconds a request looks the key up again.
    expect(Math.max(...counts("Read"))).toBeLessThanOrEqual(2);
    expect(counts("Read").filter((count) => count === 1).length).toBeGreaterThan(20);
    expect(alone.statements).toBeGreaterThan(4);
    expect(Math.min(...counts("Change"))).toBeGreaterThanOrEqual(alone.statements - 1);
    expect([...counts("Read"), ...counts("Change")].reduce((sum, count) => sum + count, 0)).toBe(sent);
  });

  test("a request without database access has none", async () => {
    const tenant = await gateway.newTenant();
    await tenant.ask("{ __typename }");
    const [refused, known] = await requestLines(2, async () => {
      await gateway.rest("GET", "/assets", undefined, { authorization: "Bearer x" });
      await tenant.ask("query Nothing { __typename }");
    });
    expect(refused).toMatchObject({ status: 401, statements: 0, code: "UNAUTHENTICATED" });
    expect(known).toMatchObject({ status: 200, statements: 0, operation: "several", operationName: "Nothing" });
  });

  test("names are truncated, and contain no secret", async () => {
    const tenant = await gateway.newTenant();
    const secret = `mg_${randomBytes(8).toString("hex")}_${randomBytes(32).toString("hex")}`;
    const [long, leaking, again] = await requestLines(3, async () => {
      await tenant.ask(`query ${"N".repeat(3_000)} { viewer { role } }`);
      await tenant.ask(`query ${secret} { viewer { role } }`);
      // The fast path.
      await tenant.ask(`query ${secret} { viewer { role } }`);
    });
    expect(long.operationName).toBe("N".repeat(100));
    expect([leaking.operationName, again.operationName]).toEqual(["[secret]", "[secret]"]);
  });
});

test("no signature of a link is in a URL, in any copy", async () => {
  const link = "/files/t/m?variant=full&expires=9&signature=Sig-4711_x";
  const sent = [link, link.replaceAll("&", "&amp;"), `/assets?from=${encodeURIComponent(link)}`, "/assets?X-Amz-Signature=4711"];
  const lines = await requestLines(sent.length, () => Promise.all(sent.map((path) => gateway.rest("GET", path))));
  expect(lines.map(({ url }) => url).sort()).toEqual(sent.map((path) => path.replace(/(signature(=|%3D)).*/i, "$1[secret]")).sort());
});

describe("a slow operation", () => {
  const token = "a-token-of-the-tests";

  /** A service on the same database that has not requested a plan yet. */
  async function slowGateway(ms: number): Promise<Gateway> {
    const config = { ...gateway.config, SLOW_OPERATION_MS: ms, METRICS_TOKEN: token };
    const app = await buildGateway({ config, database });
    afterAll(() => app.close());
    return new Gateway(await app.listen({ host: "127.0.0.1", port: 0 }), app, database, config);
  }

  test("is logged with its statements and a plan, the next one without a plan; neither contains values", async () => {
    const slow = await slowGateway(1);
    const { tenantId, key } = await gateway.newTenant();
    const tenant = new Caller(slow, tenantId, key);
    const [name, field] = ["Unspeakable 4711", "assets(first: 50, filter: { search: $name })"];
    const query = `query Find($name: String) { ${Array.from({ length: 8 }, (_, i) => `a${i}: ${field} { totalCount nodes { name components(first: 5) { nodes { name } } } }`).join(" ")} }`;
    const find = () => tenant.rest("POST", "/graphql", { query, variables: { name } });
    let requestId: string | null = null;
    const since = performance.now();
    const lines = await linesOf(slow.app, "warn", 3, async () => {
      requestId = (await find()).headers.get("x-request-id");
      await tenant.rest("POST", "/assets", { name, type: "pump" });
      await find();
    });
    const [planned, other] = [
      lines.find(({ reqId }) => reqId === requestId),
      lines.find(({ operationName, reqId }) => operationName && reqId !== requestId),
    ];
    expect(planned).toMatchObject({
      tenant: tenantId,
      key: expect.any(String),
      transport: "graphql",
      operation: "several",
      operationName: "Find",
      cost: expect.any(Number),
    });
    expect(planned.ms).toBeGreaterThanOrEqual(1);
    expect(planned.waitedMs).toBeLessThanOrEqual(planned.ms);
    expect(planned.statements).toBeGreaterThanOrEqual(planned.slowest.length);
    expect(planned.slowest.some(({ text }: any) => /^(\/\*.*\*\/ )?select .*"Asset".*\$1/s.test(text))).toBe(true);
    expect(planned.plan.join("\n")).toMatch(/cost=.*\$1/s);
    expect(other.slowest[0]).toEqual({ ms: expect.any(Number), text: expect.any(String) });
    // At most one plan in 5 seconds.
    expect(lines.filter(({ plan }) => plan).length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - since) / 5_000));
    expect(lines.find(({ transport }) => transport === "rest")).toMatchObject({ operation: "POST /assets", tenant: tenantId });
    expect(JSON.stringify(lines)).not.toContain("4711");
    const { body } = await slow.rest("GET", "/metrics", undefined, { authorization: `Bearer ${token}` });
    expect(body).toContain("gateway_slow_operations_total 3\n");
  });

  test("is not logged if the setting is 0, or if it is not slow", async () => {
    const { tenantId, key } = await gateway.newTenant();
    for (const quiet of [gateway, await slowGateway(0)]) {
      const warn = vi.spyOn(quiet.app.log, "warn");
      await new Caller(quiet, tenantId, key).createAsset();
      expect(warn).not.toHaveBeenCalled();
      warn.mockRestore();
    }
  });
});

describe("a generic plan", () => {
  test("of a write shows no value and writes nothing", async () => {
    const epochs = () => database.query(`select "tenantId", "logEpoch" from "Tenant" order by 1`);
    const before = await epochs();
    const plan = await genericPlan(database, `update "Tenant" set "logEpoch" = $1 where "tenantId" <> $2 returning "tenantId"`);
    expect(plan!.join("\n")).toMatch(/Update on "Tenant"[\s\S]*<> \$2/);
    expect(await epochs()).toEqual(before);
  });

  test("is not made for what PostgreSQL does not plan", async () => {
    for (const text of ["begin", "commit", "savepoint nested_0", "discard plans"])
      expect(await genericPlan(database, text)).toBeUndefined();
  });

  test("a statement that cannot be planned leaves the connection unchanged", async () => {
    for (let i = 0; i < 12; i++) await expect(genericPlan(database, `select $1::int / "none"`)).rejects.toThrow();
    expect(await database.query("select 1 as one")).toEqual([{ one: 1 }]);
    expect(await database.query("select name from pg_prepared_statements where name like 'explained%'")).toEqual([]);
  });
});

test("no secret of a calendar or report link is in a URL, nor an escaped part of it", async () => {
  const secret = "0123456789abcdef".repeat(4);
  const sent = [
    `/calendar/${secret}.ics`,
    `/calendar/%30%31${secret.slice(2)}.ics`,
    `/calendar/${secret.slice(1)}.ics?a=1`,
    `/report/${secret}`,
    `/report/%30${secret.slice(1)}`,
  ];
  const lines = await requestLines(sent.length, () => Promise.all(sent.map((path) => gateway.rest("GET", path))));
  expect(lines.map(({ url }) => url).sort()).toEqual([
    "/calendar/[secret]",
    "/calendar/[secret].ics",
    "/calendar/[secret]?a=1",
    "/report/[secret]",
    "/report/[secret]",
  ]);
});
