/** Running the service: the built command line in separate processes that are started, stopped, killed and disconnected. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { build } from "../generate.js";
import { onServer, urlOf } from "../prepare.js";
import { freshDatabase } from "../world.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const onPostgresql = Boolean(inject("template"));
/** Where a run on PostgreSQL follows, it has what is the same on both: its processes start sooner. */
const isLeft = !onPostgresql && process.env.TEST_BOTH_DATABASES !== undefined;
type Settings = Record<string, string>;

beforeAll(build, 300_000);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function fresh(): Promise<Settings> {
  const { environment, remove } = await freshDatabase();
  cleanups.push(remove);
  return environment;
}

interface Run {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The exit code, or the name of the signal that ended the process. */
  ended: Promise<number | string>;
}

/** The embedded database is a large program: compiling it well takes a second of each process, which only the demo plant's makes up for. */
const flagsFor = (args: string[]) => (onPostgresql || args.includes("--demo") ? [] : ["--liftoff-only"]);

function run(args: string[], settings: Settings): Run {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...flagsFor(args), "dist/cli/main.js", ...args], {
    cwd: root,
    env: { PATH, HOME, LOG_LEVEL: "silent", PORT: "0", ...settings } as Settings,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  cleanups.push(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    return ended;
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

interface Serving extends Run {
  url: string;
}

async function serve(settings: Settings, ...options: string[]): Promise<Serving> {
  const running = run(["serve", ...options], settings);
  const url = () => /answers at (http:\S+)/.exec(running.stderr())?.[1];
  const end = Date.now() + 45_000;
  while (!url()) {
    if (running.child.exitCode !== null || Date.now() > end) throw new Error(`did not come up: ${running.stderr()}`);
    await sleep(20);
  }
  return { ...running, url: url()! };
}

async function stop({ child, ended }: Run): Promise<number | string> {
  child.kill("SIGTERM");
  return ended;
}

async function keyFor(settings: Settings, ...options: string[]): Promise<string> {
  const { ended, stdout, stderr } = run(["key", "--tenant", "plant", "--role", "admin", ...options], settings);
  expect(await ended, stderr()).toBe(0);
  expect(stderr()).toBe("");
  expect(stdout()).toMatch(/^mg_[0-9a-f]{16}_[0-9a-f]{64}\n$/);
  return stdout().trim();
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function call(url: string, key: string, method = "GET", body?: unknown) {
  const response = await fetch(url, {
    method,
    headers: { ...bearer(key), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

const lines = (text: string) => text.split("\n").filter(Boolean);

async function expectOneClearLine({ ended, stdout, stderr }: Run, ...words: RegExp[]) {
  expect(await ended).toBe(1);
  expect(stdout()).toBe("");
  expect(lines(stderr()), stderr()).toHaveLength(1);
  for (const word of words) expect(stderr()).toMatch(word);
  expect(stderr()).toMatch(/^maintenance: /);
  expect(stderr()).not.toMatch(/node_modules|at .*:\d+:\d+/);
}

/** The serial numbers of all assets of the tenant. */
async function serials(url: string, key: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let nextToken = ""; ; ) {
    const { status, body } = await call(`${url}/assets?limit=1000&nextToken=${nextToken}`, key);
    expect(status).toBe(200);
    for (const { areas } of body.items) for (const { assets } of areas) for (const { serialNumber } of assets) found.add(serialNumber);
    if (!body.nextToken) return found;
    nextToken = body.nextToken;
  }
}

describe.skipIf(isLeft)("the key command and serve", () => {
  it("a printed key works, and the service returns health, readiness and request ids", async () => {
    const settings = await fresh();
    const key = await keyFor(settings);
    const { url, ...running } = await serve(settings);
    expect((await call(`${url}/assets`, key)).status).toBe(200);
    expect((await call(`${url}/graphql`, key, "POST", { query: "{ viewer { tenantId role } }" })).body.data.viewer).toEqual({
      tenantId: "plant",
      role: "ADMIN",
    });
    expect((await call(`${url}/assets`, `${key.slice(0, -1)}x`)).status).toBe(401);

    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: "ready", database: onPostgresql ? "postgresql" : "embedded" });

    const ids = new Set<string>();
    const paths = [
      "/health",
      "/ready",
      "/openapi.json",
      "/explorer",
      "/graphql",
      "/graphql?query={viewer{role}}",
      "/assets",
      "/assets/x",
      "/assets/%zz",
      "/nope",
      "/components?limit=x",
    ];
    for (const path of paths) {
      for (const headers of [{}, bearer(key)]) {
        const response = await fetch(url + path, { headers });
        await response.text();
        ids.add(response.headers.get("x-request-id")!);
        const echoed = await fetch(url + path, { headers: { ...headers, "x-request-id": "Trace-1.a_b" } });
        await echoed.text();
        expect(echoed.headers.get("x-request-id"), path).toBe("Trace-1.a_b");
      }
    }
    expect(ids.size).toBe(paths.length * 2);
    expect(ids).not.toContain(null);
    for (const wrong of ["a b", "x".repeat(65), "a;b", "\xff"]) {
      const { headers, body } = await fetch(`${url}/assets/x`, { headers: { ...bearer(key), "x-request-id": wrong } }).then(
        async (response) => ({ headers: response.headers, body: (await response.json()) as any }),
      );
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(body.requestId).toBe(headers.get("x-request-id"));
    }
    expect(await stop(running)).toBe(0);
    expect(running.stdout()).toBe("");
  });

  it("the key command exits right after printing, also if it created the database", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-operations-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const { child, ended } = run(["key", "--tenant", "plant", "--role", "admin"], { DATA_DIR: join(folder, "data") });
    await once(child.stdout!, "data");
    const since = Date.now();
    expect(await ended).toBe(0);
    expect(Date.now() - since).toBeLessThan(9_000);
  });

  it("serve logs each request as one line with its id, and never a key", async () => {
    const settings = await fresh();
    const key = await keyFor(settings, "--site", "North", "South", "--name", "two sites");
    const origin = "https://app.example.com";
    const running = await serve({ ...settings, LOG_LEVEL: "info", CORS_ORIGINS: origin });
    await fetch(`${running.url}/assets/nope`, { headers: { ...bearer(key), "x-request-id": "trace-me" } });
    const graphql = (id: string, init: RequestInit, search = "") =>
      fetch(`${running.url}/graphql${search}`, { ...init, headers: { ...bearer(key), "x-request-id": id, ...init.headers } });
    const json = { "content-type": "application/json" };
    const hash = { persistedQuery: { version: 1, sha256Hash: "x" } };
    await graphql("preflight", { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    await graphql("subscription", { method: "POST", headers: json, body: '{"query":"subscription{stockChanged{id}}"}' });
    await graphql("by-hash", { method: "POST", headers: json, body: JSON.stringify({ extensions: hash }) });
    const { headers } = await graphql("by-get", {}, "?query={viewer{role}}");
    await graphql("known", { headers: { "if-none-match": headers.get("etag")! } }, "?query={viewer{role}}");
    expect(await stop(running)).toBe(0);
    const logged = lines(running.stdout()).map((line) => JSON.parse(line));
    expect(logged.filter(({ reqId }) => reqId === "trace-me")).toMatchObject([
      { msg: "request", method: "GET", url: "/assets/nope", status: 404, tenant: "plant", cost: 2, code: "NOT_FOUND" },
    ]);
    expect(
      logged.filter(({ msg }) => msg === "request").map(({ reqId, operation, cost, code }) => [reqId, operation, cost, code].join()),
    ).toEqual([
      "trace-me,,2,NOT_FOUND",
      "preflight,,,",
      "subscription,,,BAD_REQUEST",
      "by-hash,,,PERSISTED_QUERY_NOT_FOUND",
      "by-get,viewer,2,",
      "known,viewer,1,",
    ]);
    expect(logged.filter(({ msg }) => msg === "request").map(({ reqId, method, status }) => [reqId, method, status])).toEqual([
      ["trace-me", "GET", 404],
      ["preflight", "OPTIONS", 204],
      ["subscription", "POST", 200],
      ["by-hash", "POST", 200],
      ["by-get", "GET", 200],
      ["known", "GET", 304],
    ]);
    expect(logged.filter(({ level }) => level > 30)).toEqual([]);
    expect(running.stdout() + running.stderr()).not.toContain(key.slice(-64));
  });
});

describe.skipIf(isLeft)("SIGTERM", () => {
  it("lets a running request finish, despite idle open connections", async () => {
    const settings = await fresh();
    const key = await keyFor(settings);
    const running = await serve(settings);
    const idle = new Agent({ keepAlive: true });
    cleanups.push(() => idle.destroy());
    await new Promise((resolve) =>
      request(`${running.url}/health`, { agent: idle }, (response) => response.resume().on("end", resolve)).end(),
    );

    const body = JSON.stringify({ name: "Last pump", type: "pump", serialNumber: "LAST" });
    const sent = request(`${running.url}/assets`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json", "content-length": body.length },
    });
    sent.write(body.slice(0, 10));
    await sleep(300);
    const since = Date.now();
    running.child.kill("SIGTERM");
    await sleep(500);
    expect(running.child.exitCode).toBeNull();
    await expect(fetch(`${running.url}/health`), "no new connections").rejects.toThrow();
    sent.end(body.slice(10));
    const [response] = await once(sent, "response");
    expect(response.statusCode).toBe(201);
    response.resume();
    expect(await running.ended).toBe(0);
    expect(Date.now() - since).toBeLessThan(9_000);

    const again = await serve(settings);
    expect(await serials(again.url, key)).toEqual(new Set(["LAST"]));
  });

  it("loses no acknowledged request", async () => {
    const settings = await fresh();
    const key = await keyFor(settings);
    const running = await serve(settings);
    const acknowledged: string[] = [];
    const outcomes: string[] = [];
    const reset: string[] = [];
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    cleanups.push(() => agent.destroy());
    const post = (serialNumber: string) =>
      new Promise<void>((resolve) => {
        const body = JSON.stringify({ name: "Pump", type: "pump", serialNumber });
        const sent = request(
          `${running.url}/assets`,
          { method: "POST", agent, headers: { ...bearer(key), "content-type": "application/json", "content-length": body.length } },
          (response) => {
            if (response.statusCode === 201) acknowledged.push(serialNumber);
            outcomes.push(String(response.statusCode));
            response.resume().on("end", resolve);
          },
        );
        sent.on("error", (error: NodeJS.ErrnoException) => {
          // Sent on a connection that was being closed while idle: nobody read it.
          if (error.code === "ECONNRESET") reset.push(serialNumber);
          else outcomes.push(error.code!);
          resolve();
        });
        sent.end(body);
      });
    const worker = async (name: number) => {
      for (let i = 0; !outcomes.includes("ECONNREFUSED"); i++) await post(`${name}-${i}`);
    };
    const workers = Promise.all(Array.from({ length: 20 }, (_, name) => worker(name)));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
    await workers;
    expect(new Set(outcomes)).toEqual(new Set(["201", "ECONNREFUSED"]));
    const again = await serve(settings);
    const stored = await serials(again.url, key);
    expect(acknowledged.filter((serial) => !stored.has(serial))).toEqual([]);
    expect(reset.filter((serial) => stored.has(serial))).toEqual([]);
  });

  it("stops the service within 10 s, even if a client never finishes its request", async () => {
    const settings = await fresh();
    const key = await keyFor(settings);
    const running = await serve(settings);
    const sent = request(`${running.url}/assets`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json", "content-length": 100 },
    });
    sent.on("error", () => {});
    sent.write("{");
    await sleep(300);
    const since = Date.now();
    expect(await stop(running)).toBe(0);
    expect(Date.now() - since).toBeLessThan(10_000);
  });

  it("SIGINT stops the service too", async () => {
    const settings = await fresh();
    const running = await serve(settings);
    running.child.kill("SIGINT");
    expect(await running.ended).toBe(0);
  });
});

it.skipIf(isLeft)("kill -9 during writes loses no acknowledged write", async () => {
  const settings = await fresh();
  const key = await keyFor(settings);
  const acknowledged: string[] = [];
  for (const round of ["a", "b"]) {
    const running = await serve(settings);
    const before = acknowledged.length;
    const writer = async (name: number) => {
      for (let i = 0; ; i++) {
        const serialNumber = `${round}-${name}-${i}`;
        const { status } = await call(`${running.url}/assets`, key, "POST", { name: "Pump", type: "pump", serialNumber });
        if (status === 201) acknowledged.push(serialNumber);
      }
    };
    const writers = Promise.allSettled([0, 1, 2, 3].map(writer));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 60);
    running.child.kill("SIGKILL");
    expect(await running.ended).toBe("SIGKILL");
    await writers;
  }
  const { url } = await serve(settings);
  const stored = await serials(url, key);
  expect(acknowledged.filter((serial) => !stored.has(serial))).toEqual([]);
  expect((await call(`${url}/assets`, key, "POST", { name: "Pump", type: "pump", serialNumber: "after" })).status).toBe(201);
});

describe.skipIf(onPostgresql)("an error at startup is one clear line", () => {
  it.each<[string, Settings, RegExp[]]>([
    ["a port that is not a number", { PORT: "http" }, [/PORT/]],
    ["a port out of range", { PORT: "70000" }, [/PORT/, /65535/]],
    ["an unsupported database", { DATABASE_URL: "mysql://localhost/x" }, [/DATABASE_URL/, /postgresql:\/\//]],
    ["an unknown log level", { LOG_LEVEL: "loud" }, [/LOG_LEVEL/]],
    ["an invalid limit", { MAX_QUERY_DEPTH: "-1" }, [/MAX_QUERY_DEPTH/]],
    ["an origin with a path", { CORS_ORIGINS: "https://a.example/app" }, [/CORS_ORIGINS/, /https:\/\/app\.example\.com/]],
    ["trusted documents only, and none", { TRUSTED_DOCUMENTS_ONLY: "true" }, [/TRUSTED_DOCUMENTS_ONLY/, /TRUSTED_DOCUMENTS beside it/]],
    ["several invalid settings", { PORT: "x", DEMO: "yes", MAX_BODY_BYTES: "1.5" }, [/PORT/, /DEMO/, /MAX_BODY_BYTES/]],
  ])("%s", async (_, settings, words) => {
    await expectOneClearLine(run(["serve"], { DATA_DIR: "/nonexistent", ...settings }), /wrong configuration/, ...words);
  });

  it.each<[string, string | undefined, RegExp[]]>([
    ["that is missing", undefined, [/cannot be read/]],
    ["that is no object of texts", '{"a":1}', [/object from ids to documents/]],
    ["with an unknown field", '{"a":"{viewer{role}}","b":"{\\n nothing }"}', [/document b\b/, /Cannot query field "nothing"/]],
    ["without an operation", '{"a":"fragment A on Viewer { role }"}', [/document a\b/, /A" is never used/]],
  ])("a file of trusted documents %s", async (_, text, words) => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-trusted-"));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "documents.json");
    if (text !== undefined) writeFileSync(path, text);
    await expectOneClearLine(
      run(["serve"], { ...(await fresh()), TRUSTED_DOCUMENTS: path }),
      /TRUSTED_DOCUMENTS/,
      new RegExp(path),
      ...words,
    );
  });

  it("a port in use", async () => {
    const occupied = createServer().listen(0, "127.0.0.1");
    await once(occupied, "listening");
    cleanups.push(() => occupied.close());
    const { port } = occupied.address() as AddressInfo;
    await expectOneClearLine(run(["serve"], { ...(await fresh()), PORT: String(port) }), new RegExp(`${port}`), /in use/, /PORT/);
  });

  it("a host that is not a local address", async () => {
    await expectOneClearLine(run(["serve"], { ...(await fresh()), HOST: "192.0.2.1" }), /192\.0\.2\.1/, /HOST/);
  });

  it("a database that is not reachable", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    for (const args of [["serve"], ["key", "--tenant", "x", "--role", "viewer"]]) {
      const { ended, stderr, stdout } = run(args, {
        DATABASE_URL: `postgresql://postgres@127.0.0.1:${port}/x`,
        DATABASE_WAIT_SECONDS: "1",
      });
      expect(await ended).toBe(1);
      expect(stdout()).toBe("");
      const [waiting, gaveUp, ...more] = lines(stderr());
      expect(waiting).toMatch(/waiting up to 1 s for the database: .*ECONNREFUSED/);
      expect(gaveUp).toMatch(/^maintenance: the database does not answer \(.*ECONNREFUSED.*\); gave up after 1 s\. Check DATABASE_URL$/);
      expect(more).toEqual([]);
    }
  });

  it("an impossible data folder", async () => {
    await expectOneClearLine(run(["serve"], { DATA_DIR: join(root, "package.json/data") }), /package\.json\/data/);
  });

  it("an invalid tenant, role or command", async () => {
    const settings = await fresh();
    await expectOneClearLine(run(["key", "--tenant", "../x", "--role", "viewer"], settings), /tenant's name/);
    for (const args of [["key", "--tenant", "x", "--role", "king"], ["key", "--tenant", "x"], ["nope"]]) {
      const { ended, stdout, stderr } = run(args, settings);
      expect(await ended).toBe(2);
      expect(stdout()).toBe("");
      expect(stderr()).toMatch(/^maintenance: .*; see: maintenance( key)? --help\n$/);
    }
  });
});

describe.skipIf(onPostgresql)("the embedded database", () => {
  it("can be opened by only one process", async () => {
    const settings = await fresh();
    const key = await keyFor(settings);
    const running = await serve(settings);
    for (const args of [["serve"], ["key", "--tenant", "x", "--role", "viewer"], ["demo"]]) {
      await expectOneClearLine(run(args, settings), /in use by process/, new RegExp(String(running.child.pid)), /DATA_DIR/, /DATABASE_URL/);
    }
    expect((await call(`${running.url}/assets`, key)).status).toBe(200);
    expect(await stop(running)).toBe(0);
    await keyFor(settings);
  });

  it("is created if missing, and opens again after its process was killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-operations-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const settings = { DATA_DIR: join(folder, "new/data") };
    const running = await serve(settings);
    running.child.kill("SIGKILL");
    await running.ended;
    await keyFor(settings);
  });
});

/** A technician of each site of the demo plant completes, creates and cancels a work order with parts of the site and of main. */
async function workAtEachSite(url: string, admin: string): Promise<void> {
  const ask = async (key: string, query: string) => {
    const { body } = await call(`${url}/graphql`, key, "POST", { query });
    expect(body.errors, query).toBeUndefined();
    return body.data;
  };
  const { sites, workOrders, inventory, short } = await ask(
    admin,
    `{ sites { name } inventory { nodes { site } } short: inventory(filter: { lowStock: true }) { nodes { site } }
       workOrders(filter: { pending: true }) { nodes { id status procedureId asset { site } } } }`,
  );
  const names: string[] = sites.map(({ name }: any) => name);
  expect(new Set(inventory.nodes.map(({ site }: any) => site))).toEqual(new Set(["main", ...names]));
  expect(short.nodes.some(({ site }: any) => names.includes(site))).toBe(true);
  const suppliers = new Set<string>();
  for (const site of names) {
    const { createApiKey } = await ask(
      admin,
      `mutation { createApiKey(input: { name: "t", role: TECHNICIAN, sites: ["${site}"] }) { key } }`,
    );
    const technician: string = createApiKey.key;
    const { id, status, procedureId } = workOrders.nodes.find(({ asset }: any) => asset.site === site);
    if (status === "SCHEDULED") await ask(technician, `mutation { startWorkOrder(id: "${id}") { id } }`);
    const { completeWorkOrder: done } = await ask(
      technician,
      `mutation { completeWorkOrder(id: "${id}") { status requiredParts { site status } } }`,
    );
    expect(done.status).toBe("COMPLETED");
    expect(new Set(done.requiredParts.map(({ status }: any) => status))).toEqual(new Set(["ISSUED"]));
    for (const part of done.requiredParts) suppliers.add(part.site);
    const created = await call(`${url}/pms/${procedureId}/createworkorder`, technician, "POST");
    expect(created.status).toBe(201);
    await ask(technician, `mutation { cancelWorkOrder(id: "${created.body.workOrderId}") { id } }`);
  }
  expect([...suppliers].sort()).toEqual(["Antwerp Chemicals", "Rotterdam Bottling", "main"]);
  expect(await ask(admin, "{ verifyLedger { balanced } }")).toEqual({ verifyLedger: { balanced: true } });
}

it.skipIf(isLeft)("serve --demo loads the demo plant once, and keeps it and its key on restart", async () => {
  const settings = await fresh();
  const demoKey = ({ stderr }: Run) => /demo key\s+(mg_\S+)/.exec(stderr())?.[1];
  const count = async ({ url }: Serving) =>
    (
      await call(`${url}/graphql`, key, "POST", {
        query: "{ assets(first: 1) { totalCount } components(first: 1) { totalCount } sites { areas { name } } }",
      })
    ).body.data;

  const first = await serve(settings, "--demo");
  await expect.poll(() => demoKey(first)).toBeTruthy();
  const key = demoKey(first)!;
  expect(first.stderr()).toMatch(/loading the demo plant: 400 assets/);
  const loaded = await count(first);
  expect(loaded.assets.totalCount).toBe(400);
  expect(loaded.components.totalCount).toBeGreaterThan(5_000);
  expect(loaded.sites).toHaveLength(3);
  expect((await (await fetch(`${first.url}/explorer/settings.json`)).json()) as unknown).toEqual({ demoKey: key });
  expect((await (await fetch(`${first.url}/console/settings.json`)).json()) as unknown).toEqual({ demoKey: key, provider: null });
  const { body } = await call(`${first.url}/assets?limit=1`, key);
  const [asset] = body.items[0].areas[0].assets;
  expect((await call(`${first.url}/assets/${asset.assetId}`, key, "PUT", { description: "kept" })).status).toBe(200);
  await workAtEachSite(first.url, key);
  expect(await stop(first)).toBe(0);

  const second = await serve(settings, "--demo");
  await expect.poll(() => demoKey(second)).toBe(key);
  expect(second.stderr()).not.toMatch(/load/);
  expect(await count(second)).toEqual(loaded);
  expect((await call(`${second.url}/assets/${asset.assetId}`, key)).body.description).toBe("kept");
  expect(await stop(second)).toBe(0);
});

/** A TCP proxy to PostgreSQL. Cut, it drops all connections; stalled, it keeps them but forwards nothing. */
class DatabaseProxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private stalled = false;
  port = 0;

  constructor(private readonly target: URL) {
    cleanups.push(() => this.cut());
  }

  async open(): Promise<this> {
    this.stalled = false;
    const server = createServer((near) => {
      const far = connect(Number(this.target.port || 5432), this.target.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on("data", (chunk) => void (this.stalled || other.write(chunk)));
        one.on("close", () => {
          this.sockets.delete(one);
          other.destroy();
        });
        one.on("error", () => {});
      }
    });
    this.server = server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  stall(): void {
    this.stalled = true;
  }

  resume(): void {
    this.stalled = false;
  }

  cut(): void {
    this.server?.close();
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
  }

  settings(settings: Settings): Settings {
    const url = new URL(settings.DATABASE_URL!);
    url.hostname = "127.0.0.1";
    url.port = String(this.port);
    return { ...settings, DATABASE_URL: url.href, STATEMENT_TIMEOUT_MS: "500" };
  }
}

describe.runIf(onPostgresql)("PostgreSQL", () => {
  const query = async (settings: Settings, text: string) => {
    const client = new pg.Client({ connectionString: settings.DATABASE_URL });
    await client.connect();
    return (await client.query(text).finally(() => client.end())).rows;
  };

  it("is migrated once if two processes start at the same time on an empty database", async () => {
    const name = `${inject("run")}_${randomBytes(4).toString("hex")}`;
    await onServer(`create database ${name}`);
    cleanups.push(() => onServer(`drop database if exists ${name} with (force)`));
    const settings = { DATABASE_URL: urlOf(name) };
    const both = await Promise.all([serve(settings), serve(settings)]);
    const folder = join(root, "prisma/migrations");
    const migrations = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const applied = await query(
      settings,
      `select migration_name, checksum from _prisma_migrations where finished_at is not null order by 1`,
    );
    const expected = migrations.map((entry) => ({
      migration_name: entry.name,
      checksum: createHash("sha256")
        .update(readFileSync(join(folder, entry.name, "migration.sql")))
        .digest("hex"),
    }));
    expect(applied).toEqual(expected.sort((a, b) => (a.migration_name < b.migration_name ? -1 : 1)));
    expect(await query(settings, `select 1 from _prisma_migrations`)).toHaveLength(expected.length);
    const locks = `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = '${name}')`;
    expect(await query(settings, locks)).toEqual([]);
    const key = await keyFor(settings);
    for (const { url } of both) expect((await call(`${url}/assets`, key)).status).toBe(200);
    expect(both.filter(({ stderr }) => /applied/.test(stderr()))).toHaveLength(1);
    for (const running of both) expect(await stop(running)).toBe(0);
  });

  /** Expects a quick 503 from REST, GraphQL and /ready while the database is unavailable. */
  async function expectUnavailable(url: string, known: string, unknown: string) {
    const requests: [path: string, key: string, method?: string, body?: unknown][] = [
      ["/assets", known],
      ["/assets", unknown],
      ["/assets/x", known],
      ["/assets", known, "POST", { name: "Pump", type: "pump" }],
      ["/assets/x", known, "PUT", { name: "Pump" }],
      ["/components", known, "POST", { name: "Motor", type: "motor" }],
      ["/components/bulk", known, "POST", { operation: "delete", componentIds: ["x"] }],
      ["/graphql", known, "POST", { query: "{ assets(first: 1) { nodes { id } } }" }],
      ["/graphql", unknown, "POST", { query: "{ viewer { role } }" }],
      ["/graphql", known, "POST", { query: `mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }` }],
      ["/ready", known],
    ];
    const responses = await Promise.all(requests.map(([path, key, method, body]) => call(url + path, key, method, body)));
    responses.forEach(({ status, headers, body }, i) => {
      const what = `${requests[i]!.join(" ")}: ${JSON.stringify(body)}`;
      expect(status, what).toBe(503);
      expect(Number(headers.get("retry-after")), what).toBeGreaterThan(0);
      expect(headers.get("x-request-id"), what).toBeTruthy();
      if (requests[i]![0] === "/graphql") expect(body.errors[0].extensions.code, what).toBe("SERVICE_UNAVAILABLE");
      else expect(body.error, what).toMatch(/database cannot be reached/);
      expect(JSON.stringify(body), what).not.toMatch(/ECONN|127\.0\.0\.1|terminated/);
    });
    expect((await call(`${url}/health`, known)).status).toBe(200);
  }

  async function expectRecovery(url: string, key: string) {
    await expect.poll(async () => (await call(`${url}/ready`, key)).status).toBe(200);
    expect((await call(`${url}/assets`, key, "POST", { name: "Pump", type: "pump" })).status).toBe(201);
    expect((await call(`${url}/components`, key, "POST", { name: "Motor", type: "motor" })).status).toBe(201);
    expect((await call(`${url}/graphql`, key, "POST", { query: "{ assets { nodes { id } } }" })).body.errors).toBeUndefined();
  }

  it.each(["cut", "stall"] as const)(
    "a lost connection (%s) causes 503 with Retry-After, and the service recovers",
    { timeout: 120_000 },
    async (how) => {
      const settings = await fresh();
      const [known, unknown] = [await keyFor(settings), await keyFor(settings)];
      const proxy = await new DatabaseProxy(new URL(settings.DATABASE_URL!)).open();
      const running = await serve(proxy.settings(settings));
      for (const _ of ["once", "again"]) {
        await Promise.all(Array.from({ length: 10 }, () => call(`${running.url}/assets`, known)));
        proxy[how]();
        await expectUnavailable(running.url, known, unknown);
        if (how === "cut") await proxy.open();
        else proxy.resume();
        await expectRecovery(running.url, known);
      }
      expect(await stop(running)).toBe(0);
    },
  );

  it("a lost connection does not prevent a clean shutdown", async () => {
    const settings = await fresh();
    const proxy = await new DatabaseProxy(new URL(settings.DATABASE_URL!)).open();
    const running = await serve(proxy.settings(settings));
    proxy.cut();
    const since = Date.now();
    expect(await stop(running)).toBe(0);
    expect(Date.now() - since).toBeLessThan(10_000);
  });

  it("terminated connections cause no 500, and the service recovers", async () => {
    const settings = await fresh();
    const key = await keyFor(settings);
    const running = await serve(settings);
    const statuses = new Set<number>();
    let done = false;
    const reader = async (i: number) => {
      while (!done) {
        statuses.add((await call(`${running.url}/assets`, key)).status);
        statuses.add((await call(`${running.url}/${i % 2 ? "assets" : "components"}`, key, "POST", { name: "x", type: "y" })).status);
      }
    };
    const readers = Promise.allSettled([0, 1, 2, 3].map(reader));
    for (let i = 0; i < 10; i++) {
      await sleep(150);
      await query(
        settings,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
    }
    done = true;
    expect((await readers).filter((outcome) => outcome.status === "rejected")).toEqual([]);
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
    await expectRecovery(running.url, key);
    expect(await stop(running)).toBe(0);
  });

  it("the service waits for a database that starts late", async () => {
    const settings = await fresh();
    const proxy = await new DatabaseProxy(new URL(settings.DATABASE_URL!)).open();
    proxy.cut();
    const running = run(["serve"], { ...proxy.settings(settings), DATABASE_WAIT_SECONDS: "30" });
    await expect.poll(running.stderr).toMatch(/waiting up to 30 s for the database/);
    await sleep(1_000);
    await proxy.open();
    await expect.poll(running.stderr).toMatch(/answers at/);
    expect(lines(running.stderr()).filter((line) => !line.includes("SECRETS_KEY"))).toHaveLength(2);
    expect(await stop(running)).toBe(0);
  });
});
