/**
 * PostgreSQL is down for 12 seconds with open subscriptions: each subscriber sees every change once and in order, and the gateway returns
 * to its previous number of connections. Run by `npm run test:fault`. Skipped without server programs.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { createSubscriptions } from "../../packages/client/src/subscriptions.js";
import { build } from "../generate.js";
import { binaries, Server } from "../postgresql.js";

const outageMs = 12_000;
const sockets = 20;
const streams = 5;
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

interface Seen {
  recordId: string;
  kind: string;
  version: number;
}

describe.skipIf(!binaries)("PostgreSQL stopped for 12 s with subscribers open", () => {
  let server: Server;
  let gateway: ChildProcess;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), "gateway-fault-data-"));
  const environment = () => ({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATABASE_URL: server.url,
    DATA_DIR: folder,
    DATABASE_CONNECTIONS: "6",
    LOG_LEVEL: "silent",
    PORT: "0",
  });

  beforeAll(async () => {
    await build();
    server = await Server.start();
    gateway = spawn(process.execPath, [main, "serve"], { env: environment(), stdio: ["ignore", "ignore", "pipe"] });
    url = await new Promise((resolve, reject) => {
      gateway.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
      gateway.stderr!.on("data", (text) => {
        const [found] = /http:\/\/[\d.]+:\d+/.exec(String(text)) ?? [];
        if (found) resolve(found);
      });
    });
  });

  afterAll(async () => {
    if (gateway?.exitCode === null) {
      gateway.kill();
      await once(gateway, "exit");
    }
    server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Rows of the server, over a connection outside the gateway. */
  async function rows<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    return (await client.query<T>(sql, values).finally(() => client.end())).rows;
  }

  /** Maximum number of the gateway's connections within some seconds, and the number that listen. */
  async function connections(): Promise<{ all: number; listening: number }> {
    const most = { all: 0, listening: 0 };
    for (let i = 0; i < 20; i++) {
      const [found] = await rows<{ all: number; listening: number }>(
        `select count(*)::int as "all", (count(*) filter (where query ilike 'listen %'))::int as listening
         from pg_stat_activity where starts_with(application_name, 'maintenance-gateway')`,
      );
      most.all = Math.max(most.all, found!.all);
      most.listening = Math.max(most.listening, found!.listening);
      await sleep(150);
    }
    return most;
  }

  test.each(["fast", "immediate"] as const)(
    "%s: each change once and in order, and no surplus connection",
    async (mode) => {
      const tenant = `outage-${mode}`;
      const key = execFileSync(process.execPath, [main, "key", "--tenant", tenant, "--role", "admin"], { env: environment() })
        .toString()
        .trim();
      const over = Object.fromEntries(
        (["websocket", "sse"] as const).map((transport) => [
          transport,
          () => createSubscriptions({ url: `${url}/graphql`, key, transport, webSocketImpl: WebSocket }),
        ]),
      );
      // Each event reads its record from the database, so an event may be in progress when the database stops.
      const query = `subscription ($after: String) { changes(recordTypes: [ASSET], after: $after) {
      recordId kind version record { ... on Asset { id name } } } }`;
      const failures: unknown[] = [];
      const subscribers = [...Array(sockets).fill(over.websocket), ...Array(streams).fill(over.sse)].map((open) => {
        const client = open();
        const seen: Seen[] = [];
        const follow = async () => {
          for await (const { changes } of client.subscribe(query, {})) {
            const { record, ...change } = changes;
            if (!record) failures.push(`${change.recordId} without its record`);
            seen.push(change);
          }
        };
        follow().catch((error: unknown) => failures.push(error));
        return { seen, close: () => client.close() };
      });

      /** Retries with the same key until the request succeeds. */
      const write = async (method: string, path: string, body: object): Promise<{ id: string }> => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": randomUUID() };
        for (;;) {
          const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
          if (response.ok) return (await response.json()) as { id: string };
          // 409: the previous attempt is still running.
          if (![503, 409].includes(response.status)) throw new Error(`${response.status} ${await response.text()}`);
          await response.text();
          await sleep(200);
        }
      };
      const answered: Seen[] = [];
      let isOver = false;
      const writer = async (name: string) => {
        while (!isOver) {
          const { id } = await write("POST", "/assets", { name, type: "pump" });
          answered.push({ recordId: id, kind: "CREATED", version: 1 });
          for (let version = 2; version < 6 && !isOver; version++) {
            await write("PUT", `/assets/${id}`, { name: `${name} ${version}` });
            answered.push({ recordId: id, kind: "UPDATED", version });
          }
        }
      };
      const writers = Promise.all(["A", "B", "C", "D"].map(writer));
      writers.catch((error: unknown) => failures.push(error));
      await expect.poll(() => subscribers.every(({ seen }) => seen.length)).toBe(true);
      await sleep(2_000);
      const before = await connections();

      server.stop(mode);
      await sleep(outageMs);
      server.resume();

      const answeredBefore = answered.length;
      await expect.poll(() => answered.length).toBeGreaterThan(answeredBefore + 50);
      await sleep(5_000);
      const after = await connections();
      isOver = true;
      await writers;

      const logged = await rows<Seen>(
        `select "recordId", upper(kind) as kind, version from "Change" where "tenantId" = $1 and "recordType" = 'Asset'
       order by "logTransaction", "logSequence"`,
        [tenant],
      );
      const text = ({ recordId, kind, version }: Seen) => `${recordId} ${kind} ${version}`;
      expect(logged.map(text).sort(), "an answered write is stored once").toEqual(answered.map(text).sort());
      const last = text(logged.at(-1)!);
      await expect
        .poll(() => subscribers.filter(({ seen }) => seen.length && text(seen.at(-1)!) === last).length)
        .toBe(subscribers.length)
        .catch((error) => {
          throw failures.length ? new AggregateError(failures, `${failures.length} failed, first: ${failures[0]}`) : error;
        });
      await sleep(1_000);
      expect(failures).toEqual([]);
      for (const { seen, close } of subscribers) {
        const first = logged.findIndex((one) => text(one) === text(seen[0]!));
        expect(seen.map(text)).toEqual(logged.slice(first).map(text));
        close();
      }
      console.info(`${mode}: ${logged.length} changes, connections ${before.all} before and ${after.all} after`);
      expect([before.listening, after.listening]).toEqual([1, 1]);
      expect(after.all).toBeLessThanOrEqual(before.all + 1);
    },
    300_000,
  );
});
