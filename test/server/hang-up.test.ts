/** Cancellation: statements of clients that hung up, and requests that time out. */
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { describe, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { buildGateway } from "../../src/server/http.js";
import { postStream } from "../execution/event-stream.js";
import { type Caller, startGateway } from "../world.js";

/** No timeout ends a statement before the test fails, so that only the test can have ended it. */
const settings = { DATABASE_CONNECTIONS: "4", STATEMENT_TIMEOUT_MS: "600000" };
const gateway = await startGateway({ ...settings, REQUEST_SECONDS: "600" });
const { database } = gateway;
const onPostgresql = database.kind === "postgresql";

/** Number of statements of requests that wait for the lock below. */
const waiting = async (at = gateway): Promise<number> => {
  const [row] = await at.database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%"Asset"%'`,
  );
  return row!.count;
};

/** Runs `work` while a lock blocks reads of assets. */
async function whileLocked(work: () => Promise<void>, { config } = gateway): Promise<void> {
  const holder = new pg.Client(config.DATABASE_URL);
  await holder.connect();
  try {
    await holder.query(`begin; lock table "Asset" in access exclusive mode`);
    await work();
  } finally {
    await holder.end();
  }
}

const soon = { interval: 20 };
const query = "{ assets(first: 1) { nodes { name } } }";
const post = (caller: Caller, body: object, signal: AbortSignal | null = null) =>
  fetch(`${caller.gateway.url}/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });

type Start = (caller: Caller) => Promise<() => void> | (() => void);

function abortable(send: (signal: AbortSignal) => Promise<unknown>): () => void {
  const client = new AbortController();
  send(client.signal).catch(() => {});
  return () => client.abort();
}

async function openSocket(caller: Caller): Promise<WebSocket> {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${caller.key}` } })));
  await new Promise((resolve) => socket.once("message", resolve));
  return socket;
}

async function overSocket(caller: Caller, end: (socket: WebSocket) => void): Promise<() => void> {
  const socket = await openSocket(caller);
  socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }));
  return () => end(socket);
}

const transports: [name: string, start: Start][] = [
  ["GraphQL", (caller) => abortable((signal) => post(caller, { query }, signal))],
  ["REST", ({ key }) => abortable((signal) => fetch(`${gateway.url}/assets`, { headers: { authorization: `Bearer ${key}` }, signal }))],
  ["server-sent events", (caller) => abortable((signal) => postStream(caller, { query }, { signal }))],
  ["WebSocket, by closing", (caller) => overSocket(caller, (socket) => socket.close())],
  ["WebSocket, by complete", (caller) => overSocket(caller, (socket) => socket.send('{"id":"1","type":"complete"}'))],
];

describe.runIf(onPostgresql)("a client that hangs up", () => {
  test.each(transports)("has its statement cancelled: %s", async (_, start) => {
    const tenant = await gateway.newTenant();
    await whileLocked(async () => {
      const hangUp = await start(tenant);
      await expect.poll(() => waiting(), soon).toBe(1);
      hangUp();
      await expect.poll(() => waiting(), soon).toBe(0);
    });
    expect((await tenant.graphql(query)).data).toEqual({ assets: { nodes: [] } });
  });

  test("writes one log line and no error", async () => {
    const tenant = await gateway.newTenant();
    const info = vi.spyOn(gateway.app.log, "info");
    const error = vi.spyOn(gateway.app.log, "error");
    const own = () => info.mock.calls.filter(([line]: any) => line.tenant === tenant.tenantId).map(([line]: any) => line);
    try {
      await whileLocked(async () => {
        const hangUps = await Promise.all([transports[3]![1](tenant)]);
        await expect.poll(() => waiting(), soon).toBe(1);
        for (const hangUp of hangUps) hangUp();
        await expect.poll(own, soon).toMatchObject([{ method: "WS", url: "/graphql", status: 499 }]);
      });
      expect(error).not.toHaveBeenCalled();
    } finally {
      info.mockRestore();
      error.mockRestore();
    }
  });

  test("leaves the queue for a connection", async () => {
    const tenant = await gateway.newTenant();
    await whileLocked(async () => {
      const holders = Array.from({ length: 2 }, () => abortable((signal) => post(tenant, { query }, signal)));
      await expect.poll(() => waiting(), soon).toBe(2);
      const client = new AbortController();
      const queued = Array.from({ length: 20 }, () => post(tenant, { query }, client.signal).catch(() => "hung up"));
      await delay(100);
      client.abort();
      expect(new Set(await Promise.all(queued))).toEqual(new Set(["hung up"]));
      for (const hangUp of holders) hangUp();
      await expect.poll(() => waiting(), soon).toBe(0);
    });
    expect((await tenant.graphql(query)).data).toEqual({ assets: { nodes: [] } });
  });

  test("does not end its mutation", async () => {
    const tenant = await gateway.newTenant();
    const create = {
      query: 'mutation { createAsset(input: { name: "Kept", type: "pump" }) { id name } }',
      extensions: { idempotencyKey: "k" },
    };
    await whileLocked(async () => {
      const hangUp = abortable((signal) => post(tenant, create, signal));
      await expect.poll(() => waiting(), soon).toBe(1);
      hangUp();
      await delay(300);
      expect(await waiting()).toBe(1);
    });
    await expect.poll(async () => (await tenant.graphql(query)).data, soon).toEqual({ assets: { nodes: [{ name: "Kept" }] } });
    const again = await post(tenant, create);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.json()).toMatchObject({ data: { createAsset: { name: "Kept" } } });
  });
});

describe.runIf(onPostgresql)("a request that times out", async () => {
  const brief = await startGateway({ ...settings, REQUEST_SECONDS: "2" });
  const message = "The request took longer than 2 seconds and was ended; ask for less at once";

  test("gets a response, and its statement is cancelled", async () => {
    const tenant = await brief.newTenant();
    const known = `${query} # known`;
    await tenant.ask(known);
    await whileLocked(async () => {
      const [graphql, fast, rest, stream] = await Promise.all([
        post(tenant, { query }),
        post(tenant, { query: known }),
        tenant.rest("GET", "/assets"),
        postStream(tenant, { query }),
      ]);
      const error = { message, extensions: { limit: "requestSeconds", value: 2, code: "SERVICE_UNAVAILABLE" } };
      expect([graphql.status, graphql.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await graphql.json()).toMatchObject({ errors: [error] });
      expect([fast.status, fast.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await fast.json()).toMatchObject({ errors: [error] });
      expect([rest.status, rest.body]).toEqual([
        503,
        { error: message, code: "SERVICE_UNAVAILABLE", limit: "requestSeconds", value: 2, requestId: expect.any(String) },
      ]);
      expect(await stream.text()).toContain(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`);
      await expect.poll(() => waiting(brief), soon).toBe(0);
    }, brief);
  });

  test("with an idempotency key can be sent again, and has one effect", async () => {
    const tenant = await brief.newTenant();
    const create = () => tenant.rest("POST", "/assets", { name: "Late", type: "pump" }, { "idempotency-key": "k" });
    await whileLocked(async () => {
      const { status, body } = await create();
      expect([status, body.error]).toEqual([
        503,
        "The request took longer than 2 seconds and was ended. What it writes may have been stored: send it again with the same Idempotency-Key",
      ]);
    }, brief);
    await expect.poll(async () => (await create()).status, soon).toBe(201);
    expect((await tenant.ask("{ assets { nodes { name } } }")).assets.nodes).toEqual([{ name: "Late" }]);
  });
});

describe("shutdown of the service", () => {
  async function start(): Promise<{ close: () => Promise<string>; port: number }> {
    const app = await buildGateway({ config: gateway.config, database });
    const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
    return { port: Number(port), close: () => Promise.race([app.close().then(() => "closed"), delay(60_000, "waits", { ref: false })]) };
  }

  test("does not wait for a connection that never sent anything", async () => {
    const { port, close } = await start();
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    // Otherwise the service might close before it accepts the connection.
    await delay(100);
    const gone = new Promise((resolve) => socket.resume().once("close", resolve));
    expect(await close()).toBe("closed");
    await gone;
  });

  test.runIf(onPostgresql)("completes started requests, and does not wait for what the client does afterwards", async () => {
    const tenant = await gateway.newTenant();
    const { port, close } = await start();
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    let closed!: Promise<string>;
    await whileLocked(async () => {
      socket.write(`GET /assets HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${tenant.key}\r\n\r\n`);
      await expect.poll(() => waiting(), soon).toBe(1);
      closed = close();
      await delay(100);
    });
    expect(await closed).toBe("closed");
    await ended;
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  });
});
