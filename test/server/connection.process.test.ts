/** The service and PostgreSQL in processes: two concurrent migrations, and a connection that is lost and restored. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { root } from "../../scripts/stale.mjs";
import type { Settings } from "../cli/run-command.js";
import { build } from "../generate.js";
import { onServer, urlOf } from "../prepare.js";
import { call, cleanUpProcesses, cleanups, fresh, isOver, keyFor, lastCleanups, lines, serve, sharedService, stop } from "./running.js";

const onPostgresql = Boolean(inject("template"));

beforeAll(build);
cleanUpProcesses();

/** A TCP proxy to PostgreSQL. Cut, it drops all connections; stalled, it keeps them but forwards nothing. */
class DatabaseProxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private stalled = false;
  port = 0;

  constructor(private readonly target: URL) {}

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
    expect(both.filter(({ err }) => /applied/.test(err()))).toHaveLength(1);
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
      // When the server stalls, the first waiting requests do not know yet that the database is unavailable.
      else expect(body.error, what).toMatch(/database cannot be reached|service is busy/);
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

  /** A single process that reaches its database through a proxy, started before the database and stopped after it. */
  describe("a connection that comes and goes", () => {
    let settings: Settings;
    let known: string;
    let proxy: DatabaseProxy;
    const service = sharedService(() => ({ ...proxy.settings(settings), LOG_LEVEL: "info" }));

    beforeAll(async () => {
      settings = await fresh(lastCleanups);
      known = await keyFor(settings);
      proxy = await new DatabaseProxy(new URL(settings.DATABASE_URL!)).open();
      lastCleanups.push(() => proxy.cut());
    });

    it("is waited for when the database starts late", async () => {
      proxy.cut();
      const starting = service.start();
      await expect.poll(starting.err).toMatch(/waiting up to 30 s for the database/);
      await sleep(1_000);
      await proxy.open();
      const running = await service.up();
      expect(storyOf(running.err())).toEqual([
        expect.stringMatching(
          /^INFO starting maintenance-gateway \d+\.\d+\.\d+\S* on Node\.js v\d\S+, with PostgreSQL at 127\.0\.0\.1:\d+$/,
        ),
        expect.stringMatching(/^INFO waiting up to 30 s for the database: /),
        expect.stringMatching(/^INFO maintenance-gateway answers at http:/),
      ]);
    });

    it.each(["cut", "stall"] as const)("causes 503 with Retry-After, and the service recovers: %s", async (how) => {
      const unknown = await keyFor(settings);
      const running = await service.up();
      for (const _ of ["once", "again"]) {
        await Promise.all(Array.from({ length: 10 }, () => call(`${running.url}/assets`, known)));
        proxy[how]();
        await expectUnavailable(running.url, known, unknown);
        if (how === "cut") await proxy.open();
        else proxy.resume();
        await expectRecovery(running.url, known);
      }
      expect(isOver(running)).toBe(false);
    });

    it("is logged in one line each, and requests refused meanwhile have no stack", async () => {
      const running = await service.up();
      const before = lines(running.err()).length;
      const refusedBefore = lines(running.out()).length;
      await call(`${running.url}/assets`, known);
      proxy.cut();
      for (let i = 0; i < 3; i++) expect((await call(`${running.url}/assets`, known)).status).toBe(503);
      await proxy.open();
      await expectRecovery(running.url, known);
      const said = lines(running.err()).slice(before).join("\n");
      const told = storyOf(said).filter((line) => !line.startsWith("WARN lost a database connection: "));
      expect(told).toEqual([
        expect.stringMatching(/^ERROR database lost: /),
        expect.stringMatching(/^INFO database found again after \d+\.\d s$/),
      ]);
      const logged = lines(running.out()).slice(refusedBefore);
      expect(logged.filter((line) => line.includes('"msg":"request refused"')).length).toBeGreaterThanOrEqual(3);
      expect(logged.filter((line) => line.includes('"stack"'))).toEqual([]);
      await call(`${running.url}/health`, known);
      await call(`${running.url}/ready`, known);
      expect(lines(running.out()).filter((line) => /"url":"\/(health|ready)"/.test(line))).toEqual([]);
    });

    it("causes no 500 if the server ended it, and the service recovers", async () => {
      const running = await service.up();
      const statuses = new Set<number>();
      let done = false;
      const reader = async (i: number) => {
        while (!done) {
          statuses.add((await call(`${running.url}/assets`, known)).status);
          statuses.add((await call(`${running.url}/${i % 2 ? "assets" : "components"}`, known, "POST", { name: "x", type: "y" })).status);
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
      await expectRecovery(running.url, known);
    });

    it("does not prevent a clean shutdown", async () => {
      const running = await service.up();
      proxy.cut();
      expect(await stop(running)).toBe(0);
      const told = storyOf(running.err()).filter((line) => line.startsWith("INFO stop"));
      expect(told).toEqual(["INFO stopping: SIGTERM", expect.stringMatching(/^INFO stopped after \d+\.\d s$/)]);
    });
  });
});

/** The log lines of the service without timestamps. Throws if a line has no timestamp and level. */
function storyOf(text: string): string[] {
  const told = lines(text).map((line) => {
    const [, level, message] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO |WARN |ERROR) (.*)$/.exec(line) ?? [];
    if (level === undefined) throw new Error(`no time and level: ${line}`);
    return `${level.trim()} ${message}`;
  });
  return told.filter((line) => !line.includes("SECRETS_KEY"));
}
