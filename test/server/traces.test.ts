/** Traces as a collector receives them: requests, operations and statements over every API, and also jobs and webhook deliveries. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readConfig } from "../../src/config.js";
import { buildGateway } from "../../src/server/http.js";
import { openTracing } from "../../src/server/tracing.js";
import { receiver, subscribe } from "../alerts/receivers.js";
import { postStream } from "../execution/event-stream.js";
import { overWebSocket } from "../execution/socket.js";
import { Caller, Gateway, startGateway } from "../world.js";
import { type CollectedSpan, Collector } from "./collector.js";

const untraced = await startGateway({ WEBHOOK_POLL_MS: "3600000" });
const { database } = untraced;

/** A service on the same database that sends traces to `endpoint`. */
async function tracedGateway(endpoint: string, settings: Partial<Gateway["config"]> = {}): Promise<Gateway> {
  const config = { ...untraced.config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings };
  const app = await buildGateway({ config, database });
  afterAll(() => app.close());
  return new Gateway(await app.listen({ host: "127.0.0.1", port: 0 }), app, database, config);
}

const newTrace = () => {
  const [trace, parent] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { trace, parent, traceparent: `00-${trace}-${parent}-01` };
};

const query = `query Look($name: String) { assets(first: 5, filter: { search: $name }) { nodes { id name } } }`;
const create = `mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }`;
const hidden = "Unspeakable 4711";

describe("spans sent to the collector", async () => {
  const collector = await Collector.start();
  const hook = await receiver();
  const recordHook = await receiver();
  // Nothing is sent before the service ends, so all spans that arrive were flushed.
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "600000");
  const traced = await tracedGateway(`${collector.url}/`, {
    OTEL_SERVICE_NAME: "plant-gateway",
    SCHEDULER: true,
    SCHEDULER_SECONDS: 1,
    WEBHOOK_POLL_MS: 50,
    WEBHOOK_ALLOW_PRIVATE: true,
  });
  vi.unstubAllEnvs();
  let tenant: Caller;
  let lines: any[] = [];
  const sent = { graphql: newTrace(), rest: newTrace(), websocket: newTrace(), sse: newTrace(), unsampled: newTrace(), change: newTrace() };
  const invalid = [
    "x",
    `00-${"0".repeat(32)}-${"1".repeat(16)}-01`,
    `00-${"g".repeat(32)}-${"1".repeat(16)}-01`,
    `ff-${sent.graphql.trace}-${"1".repeat(16)}-01`,
    `00-${"a".repeat(4_000)}`,
  ];

  const headersOf = (traceparent: string) => ({ authorization: `Bearer ${tenant.key}`, "content-type": "application/json", traceparent });
  const ask = async (text: string, variables: object, traceparent: string, more: Record<string, string> = {}) => {
    const body = JSON.stringify({ query: text, variables });
    const response = await fetch(`${traced.url}/graphql`, { method: "POST", headers: { ...headersOf(traceparent), ...more }, body });
    return (await response.json()) as any;
  };

  beforeAll(async () => {
    const { tenantId, key } = await untraced.newTenant();
    tenant = new Caller(traced, tenantId, key);
    const info = vi.spyOn(traced.app.log, "info");
    await subscribe(tenant, hook.url, ["ASSET_STATUS_CHANGED"]);
    await subscribe(tenant, recordHook.url, [], { recordTypes: ["ASSET"], changeKinds: ["UPDATED"] });
    expect((await ask(query, { name: hidden }, sent.graphql.traceparent)).errors).toBeUndefined();
    await ask(query, { name: hidden }, sent.unsampled.traceparent.replace(/01$/, "00"));
    for (const one of invalid) await ask("{ viewer { role } }", {}, one, { "x-request-id": "invalid" });
    const made = await tenant.rest("POST", "/assets", { name: hidden, type: "pump" }, { traceparent: sent.rest.traceparent });
    await tenant.rest("PUT", `/assets/${made.body.id}`, { status: "maintenance" }, { traceparent: sent.change.traceparent });
    const extensions = { traceparent: sent.websocket.traceparent, tracestate: 1 };
    await overWebSocket(tenant, { query: create, variables: { input: { name: hidden, type: "pump" } }, extensions });
    for (const path of ["/health", "/ready"]) await fetch(traced.url + path);
    const options = { headers: { traceparent: sent.sse.traceparent } };
    await (await postStream(tenant, { query, variables: { name: hidden } }, options)).text();
    await tenant.rest("GET", "/assets/none?signature=signed-for-nobody");
    await vi.waitFor(() => expect([hook.accepted.length, recordHook.accepted.length]).toEqual([1, 1]), 60_000);
    await delay(1_100);
    lines = info.mock.calls.filter((call: any[]) => call[1] === "request").map(([line]: any) => line);
    info.mockRestore();
    expect(collector.spans).toEqual([]);
    await traced.app.close();
  });

  const ofTrace = (trace: string) => collector.spans.filter(({ traceId }) => traceId === trace);
  const rootOf = (spans: CollectedSpan[]) => spans.find(({ kind }) => kind === "server")!;

  /** Expects nested spans for request, operation and statements in the caller's trace. Returns the operation. */
  function expectTrace({ trace, parent }: ReturnType<typeof newTrace>, name: string, operation: string): CollectedSpan {
    const spans = ofTrace(trace);
    const root = rootOf(spans);
    expect(root).toMatchObject({ name, parentSpanId: parent, isFailed: false });
    const inner = spans.find(({ kind }) => kind === "internal")!;
    expect(inner).toMatchObject({ name: operation, parentSpanId: root.spanId });
    const statements = spans.filter(({ attributes }) => attributes["db.system.name"] === "postgresql");
    expect(statements.length).toBeGreaterThan(0);
    expect(spans).toHaveLength(2 + statements.length);
    for (const { parentSpanId, kind, name: verb, attributes } of statements) {
      expect([inner.spanId, root.spanId]).toContain(parentSpanId);
      expect({ kind, verb }).toEqual({ kind: "client", verb: attributes["db.operation.name"] });
    }
    expect(statements.some(({ parentSpanId }) => parentSpanId === inner.spanId)).toBe(true);
    expect(lines.find((line) => line.trace === trace)).toMatchObject({ tenant: tenant.tenantId, statements: statements.length });
    return inner;
  }

  test("GraphQL over HTTP", () => {
    const operation = expectTrace(sent.graphql, "POST /graphql", "query assets");
    expect(operation.attributes).toMatchObject({ "graphql.operation.type": "query", "graphql.operation.name": "Look" });
    expect(operation.attributes["gateway.cost"]).toBeGreaterThan(0);
    const [statement] = ofTrace(sent.graphql.trace).filter(({ parentSpanId }) => parentSpanId === operation.spanId);
    expect(statement!.attributes["db.query.text"]).toMatch(/"Asset".*\$2/s);
    const root = rootOf(ofTrace(sent.graphql.trace));
    expect(root.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/graphql",
      "http.response.status_code": 200,
      "gateway.tenant": tenant.tenantId,
    });
  });

  test("REST", () => {
    expectTrace(sent.rest, "POST /assets", "mutation createAsset");
    const refused = collector.spans.find(({ name, attributes }) => name.startsWith("GET /assets/") && attributes["gateway.code"]);
    expect(refused).toMatchObject({ isFailed: false, attributes: { "gateway.code": "NOT_FOUND", "url.path": "/assets/none" } });
  });

  test("WebSocket", () => void expectTrace(sent.websocket, "WS /graphql", "mutation createAsset"));

  test("server-sent events", () => void expectTrace(sent.sse, "POST /graphql/stream", "query assets"));

  test("a malformed caller's trace is ignored", () => {
    const traces = lines.filter(({ operation }) => operation === "viewer").map(({ trace }) => trace);
    expect(traces).toHaveLength(invalid.length);
    expect(new Set(traces).size).toBe(invalid.length);
    for (const trace of traces) {
      expect(trace).toMatch(/^[0-9a-f]{32}$/);
      expect(trace).not.toBe(sent.graphql.trace);
      expect(rootOf(ofTrace(trace))).toMatchObject({ parentSpanId: undefined, attributes: { "gateway.request.id": "invalid" } });
    }
  });

  test("a trace that its caller does not record is not sent", () => {
    expect(ofTrace(sent.unsampled.trace)).toEqual([]);
    expect(lines.filter(({ trace }) => trace === sent.unsampled.trace)).toHaveLength(1);
  });

  test("health checks are not traced", () => {
    expect(collector.spans.filter(({ name }) => /health|ready/.test(name))).toEqual([]);
  });

  test.each([
    ["of a documented event", () => hook],
    ["of a changed record", () => recordHook],
  ])("the caller's trace continues at the receiver of a webhook: %s", (_, to) => {
    const [, trace, own, flags] = String(to().accepted[0]!.headers.traceparent).split("-");
    expect({ trace, flags }).toEqual({ trace: sent.change.trace, flags: "01" });
    const spans = ofTrace(sent.change.trace);
    const root = rootOf(spans);
    expect(root).toMatchObject({ name: "PUT /assets/:assetId", parentSpanId: sent.change.parent });
    const operation = spans.find(({ kind }) => kind === "internal")!;
    expect(operation).toMatchObject({ name: "mutation updateAsset", parentSpanId: root.spanId });
    const delivery = spans.find(({ spanId }) => spanId === own)!;
    expect(delivery).toMatchObject({ name: "webhook delivery", kind: "client", parentSpanId: operation.spanId, isFailed: false });
    const parts = spans.filter(({ parentSpanId }) => parentSpanId === own);
    expect(delivery!.attributes).toMatchObject({ "http.response.status_code": 204, "server.address": "127.0.0.1" });
    expect(parts.some(({ attributes }) => String(attributes["db.query.text"]).includes(`update "WebhookDelivery"`))).toBe(true);
  });

  test("the log keeps the trace of traced requests, and of nothing else", async () => {
    const kept = await database.query<{ table: string; operation: string; trace: string | null }>(
      `select 'Change' as table, operation, trace from "Change" where "tenantId" = $1 and "recordType" = 'Asset'
       union all select 'AssetStatusChange', "toStatus", trace from "AssetStatusChange" where "tenantId" = $1`,
      [tenant.tenantId],
    );
    const traces = kept.map(({ table, operation, trace }) => [table, operation, trace?.split("-")[1]]);
    expect(traces.sort()).toEqual(
      [
        ["AssetStatusChange", "maintenance", sent.change.trace],
        ["AssetStatusChange", "operational", sent.rest.trace],
        ["AssetStatusChange", "operational", sent.websocket.trace],
        ["Change", "createAsset", sent.rest.trace],
        ["Change", "createAsset", sent.websocket.trace],
        ["Change", "updateAsset", sent.change.trace],
      ].sort(),
    );
    const made = await untraced.newTenant();
    await made.rest("POST", "/assets", { name: hidden, type: "pump" });
    const [of] = await database.query<{ changes: number; traced: number }>(
      `select (select count(*)::int from "Change" where "tenantId" = $1) as changes, (select count(trace)::int from "Change" where "tenantId" = $1) as traced`,
      [made.tenantId],
    );
    expect(of).toEqual({ changes: expect.any(Number), traced: 0 });
    expect(of!.changes).toBeGreaterThan(0);
  });

  test("a run of a job, with its statements", () => {
    const job = collector.spans.find(({ name }) => name === "job scheduler")!;
    expect(job).toMatchObject({ kind: "internal", parentSpanId: undefined, isFailed: false });
    const [statement] = ofTrace(job.traceId).filter(({ parentSpanId }) => parentSpanId === job.spanId);
    expect(statement).toMatchObject({ name: "WITH", kind: "client" });
    expect(collector.spans.filter(({ name }) => name === "job webhooks")).toEqual([]);
  });

  test("the service's name and version, and no value, key or secret", () => {
    expect(collector.resources[0]).toMatchObject({
      "service.name": "plant-gateway",
      "service.version": expect.stringMatching(/^\d+\.\d+/),
    });
    expect(collector.text).toContain("db.query.text");
    for (const secret of [hidden, tenant.key, tenant.key.slice(-64), "whsec_", "signed-for-nobody"])
      expect(collector.text.includes(secret), secret).toBe(false);
  });
});

test("an unavailable collector does not delay the shutdown", async () => {
  const tracing = openTracing({ endpoint: "http://127.0.0.1:1", serviceName: "gateway", onError() {} });
  tracing.begin("server", "GET /assets", {}).end();
  expect(await tracing.close()).toBeUndefined();
});

test("without the setting there is no trace", async () => {
  const info = vi.spyOn(untraced.app.log, "info");
  const tenant = await untraced.newTenant();
  await tenant.rest("GET", "/assets", undefined, { traceparent: newTrace().traceparent });
  await expect.poll(() => info.mock.calls.length).toBe(1);
  expect(info.mock.calls[0]![0]).toMatchObject({ url: "/assets", trace: undefined });
  info.mockRestore();
});

test.each(["collector:4318", "grpc://collector:4317", "x"])("OTEL_EXPORTER_OTLP_ENDPOINT=%s is rejected", (endpoint) => {
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toThrow(
    "OTEL_EXPORTER_OTLP_ENDPOINT: must be like http://collector:4318, where OTLP is taken over HTTP",
  );
});
