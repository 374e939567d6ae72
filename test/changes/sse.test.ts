/** Subscriptions over server-sent events: delivery, refusals, and resuming without gaps. */
import { setTimeout as delay } from "node:timers/promises";
import { createClient, print } from "graphql-sse";
import { afterAll, describe, expect, test, vi } from "vitest";
import { buildGateway } from "../../src/server/http.js";
import { postStream } from "../execution/event-stream.js";
import { overWebSocket } from "../execution/socket.js";
import { type Caller, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();
const url = `${gateway.url}/graphql/stream`;

const changes = `subscription ($after: String, $recordTypes: [RecordType!] = [ASSET]) {
  changes(after: $after, recordTypes: $recordTypes) { kind recordType version record { ... on Asset { name } } }
}`;

const untilAborted = new AbortController();
afterAll(() => untilAborted.abort());

/** Subscribes with the library's own client. Does not reconnect automatically. */
function follow(caller: Pick<Caller, "key">, query: string, variables: Record<string, unknown> = {}, address = url) {
  const received: any[] = [];
  const ended: unknown[] = [];
  let isConnected = false;
  const client = createClient({
    url: address,
    headers: { authorization: `Bearer ${caller.key}` },
    retryAttempts: 0,
    on: { connected: () => (isConnected = true) },
  });
  client.subscribe(
    { query, variables },
    { next: (result) => received.push(result), error: (error) => ended.push(error), complete: () => ended.push("complete") },
  );
  untilAborted.signal.addEventListener("abort", () => client.dispose());
  return { received, ended, stop: () => client.dispose(), connected: () => expect.poll(() => isConnected).toBe(true) };
}

const names = (received: any[]) => received.map(({ data }) => data.changes.record.name);
const tokenOf = (received: any[]): string => received.at(-1).extensions.token;

async function refusal(headers: Record<string, string>, method = "POST") {
  const body = method === "POST" ? JSON.stringify({ query: changes }) : null;
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    body,
  });
  const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
  return {
    status: response.status,
    errors: errors.map(({ extensions: { requestId, ...extensions }, ...error }: any) => ({ ...error, extensions })),
  };
}

describe("the stream", () => {
  test("delivers the tenant's own changes in order, each with a token", async () => {
    const [tenant, stranger] = [await gateway.newTenant(), await gateway.newTenant()];
    const [mine, theirs] = [follow(tenant, changes), follow(stranger, changes)];
    await Promise.all([mine.connected(), theirs.connected()]);
    const { id } = await tenant.createAsset({ name: "A" });
    await tenant.rest("PUT", `/assets/${id}`, { name: "B" });
    await tenant.rest("DELETE", `/assets/${id}`);
    await expect.poll(() => mine.received.length).toBe(3);
    // The record is shown in its current state, so a later change may appear early.
    const withoutRecord = mine.received.map(
      ({
        data: {
          changes: { record, ...change },
        },
        ...result
      }) => ({ ...result, change }),
    );
    expect(withoutRecord).toEqual(
      ["CREATED", "UPDATED", "DELETED"].map((kind, i) => ({
        change: { kind, recordType: "ASSET", version: i + 1 },
        extensions: { token: expect.any(String) },
      })),
    );
    await stranger.createAsset({ name: "S" });
    await expect.poll(() => names(theirs.received)).toEqual(["S"]);
    expect(mine.received.length).toBe(3);
  });

  test("for a key of one site has only that site's changes", async () => {
    const tenant = await gateway.newTenant();
    const limited = follow(await tenant.as("viewer", ["North"], false), changes);
    await limited.connected();
    await tenant.createAsset({ name: "S1", site: "South" });
    await tenant.createAsset({ name: "N1", site: "North" });
    const { id } = await tenant.createAsset({ name: "S2", site: "South" });
    await tenant.createAsset({ name: "N2", site: "North" });
    await tenant.rest("PUT", `/assets/${id}`, { site: "North", name: "N3" });
    await expect.poll(() => names(limited.received)).toEqual(["N1", "N2", "N3"]);
  });

  test("for a query or a mutation is one result; a repeated mutation has one effect", async () => {
    const tenant = await gateway.newTenant();
    const run = async (payload: object, headers = {}) => (await postStream(tenant, payload, { headers })).text();
    const end = print({ event: "complete" } as never);
    expect(await run({ query: "{ viewer { role } }" })).toBe(
      `:\n\n${print({ event: "next", data: { data: { viewer: { role: "ADMIN" } } } } as never)}${end}`,
    );
    const create = { query: 'mutation { createAsset(input: { name: "Once", type: "pump" }) { id } }' };
    const first = await run(create, { "idempotency-key": "k" });
    expect(await run({ ...create, extensions: { idempotencyKey: "k" } })).toBe(first);
    const { changes: log } = await tenant.ask("{ changes(first: 1) { nodes { kind source operation } } }");
    expect(log.nodes).toEqual([{ kind: "CREATED", source: "GRAPHQL", operation: "createAsset" }]);
  });

  test("passes proxies unchanged, and confirms its start immediately", async () => {
    const response = await postStream(await gateway.newTenant(), { query: changes }, { signal: untilAborted.signal });
    const { value } = await response.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toBe(":\n\n");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": expect.any(String),
    });
  });
});

describe("a refusal", () => {
  const unauthenticated = {
    message: "Unauthorized",
    extensions: { code: "UNAUTHENTICATED", message: "Send a valid API key in the header Authorization: Bearer <API_KEY>" },
  };
  const unauthorized = { status: 401, errors: [unauthenticated] };

  test("of the request has a status", async () => {
    const authorization = `Bearer ${(await gateway.newTenant()).key}`;
    expect(await refusal({})).toMatchObject(unauthorized);
    expect(await refusal({ authorization: "Bearer mg_none" })).toMatchObject(unauthorized);
    expect(await refusal({ authorization, accept: "application/json" })).toMatchObject({
      status: 406,
      errors: [{ extensions: { code: "NOT_ACCEPTABLE" } }],
    });
    expect(await refusal({ authorization, "content-type": "text/plain" })).toMatchObject({ status: 415 });
    expect(await refusal({ authorization }, "GET")).toMatchObject({ status: 405 });
    for (const body of ["[]", '{"query":1}', '{"query":"{ viewer { role } }","variables":[]}']) {
      const response = await fetch(url, { method: "POST", headers: { authorization, "content-type": "application/json" }, body });
      expect([
        response.status,
        ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code,
      ]).toEqual([400, "BAD_USER_INPUT"]);
    }
  });

  test("for an expired key is the same as for an unknown one", async () => {
    const tenant = await gateway.newTenant();
    const { createApiKey } = await tenant.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }", {
      input: { name: "short", role: "VIEWER", expiresAt: new Date(Date.now() + 1_500).toISOString() },
    });
    const { received, ended } = follow({ key: createApiKey.key }, changes);
    await expect.poll(() => ended).toEqual(["complete"]);
    expect(received).toEqual([{ errors: [unauthenticated] }]);
    expect(await refusal({ authorization: `Bearer ${createApiKey.key}` })).toMatchObject(unauthorized);
  });

  test("of a subscription is its only result, with the same errors as over WebSocket", async () => {
    const tenant = await gateway.newTenant();
    for (const query of [
      "subscription { nothing }",
      "subscription {",
      "subscription { stockChanged { part { movements(first: 501) { nodes { id } } } } }",
    ]) {
      const { errors } = await overWebSocket(tenant, { query });
      const { received, ended } = follow(tenant, query);
      await expect.poll(() => ended).toEqual(["complete"]);
      expect(received).toEqual([{ errors }]);
    }
  });

  test("of a token names the argument, or asks the client to read everything again", async () => {
    const tenant = await gateway.newTenant();
    const stranger = follow(await gateway.newTenant(), changes);
    await stranger.connected();
    const nonsense = follow(tenant, changes, { after: "nonsense" });
    await expect
      .poll(() => nonsense.received)
      .toMatchObject([{ errors: [{ extensions: { code: "BAD_USER_INPUT", details: { after: expect.any(String) } } }] }]);
    const ofNothing = follow(tenant, "subscription { changes(recordTypes: []) { recordId } }");
    await expect
      .poll(() => ofNothing.received)
      .toMatchObject([
        { errors: [{ extensions: { code: "BAD_USER_INPUT", details: { recordTypes: "must name a type, or be left out" } } }] },
      ]);
    const { received, stop, connected } = follow(tenant, changes);
    await connected();
    await tenant.createAsset();
    await expect.poll(() => received.length).toBe(1);
    stop();
    await gateway.database.query(`update "Tenant" set "logEpoch" = gen_random_uuid()::text where "tenantId" = $1`, [tenant.tenantId]);
    const restored = follow(tenant, changes, { after: tokenOf(received) });
    await expect.poll(() => restored.received).toMatchObject([{ errors: [{ extensions: { code: "RESYNC_REQUIRED" } }] }]);
    await expect.poll(() => restored.ended).toEqual(["complete"]);
  });

  test("of a revoked key comes within seconds, and ends the stream", async () => {
    const tenant = await gateway.newTenant();
    const viewer = await tenant.as("viewer");
    const { received, ended, connected } = follow(viewer, changes);
    await connected();
    await tenant.createAsset({ name: "Before" });
    await expect.poll(() => received.length).toBe(1);
    const { apiKeys } = await tenant.ask("{ apiKeys { nodes { id name } } }");
    const { id } = apiKeys.nodes.find(({ name }: any) => name === "viewer");
    await tenant.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", { id });
    await expect.poll(() => ended).toEqual(["complete"]);
    expect(received[1]).toEqual({ errors: [unauthenticated] });
    await tenant.createAsset({ name: "After" });
    await delay(200);
    expect(received.length).toBe(2);
  });
});

/** The content of a token, without its time of issue. */
const placeOf = (token: string): unknown[] => JSON.parse(Buffer.from(token, "base64url").toString()).toSpliced(4, 1);

describe("a subscriber that reconnects", () => {
  test("receives missed changes once and in order, while others stay subscribed", async () => {
    const tenant = await gateway.newTenant();
    const always = follow(tenant, changes);
    const first = follow(tenant, changes);
    await Promise.all([always.connected(), first.connected()]);
    await tenant.createAsset({ name: "1" });
    await expect.poll(() => names(first.received)).toEqual(["1"]);
    first.stop();
    for (const name of ["2", "3", "4"]) await tenant.createAsset({ name });
    await expect.poll(() => names(always.received)).toEqual(["1", "2", "3", "4"]);
    const second = follow(tenant, changes, { after: tokenOf(first.received) });
    // Writes go on while the subscriber catches up.
    for (const name of ["5", "6", "7", "8"]) await tenant.createAsset({ name });
    await expect.poll(() => names(second.received)).toEqual(["2", "3", "4", "5", "6", "7", "8"]);
    second.stop();
    const literal = changes.replace("after: $after", `after: "${second.received[2].extensions.token}"`).replace("$after: String, ", "");
    const third = follow(tenant, literal);
    await expect.poll(() => names(third.received)).toEqual(["5", "6", "7", "8"]);
    expect(names(always.received)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  });

  test("with a required token, or a cursor of a list, gets events too", async () => {
    const tenant = await gateway.newTenant();
    const first = follow(tenant, changes);
    await first.connected();
    await tenant.createAsset({ name: "1" });
    await expect.poll(() => first.received.length).toBe(1);
    const required = "subscription ($after: String!) { changes(recordTypes: [ASSET], after: $after) { record { ... on Asset { name } } } }";
    const { received } = follow(tenant, required, { after: tokenOf(first.received) });
    const listed =
      "subscription ($cursor: String) { changes(recordTypes: [ASSET]) { record { ... on Asset { name components(first: 1, after: $cursor) { nodes { id } } } } } }";
    const [plain, wrong] = [follow(tenant, listed), follow(tenant, listed, { cursor: "nonsense" })];
    await Promise.all([plain.connected(), wrong.connected()]);
    await tenant.createAsset({ name: "2" });
    await expect.poll(() => names(received)).toEqual(["2"]);
    await expect.poll(() => plain.received).toMatchObject([{ data: { changes: { record: { components: { nodes: [] } } } } }]);
    await expect.poll(() => wrong.received).toMatchObject([{ errors: [{ extensions: { code: "BAD_USER_INPUT" } }] }]);
  });

  test("after reading too slowly is notified of that, and misses nothing", { timeout: 300_000 }, async () => {
    const own = await startGateway({ STALLED_SECONDS: "3600" });
    const address = `${own.url}/graphql/stream`;
    const tenant = await own.newTenant();
    const wide = changes.replace("name }", "name customFields }");
    const response = await postStream(tenant, { query: wide }, { signal: untilAborted.signal });
    const other = follow(tenant, wide, {}, address);
    await other.connected();
    const count = 1_600;
    await own.database.query(
      `insert into "Asset" ("tenantId", id, name, type, "customFields")
       select $1, gen_random_uuid(), 'Pump ' || i, 'pump', jsonb_build_object('wide', repeat('x', 20000)) from generate_series(1, ${count}) i`,
      [tenant.tenantId],
    );
    // The reader may lag too, because the service and the reader share this process.
    await expect.poll(() => other.received.length >= count || other.ended.length > 0, { timeout: 120_000 }).toBe(true);
    const text = await response.text();
    const results = [...text.matchAll(/^data: (.+)$/gm)].map(([, json]) => JSON.parse(json!));
    const events = results.slice(0, -1);
    expect(results.at(-1)).toMatchObject({ errors: [{ extensions: { code: "LAGGED" } }] });
    expect(placeOf(results.at(-1).extensions.token)).toEqual(placeOf(tokenOf(events)!));
    expect(text.endsWith("event: complete\ndata:\n\n")).toBe(true);
    expect(events.length).toBeLessThan(count);
    const { received } = follow(tenant, changes, { after: results.at(-1).extensions.token }, address);
    await expect.poll(() => events.length + received.length, { timeout: 120_000 }).toBe(count);
    expect([...names(events), ...names(received)]).toEqual(Array.from({ length: count }, (_, i) => `Pump ${i + 1}`));
  });
});

test("a shutdown breaks streams off without completing them; another process accepts the token", async () => {
  const own = await startGateway();
  const tenant = await own.newTenant();
  const address = `${own.url}/graphql/stream`;
  const { received, ended, connected } = follow(tenant, changes, {}, address);
  const unread = await postStream(tenant, { query: changes });
  await connected();
  await tenant.createAsset({ name: "1" });
  await expect.poll(() => names(received)).toEqual(["1"]);
  // Closes the service before the reader of the unread stream gives up.
  await own.app.close();
  await expect.poll(() => ended.map(String)).toEqual([expect.stringContaining("NetworkError")]);
  await unread.body!.cancel();
  const app = await buildGateway({ config: own.config, database: own.database });
  const restarted = await app.listen({ host: "127.0.0.1", port: 0 });
  const created = await fetch(`${restarted}/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "2", type: "pump" }),
  });
  expect(created.status).toBe(201);
  const after = follow(tenant, changes, { after: tokenOf(received) }, `${restarted}/graphql/stream`);
  await expect.poll(() => names(after.received)).toEqual(["2"]);
  await app.close();
});

test("each operation writes one log line, a subscription when it starts", async () => {
  const info = vi.spyOn(gateway.app.log, "info");
  try {
    const tenant = await gateway.newTenant();
    const { connected, stop } = follow(tenant, changes);
    await connected();
    stop();
    for (const query of ["{ viewer { role } }", "{ viewer {", '{ asset(id: "none") { id } }'])
      await (await postStream(tenant, { query })).text();
    const any = { ms: expect.any(Number), key: expect.any(String), statements: expect.any(Number) };
    const line = { method: "SSE", url: "/graphql/stream", tenant: tenant.tenantId, ...any };
    expect(info.mock.calls.filter(([{ tenant: of }]: any) => of === tenant.tenantId)).toEqual(
      [
        { operation: "changes", status: 200 },
        { operation: "viewer", cost: 2, status: 200 },
        { code: "GRAPHQL_PARSE_FAILED", status: 400 },
        { operation: "asset", cost: 1, code: "NOT_FOUND", status: 404 },
      ].map((said) => [{ ...line, ...said }, "request"]),
    );
  } finally {
    info.mockRestore();
  }
});
