/** Clients that do not read, send slowly or send nothing are disconnected, and other clients are not affected. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { addPhoto, image } from "../files/photos.js";
import { type Caller, startGateway } from "../world.js";

const wide = 400;
const answerBytes = wide * 50_000;

/** A tenant whose list of assets takes 20 MB. */
async function wideTenant(gateway: Awaited<ReturnType<typeof startGateway>>): Promise<Caller> {
  const tenant = await gateway.newTenant();
  await gateway.database.query(
    `insert into "Asset" ("tenantId", id, name, type, "customFields")
     select $1, gen_random_uuid(), 'Pump', 'pump', jsonb_build_object('wide', repeat('x', 50000)) from generate_series(1, ${wide})`,
    [tenant.tenantId],
  );
  return tenant;
}

const body = JSON.stringify({ query: `{ assets(first: ${wide}) { nodes { customFields } } }` });

interface Client {
  socket: Socket;
  received(): number;
  isClosed(): boolean;
}

/** Requests the list and reads no more than `read` lets through. */
function ask({ gateway, key }: Caller, read: (socket: Socket) => void): Client {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let received = 0;
  let isClosed = false;
  socket.on("data", (chunk) => (received += chunk.length));
  socket.on("close", () => (isClosed = true));
  socket.on("error", () => {});
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  read(socket);
  return { socket, received: () => received, isClosed: () => isClosed };
}

const never = (socket: Socket) => void socket.pause();

/** Pauses after every 2 MB. */
function slowly(socket: Socket): void {
  let since = 0;
  socket.on("data", (chunk) => {
    since += chunk.length;
    if (since < 2_000_000) return;
    since = 0;
    socket.pause();
    setTimeout(() => socket.resume(), 400);
  });
}

const unsent = (sockets: Iterable<Socket>) => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);

function serverSockets(gateway: Awaited<ReturnType<typeof startGateway>>): Set<Socket> {
  const sockets = new Set<Socket>();
  gateway.app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

describe("a client that does not read", () => {
  test("is disconnected, a slow reader is not", async () => {
    const gateway = await startGateway({ STALLED_SECONDS: "2", MAX_QUERY_COST: "1000000" });
    const tenant = await wideTenant(gateway);
    const sockets = serverSockets(gateway);
    const [stalled, slow] = [ask(tenant, never), ask(tenant, slowly)];
    await expect.poll(() => unsent(sockets)).toBeGreaterThan(0);
    await expect.poll(() => slow.received()).toBeGreaterThan(answerBytes);
    // Waits until the stalled client is disconnected, however fast the other client was.
    await expect.poll(() => sockets.size).toBe(1);
    // The data sent so far is in the memory of the client's system.
    stalled.socket.resume();
    await expect.poll(() => stalled.isClosed()).toBe(true);
    expect(stalled.received()).toBeLessThan(answerBytes);
    expect(slow.isClosed()).toBe(false);
    slow.socket.destroy();
  });

  test("is disconnected while it downloads a photo", async () => {
    const gateway = await startGateway({ STALLED_SECONDS: "2" });
    const tenant = await gateway.newTenant();
    // Padded with zeros, as cameras do: more than the system buffers for a client that does not read.
    const file = Buffer.concat([await image(), Buffer.alloc(24_000_000)]);
    const { url } = await addPhoto(tenant, (await tenant.createAsset()).id, file);
    const sockets = serverSockets(gateway);
    const { port, pathname, search } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.pause();
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => unsent(sockets)).toBeGreaterThan(0);
    await expect.poll(() => sockets.size).toBe(0);
    socket.destroy();
  });

  test("is disconnected immediately if all unsent responses together take too much", async () => {
    const gateway = await startGateway({ MAX_UNSENT_BYTES: "40000000", MAX_QUERY_COST: "1000000" });
    const tenant = await wideTenant(gateway);
    const sockets = serverSockets(gateway);
    const clients: Client[] = [];
    for (let i = 0; i < 6; i++) {
      clients.push(ask(tenant, never));
      await delay(200);
    }
    await expect.poll(() => sockets.size).toBeLessThan(6);
    await expect.poll(() => unsent(sockets)).toBeLessThan(40_000_000);
    const { data } = await tenant.graphql("{ viewer { role } }");
    expect(data).toEqual({ viewer: { role: "ADMIN" } });
    for (const { socket } of clients) socket.destroy();
  });
});

describe("clients that send slowly or nothing", () => {
  test("1,000 of them do not affect others", async () => {
    const gateway = await startGateway();
    const tenant = await gateway.newTenant();
    const port = Number(new URL(gateway.url).port);
    const clients = Array.from({ length: 1_000 }, (_, i) => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      if (i % 4 === 1) socket.write("GET /assets HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      if (i % 4 === 2) socket.write("POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{");
      return socket;
    });
    await expect
      .poll(() => new Promise((resolve) => gateway.app.server.getConnections((_, count) => resolve(count))))
      .toBeGreaterThanOrEqual(1_000);
    for (let i = 0; i < 20; i++) expect((await tenant.rest("GET", "/assets")).status).toBe(200);
    for (const socket of clients) socket.destroy();
  });

  test("missing request headers get 408", async () => {
    const gateway = await startGateway();
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.write("GET /assets HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toContain("HTTP/1.1 408 Request Timeout");
    expect(JSON.parse(text.split("\r\n\r\n")[1]!)).toEqual({
      error: "The request did not arrive in time",
      code: "REQUEST_TIMEOUT",
      requestId: expect.any(String),
    });
  });

  test("connections beyond the limit are closed", async () => {
    const gateway = await startGateway({ MAX_CONNECTIONS: "10" });
    const port = Number(new URL(gateway.url).port);
    let closed = 0;
    const clients = Array.from({ length: 15 }, () =>
      connect(port, "127.0.0.1")
        .on("error", () => {})
        .on("close", () => closed++),
    );
    await expect.poll(() => closed).toBeGreaterThanOrEqual(5);
    expect(closed).toBeLessThan(15);
    for (const socket of clients) socket.destroy();
  });
});
