/** Limits of a live connection over WebSocket and server-sent events: the client is notified, and disconnected if it continues. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import { postStream } from "../execution/event-stream.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway({
  MAX_SUBSCRIPTIONS_PER_SOCKET: "3",
  MAX_SUBSCRIPTIONS_PER_KEY: "5",
  MAX_SOCKET_OPERATIONS: "200",
});
const soon = { interval: 20 };
const changes = "subscription { changes(recordTypes: [ASSET]) { kind } }";

interface Client {
  socket: WebSocket;
  messages: any[];
  closed: [code: number, reason: string][];
  send(message: object): void;
  subscribe(id: string, query: string): void;
  of(id: string): any[];
}

async function open({ key }: Pick<Caller, "key">, { at = gateway, authenticate = true } = {}): Promise<Client> {
  const socket = new WebSocket(`${at.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  const messages: any[] = [];
  const closed: Client["closed"] = [];
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  socket.on("close", (code, reason) => closed.push([code, String(reason)]));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("open", resolve));
  if (authenticate) {
    send({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } });
    await expect.poll(() => messages, soon).toEqual([{ type: "connection_ack" }]);
  }
  const subscribe = (id: string, query: string) => send({ id, type: "subscribe", payload: { query } });
  return { socket, messages, closed, send, subscribe, of: (id) => messages.filter((message) => message.id === id) };
}

const tooMany = (who: string, limit: string, value: number) => ({
  message: `This ${who} has ${value} subscriptions, which is the limit; end one of them first`,
  extensions: { code: "RATE_LIMITED", limit, value },
});

describe("subscriptions", () => {
  test("beyond those of a socket are refused, and the socket stays open", async () => {
    const client = await open(await gateway.newTenant());
    for (const id of ["1", "2", "3", "4"]) client.subscribe(id, changes);
    await expect
      .poll(() => client.of("4"), soon)
      .toEqual([{ id: "4", type: "error", payload: [tooMany("connection", "subscriptionsPerSocket", 3)] }]);
    client.send({ id: "1", type: "complete" });
    let attempts = 4;
    const attempt = async () => {
      const id = String(++attempts);
      client.subscribe(id, changes);
      await delay(200);
      return client.of(id);
    };
    await expect.poll(attempt, soon).toEqual([]);
    expect(client.closed).toEqual([]);
    client.socket.terminate();
  });

  test("sent in one packet, more than may run at a time, all start", async () => {
    const roomy = await startGateway({ MAX_SUBSCRIPTIONS_PER_SOCKET: "30" });
    const client = await open(await roomy.newTenant(), { at: roomy });
    // A socket runs up to 20 operations at a time, not counting subscriptions.
    const { _socket: wire } = client.socket as WebSocket & { _socket: Socket };
    wire.cork();
    for (let i = 1; i <= 32; i++) client.subscribe(String(i), changes);
    client.subscribe("query", "{ viewer { role } }");
    wire.uncork();
    await expect.poll(() => client.of("query").map(({ type }) => type), soon).toEqual(["next", "complete"]);
    const refusal = [tooMany("connection", "subscriptionsPerSocket", 30)];
    expect(client.messages.filter(({ type }) => type === "error")).toEqual(
      ["31", "32"].map((id) => ({ id, type: "error", payload: refusal })),
    );
    client.socket.terminate();
  });

  test("beyond those of a key are refused over every transport, until others end", async () => {
    const tenant = await gateway.newTenant();
    const refused = { errors: [tooMany("key", "subscriptionsPerKey", 5)] };
    const [first, second] = [await open(tenant), await open(tenant)];
    for (const id of ["1", "2"]) for (const client of [first, second]) client.subscribe(id, changes);
    const stream = new AbortController();
    await postStream(tenant, { query: changes }, { signal: stream.signal });
    const answer = async () => (await postStream(tenant, { query: changes }, { signal: AbortSignal.timeout(1_000) })).text();
    await expect.poll(() => answer().catch(String), soon).toContain('"code":"RATE_LIMITED"');
    second.subscribe("3", changes);
    await expect.poll(() => second.of("3"), soon).toEqual([{ id: "3", type: "error", payload: refused.errors }]);
    stream.abort();
    first.socket.terminate();
    // Another key of the tenant has a separate limit.
    const other = await open(await tenant.as("viewer"));
    other.subscribe("1", changes);
    let attempts = 0;
    await expect
      .poll(() => {
        second.subscribe(`again ${attempts++}`, changes);
        return second.messages.at(-1);
      }, soon)
      .toMatchObject({ payload: [{ extensions: { limit: "subscriptionsPerSocket" } }] });
    expect([other.of("1"), other.closed]).toEqual([[], []]);
    for (const { socket } of [second, other]) socket.terminate();
  });
});

describe("a socket is closed", () => {
  test.each([
    ["pings of the protocol", (client: Client) => client.socket.ping(), "Too many pings in a minute; the limit is 120"],
    ["pings of graphql-ws", (client: Client) => client.send({ type: "ping" }), "Too many pings in a minute; the limit is 120"],
    [
      "operations",
      (client: Client) => client.subscribe(String(Math.random()), "{ viewer { role } }"),
      "Too many operations in a minute; the limit is 200",
    ],
  ])("for a flood of %s", async (_, send, reason) => {
    const client = await open(await gateway.newTenant());
    // If pings come faster than they can be answered, the library closes the connection without a code.
    for (let i = 0; i < 250 && client.socket.readyState === WebSocket.OPEN; i++) {
      send(client);
      if (i % 10 === 0) await delay(5);
    }
    await expect.poll(() => client.closed, soon).toEqual([[4429, reason]]);
  });

  test("for a message that is too large", async () => {
    const client = await open(await gateway.newTenant());
    client.subscribe("1", `{ viewer { role } } ${"#".repeat(65_536)}`);
    await expect.poll(() => client.closed, soon).toEqual([[1009, ""]]);
  });

  test("that does not authenticate", async () => {
    const client = await open({ key: "" }, { authenticate: false });
    await expect.poll(() => client.closed, soon).toEqual([[4408, "Connection initialisation timeout"]]);
  });

  test("whose client disconnects silently, or does not respond", async () => {
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.write(
      "GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n",
    );
    const key = (await gateway.newTenant()).key;
    await delay(200);
    socket.write(frameOf(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } })));
    let isClosed = false;
    socket.on("close", () => (isClosed = true)).resume();
    await expect.poll(() => isClosed).toBe(true);
  });

  test("soon after its key was revoked, by another process too", async () => {
    const tenant = await gateway.newTenant();
    const clients = await Promise.all(Array.from({ length: 20 }, async () => open(await tenant.as("viewer"))));
    // Simulates a revocation by another process, without notification of this one.
    await gateway.database.query(`update "ApiKey" set "revokedAt" = now() where "tenantId" = $1 and role = 'viewer'`, [tenant.tenantId]);
    await expect.poll(() => clients.flatMap(({ closed }) => closed), soon).toEqual(clients.map(() => [4403, "Forbidden"]));
  });
});

/** A client's text frame, masked with zeros. */
function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([0x81, ...size, 0, 0, 0, 0]), Buffer.from(text)]);
}

test("a socket that does not read makes its operations wait", async () => {
  const tenant = await gateway.newTenant();
  await gateway.database.query(
    `insert into "Asset" ("tenantId", id, name, type, "customFields")
     select $1, gen_random_uuid(), 'Pump', 'pump', jsonb_build_object('wide', repeat('x', 50000)) from generate_series(1, 40) i`,
    [tenant.tenantId],
  );
  const sockets = new Set<Socket>();
  gateway.app.server.on("connection", (socket) => sockets.add(socket));
  const client = await open(tenant);
  client.socket.pause();
  // 100 responses of 2 MB each.
  for (let i = 0; i < 100; i++) client.subscribe(String(i), "{ assets(first: 40) { nodes { customFields } } }");
  let most = 0;
  for (let i = 0; i < 20; i++) {
    await delay(200);
    for (const { writableLength } of sockets) most = Math.max(most, writableLength);
  }
  expect(most).toBeLessThan(50_000_000);
  expect((await tenant.graphql("{ viewer { role } }")).data).toEqual({ viewer: { role: "ADMIN" } });
  client.socket.resume();
  await expect.poll(() => client.messages.filter(({ type }) => type === "complete").length).toBe(100);
  client.socket.terminate();
});
