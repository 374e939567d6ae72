/** The running service: processes that are started, stopped and killed. Tests share a process until a test ends it. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { expectOneClearLine, runHere, type Settings } from "../cli/run-command.js";
import { build } from "../generate.js";
import {
  bearer,
  call,
  cleanUpProcesses,
  cleanups,
  fresh,
  isOver,
  keyFor,
  lastCleanups,
  lines,
  run,
  serve,
  sharedService,
  stop,
} from "./running.js";

const onPostgresql = Boolean(inject("template"));

beforeAll(build);
cleanUpProcesses();

/** A serial number that no earlier test or attempt has used. */
const newName = () => randomBytes(6).toString("hex");

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

/** Tests share a database and run in this order. After a test that ends the process, the next test starts another on the same data. */
describe("serve", () => {
  const origin = "https://app.example.com";
  let settings: Settings;
  let key: string;
  const service = sharedService(() => ({ ...settings, LOG_LEVEL: "info", CORS_ORIGINS: origin }));

  beforeAll(async () => {
    settings = await fresh(lastCleanups);
    const { code, out, err } = await run(["key", "--tenant", "plant", "--role", "admin", "--name", "all sites"], settings).ended;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^mg_[0-9a-f]{16}_[0-9a-f]{64}\n$/);
    key = out.trim();
  });

  it("accepts the key that the key command printed, and is ready", async () => {
    const { url } = await service.up();
    expect((await call(`${url}/assets`, key)).status).toBe(200);
    expect((await call(`${url}/graphql`, key, "POST", { query: "{ viewer { tenantId role } }" })).body.data.viewer).toEqual({
      tenantId: "plant",
      role: "ADMIN",
    });
    expect((await call(`${url}/assets`, `${key.slice(0, -1)}x`)).status).toBe(401);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: "ready", database: onPostgresql ? "postgresql" : "embedded" });
  });

  it("logs each request as one line with its id, and never a key", async () => {
    const running = await service.up();
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
    await expect.poll(() => running.out()).toContain('"reqId":"known"');
    const logged = lines(running.out()).map((line) => JSON.parse(line));
    // Earlier tests sent requests without their own ids.
    const own = logged.filter(({ msg, reqId }) => msg === "request" && !/^[0-9a-f-]{36}$/.test(reqId));
    expect(logged.filter(({ reqId }) => reqId === "trace-me")).toMatchObject([
      { msg: "request", method: "GET", url: "/assets/nope", status: 404, tenant: "plant", cost: 2, code: "NOT_FOUND" },
    ]);
    expect(own.map(({ reqId, operation, cost, code }) => [reqId, operation, cost, code].join())).toEqual([
      "trace-me,,2,NOT_FOUND",
      "preflight,,,",
      "subscription,,,BAD_REQUEST",
      "by-hash,,,PERSISTED_QUERY_NOT_FOUND",
      "by-get,viewer,2,",
      "known,viewer,1,",
    ]);
    expect(own.map(({ reqId, method, status }) => [reqId, method, status])).toEqual([
      ["trace-me", "GET", 404],
      ["preflight", "OPTIONS", 204],
      ["subscription", "POST", 200],
      ["by-hash", "POST", 200],
      ["by-get", "GET", 200],
      ["known", "GET", 304],
    ]);
    expect(logged.filter(({ level }) => level > 30)).toEqual([]);
    expect(running.out() + running.err()).not.toContain(key.slice(-64));
  });

  it("lets a running request finish at SIGTERM, despite idle open connections", async () => {
    const running = await service.up();
    const idle = new Agent({ keepAlive: true });
    cleanups.push(() => idle.destroy());
    const asked = request(`${running.url}/health`, { agent: idle });
    const closed = new Promise((resolve) => asked.on("socket", (socket) => socket.on("close", resolve)));
    await new Promise((resolve) => asked.on("response", (response) => response.resume().on("end", resolve)).end());

    const serialNumber = newName();
    const body = JSON.stringify({ name: "Last pump", type: "pump", serialNumber });
    const sent = request(`${running.url}/assets`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json", "content-length": body.length },
    });
    sent.write(body.slice(0, 10));
    await sleep(300);
    running.child.kill("SIGTERM");
    // The idle connection is closed, and the process waits for the other one.
    await closed;
    await expect(fetch(`${running.url}/health`), "no new connections").rejects.toThrow();
    expect(isOver(running)).toBe(false);
    sent.end(body.slice(10));
    const [response] = await once(sent, "response");
    expect(response.statusCode).toBe(201);
    response.resume();
    expect((await running.ended).code).toBe(0);
    const again = await service.up();
    expect(await serials(again.url, key)).toContain(serialNumber);
  });

  it("loses no acknowledged request at SIGTERM", async () => {
    const running = await service.up();
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
          // The request was sent on an idle connection that was being closed, so the server never read it.
          if (error.code === "ECONNRESET") reset.push(serialNumber);
          else outcomes.push(error.code!);
          resolve();
        });
        sent.end(body);
      });
    const worker = async () => {
      while (!outcomes.includes("ECONNREFUSED")) await post(newName());
    };
    const workers = Promise.all(Array.from({ length: 20 }, worker));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    running.child.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
    await workers;
    expect(new Set(outcomes)).toEqual(new Set(["201", "ECONNREFUSED"]));
    const again = await service.up();
    const stored = await serials(again.url, key);
    expect(acknowledged.filter((serial) => !stored.has(serial))).toEqual([]);
    expect(reset.filter((serial) => stored.has(serial))).toEqual([]);
  });

  it("ends at SIGTERM even if a client never finishes its request", async () => {
    const running = await service.up();
    const sent = request(`${running.url}/assets`, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json", "content-length": 100 },
    });
    sent.on("error", () => {});
    sent.write("{");
    await sleep(300);
    const closed = new Promise((resolve) => sent.on("close", resolve));
    expect(await stop(running)).toBe(0);
    await closed;
  });

  it("loses no acknowledged write at kill -9", async () => {
    const acknowledged: string[] = [];
    for (const _ of ["once", "again"]) {
      const running = await service.up();
      const before = acknowledged.length;
      const writer = async () => {
        for (;;) {
          const serialNumber = newName();
          const { status } = await call(`${running.url}/assets`, key, "POST", { name: "Pump", type: "pump", serialNumber });
          if (status === 201) acknowledged.push(serialNumber);
        }
      };
      const writers = Promise.allSettled(Array.from({ length: 4 }, writer));
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 60);
      running.child.kill("SIGKILL");
      expect((await running.ended).code).toBe("SIGKILL");
      await writers;
    }
    const { url } = await service.up();
    const stored = await serials(url, key);
    expect(acknowledged.filter((serial) => !stored.has(serial))).toEqual([]);
    expect((await call(`${url}/assets`, key, "POST", { name: "Pump", type: "pump", serialNumber: newName() })).status).toBe(201);
  });

  it("ends at SIGINT too", async () => {
    const running = await service.up();
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  });
});

describe("an embedded database", () => {
  it("is created by the first command, has one process at a time, and opens again after kill -9", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-operations-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const settings = { DATA_DIR: join(folder, "new/data") };
    const { code, out } = await run(["key", "--tenant", "plant", "--role", "admin"], settings).ended;
    expect([code, out]).toEqual([0, expect.stringMatching(/^mg_[0-9a-f]{16}_[0-9a-f]{64}\n$/)]);
    const key = out.trim();
    const running = await serve(settings);
    for (const args of [["serve"], ["key", "--tenant", "x", "--role", "viewer"], ["demo"]]) {
      const refused = await runHere(args, settings);
      expectOneClearLine(refused, /in use by process/, new RegExp(String(running.child.pid)), /DATA_DIR/, /DATABASE_URL/);
    }
    expect((await call(`${running.url}/assets`, key)).status).toBe(200);
    running.child.kill("SIGKILL");
    expect((await running.ended).code).toBe("SIGKILL");
    await keyFor(settings);
  });
});
