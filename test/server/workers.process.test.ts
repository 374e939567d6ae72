/** WORKERS: several processes behind one port that behave as one, also while they are killed. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import WebSocket from "ws";
import { connectToMigrate } from "../../src/database/migrations/connection.js";
import { expectOneClearLine, runBuilt, type Settings } from "../cli/run-command.js";
import { listens } from "../deploy/service.js";
import { build } from "../generate.js";
import { bearer, call, cleanUpProcesses, cleanups, fresh, keyFor, lastCleanups, lines, type Serving, sharedService } from "./running.js";

const onPostgresql = Boolean(inject("template"));

beforeAll(build);
cleanUpProcesses();

const token = "a-token-of-the-tests";

interface Reply {
  status: number;
  body: any;
  /** Whether the connection had been used before. */
  isKept: boolean;
}

let requests = 0;

/** A kept connection. All its requests reach the same worker. */
class Connection {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Id of the last request. */
  last = "";

  constructor(private readonly url: string) {
    cleanups.push(() => this.agent.destroy());
  }

  /** An error of the connection has the property `isKept`, too. */
  send(key: string, method: string, path: string, body?: unknown, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    const requestId = `request-${++requests}`;
    return new Promise((resolve, reject) => {
      const sent = request(
        this.url + path,
        {
          agent: this.agent,
          method,
          headers: {
            ...bearer(key),
            "x-request-id": requestId,
            ...(body !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
        },
        async (response) => {
          try {
            let text = "";
            for await (const chunk of response) text += chunk;
            this.last = requestId;
            resolve({ status: response.statusCode!, body: JSON.parse(text), isKept: sent.reusedSocket });
          } catch (error) {
            reject(Object.assign(error as Error, { isKept: sent.reusedSocket }));
          }
        },
      );
      sent.on("error", (error) => reject(Object.assign(error, { isKept: sent.reusedSocket })));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** The process that answered each request, from the service's log. */
const pidsByRequest = (running: Serving): Map<string, number> =>
  new Map(
    lines(running.out())
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "request")
      .map(({ reqId, pid }) => [reqId, pid]),
  );

/** Connections by the process of their worker, until both workers have one. */
async function connectionsByWorker(running: Serving, key: string): Promise<Map<number, Connection>> {
  const found = new Map<number, Connection>();
  while (found.size < 2) {
    const connection = new Connection(running.url);
    await connection.send(key, "GET", "/assets?limit=1");
    await expect.poll(() => pidsByRequest(running).get(connection.last), { interval: 10 }).toBeDefined();
    found.set(pidsByRequest(running).get(connection.last)!, connection);
  }
  return found;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Values by series. */
async function metricsAt(url: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: bearer(token) });
  expect(response.status).toBe(200);
  const series = lines(await response.text()).filter((line) => !line.startsWith("#"));
  return new Map(series.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]));
}

const served = 'gateway_requests_total{transport="rest",operation="GET /parts",status="200"}';

const onDatabase = async <T>(settings: Settings, text: string): Promise<T[]> => {
  const db = await connectToMigrate(settings.DATABASE_URL!);
  try {
    return await db.query<T>(text);
  } finally {
    await db.close();
  }
};

describe.runIf(onPostgresql)("two workers", () => {
  let settings: Settings;
  let key: string;
  let metricsUrl: string;
  let running: Serving;
  const service = sharedService(() => ({
    ...settings,
    WORKERS: "2",
    LOG_LEVEL: "info",
    DATABASE_CONNECTIONS: "5",
    METRICS_PORT: new URL(metricsUrl).port,
    METRICS_TOKEN: token,
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_TENANT: "0",
  }));

  beforeAll(async () => {
    settings = await fresh(lastCleanups);
    key = await keyFor(settings);
    metricsUrl = `http://127.0.0.1:${await freePort()}`;
  });
  beforeEach(async () => {
    running = await service.up();
  });

  it("answer at one address, which is logged once", async () => {
    const workers = [...(await connectionsByWorker(running, key)).keys()];
    expect(new Set([...workers, running.child.pid]).size).toBe(3);
    expect(lines(running.err()).map((line) => line.replace(/^\S+Z /, ""))).toEqual([
      expect.stringMatching(/^INFO {2}starting maintenance-gateway .*, in 2 workers$/),
      expect.stringContaining("plain text; set SECRETS_KEY"),
      expect.stringContaining(`answers at ${running.url}`),
    ]);
    // A terminal sends it to all processes.
    for (const worker of workers) process.kill(worker, "SIGINT");
    await sleep(200);
    expect(new Set((await connectionsByWorker(running, key)).keys())).toEqual(new Set(workers));
  });

  it("report the sum of their metrics, at both addresses", async () => {
    const before = (await metricsAt(metricsUrl)).get(served) ?? 0;
    const workers = [...(await connectionsByWorker(running, key)).values()];
    for (const [i, worker] of workers.entries())
      for (let n = 0; n < 2 + i; n++) expect((await worker.send(key, "GET", "/parts")).status).toBe(200);
    for (const url of [metricsUrl, running.url])
      await expect.poll(async () => (await metricsAt(url)).get(served), { interval: 20 }).toBe(before + 5);
    const values = await metricsAt(metricsUrl);
    expect(values.get("gateway_processes")).toBe(2);
    expect(values.get("gateway_database_connections_max")).toBe(10);
    expect(values.get('gateway_request_duration_seconds_count{transport="rest",operation="GET /parts"}')).toBe(before + 5);
    // The same in each worker.
    expect([...values].filter(([series]) => /^(gateway_info|gateway_database_server)\{/.test(series)).map(([, value]) => value)).toEqual([
      1, 1,
    ]);
    expect((await fetch(`${metricsUrl}/metrics`)).status).toBe(401);
  });

  it("both refuse a revoked key", async () => {
    const revoked = await keyFor(settings, "--name", "revoked");
    const workers = [...(await connectionsByWorker(running, revoked)).values()];
    const { body } = await workers[0]!.send(key, "POST", "/graphql", { query: "{ apiKeys { nodes { id name } } }" });
    const { id } = body.data.apiKeys.nodes.find(({ name }: { name: string }) => name === "revoked");
    const revoke = { query: "mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", variables: { id } };
    expect((await workers[0]!.send(key, "POST", "/graphql", revoke)).body.data.revokeApiKey.id).toBe(id);
    expect((await workers[0]!.send(revoked, "GET", "/assets")).status).toBe(401);
    await expect.poll(async () => (await workers[1]!.send(revoked, "GET", "/assets")).status, { interval: 10 }).toBe(401);
    for (const worker of [...workers, ...workers, ...workers]) expect((await worker.send(revoked, "GET", "/assets")).status).toBe(401);
  });

  it("after kill -9 of a worker under load: only its requests fail, each write happens once, followers see each change once", async () => {
    const counted = (await metricsAt(metricsUrl)).get(served)!;
    const killed: number[] = [];
    const failures: { isKept: boolean; last: string }[] = [];
    const stored: string[] = [];
    let isOver = false;

    const client = async (number: number) => {
      const connection = new Connection(running.url);
      for (let i = 0; !isOver; i++) {
        const name = `pump ${number} ${i}`;
        for (let isStored = false; !isStored; ) {
          const { last } = connection;
          try {
            const sent = { name, type: "pump" };
            const { status, body } = await connection.send(key, "POST", "/assets", sent, { "idempotency-key": name.replaceAll(" ", "-") });
            // The request of the killed worker has not been rolled back yet.
            if (status === 409) await sleep(20);
            else expect(status, JSON.stringify(body)).toBe(201);
            isStored = status === 201;
          } catch (error) {
            if (!("isKept" in (error as Error))) throw error;
            failures.push({ isKept: (error as unknown as Reply).isKept, last });
          }
        }
        stored.push(name);
      }
    };

    const events: string[][] = [[], []];
    const follow = async (seen: string[], isLive: () => boolean) => {
      for (let after: string | undefined; isLive(); await sleep(20)) {
        const live = createClient({
          url: `${running.url.replace("http", "ws")}/graphql`,
          webSocketImpl: WebSocket,
          connectionParams: bearer(key),
          retryAttempts: 0,
        });
        const query = "subscription ($after: String) { changes(recordTypes: [ASSET], after: $after) { recordId } }";
        const ended = new Promise<void>((resolve) => {
          live.subscribe(
            { query, variables: { after } },
            {
              next({ data, errors, extensions }) {
                after = (extensions as { token: string }).token;
                // LAGGED: continues after the token.
                if (errors) resolve();
                else seen.push((data as any).changes.recordId);
              },
              error: () => resolve(),
              complete: resolve,
            },
          );
        });
        const untilOver = async () => {
          while (isLive()) await sleep(20);
        };
        await Promise.race([ended, untilOver()]);
        await Promise.resolve(live.dispose()).catch(() => {});
      }
    };
    let isFollowed = true;
    const followers = events.map((seen) => follow(seen, () => isFollowed));
    // A follower has a token after its first event.
    await expect
      .poll(
        async () => {
          await call(`${running.url}/assets`, key, "POST", { name: "first", type: "pump" });
          return events.every(({ length }) => length);
        },
        { interval: 50 },
      )
      .toBe(true);

    const clients = Promise.all(Array.from({ length: 12 }, (_, i) => client(i)));
    const kill = async () => {
      const goal = stored.length + 100;
      await expect.poll(() => stored.length, { interval: 10 }).toBeGreaterThan(goal);
      // The worker of the last response: the other one may have no clients.
      const worker = [...pidsByRequest(running).values()].at(-1)!;
      killed.push(worker);
      process.kill(worker, "SIGKILL");
      await expect.poll(() => running.err().split("replaced\n").length - 1, { timeout: 120_000 }).toBe(killed.length);
    };
    const kills = async () => {
      for (let i = 0; i < 2; i++) await kill();
      isOver = true;
    };
    await Promise.all([kills(), clients]).finally(() => (isOver = true));

    expect(failures.length).toBeGreaterThan(0);
    const pids = pidsByRequest(running);
    const hit = failures.filter(({ isKept, last }) => isKept && pids.has(last)).map(({ last }) => pids.get(last)!);
    expect(hit.length).toBeGreaterThan(0);
    expect(hit.filter((pid) => !killed.includes(pid))).toEqual([]);
    for (const pid of killed)
      expect(running.err()).toMatch(new RegExp(`WARN {2}worker \\d \\(process ${pid}\\) ended by SIGKILL; another starts`));
    const now = [...(await connectionsByWorker(running, key)).keys()];
    expect(now.filter((pid) => killed.includes(pid))).toEqual([]);

    const rows = await onDatabase<{ name: string; count: number }>(
      settings,
      `select name, count(*)::int as count from "Asset" where name like 'pump %' group by name`,
    );
    expect(rows.filter(({ count }) => count !== 1)).toEqual([]);
    expect(rows.map(({ name }) => name).sort()).toEqual([...stored].sort());

    const logged = await onDatabase<{ recordId: string }>(
      settings,
      `select "recordId" from "Change" where "tenantId" = 'plant' and "recordType" = 'Asset' order by "logTransaction", "logSequence"`,
    );
    const ids = logged.map(({ recordId }) => recordId);
    for (const seen of events) {
      const expected = ids.slice(ids.indexOf(seen[0]!));
      await expect.poll(() => seen.length).toBe(expected.length);
      expect(seen).toEqual(expected);
    }
    isFollowed = false;
    await Promise.all(followers);
    // Prometheus would take a smaller sum for a restart from zero.
    expect((await metricsAt(metricsUrl)).get(served)).toBe(counted);
  });

  it("finish their requests at kill -9 of the primary process, and end", async () => {
    const workers = [...(await connectionsByWorker(running, key)).values()];
    running.child.kill("SIGKILL");
    const outcomes = await Promise.all(workers.map((worker) => worker.send(key, "POST", "/assets", { name: "last", type: "pump" })));
    expect(outcomes.map(({ status }) => status)).toEqual([201, 201]);
    // Also waits for the workers, which have the same output.
    expect((await running.ended).code).toBe("SIGKILL");
    expect(await listens(running.url)).toBe(false);
  });
});

describe("a start that fails", () => {
  it("on the embedded database: one process only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "workers-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    expectOneClearLine(
      await runBuilt(["serve"], { DATA_DIR: folder, WORKERS: "2" }),
      /WORKERS: needs DATABASE_URL: the embedded database has one process$/,
    );
  });

  it.runIf(onPostgresql)("on ports in use: the message of a single process", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    cleanups.push(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const settings = await fresh();
    for (const WORKERS of ["1", "2"]) {
      const withSecrets = { ...settings, WORKERS, SECRETS_KEY: Buffer.alloc(32, 1).toString("base64") };
      expectOneClearLine(
        await runBuilt(["serve"], { ...withSecrets, PORT: String(port) }),
        new RegExp(`: port ${port} of 127.0.0.1 is in use; stop the other program or set PORT$`),
      );
      expectOneClearLine(
        await runBuilt(["serve"], { ...withSecrets, METRICS_PORT: String(port) }),
        new RegExp(`: port ${port} of 127.0.0.1 is in use; stop what listens there or set METRICS_PORT$`),
      );
    }
  });
});
