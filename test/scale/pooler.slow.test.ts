/**
 * PgBouncer in front of PostgreSQL, in session and in transaction mode: with DATABASE_DIRECT_URL everything works, and no session state of
 * a client reaches another. Run by `npm run test:scale`. Skipped without server programs and pgbouncer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cancellation } from "../../src/database/cancellation.js";
import { openPostgresql } from "../../src/database/connection/postgresql.js";
import { writeAs } from "../../src/database/records/author.js";
import { postStream } from "../execution/event-stream.js";
import { binaries, Server } from "../postgresql.js";
import type { Caller, Gateway } from "../world.js";
import { ask, openGateway, Pooler, pgbouncer } from "./servers.js";

if (!binaries || !pgbouncer) console.info("skipped: needs PostgreSQL server programs and pgbouncer (apt-get install pgbouncer)");

describe.skipIf(!binaries || !pgbouncer).each([
  { mode: "transaction", poolSize: 2, connections: "8" },
  // Each connection of a gateway occupies a server connection.
  { mode: "session", poolSize: 20, connections: "3" },
] as const)("PgBouncer in $mode mode with $poolSize connections to the server", ({ mode, poolSize, connections }) => {
  let server: Server;
  let pooler: Pooler;
  let first: Awaited<ReturnType<typeof openGateway>>;
  let second: typeof first;
  let settings: Record<string, string>;
  let tenant: Caller;
  const gateways: Gateway[] = [];

  beforeAll(async () => {
    server = await Server.start();
    pooler = await Pooler.start(server.url, mode, poolSize);
    settings = {
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
      DATABASE_CONNECTIONS: connections,
      // On a slow machine, two connections keep the last of 40 clients waiting for long.
      QUEUE_SECONDS: "300",
    };
    first = await openGateway(settings);
    second = await openGateway(settings);
    gateways.push(first.gateway, second.gateway);
    tenant = await first.gateway.newTenant();
  });

  afterAll(async () => {
    await first?.close();
    await second?.close();
    await pooler?.stop();
    server?.remove();
  });

  const graphql = async (gateway: Gateway, query: string, variables: object = {}, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { status: response.status, headers: response.headers, ...((await response.json()) as { data: any; errors?: any[] }) };
  };
  const rest = (gateway: Gateway, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    gateway.rest(method, path, body, { authorization: `Bearer ${tenant.key}`, ...headers });

  /** A repeated test uses other part numbers and keys. */
  let attempt = 0;

  /** Requests of a client to both gateways in turn. Returns the statuses. */
  async function client(n: number): Promise<number[]> {
    const statuses: number[] = [];
    let turn = n;
    const gateway = () => gateways[turn++ % gateways.length]!;
    const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const answer = await rest(gateway(), method, path, body, headers);
      // With the body, which has the reason.
      if (answer.status >= 400) expect({ method, path, ...answer }).toBeUndefined();
      statuses.push(answer.status);
      return answer.body;
    };
    const query = async (text: string, variables: object = {}) => {
      const answer = await graphql(gateway(), text, variables);
      expect(answer.errors).toBeUndefined();
      statuses.push(answer.status);
      return answer.data;
    };
    const { id } = await send("POST", "/assets", { name: `Pump ${n}`, type: "pump", site: `Site ${n % 3}` });
    await send("PUT", `/assets/${id}`, { name: `Pump ${n} changed` });
    const component = await send("POST", "/components", { name: "Motor", type: "motor", assetId: id });
    await send("POST", "/components/bulk", { operation: "update", componentIds: [component.id], data: { name: "Drive" } });
    await send("GET", `/assets/${id}`);
    const { partId } = await send("POST", "/parts", { partNumber: `P-${attempt}-${n}`, name: "Bearing", stockLevel: 9 });
    await send("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "loss", quantity: -1 });
    const moved = await query(`mutation ($partId: ID!) { issueStock(partId: $partId, input: { quantity: 3 }) { newBalance } }`, { partId });
    expect(moved.issueStock.newBalance).toBe(5);
    const imported = await send("POST", "/assets/import", `name,type\nImported ${n},pump\n`, { "content-type": "text/csv" });
    expect(imported.imported).toBe(1);
    const once = { "idempotency-key": `once-${attempt}-${n}` };
    const created = await send("POST", "/assets", { name: `Once ${n}`, type: "pump" }, once);
    expect(await send("POST", "/assets", { name: `Once ${n}`, type: "pump" }, once)).toEqual(created);
    for (let i = 0; i < 4; i++) {
      const { asset, parts } = await query(
        `query ($id: ID!) { asset(id: $id) { name components { nodes { name } } } parts(first: 50) { nodes { partNumber } } }`,
        { id },
      );
      expect(asset).toEqual({ name: `Pump ${n} changed`, components: { nodes: [{ name: "Drive" }] } });
      expect(parts.nodes.length).toBeGreaterThan(0);
    }
    expect((await query("{ exportAssets }")).exportAssets).toContain(`Pump ${n} changed`);
    await send("DELETE", `/assets/${created.id}`);
    return statuses;
  }

  test("40 clients read, write, move stock, import and repeat writes through two gateways: no response is 500", async () => {
    attempt++;
    const all = (await Promise.all(Array.from({ length: 40 }, (_, n) => client(n)))).flat();
    expect(all.filter((status) => status >= 400)).toEqual([]);
    expect(all.length).toBeGreaterThan(40 * 14);
    expect((await graphql(first.gateway, "{ verifyLedger { balanced } }")).data).toEqual({ verifyLedger: { balanced: true } });
    const [written] = await ask<{ authors: number; unnamed: number }>(
      server.url,
      `select count(distinct "changedBy")::int as authors, (count(*) filter (where "changedBy" is null))::int as unnamed
       from "Change" where "tenantId" = $1 and source in ('rest', 'graphql')`,
      [tenant.tenantId],
    );
    expect(written).toEqual({ authors: 1, unnamed: 0 });
    if (mode === "transaction") {
      const [{ count }] = (await ask<{ count: number }>(
        server.url,
        `select count(*)::int as count from pg_stat_activity where application_name = 'maintenance-gateway'`,
      )) as [{ count: number }];
      expect(count, "connections to the server").toBeLessThanOrEqual(poolSize);
    }
  });

  test("settings for one client's statements do not apply to another's", async () => {
    const stranger = new pg.Client({ connectionString: pooler.url, application_name: "stranger" });
    await stranger.connect();
    const [own] = await ask<{ statement_timeout: string }>(server.url, "show statement_timeout");
    let isOver = false;
    const traffic = Promise.all(
      [0, 1, 2, 3].map(async (n) => {
        for (let i = 0; !isOver; i++) {
          await rest(gateways[n % 2]!, "POST", "/assets", { name: `Leak ${n} ${i}`, type: "pump" });
          await graphql(gateways[n % 2]!, "{ assets(first: 3) { nodes { id } } }");
        }
      }),
    );
    const backends = new Set<number>();
    for (let i = 0; i < 300; i++) {
      const { rows } = await stranger.query(
        `select pg_backend_pid() as backend, coalesce(current_setting('gateway.author', true), '') as author,
           coalesce(current_setting('gateway.tenant', true), '') as tenant, current_setting('statement_timeout') as "statementTimeout",
           (select count(*)::int from pg_prepared_statements) as prepared`,
      );
      const { backend, ...settings } = rows[0];
      backends.add(backend);
      expect(settings).toEqual({ author: "", tenant: "", statementTimeout: own!.statement_timeout, prepared: 0 });
    }
    isOver = true;
    await traffic;
    await stranger.end();
    expect(backends.size, "connections that the stranger was given").toBe(mode === "transaction" ? poolSize : 1);
  });

  test("a statement and a transaction end with the gateway's timeout, another client's statement does not", async () => {
    const hasty = await openGateway({ ...settings, STATEMENT_TIMEOUT_MS: "3000" });
    const { database } = hasty.gateway;
    try {
      const stranger = ask(pooler.url, "select pg_sleep(4.5)");
      const cut = { code: "57014" };
      await expect(database.query("select pg_sleep(30)")).rejects.toMatchObject(cut);
      const within = database.transaction(async (tx) => {
        await tx.query("select 1");
        await tx.query("select pg_sleep(30)");
      });
      await expect(within).rejects.toMatchObject(cut);
      await stranger;
    } finally {
      await hasty.close();
    }
  });

  test("a subscription gets what the other gateway writes", async () => {
    const abort = new AbortController();
    const stream = await postStream(
      { gateway: first.gateway, key: tenant.key },
      { query: "subscription { changes(recordTypes: [ASSET]) { kind recordId } }" },
      { signal: abort.signal },
    );
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    const read = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        seen += value;
      }
    })().catch(() => undefined);
    await sleep(500);
    const { body } = await rest(second.gateway, "POST", "/assets", { name: "Told", type: "pump" });
    await expect.poll(() => seen).toContain(body.id);
    abort.abort();
    await read;
  });

  test("cancelling statements of one gateway never ends those of another, nor the pooler", async () => {
    const url = { url: pooler.url, directUrl: server.url, statementTimeout: 20_000 };
    const cancelling = openPostgresql({ ...url, connections: 4 });
    const other = openPostgresql({ ...url, connections: 2 });
    const reason = new Error("nobody waits");
    let isOver = false;
    let aborted = 0;
    const abort = async () => {
      while (!isOver) {
        const waiting = new Cancellation();
        const timer = sleep(Math.random() * 8).then(() => waiting.cancel(reason));
        await cancelling.query("/* planned each time */ select pg_sleep($1)", [Math.random() / 150], waiting).catch((error) => {
          expect(error).toBe(reason);
          aborted++;
        });
        await timer;
      }
    };
    const bystander = async () => {
      for (let i = 0; i < 600 || aborted < 8; i++)
        expect(await other.query("select $1::int as i, pg_sleep(0.002)::text", [i])).toMatchObject([{ i }]);
    };
    const aborters = Array.from({ length: 4 }, abort);
    try {
      await Promise.all([bystander(), bystander()]).finally(() => (isOver = true));
      await Promise.all(aborters);
      expect(pooler.isRunning).toBe(true);
      const waiting = new Cancellation();
      const long = cancelling.query("select pg_sleep(15)", [], waiting);
      setTimeout(() => waiting.cancel(reason), 300);
      await expect(long).rejects.toBe(reason);
      expect(
        await ask(
          server.url,
          `select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(15)%' and pid <> pg_backend_pid()`,
        ),
      ).toEqual([]);
      console.info(`${mode}: ${aborted} statements cancelled beside 1,200 of another process`);
    } finally {
      await cancelling.close();
      await other.close();
    }
    // PgBouncer answers a request that came too late only after 10 seconds.
  });

  test("writes carry their author, statement by statement, regardless of the connection's previous user", async () => {
    const { database } = first.gateway;
    const author = (by: string) => ({ by, source: "command", operation: "test", tenantId: tenant.tenantId }) as const;
    const read = `select current_setting('gateway.author', true) as author`;
    const told = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        writeAs(author(`by ${i}`), () =>
          database.transaction(async (tx) => (await tx.query<{ author: string }>(`with one as (select 1) ${read} from one`))[0]!.author),
        ),
      ),
    );
    expect(told.map((text) => JSON.parse(text).by)).toEqual(told.map((_, i) => `by ${i}`));
    expect((await database.query<{ author: string | null }>(read))[0]!.author ?? "").toBe("");
  });

  test("while the server behind it is away requests get 503, and then succeed again", async () => {
    expect((await rest(first.gateway, "GET", "/assets?limit=1")).status).toBe(200);
    server.stop("fast");
    const away: [number, string | null][] = [];
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await rest(first.gateway, i ? "GET" : "POST", "/assets", i ? undefined : { name: "Away", type: "pump" });
      away.push([status, headers.get("retry-after")]);
    }
    expect(away).toEqual(Array(3).fill([503, "2"]));
    server.resume();
    await expect.poll(async () => (await rest(first.gateway, "POST", "/assets", { name: "Back", type: "pump" })).status).toBe(201);
  });
});
