/**
 * Two and four gateways in separate processes, with a shared PostgreSQL and file folder: each sees the effects of the others. Run by `npm
 * run test:scale`. Skipped without server programs.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { postStream } from "../execution/event-stream.js";
import { formOf, image, send as sendFile } from "../files/photos.js";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";
import { Caller, Gateway } from "../world.js";
import { ask, openGateway, type Process, startProcess } from "./servers.js";

const budget = { perSecond: 40, seconds: 50 };

describe.skipIf(!binaries).each([2, 4])("%i gateways on one PostgreSQL", (count) => {
  let server: Server;
  let processes: Process[] = [];
  let own: Awaited<ReturnType<typeof openGateway>>;
  let tenant: Caller;
  const files = mkdtempSync(join(tmpdir(), "gateway-scale-files-"));

  beforeAll(async () => {
    await build();
    server = await Server.start();
    // Creates tenants and keys, and serves no requests.
    own = await openGateway({ DATABASE_URL: server.url, WEBHOOK_POLL_MS: "3600000" });
    const settings = {
      DATABASE_URL: server.url,
      DATABASE_CONNECTIONS: "4",
      DATA_DIR: files,
      SCHEDULER: "true",
      SCHEDULER_SECONDS: "1",
      RATE_LIMIT_KEY: String(budget.perSecond),
      RATE_LIMIT_BURST: String(budget.seconds),
      RATE_LIMIT_TENANT: "1000000",
    };
    processes = await Promise.all(Array.from({ length: count }, () => startProcess(settings)));
    tenant = await own.gateway.newTenant();
  });

  afterAll(async () => {
    await Promise.all(processes.map(({ stop }) => stop()));
    await own?.close();
    server?.remove();
    rmSync(files, { recursive: true, force: true });
  });

  /** The same caller at one of the processes. */
  const at = (i: number, { tenantId, key }: Caller = tenant): Caller =>
    new Caller(new Gateway(processes[i % count]!.url, own.gateway.app, own.gateway.database, own.gateway.config), tenantId, key);

  test("a subscription at each receives what is written at each other", async () => {
    const told: string[] = Array(count).fill("");
    const aborts = await Promise.all(
      told.map(async (_, i) => {
        const abort = new AbortController();
        const { gateway, key } = at(i);
        const query = "subscription { changes(recordTypes: [ASSET]) { recordId } }";
        const reply = await postStream({ gateway, key }, { query }, { signal: abort.signal });
        const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
        const read = async () => {
          for (let part = await reader.read(); !part.done; part = await reader.read()) told[i] += part.value;
        };
        read().catch(() => undefined);
        return abort;
      }),
    );
    await sleep(500);
    const made = await Promise.all(Array.from({ length: 3 * count }, (_, i) => at(i).createAsset({ name: `Told ${i}` })));
    const answeredAt = Date.now();
    await expect.poll(() => told.every((text) => made.every(({ id }) => text.includes(id))), { interval: 10 }).toBe(true);
    console.info(`${count} gateways: ${made.length} changes were told everywhere ${Date.now() - answeredAt} ms after the last answer`);
    for (const { id } of made) for (const text of told) expect(text.split(id).length - 1, "once").toBe(1);
    for (const abort of aborts) abort.abort();
  });

  test("a write repeated everywhere at once is done once, with the same response", async () => {
    const caller = await own.gateway.newTenant();
    const once = async (key: string, i: number): Promise<string> => {
      for (;;) {
        const answer = await at(i, caller).rest("POST", "/assets", { name: key, type: "pump" }, { "idempotency-key": key });
        if (answer.status === 201) return answer.body.id;
        expect([409, 429], JSON.stringify(answer.body)).toContain(answer.status);
        await sleep(100);
      }
    };
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const ids = await Promise.all(keys.map((key) => Promise.all(Array.from({ length: count }, (_, i) => once(key, i)))));
    for (const [first, ...others] of ids) expect(others).toEqual(others.map(() => first));
    const [stored] = await ask<{ assets: number }>(server.url, `select count(*)::int as assets from "Asset" where "tenantId" = $1`, [
      caller.tenantId,
    ]);
    expect(stored).toEqual({ assets: keys.length });
  });

  test("a revoked key is refused everywhere, and its connections are closed", async () => {
    const took: number[] = [];
    const closed: number[] = [];
    for (let round = 0; round < 5; round++) {
      const admin = await own.gateway.newTenant();
      const { createApiKey } = await at(round, admin).ask(
        `mutation { createApiKey(input: { name: "k", role: VIEWER }) { key apiKey { id } } }`,
      );
      const { key, apiKey } = createApiKey;
      const holder = new Caller(own.gateway, admin.tenantId, key);
      const status = async (i: number) => (await at(i, holder).rest("GET", "/assets?limit=1")).status;
      // Every process caches the key.
      for (let i = 0; i < count; i++) expect(await status(i)).toBe(200);
      const last = at(round + count - 1, holder);
      const socket = new WebSocket(`${last.gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
      await new Promise((resolve) => socket.once("open", resolve));
      socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${key}` } }));
      await new Promise((resolve) => socket.once("message", resolve));
      let revokedAt = Number.NaN;
      const ended = new Promise<void>((resolve) =>
        socket.once("close", () => {
          closed.push(performance.now() - revokedAt);
          resolve();
        }),
      );
      await sleep(200);
      revokedAt = performance.now();
      await at(round, admin).ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", { id: apiKey.id });
      await Promise.all(
        Array.from({ length: count }, async (_, i) => {
          while ((await status(i)) !== 401) await sleep(5);
          took.push(performance.now() - revokedAt);
        }),
      );
      await ended;
    }
    const [latest, latestClosed] = [Math.max(...took), Math.max(...closed)].map(Math.round) as [number, number];
    console.info(
      `${count} gateways: a revoked key is refused everywhere after ${latest} ms at most, its socket closed after ${latestClosed} ms`,
    );
    expect([took.length, closed.length]).toEqual([5 * count, 5]);
  });

  test("a budget is shared by all of them, within a tenth", async () => {
    const admin = await own.gateway.newTenant();
    for (let i = 0; i < 60; i++) await admin.createAsset({ name: `A ${i}` });
    const caller = await admin.as("viewer");
    const startedAt = performance.now();
    let spent = 0;
    // 101 points, plus one for the request.
    const query = "{ assets(first: 50) { nodes { id } } }";
    const spend = async (i: number) => {
      while (performance.now() - startedAt < 6_000) {
        const reply = await fetch(`${at(i, caller).gateway.url}/graphql`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${caller.key}`, "graphql-cost": "1" },
          body: JSON.stringify({ query }),
        });
        const { extensions } = (await reply.json()) as any;
        if (reply.status === 200) spent += 1 + extensions.cost.actual;
        else await sleep(30);
      }
    };
    await Promise.all(Array.from({ length: 2 * count }, (_, i) => spend(i)));
    const given = budget.perSecond * (budget.seconds + (performance.now() - startedAt) / 1_000);
    console.info(`${count} gateways: ${spent} points spent of ${Math.round(given)}`);
    expect(spent).toBeLessThan(given * 1.1);
    expect(spent).toBeGreaterThan(given * 0.8);
  });

  test("a grant of one gateway is valid at another, once", async () => {
    const { id } = await at(0).createAsset({ name: "Photographed" });
    const file = await image();
    const grant = (
      await at(0).rest("POST", `/assets/${id}/photos/presigned-url`, { filename: "a.jpg", contentType: "image/jpeg", size: file.length })
    ).body;
    const upload = new URL(grant.uploadUrl);
    const elsewhere = new URL(at(1).gateway.url);
    expect(await sendFile(`${elsewhere.origin}${upload.pathname}`, formOf(grant.fields, file))).toEqual({ status: 204, text: "" });
    const registered = await Promise.all(
      Array.from({ length: count }, (_, i) => at(i).rest("POST", `/assets/${id}/photos`, { mediaId: grant.mediaId, filename: "a.jpg" })),
    );
    expect(registered.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(registered.filter(({ status }) => status >= 500)).toEqual([]);
    const { url } = registered.find(({ status }) => status === 201)!.body;
    const link = new URL(url);
    expect((await fetch(`${at(count - 1).gateway.url}${link.pathname}${link.search}`)).status).toBe(200);
  });

  test("the scheduler creates each order once", async () => {
    const caller = await own.gateway.newTenant();
    const { id } = await caller.createAsset({ name: "Due" });
    const due = 150;
    const create = `mutation ($assetId: ID!, $name: Name!) { createProcedure(input: { assetId: $assetId, name: $name, frequency: ANNUAL }) { id } }`;
    for (let n = 0; n < due; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, i) => caller.ask(create, { assetId: id, name: `Procedure ${n + i}` })));
    // Anchored a year ago, so that they were due an hour ago.
    await ask(
      server.url,
      `update "Procedure" set anchor = now() - interval '1 year 1 hour', "anchorSteps" = 0, "nextDue" = now() - interval '1 hour' where "tenantId" = $1`,
      [caller.tenantId],
    );
    const orders = async () =>
      (
        await ask<{ orders: number; procedures: number }>(
          server.url,
          `select count(*)::int as orders, count(distinct "procedureId")::int as procedures from "WorkOrder" where "tenantId" = $1`,
          [caller.tenantId],
        )
      )[0]!;
    await expect.poll(async () => (await orders()).procedures, { interval: 100 }).toBe(due);
    await sleep(2_500);
    expect(await orders()).toEqual({ orders: due, procedures: due });
  });
});
