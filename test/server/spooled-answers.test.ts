/** Exports of several MB are kept in files while they are built and sent. */
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { SpoolSpace } from "../../src/server/spooled-answers.js";
import { type Caller, startGateway } from "../world.js";

const awkward = 'Ä "quoted" \\ 🏭\n\tline';
const rows = 200;

/** A tenant whose export takes 4 MB, or 200 times `width`. */
async function wideTenant(gateway: Awaited<ReturnType<typeof startGateway>>, width = 20_000): Promise<Caller> {
  const tenant = await gateway.newTenant();
  await gateway.database.query(
    `insert into "Asset" ("tenantId", id, name, type, description, "customFields")
     select $1, 'a' || n, 'Pump ' || n, 'pump', $2, jsonb_build_object('wide', repeat('x', $3)) from generate_series(1, ${rows}) n`,
    [tenant.tenantId, awkward, width],
  );
  return tenant;
}

const query = '{ all: exportAssets few: exportAssets(filter: { nameContains: "Pump 19" }) viewer { role } again: exportAssets }';

async function answerOf({ gateway, key }: Caller, method: "GET" | "POST", headers: Record<string, string> = {}) {
  const url = method === "GET" ? `${gateway.url}/graphql?query=${encodeURIComponent(query)}` : `${gateway.url}/graphql`;
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json", ...headers },
    ...(method === "POST" && { body: JSON.stringify({ query }) }),
  });
}

const openFiles = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes("gateway-answer-");
    } catch {
      return false;
    }
  });

describe("a large export", () => {
  // Responses to GET have an ETag, so they are built in memory.
  test("equals the one built in memory, byte for byte, and leaves no file", async () => {
    const gateway = await startGateway({ MAX_QUERY_COST: "1000000" });
    const tenant = await wideTenant(gateway);
    const inMemory = await (await answerOf(tenant, "GET")).text();
    const { data } = JSON.parse(inMemory);
    expect(data.all.length).toBeGreaterThan(4_000_000);
    expect(data.all.split("\n").length).toBeGreaterThan(rows);
    expect(data.few).toContain('Ä ""quoted""');
    expect(data.again).toBe(data.all);
    for (const encoding of ["identity", "gzip", "br"]) {
      const response = await answerOf(tenant, "POST", { "accept-encoding": encoding });
      expect(response.headers.get("content-encoding") ?? "identity").toBe(encoding);
      if (encoding === "identity") expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(inMemory)));
      expect((await response.text()) === inMemory).toBe(true);
    }
    await expect.poll(openFiles).toEqual([]);
  });

  test("beyond the largest response is refused, and leaves no file", async () => {
    const gateway = await startGateway({ MAX_QUERY_COST: "1000000", MAX_ANSWER_BYTES: "3000000" });
    const { errors } = await (await wideTenant(gateway)).graphql("{ exportAssets }");
    expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", limit: "answer bytes" } }]);
    await expect.poll(openFiles).toEqual([]);
  });

  test("does not disconnect clients that read it late, which take no memory", async () => {
    const gateway = await startGateway({ MAX_QUERY_COST: "1000000", MAX_UNSENT_BYTES: "12000000", MAX_ANSWER_BYTES: "30000000" });
    // The system's buffers take over 4 MB of a response that nobody reads.
    const tenant = await wideTenant(gateway, 35_000);
    const body = JSON.stringify({ query: "{ exportAssets }" });
    const whole = JSON.stringify({ data: await tenant.ask("{ exportAssets }") }).length;
    const clients = Array.from({ length: 8 }, () => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").pause();
      const client = { socket, bytes: 0 };
      socket.on("data", (chunk) => (client.bytes += chunk.length));
      socket.write(
        `POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${tenant.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return client;
    });
    // All of them wait to be read at the same time.
    await expect.poll(() => openFiles().length, { interval: 50 }).toBe(8);
    const ends = clients.map(({ socket }) => once(socket, "close"));
    for (const { socket } of clients) socket.resume();
    await Promise.all(ends);
    expect(clients.every(({ bytes }) => bytes > whole)).toBe(true);
    await expect.poll(openFiles).toEqual([]);
  });
});

describe("the space of unsent exports", () => {
  test("is two responses for a tenant and eight for all", () => {
    const space = new SpoolSpace(10);
    for (const tenant of ["a", "b", "c"]) space.take(tenant, 20);
    expect(() => space.take("a", 1)).toThrow("Too many requests");
    space.take("d", 20);
    expect(() => space.take("e", 1)).toThrow("The service is busy");
    space.give("a", 20);
    space.take("e", 20);
    expect(() => space.take("a", 1)).toThrow("The service is busy");
  });
});
