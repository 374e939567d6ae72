/** CORS_ORIGINS: pages of the listed origins may call the service, and nothing else changes. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { readConfig } from "../../src/config.js";
import { addPhoto, grantFor, image } from "../files/photos.js";
import { type Caller, type Gateway, sharedGateway, startGateway } from "../world.js";
import { CHROMIUM, hasBrowser, launchBrowser } from "./browser.js";
import { type RawResponse, raw } from "./raw.js";

/** Serves a page on a separate origin. */
async function startSite(): Promise<string> {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html>")).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  afterAll(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const [listed, foreign] = [await startSite(), await startSite()];
const off = await sharedGateway();
const on = await startGateway({ CORS_ORIGINS: `https://app.example.com, ${listed}` });
const any = await startGateway({ CORS_ORIGINS: "*" });

const tenants = new Map<Gateway, Caller>();
beforeAll(async () => {
  for (const gateway of [off, on, any]) tenants.set(gateway, await gateway.newTenant());
});

type Headers = Record<string, string>;

const get = (gateway: Gateway, path: string, headers: Headers = {}) =>
  raw(gateway.url + path, { headers: { authorization: `Bearer ${tenants.get(gateway)!.key}`, ...headers } });
const options = (gateway: Gateway, path: string, headers: Headers = {}) => raw(gateway.url + path, { method: "OPTIONS", headers });
const preflight = (gateway: Gateway, path: string, origin: string) =>
  options(gateway, path, {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
  });

const corsHeaders = ({ headers }: RawResponse) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));

const paths = [
  "/graphql",
  "/assets",
  "/assets/x",
  "/components/bulk",
  "/uploads",
  "/files/a/b",
  "/openapi.json",
  "/schema.graphql",
  "/schema.json",
];

describe("a preflight", () => {
  it.each(paths)("of %s succeeds without a key", async (path) => {
    const { status, headers, body } = await preflight(on, path, listed);
    expect([status, body.length]).toEqual([204, 0]);
    expect(headers).toMatchObject({
      "access-control-allow-origin": listed,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
      "access-control-max-age": "7200",
      vary: "Origin",
      "x-request-id": expect.any(String),
    });
    expect(headers["access-control-allow-headers"]!.toLowerCase().split(", ")).toEqual(
      expect.arrayContaining([
        "authorization",
        "content-type",
        "idempotency-key",
        "if-none-match",
        "x-request-id",
        "apollo-require-preflight",
      ]),
    );
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
  });

  it.each(["https://app.example.com.evil.example", "http://app.example.com", "https://app.example.com:444", "null"])(
    "of the origin %s, which is not listed, gets the same response as without CORS",
    async (origin) => {
      for (const path of paths) {
        const [without, answer] = [await preflight(off, path, origin), await preflight(on, path, origin)];
        expect(corsHeaders(answer), path).toEqual([]);
        expect([answer.status, answer.headers.allow, answer.headers.vary], path).toEqual([without.status, without.headers.allow, "Origin"]);
      }
    },
  );
});

describe("OPTIONS that is not a preflight", () => {
  const known: Headers = { "x-request-id": "same" };
  it.each<[string, Headers]>([
    ["without an origin", {}],
    ["of a listed origin", { origin: listed }],
    ["that names a method, without an origin", { "access-control-request-method": "POST" }],
  ])("%s gets the same response as without CORS, to the byte", async (_, headers) => {
    for (const path of ["/assets", "/assets/x", "/graphql", "/openapi.json", "/files/a/b", "/nope"]) {
      const [before, ...after] = (await Promise.all([off, on, any].map((gateway) => options(gateway, path, { ...known, ...headers })))).map(
        ({ status, lines, body }) => [status, lines.filter((_, i) => !/^date$/i.test(lines[i - (i % 2)]!)), String(body)],
      );
      expect(after, path).toEqual([before, before]);
    }
    expect((await options(on, "/assets", headers)).headers.allow).toBe("OPTIONS, GET, HEAD, POST");
  });
});

describe("a request", () => {
  const requests: [path: string, status: number, headers?: Headers][] = [
    ["/assets", 200],
    ["/graphql?query={viewer{role}}", 200],
    ["/graphql?query={nothing}", 200],
    ["/openapi.json", 200],
    ["/assets/none", 404],
    ["/assets?limit=x", 400],
    ["/nope", 404],
    ["/graphql?query={viewer{role}}", 401, { authorization: "Bearer none" }],
    ["/files/a/b", 403],
  ];

  it("of a listed origin may be read, errors too, with the headers that the service sends", async () => {
    for (const [path, status, headers] of requests) {
      const answer = await get(on, path, { origin: listed, ...headers });
      expect(answer.status, path).toBe(status);
      expect(answer.headers["access-control-allow-origin"], path).toBe(listed);
      expect(answer.headers.vary, path).toMatch(/^Origin\b/);
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
      expect(answer.headers["access-control-expose-headers"]!.split(", ")).toEqual(
        expect.arrayContaining(["ETag", "Link", "Retry-After", "Warning", "X-Request-Id", "Idempotent-Replayed"]),
      );
    }
  });

  it("of another origin, or of none, gets no CORS headers", async () => {
    for (const [path, status, headers] of requests)
      for (const origin of [{ origin: foreign }, {}] as Headers[]) {
        const answer = await get(on, path, { ...origin, ...headers });
        expect([answer.status, answer.headers.vary?.split(", ")[0]], path).toEqual([status, "Origin"]);
        expect(corsHeaders(answer), path).toEqual([]);
      }
  });

  it("gets no CORS headers unless they are enabled", async () => {
    for (const [path, status, headers] of requests) {
      const answer = await get(off, path, { origin: listed, ...headers });
      expect([answer.status, corsHeaders(answer)], path).toEqual([status, []]);
      expect(answer.headers.vary ?? "", path).not.toMatch(/origin/i);
    }
  });

  it("of any origin may be read if all are allowed", async () => {
    for (const [path, status, headers] of requests)
      for (const origin of [{ origin: foreign }, { origin: "null" }, {}] as Headers[]) {
        const answer = await get(any, path, { ...origin, ...headers });
        expect([answer.status, answer.headers["access-control-allow-origin"]], path).toEqual([status, "*"]);
        expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
        expect(answer.headers.vary ?? "", path).not.toMatch(/origin/i);
      }
    expect((await preflight(any, "/graphql", foreign)).headers["access-control-allow-origin"]).toBe("*");
  });

  it("of another page does not get the explorer's settings, which may hold a key", async () => {
    for (const gateway of [on, any]) expect(corsHeaders(await get(gateway, "/explorer/settings.json", { origin: listed }))).toEqual([]);
  });
});

it("a WebSocket may be opened from any origin, because the key is checked", async () => {
  for (const gateway of [off, on]) {
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { origin: foreign });
    await once(socket, "open");
    const message = once(socket, "message");
    socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${tenants.get(gateway)!.key}` } }));
    expect(JSON.parse(String((await message)[0]))).toEqual({ type: "connection_ack" });
    socket.close();
  }
});

describe("the setting", () => {
  it.each([
    "https://a.example",
    "http://localhost:5173,https://b.example",
    " https://a.example , http://[::1]:3000",
    "capacitor://localhost",
    "*",
  ])("may be %s", (value) => expect(readConfig({ CORS_ORIGINS: value }).CORS_ORIGINS).toEqual(value.split(",").map((one) => one.trim())));

  it.each([
    "a.example",
    "https://a.example/",
    "https://a.example/path",
    "https://a.example:443",
    "https://A.example",
    "https://*.a.example,",
    "https://a.example,*",
    "*,*",
    "null",
    "https://",
    "https://a.example https://b.example",
    "https://user@a.example",
  ])("may not be %s", (value) =>
    expect(() => readConfig({ CORS_ORIGINS: value })).toThrow(
      /^wrong configuration: CORS_ORIGINS: must be origins like https:\/\/app\.example\.com/,
    ),
  );
});

describe.runIf(hasBrowser)(`a page of another origin in ${CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => browser?.close());

  /** Runs in the page. Returns the data that it could read. */
  async function work({ url, key, id, grant, file, photo }: any) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const graphql = (body: object, more = {}) =>
      fetch(`${url}/graphql`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const query = await graphql({ query: "query ($id: ID!) { asset(id: $id) { name } }", variables: { id } });
    const rename = 'mutation ($id: ID!) { updateAsset(id: $id, input: { name: "From a page" }) { name } }';
    const repeat = { "idempotency-key": "page", "x-request-id": "page-1", "apollo-require-preflight": "true" };
    const mutations = [
      await graphql({ query: rename, variables: { id } }, repeat),
      await graphql({ query: rename, variables: { id } }, repeat),
    ];
    const byGet = await fetch(`${url}/graphql?query={viewer{role}}`, { headers });
    const put = await fetch(`${url}/assets/${id}`, { method: "PUT", headers, body: JSON.stringify({ type: "pump", color: "red" }) });
    const form = new FormData();
    for (const [name, value] of Object.entries<string>(grant.fields)) form.append(name, value);
    form.append("file", new Blob([new Uint8Array(file)]), "x.jpg");
    const upload = await fetch(grant.uploadUrl, { method: "POST", body: form });
    const download = await fetch(photo);
    const socket = new globalThis.WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const opened = await new Promise((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
    return {
      query: await query.json(),
      mutation: await mutations[0]!.json(),
      requestId: mutations[0]!.headers.get("x-request-id"),
      replayed: mutations[1]!.headers.get("idempotent-replayed"),
      etag: byGet.headers.get("etag"),
      warning: put.headers.get("warning"),
      upload: upload.status,
      bytes: (await download.arrayBuffer()).byteLength,
      opened,
    };
  }

  async function prepared(gateway: Gateway) {
    const tenant = tenants.get(gateway)!;
    const { id } = await tenant.createAsset({ name: "Feed pump" });
    const file = await image();
    const { url: photo } = await addPhoto(tenant, id, file);
    return { url: gateway.url, key: tenant.key, id, photo, file: [...file], grant: await grantFor(tenant, id, file.length) };
  }

  it("queries, writes, uploads and downloads", async () => {
    const page = await browser.newPage();
    await page.goto(listed);
    const settings = await prepared(on);
    expect(await page.evaluate(work, settings)).toEqual({
      query: { data: { asset: { name: "Feed pump" } } },
      mutation: { data: { updateAsset: { name: "From a page" } } },
      requestId: "page-1",
      replayed: "true",
      etag: expect.stringMatching(/^W\//),
      warning: expect.stringContaining("color"),
      upload: 204,
      bytes: settings.file.length,
      opened: true,
    });
  });

  it("reads nothing if its origin is not listed, or CORS is off", async () => {
    for (const [gateway, origin] of [
      [on, foreign],
      [off, listed],
    ] as const) {
      const page = await browser.newPage();
      await page.goto(origin);
      const settings = await prepared(gateway);
      await expect(page.evaluate(work, settings)).rejects.toThrow(/Failed to fetch/);
      const read = await page.evaluate((url) => fetch(`${url}/openapi.json`).then(() => "read", String), gateway.url);
      expect(read).toMatch(/Failed to fetch/);
    }
  });
});
