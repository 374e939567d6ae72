/** Base URL of links, disclosure of the demo key, and security headers. */
import { chmodSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createClient } from "graphql-ws";
import { afterAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { readConfig } from "../../src/config.js";
import { openDatabase } from "../../src/database/connection/open.js";
import { buildGateway } from "../../src/server/http.js";
import { addPhoto } from "../files/photos.js";
import { type Caller, freshDatabase, type Gateway, startGateway } from "../world.js";
import { raw } from "./raw.js";

const usual = await startGateway();
const listed = await startGateway({ PUBLIC_HOSTS: "gateway.example.com, 10.0.0.5:4000", TRUST_PROXY: "true" });
const fixed = await startGateway({ PUBLIC_URL: "https://fixed.example.com" });
const portOf = ({ url }: Gateway) => new URL(url).port;

/** The base of a grant's upload link, for a request with these headers. */
async function baseOf(gateway: Gateway, headers: Record<string, string>): Promise<string> {
  const tenant = await gateway.newTenant();
  const { id } = await tenant.createAsset();
  const { status, body } = await raw(`${gateway.url}/assets/${id}/photos/presigned-url`, {
    headers: { authorization: `Bearer ${tenant.key}`, ...headers },
    body: { filename: "a.jpg", contentType: "image/jpeg", size: 9 },
  });
  expect(status).toBe(200);
  return JSON.parse(body.toString()).uploadUrl.replace("/uploads", "");
}

describe("links", () => {
  test.each(["localhost", "127.0.0.1", "[::1]", "LocalHost"])("lead to %s if the request did", async (name) => {
    expect(await baseOf(usual, { host: `${name}:${portOf(usual)}` })).toBe(`http://${name}:${portOf(usual)}`);
  });

  test.each([
    "evil.example",
    "evil.example:4000",
    "localhost:1",
    "localhost.evil.example",
    "127.0.0.1:80@evil.example",
    "gateway.example.com",
  ])("do not lead to %s, which is not listed", async (host) => {
    expect(await baseOf(usual, { host })).toBe(`http://127.0.0.1:${portOf(usual)}`);
    expect(await baseOf(usual, { "x-forwarded-host": host })).toBe(`http://127.0.0.1:${portOf(usual)}`);
  });

  test("lead to hosts of PUBLIC_HOSTS, behind a proxy too, and otherwise to the first", async () => {
    expect(await baseOf(listed, { host: "gateway.example.com" })).toBe("http://gateway.example.com");
    expect(await baseOf(listed, { host: "10.0.0.5:4000" })).toBe("http://10.0.0.5:4000");
    expect(await baseOf(listed, { "x-forwarded-host": "gateway.example.com", "x-forwarded-proto": "https" })).toBe(
      "https://gateway.example.com",
    );
    expect(await baseOf(listed, { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" })).toBe("https://gateway.example.com");
    expect(await baseOf(listed, { host: "10.0.0.5:81" })).toBe("http://gateway.example.com");
  });

  test("lead to PUBLIC_URL for any host", async () => {
    expect(await baseOf(fixed, { host: "evil.example" })).toBe("https://fixed.example.com");
  });

  test("over WebSocket equal those of HTTP", async () => {
    const tenant = await usual.newTenant();
    const { id } = await tenant.createAsset();
    await addPhoto(tenant, id);
    const url = async (host: string): Promise<string> => {
      class Socket extends WebSocket {
        constructor(address: string, protocols: string) {
          super(address, protocols, { headers: { host } });
        }
      }
      const client = createClient({
        url: `${usual.url.replace("http", "ws")}/graphql`,
        webSocketImpl: Socket,
        connectionParams: { Authorization: `Bearer ${tenant.key}` },
      });
      const { value } = await client.iterate({ query: `{ asset(id: "${id}") { photos { url } } }` }).next();
      await client.dispose();
      return (value!.data as any).asset.photos[0].url;
    };
    expect(await url("evil.example")).toMatch(`http://127.0.0.1:${portOf(usual)}/files/`);
    expect(await url(`localhost:${portOf(usual)}`)).toMatch(`http://localhost:${portOf(usual)}/files/`);
  });

  test("PUBLIC_HOSTS must be hosts", () => {
    for (const hosts of ["https://a.example", "a.example/x", "a b", "a,,b"])
      expect(() => readConfig({ PUBLIC_HOSTS: hosts })).toThrow("wrong configuration: PUBLIC_HOSTS: must be hosts");
  });
});

describe("the demo key", async () => {
  const { environment, remove } = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...environment });
  const database = await openDatabase(config, () => {});
  const app = await buildGateway({ config, database, demoKey: "mg_demo_key" });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  afterAll(async () => {
    await app.close();
    await database.close();
    await remove();
  });
  const settings = async (host: string) => JSON.parse((await raw(`${url}/explorer/settings.json`, { headers: { host } })).body.toString());

  test.each(["localhost", "localhost:9", "LOCALHOST:4000", "127.0.0.1", "127.0.0.1:4000", "[::1]", "[::1]:4000"])(
    "is handed to %s",
    async (host) => {
      expect(await settings(host)).toEqual({ demoKey: "mg_demo_key" });
    },
  );

  test.each(["/explorer", "/docs", "/console"])("of %s is handed to no other peer, with any host name", async (page) => {
    const peers: Record<string, [from: string, headers?: Record<string, string>]> = {
      own: ["127.0.0.1"],
      mapped: ["::ffff:127.0.0.1"],
      "of the network": ["192.168.0.7"],
      "of the network, mapped": ["::ffff:192.168.0.7"],
      forwarded: ["127.0.0.1", { "x-forwarded-for": "192.168.0.7" }],
    };
    const handed = Object.entries(peers).map(async ([peer, [remoteAddress, headers]]) => {
      const answer = await app.inject({ url: `${page}/settings.json`, remoteAddress, headers: { host: "localhost", ...headers } });
      return [peer, answer.json().demoKey];
    });
    expect(Object.fromEntries(await Promise.all(handed))).toEqual({
      own: "mg_demo_key",
      mapped: "mg_demo_key",
      "of the network": null,
      "of the network, mapped": null,
      forwarded: null,
    });
  });

  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "10.0.0.5:4000",
    "localhost:evil",
    "evil@localhost",
    "0.0.0.0",
    "::1",
  ])("is not handed to %s", async (host) => {
    expect(await settings(host)).toEqual({ demoKey: null });
  });
});

test("two Host headers are rejected", async () => {
  const { port } = new URL(usual.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.end("GET /assets HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\nConnection: close\r\n\r\n");
  const answer = Buffer.concat(await socket.toArray()).toString();
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toMatchObject({ code: "BAD_USER_INPUT", details: { Host: "must be sent once" } });
});

describe("response headers for browsers and caches", async () => {
  const tenant: Caller = await usual.newTenant();
  const { id } = await tenant.createAsset();
  const key = { authorization: `Bearer ${tenant.key}` };
  const answer = 'inline; filename="answer.json"';

  test.each<[string, string, object, string, string | undefined]>([
    ["a record", `/assets/${id}`, { headers: key }, "private, no-cache", answer],
    ["a write", "/assets", { headers: key, body: { name: "P", type: "pump" } }, "no-store", answer],
    ["an error", "/assets/nothing", { headers: key }, "no-store", answer],
    ["a refusal", "/assets", {}, "no-store", answer],
    ["an unknown path", "/x.bat", {}, "no-store", answer],
    ["a malformed path", "/assets/%zz", { headers: key }, "no-store", answer],
    ["GraphQL", "/graphql", { headers: key, body: { query: "{ viewer { role } }" } }, "no-store", answer],
    ["GraphQL by GET", "/graphql?query={viewer{role}}", { headers: key }, "private, no-cache", answer],
    ["the explorer", "/explorer", {}, "no-cache", undefined],
    ["its settings", "/explorer/settings.json", {}, "no-store", answer],
    ["a description", "/openapi.json", {}, "no-cache", answer],
    ["the schema", "/schema.graphql", {}, "no-cache", 'inline; filename="answer.txt"'],
    ["health", "/health", {}, "no-store", answer],
    ["a broken link", `/files/${tenant.tenantId}/x`, {}, "no-store", answer],
  ])("%s", async (_, path, request, cacheControl, disposition) => {
    const { headers } = await raw(usual.url + path, request);
    expect([headers["x-content-type-options"], headers["cache-control"], headers["content-disposition"]]).toEqual([
      "nosniff",
      cacheControl,
      disposition,
    ]);
  });
});

test("only the owner can access the data folder, even an existing one", async () => {
  const { environment, remove } = await freshDatabase();
  const folder = environment.DATA_DIR!;
  const config = readConfig({ LOG_LEVEL: "silent", ...environment });
  if (!environment.DATABASE_URL) chmodSync(folder, 0o755);
  const database = await openDatabase(config, () => {});
  const app = await buildGateway({ config, database });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const mode = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8);
  if (!environment.DATABASE_URL) expect(mode()).toBe("700");
  await app.close();
  await database.close();
  const tenant = await usual.newTenant();
  const photo = await addPhoto(tenant, (await tenant.createAsset()).id);
  const stored = join(usual.config.DATA_DIR, "files", "photos", tenant.tenantId, photo.id);
  expect((statSync(stored).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(join(usual.config.DATA_DIR, "files")).mode & 0o777).toString(8)).toBe("700");
  await remove();
});
