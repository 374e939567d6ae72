/**
 * Budgets and slots from the caller's side: refusals, their messages, and the isolation of tenants from each other's load
 * (docs/fairness.md).
 */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Caller, type Gateway, startGateway } from "../world.js";
import { postStream } from "./event-stream.js";

/** Makes the refusals readable by reason. */
const metered = { METRICS_TOKEN: "a-token-of-the-tests" };

/** Refusals since the start, without reasons that have none. */
async function refusedBy({ url }: Gateway): Promise<Record<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metered.METRICS_TOKEN}` } });
  const counted = [...(await response.text()).matchAll(/^gateway_admission_refused_total\{reason="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(counted.map(([, reason, count]) => [reason, Number(count)]).filter(([, count]) => count));
}

const ample = { RATE_LIMIT_TENANT: "1000000" };
const empty = "{ assets(first: 500) { nodes { id } } }";
/** Costs 82 points. */
const large = "{ assets(first: 80) { nodes { id } } }";
const small = "{ viewer { role } }";

interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

async function ask({ gateway, key }: Caller, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const reply = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ query }),
  });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

const costs = { "graphql-cost": "1" };

describe("a budget", () => {
  // 100 points, of which a process borrows 5.
  const strict = startGateway({ RATE_LIMIT_KEY: "1", RATE_LIMIT_BURST: "100", ...ample });

  test("refuses an operation if points are lacking, and reports the cost to GraphQL", async () => {
    const caller = await (await strict).newTenant();
    expect((await ask(caller, large)).status).toBe(200);
    for (let i = 0; i < 10; i++) await ask(caller, small);
    const { status, headers, body } = await ask(caller, large);
    expect(status).toBe(429);
    const { available } = body.extensions.cost;
    expect(available).toBeLessThan(82);
    const retryAfter = Number(headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(82 - available);
    expect(retryAfter).toBeLessThanOrEqual(82 - available + 1);
    expect(body).toEqual({
      errors: [
        {
          message: "Too many requests",
          extensions: {
            code: "RATE_LIMITED",
            message: expect.stringMatching(
              /^The budget of this key is 100 points, of which 1 come back each second \(RATE_LIMIT_KEY\); this needs 82, and \d+ are left$/,
            ),
            retryAfter,
          },
        },
      ],
      extensions: { cost: { requested: 82, actual: 0, available, restoreRate: 1 } },
    });
    expect(headers.get("ratelimit-policy")).toBe('"key";q=100;w=100, "tenant";q=100000000;w=100');
    expect(headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+, "tenant";r=\d+;t=\d+$/);
  });

  test("refuses REST with its own message", async () => {
    const caller = await (await strict).newTenant();
    for (let i = 0; i < 30; i++) await ask(caller, small);
    const { status, headers, body } = await caller.rest("GET", "/assets?limit=30");
    expect(status).toBe(429);
    expect(body).toEqual({
      error: "Too many requests",
      code: "RATE_LIMITED",
      message: expect.stringMatching(
        /^The budget of this key is 100 points, of which 1 come back each second \(RATE_LIMIT_KEY\); this needs \d+, and \d+ are left$/,
      ),
      retryAfter: Number(headers.get("retry-after")),
      requestId: headers.get("x-request-id"),
    });
    expect(headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+, /);
  });

  test("that can never hold the cost of an operation refuses it permanently, over both APIs, before anything is taken", async () => {
    const caller = await (await strict).newTenant();
    const tooExpensive = (points: number) =>
      `This needs ${points} points, more than the budget of this key ever holds; ask for less at a time, or have RATE_LIMIT_KEY or RATE_LIMIT_BURST raised; the limit is 99 (cost)`;
    const limit = { code: "BAD_USER_INPUT", limit: "cost", value: 99 };
    // A full 100 would be available if the request itself were free.
    for (const [size, points] of [
      [500, 502],
      [98, 100],
    ]) {
      const { status, headers, body } = await ask(caller, `{ assets(first: ${size}) { nodes { id } } }`);
      expect([status, headers.get("retry-after")]).toEqual([200, null]);
      expect(body).toEqual({
        errors: [{ message: tooExpensive(points!), extensions: limit }],
        extensions: { cost: { requested: points, actual: 0, available: expect.any(Number), restoreRate: 1 } },
      });
      expect(body.extensions.cost.available).toBeGreaterThanOrEqual(96);
    }
    const { status, headers, body } = await caller.rest("GET", "/assets?limit=1000");
    const [, points] = /^This needs (\d+) /.exec(body.error)!;
    expect([status, headers.get("retry-after")]).toEqual([400, null]);
    expect(body).toEqual({ error: tooExpensive(Number(points)), ...limit, requestId: headers.get("x-request-id") });
  });

  test("that can never hold the cost of a body refuses it permanently", async () => {
    const caller = await (await strict).newTenant();
    const { status, headers, body } = await ask(caller, `# ${"x".repeat(200_000)}\n${small}`);
    expect([status, headers.get("retry-after")]).toEqual([400, null]);
    expect(body.errors[0].message).toBe(
      "This needs 196 points, more than the budget of this key ever holds; ask for less at a time, or have RATE_LIMIT_KEY or RATE_LIMIT_BURST raised; the limit is 100 (cost)",
    );
  });

  test("that is used up refuses a request before it is parsed, with the cost too", async () => {
    const caller = await (await strict).newTenant();
    let last = await ask(caller, small);
    // Few points, so that some requests are refused on arrival rather than by their operation.
    for (let i = 0; i < 200 && !(last.status === 429 && last.body.extensions?.cost?.requested === 1); i++) last = await ask(caller, small);
    expect(last).toMatchObject({ status: 429, body: { errors: [{ extensions: { code: "RATE_LIMITED", retryAfter: 1 } }] } });
    expect(last.headers.get("retry-after")).toBe("1");
    expect(last.headers.get("ratelimit")).toMatch(/^"key";r=0;t=100, /);
    expect(last.body.extensions).toEqual({ cost: { requested: 1, actual: 0, available: 0, restoreRate: 1 } });
  });

  test("of one key is separate from another key's, and from another tenant's", async () => {
    const gateway = await strict;
    const caller = await gateway.newTenant();
    const colleague = await caller.as("viewer");
    const stranger = await gateway.newTenant();
    for (let i = 0; i < 200; i++) if ((await ask(caller, small)).status === 429) break;
    expect((await ask(caller, "{ assets(first: 5) { nodes { id } } }")).status).toBe(429);
    expect((await ask(colleague, small)).status).toBe(200);
    expect((await ask(stranger, small)).status).toBe(200);
  });

  test("of a tenant is shared by all of its keys", async () => {
    const gateway = await startGateway({ RATE_LIMIT_KEY: "1000", RATE_LIMIT_TENANT: "1", RATE_LIMIT_BURST: "100" });
    const tenant = await gateway.newTenant();
    const keys = [tenant, await tenant.as("viewer"), await tenant.as("technician")];
    let refused: Answer | undefined;
    for (let i = 0; i < 200 && !refused; i++) {
      const answer = await ask(keys[i % 3]!, small);
      if (answer.status !== 200) refused = answer;
    }
    expect(refused).toMatchObject({ status: 429, body: { extensions: { cost: { restoreRate: 1 } } } });
    expect(refused!.body.errors[0].extensions.message).toMatch(/^The budget of this tenant is 100 points, .*\(RATE_LIMIT_TENANT\)/);
    expect((await ask(await gateway.newTenant(), small)).status).toBe(200);
  });

  test("is restored", async () => {
    const gateway = await startGateway({ RATE_LIMIT_KEY: "10", RATE_LIMIT_BURST: "3", ...ample });
    const caller = await gateway.newTenant();
    let refused: Answer | undefined;
    for (let i = 0; i < 300 && !refused; i++) {
      const answer = await ask(caller, "{ assets(first: 20) { nodes { id } } }");
      if (answer.status !== 200) refused = answer;
    }
    expect(refused?.status).toBe(429);
    await delay(Number(refused!.headers.get("retry-after")) * 1_000 + 100);
    expect((await ask(caller, small)).status).toBe(200);
  });
});

describe("the cost of an operation", () => {
  const usual = startGateway();

  test("is reported if requested; the unused part of an empty response is returned", async () => {
    const caller = await (await usual).newTenant();
    const first = await ask(caller, empty, costs);
    expect(first).toMatchObject({ status: 200, body: { data: { assets: { nodes: [] } } } });
    const { cost } = first.body.extensions;
    expect(cost).toEqual({ requested: 502, actual: 51, available: expect.any(Number), restoreRate: 20_000 });
    // The two points of the requests themselves, and a tenth of 502.
    const before = (await ask(caller, small, costs)).body.extensions.cost.available;
    expect(before).toBeGreaterThan(20_000 * 60 - 60);
    // A repeated text takes the fast path.
    for (let i = 0; i < 4; i++)
      expect((await ask(caller, empty, costs)).body.extensions.cost).toMatchObject({ requested: 502, actual: 51 });
    expect((await ask(caller, empty)).body).toEqual({ data: { assets: { nodes: [] } } });
  });

  test("is reported in the refusal of an operation that is too expensive", async () => {
    const caller = await (await usual).newTenant();
    const { status, body } = await ask(caller, "{ assets(first: 500) { nodes { components(first: 500) { nodes { id } } } } }");
    expect(status).toBe(200);
    expect(body.extensions.cost).toEqual({ requested: 251_002, actual: 0, available: expect.any(Number), restoreRate: 20_000 });
    expect(body.errors[0].extensions).toEqual({ code: "BAD_USER_INPUT", limit: "cost", value: 50_000 });
  });

  // Two months cost 1,000 and 100 dates; twice as long, twice as much. A forecast returns at most 1,000 or 2,000 dates, and costs no more.
  test.each([
    ["upcoming(days: 30) { dueDate }", 1_102],
    ["upcoming(days: 62) { dueDate }", 1_102],
    ["upcoming(days: 124) { dueDate }", 2_202],
    ["upcoming(days: 124) { asset { id } }", 2_402],
    ["upcoming(days: 3660) { dueDate }", 11_002],
    ["materialForecast(horizonDays: 124) { quantity }", 2_202],
    ['calendar(from: "2020-01-01", until: "2020-05-04") { date }', 2_202],
    ['calendar(from: "2099-01-01", until: "2099-01-02") { date }', 22_002],
    ['simulatePlan(changes: [], from: "2020-01-01", to: "2020-05-04") { planned { hours } }', 4_203],
    ['previewSchedule(procedureId: "r", from: "2020-01-01", to: "2020-05-04") { dueAt }', 302],
    ['previewScheduleDraft(draft: { assetId: "r", frequency: DAILY }, first: 20) { dueAt }', 122],
  ])("grows with the days of a forecast: %s", async (field, points) => {
    const caller = await (await usual).newTenant();
    expect((await ask(caller, `{ ${field} }`, costs)).body.extensions.cost.requested).toBe(points);
  });

  test("has no headers without budgets, and only those of the tenant if keys have none", async () => {
    const [none, tenants] = await Promise.all([
      startGateway({ RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" }),
      startGateway({ RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "10", RATE_LIMIT_BURST: "10" }),
    ]);
    const { headers } = await ask(await none.newTenant(), small);
    expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    expect((await ask(await tenants.newTenant(), small)).headers.get("ratelimit-policy")).toBe('"tenant";q=100;w=10');
  });
});

/** Runs `work` while a lock blocks reads of assets. Earlier requests complete afterwards. */
async function whileLocked({ database }: Gateway, work: () => Promise<void>): Promise<void> {
  await database.transaction(async (locking) => {
    await locking.query(`lock table "Asset" in access exclusive mode`);
    await work();
  });
}

const assets = "{ assets(first: 1) { nodes { id } } }";

describe("slots", () => {
  test("30 slow requests of one tenant do not block another's", async () => {
    const gateway = await startGateway({ MAX_RUNNING: "2" });
    const [heavy, light] = [await gateway.newTenant(), await gateway.newTenant()];
    // The keys are cached from here on.
    await Promise.all([heavy.ask(small), light.ask(small)]);
    const order: string[] = [];
    const send = (caller: Caller, name: string) => ask(caller, assets).then(({ status }) => void order.push(`${name} ${status}`));
    const sent: Promise<void>[] = [];
    await whileLocked(gateway, async () => {
      for (let i = 0; i < 30; i++) sent.push(send(heavy, "heavy"));
      await delay(400);
      sent.push(send(light, "light"));
      await delay(200);
      expect(order).toEqual([]);
    });
    await Promise.all(sent);
    expect(order.filter((name) => name === "heavy 200")).toHaveLength(30);
    // Two ran first, and this request is next. Responses may overtake each other in transit.
    expect(order.indexOf("light 200")).toBeGreaterThanOrEqual(0);
    expect(order.indexOf("light 200")).toBeLessThan(10);
  });

  test("a tenant with too many waiting requests gets 429, and a request that finds all places taken gets 503", async () => {
    const gateway = await startGateway({ MAX_RUNNING: "1", TENANT_QUEUE: "2", MAX_QUEUE: "3", ...metered });
    const [heavy, second, third] = [await gateway.newTenant(), await gateway.newTenant(), await gateway.newTenant()];
    await Promise.all([heavy, second, third].map((caller) => caller.ask(small)));
    const waiting: Promise<Answer>[] = [];
    await whileLocked(gateway, async () => {
      for (let i = 0; i < 3; i++) waiting.push(ask(heavy, assets));
      await delay(400);
      const tooMany = await ask(heavy, assets);
      expect(tooMany.status).toBe(429);
      expect(tooMany.headers.get("retry-after")).toBe("1");
      expect(tooMany.body).toEqual({
        errors: [
          {
            message: "Too many requests",
            extensions: {
              code: "RATE_LIMITED",
              message: "Too many requests wait at once; send fewer at a time",
              retryAfter: 1,
              requestId: tooMany.headers.get("x-request-id"),
            },
          },
        ],
        extensions: { cost: { requested: 1, actual: 0, available: expect.any(Number), restoreRate: 20_000 } },
      });
      // Its body is not read: otherwise this would be invalid JSON.
      const unread = await fetch(`${gateway.url}/parts`, {
        method: "POST",
        headers: { authorization: `Bearer ${heavy.key}`, "content-type": "application/json" },
        body: "{",
      });
      expect(unread.status).toBe(429);
      // Subscriptions and uploads do not wait in this queue.
      const stream = await postStream(heavy, { query: "subscription { changes(recordTypes: [ASSET]) { kind } }" });
      expect(stream.status).toBe(200);
      await stream.body!.cancel();
      const form = new FormData();
      form.set("operations", JSON.stringify({ query: "mutation ($file: Upload!) { importAssets(file: $file, mode: 1) { imported } }" }));
      const upload = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { authorization: `Bearer ${heavy.key}` },
        body: form,
      });
      expect(upload.status).toBe(400);
      const overRest = await heavy.rest("GET", "/assets");
      expect([overRest.status, overRest.headers.get("retry-after"), overRest.body]).toEqual([
        429,
        "1",
        {
          error: "Too many requests",
          code: "RATE_LIMITED",
          message: "Too many requests wait at once; send fewer at a time",
          retryAfter: 1,
          requestId: overRest.headers.get("x-request-id"),
        },
      ]);
      waiting.push(ask(second, assets));
      await delay(200);
      const full = await ask(third, assets);
      expect(full.status).toBe(503);
      expect(full.headers.get("retry-after")).toBe("2");
      expect(full.body).toEqual({
        errors: [{ message: "The service is busy for the moment; try again shortly", extensions: { code: "SERVICE_UNAVAILABLE" } }],
      });
      const fullRest = await third.rest("GET", "/assets");
      expect([fullRest.status, fullRest.headers.get("retry-after"), fullRest.body]).toEqual([
        503,
        "2",
        {
          error: "The service is busy for the moment; try again shortly",
          code: "SERVICE_UNAVAILABLE",
          requestId: fullRest.headers.get("x-request-id"),
        },
      ]);
    });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await refusedBy(gateway)).toEqual({ tenant_queue: 3, queue: 2 });
    // The refused operation returned its points and holds no slot.
    for (const caller of [heavy, second, third]) expect((await ask(caller, assets)).status).toBe(200);
  });

  test("requests beyond the queue are served once the queue has room", async () => {
    const gateway = await startGateway({ MAX_RUNNING: "1", TENANT_QUEUE: "2", ...metered });
    const caller = await gateway.newTenant();
    await caller.ask(small);
    let sent: Promise<Answer>[] = [];
    await whileLocked(gateway, async () => {
      sent = Array.from({ length: 9 }, () => ask(caller, assets));
      await delay(100);
    });
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(await refusedBy(gateway)).toEqual({});
  });

  test("a request that waits too long gets 503", async () => {
    const gateway = await startGateway({ MAX_RUNNING: "1", QUEUE_SECONDS: "1", ...metered });
    const caller = await gateway.newTenant();
    await caller.ask(small);
    let running: Promise<Answer> | undefined;
    await whileLocked(gateway, async () => {
      running = ask(caller, assets);
      await delay(200);
      expect((await ask(caller, assets)).status).toBe(503);
    });
    expect((await running!).status).toBe(200);
    expect(await refusedBy(gateway)).toEqual({ wait: 1 });
  });
});

describe("a slow caller with all slots", () => {
  test("leaves them to another tenant: its newest reads get 429, and its writes continue", async () => {
    const gateway = await startGateway({ MAX_RUNNING: "3", ...metered });
    const [heavy, light] = [await gateway.newTenant(), await gateway.newTenant()];
    await Promise.all([heavy.ask(small), light.ask(small)]);
    const sent: Promise<Answer>[] = [];
    await whileLocked(gateway, async () => {
      for (const query of [assets, 'mutation { createAsset(input: { name: "Press", type: "press" }) { name } }', assets]) {
        sent.push(ask(heavy, query));
        await delay(100);
      }
      expect((await ask(light, small)).status).toBe(200);
      const { status, headers, body } = await sent[2]!;
      expect([status, headers.get("retry-after")]).toEqual([429, "2"]);
      expect(body.errors).toEqual([
        {
          message: "Too many requests",
          extensions: {
            code: "RATE_LIMITED",
            message: "Too many slow requests at once; send fewer at a time",
            retryAfter: 2,
            requestId: headers.get("x-request-id"),
          },
        },
      ]);
    });
    expect((await sent[0]!).body).toEqual({ data: { assets: { nodes: [] } } });
    expect((await sent[1]!).body).toEqual({ data: { createAsset: { name: "Press" } } });
    expect(await refusedBy(gateway)).toEqual({ slow: 1 });
  });
});

describe("two processes on one database", async () => {
  const settings = { RATE_LIMIT_KEY: "20", RATE_LIMIT_BURST: "100", ...ample };
  const capacity = 2_000;
  const first = await startGateway(settings);
  const isShared = first.database.kind === "postgresql";
  const second = isShared ? await startGateway({ ...settings, DATABASE_URL: first.config.DATABASE_URL! }) : first;

  test.runIf(isShared)("share one budget, within 10 %", async () => {
    const caller = await first.newTenant();
    const started = performance.now();
    let spent = 0;
    let refusals = 0;
    const spendAll = async (gateway: Gateway) => {
      const of = Object.assign(Object.create(caller), { gateway });
      for (let refused = 0; refused < 20; ) {
        const { status, body } = await ask(of, small, costs);
        // Each request costs a point, unless it was refused for that point.
        if (status === 200) spent += 1 + body.extensions.cost.actual;
        else refused++;
        refusals += Number(status === 429);
      }
    };
    await Promise.all([first, second, first, second].map(spendAll));
    const earned = ((performance.now() - started) / 1_000) * 20;
    console.log(`spent ${spent} of ${capacity} points and ${Math.round(earned)} that came back, over two processes`);
    expect(refusals).toBe(80);
    expect(spent).toBeGreaterThan(capacity * 0.9);
    expect(spent).toBeLessThan((capacity + earned) * 1.1);
  });
});
