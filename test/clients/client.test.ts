/** The client of the package: responses, field errors, retries, tokens, files, and subscriptions. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { isMutationDocument } from "../../packages/client/src/client.js";
import {
  AssetById,
  Changes,
  type Client,
  type ClientOptions,
  createClient,
  GatewayError,
  ReceiveStock,
  StockChanges,
  UploadAssetPhoto,
} from "../../packages/client/src/index.js";
import { createSubscriptions, type Subscriptions, type SubscriptionsOptions } from "../../packages/client/src/subscriptions.js";
import { buildGateway } from "../../src/server/http.js";
import { image } from "../files/photos.js";
import { type Caller, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();
const url = `${gateway.url}/graphql`;
const create = "mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id name } }";
const names = async (tenant: Caller) => (await tenant.snapshot("Asset")).Asset!.map(({ name }) => name).sort();

type Sent = { headers: Record<string, string> };
type Fault = "lost request" | "lost answer" | { status: number; headers?: Record<string, string>; body?: string };

/** The delays that timers of this process are started with, until the end of the test. */
function requestedDelays(): () => number[] {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void vi.restoreAllMocks());
  return () => timers.mock.calls.map(([, ms]) => ms ?? 0);
}

/** A fetch that fails with the given faults in order, then works. Also records the requests sent. */
function faulty(...faults: Fault[]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    async fetch(input, init) {
      sent.push({ headers: init!.headers as Record<string, string> });
      const fault = faults.shift();
      if (fault === "lost request") throw new TypeError("fetch failed");
      if (fault === "lost answer") {
        await (await fetch(input, init)).text();
        throw new TypeError("terminated");
      }
      return fault ? new Response(fault.body ?? "<html>", fault) : fetch(input, init);
    },
  };
}

const clientOf = (tenant: Caller, more: Partial<ClientOptions> = {}): Client =>
  createClient({ url, key: tenant.key, retryDelay: 10, ...more } as ClientOptions);

const refusal = (promise: Promise<unknown>): Promise<GatewayError> =>
  promise.then(
    () => expect.fail("was not refused"),
    (error) => {
      expect(error).toBeInstanceOf(GatewayError);
      return error;
    },
  );

describe("a request", () => {
  it("returns the data of a ready-made operation", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset({ name: "Feed pump" });
    const { asset } = await clientOf(tenant).request(AssetById, { id });
    expect(asset).toMatchObject({ id, name: "Feed pump", photos: [] });
  });

  it("that is refused throws code, fields and the rest of the data", async () => {
    const tenant = await gateway.newTenant();
    await tenant.createAsset({ serialNumber: "S-1" });
    const conflict = await refusal(clientOf(tenant).request(create, { input: { name: "Pump", type: "pump", serialNumber: "S-1" } }));
    expect(conflict).toMatchObject({
      name: "GatewayError",
      message: "An asset with this serial number already exists",
      code: "CONFLICT",
      data: null,
      fieldErrors: [{ path: ["input", "serialNumber"], code: "TAKEN" }],
    });
    const partly = await refusal(clientOf(tenant).request("{ viewer { role } asset(id: 1) { id } }"));
    expect(partly).toMatchObject({ code: "NOT_FOUND", data: { viewer: { role: "ADMIN" }, asset: null } });
  });

  it("stops when its signal aborts, even while it waits", async () => {
    const tenant = await gateway.newTenant();
    const reason = new Error("left the page");
    await expect(clientOf(tenant).request("{ viewer { role } }", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const isAnswered of [false, true]) {
      const controller = new AbortController();
      const { fetch, sent } = faulty({ status: 503, headers: { "retry-after": "20" } });
      const meanwhile: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        setTimeout(() => controller.abort(reason), isAnswered ? 50 : 0);
        if (!isAnswered) await delay(50);
        return response;
      };
      const waiting = clientOf(tenant, { fetch: meanwhile }).request("{ viewer { role } }", {}, { signal: controller.signal });
      await expect(waiting).rejects.toBe(reason);
      expect(sent).toHaveLength(1);
    }
  });
});

describe("a failed attempt", () => {
  it.each<[string, Fault]>([
    ["a lost answer", "lost answer"],
    ["a lost request", "lost request"],
    ["502", { status: 502 }],
    ["503", { status: 503 }],
    ["429", { status: 429, headers: { "retry-after": "0" } }],
  ])("(%s) is repeated, and a mutation has one effect", async (_, fault) => {
    const tenant = await gateway.newTenant();
    const { fetch, sent } = faulty(fault, fault);
    const { createAsset } = await clientOf(tenant, { fetch }).request(create, { input: { name: "Once", type: "pump" } });
    expect(createAsset.name).toBe("Once");
    expect(await names(tenant)).toEqual(["Once"]);
    const keys = sent.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0]]);
  });

  it("is not repeated forever, and waits longer each time", async () => {
    const tenant = await gateway.newTenant();
    const { fetch, sent } = faulty(...Array<Fault>(9).fill("lost request"));
    // The random half of each delay. The gateway in this process has timers too, but none this long.
    vi.spyOn(Math, "random").mockReturnValue(0);
    const delays = requestedDelays();
    const refused = await refusal(clientOf(tenant, { fetch, retries: 3, retryDelay: 74 }).request("{ viewer { role } }"));
    expect([refused.code, sent.length]).toEqual(["NETWORK_ERROR", 4]);
    expect(delays().filter((ms) => [37, 74, 148].includes(ms))).toEqual([37, 74, 148]);
    const { fetch: proxy } = faulty(...Array<Fault>(9).fill({ status: 502 }));
    expect((await refusal(clientOf(tenant, { fetch: proxy, retries: 1 }).request("{ viewer { role } }"))).code).toBe("HTTP_502");
  });

  it("waits as long as Retry-After says, but not for hours", async () => {
    const tenant = await gateway.newTenant();
    const { fetch, sent } = faulty({ status: 429, headers: { "retry-after": "1" } });
    const delays = requestedDelays();
    await clientOf(tenant, { fetch }).request("{ viewer { role } }");
    expect(sent).toHaveLength(2);
    expect(delays()).toContain(1_000);
    const closed = faulty({ status: 503, headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() } });
    expect((await refusal(clientOf(tenant, { fetch: closed.fetch }).request("{ viewer { role } }"))).code).toBe("HTTP_503");
    expect(closed.sent.length).toBe(1);
  });

  it("caused by the request itself is not repeated", async () => {
    const tenant = await gateway.newTenant();
    const { fetch, sent } = faulty();
    expect((await refusal(clientOf(tenant, { fetch }).request("{ nothing }"))).code).toBe("GRAPHQL_VALIDATION_FAILED");
    expect(sent.length).toBe(1);
    const page = faulty({ status: 404 });
    expect((await refusal(clientOf(tenant, { fetch: page.fetch }).request("{ viewer { role } }"))).code).toBe("HTTP_404");
  });

  it("whose first attempt is still running gets that attempt's response", async () => {
    const tenant = await gateway.newTenant();
    const running = { errors: [{ message: "Still at it", extensions: { code: "CONFLICT", conflict: "IDEMPOTENCY_KEY_RUNNING" } }] };
    const { fetch } = faulty("lost answer", { status: 200, body: JSON.stringify(running) });
    await clientOf(tenant, { fetch }).request(create, { input: { name: "Once", type: "pump" } });
    expect(await names(tenant)).toEqual(["Once"]);
  });

  it("keeps the given idempotency key, for requests of two programs too", async () => {
    const tenant = await gateway.newTenant();
    const request = () => clientOf(tenant).request(create, { input: { name: "Once", type: "pump" } }, { idempotencyKey: "import-1" });
    expect(await request()).toEqual(await request());
    expect(await names(tenant)).toEqual(["Once"]);
  });

  it.each([
    ["{ a }", false],
    ["query mutation { mutation }", false],
    ['fragment mutation on A { b(c: "mutation {") } query { ...mutation }', false],
    ["# mutation\nquery ($mutation: A = { a: { b: 1 } }, $b: B) { a }", false],
    ["mutation { a }", true],
    ["mutation($a: A = { a: 1 }) @b { a }", true],
    ['fragment F on A { b(c: """}"\\"""", d: "\\"{") { e } } # {\n mutation M { ...F }', true],
  ])("knows whether %s is a mutation", (document, expected) => expect(isMutationDocument(document)).toBe(expected));
});

describe("a token", () => {
  /** Tokens that are stale until they are refreshed. */
  const tokens = (tenant: Caller) => {
    const asked: boolean[] = [];
    let token = "stale";
    return {
      asked,
      async getToken({ refresh }: { refresh: boolean }) {
        asked.push(refresh);
        await delay(20);
        return refresh ? (token = tenant.key) : token;
      },
    };
  };

  it("that is refused is refreshed once, even for concurrent requests", async () => {
    const tenant = await gateway.newTenant();
    const { asked, getToken } = tokens(tenant);
    const client = createClient({ url, getToken });
    const answers = await Promise.all([1, 2, 3].map(() => client.request("{ viewer { role } }")));
    expect(answers).toEqual(Array(3).fill({ viewer: { role: "ADMIN" } }));
    expect(asked.filter((refresh) => refresh)).toEqual([true]);
  });

  it("that is refused again is an error, and a mutation ran at most once", async () => {
    const tenant = await gateway.newTenant();
    const { fetch, sent } = faulty();
    const client = createClient({ url, getToken: () => "stale", fetch });
    expect((await refusal(client.request(create, { input: { name: "Never", type: "pump" } }))).code).toBe("UNAUTHENTICATED");
    expect((await refusal(createClient({ url, key: "stale" }).request("{ viewer { role } }"))).code).toBe("UNAUTHENTICATED");
    expect([sent.length, await names(tenant)]).toEqual([2, []]);
  });
});

describe("a file", () => {
  it("is uploaded, and not sent twice", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await tenant.createAsset();
    const bytes = new Uint8Array(await image("png"));
    const file = new File([bytes], "pump.png", { type: "image/png" });
    const { uploadAssetPhoto } = await clientOf(tenant).request(UploadAssetPhoto, { assetId: id, file });
    expect(uploadAssetPhoto).toMatchObject({ filename: "pump.png", contentType: "image/png", size: bytes.length });
    const { fetch, sent } = faulty("lost answer");
    expect((await refusal(clientOf(tenant, { fetch }).request(UploadAssetPhoto, { assetId: id, file }))).code).toBe("NETWORK_ERROR");
    expect([sent.length, sent[0]!.headers["idempotency-key"]]).toEqual([1, undefined]);
  });
});

describe.each(["websocket", "sse"] as const)("a subscription over %s", (transport) => {
  const newPart = async (tenant: Caller): Promise<string> =>
    (await tenant.rest("POST", "/parts", { partNumber: randomUUID(), name: "Bearing", stockLevel: 1 })).body.partId;

  const subscriptionsOf = (options: Pick<SubscriptionsOptions, "url" | "onReconnect"> & ({ key: string } | { getToken: any })) =>
    createSubscriptions({ transport, webSocketImpl: WebSocket, retryDelay: 50, ...options } as SubscriptionsOptions);

  /** Collects balances until the signal aborts. */
  function follow(subscriptions: Subscriptions, partId: string) {
    const controller = new AbortController();
    const balances: number[] = [];
    const ended = (async () => {
      for await (const { stockChanged } of subscriptions.subscribe(StockChanges, { partId }, controller))
        balances.push(stockChanged.newBalance);
    })();
    ended.catch(() => {});
    return { balances, ended, stop: () => controller.abort() };
  }

  /** Receives stock until the number of balances grows. */
  const delivered = (client: Client, partId: string, balances: number[]) => {
    const before = balances.length;
    return expect
      .poll(
        async () => {
          await client.request(ReceiveStock, { partId, input: { quantity: 1 } });
          return balances.length;
        },
        { interval: 100 },
      )
      .toBeGreaterThan(before);
  };

  it("is an async iterable that ends with its signal", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant);
    const subscriptions = subscriptionsOf({ url, key: tenant.key });
    const { balances, ended, stop } = follow(subscriptions, partId);
    await delivered(clientOf(tenant), partId, balances);
    stop();
    expect(await ended).toBeUndefined();
  });

  it("that is refused throws", async () => {
    const tenant = await gateway.newTenant();
    const events = (key: string, document: string) => subscriptionsOf({ url, key }).subscribe(document).next();
    expect((await refusal(events(tenant.key, "subscription { nothing }"))).message).toContain("nothing");
    expect((await refusal(events("stale", "subscription { stockChanged { id } }"))).code).toBe("UNAUTHENTICATED");
    const asked: boolean[] = [];
    const neverGood = subscriptionsOf({ url, getToken: ({ refresh }: { refresh: boolean }) => asked.push(refresh) && "stale" });
    expect((await refusal(neverGood.subscribe(StockChanges).next())).code).toBe("UNAUTHENTICATED");
    expect(asked.filter((refresh) => refresh)).toEqual([true]);
  });

  it("reconnects after the service was restarted, with a fresh token, and reports it", async () => {
    const own = await startGateway();
    const tenant = await own.newTenant();
    const partId = await newPart(tenant);
    const address = `${own.url}/graphql`;
    let reconnected = 0;
    let token = tenant.key;
    const asked: boolean[] = [];
    const getToken = ({ refresh }: { refresh: boolean }) => {
      asked.push(refresh);
      return refresh ? (token = tenant.key) : token;
    };
    const subscriptions = subscriptionsOf({ url: address, getToken, onReconnect: () => reconnected++ });
    const [{ balances, ended, stop }, second] = [follow(subscriptions, partId), follow(subscriptions, partId)];
    const client = createClient({ url: address, key: tenant.key });
    await delivered(client, partId, balances);
    token = "stale";
    await own.app.close();
    await delay(200);
    const app = await buildGateway({ config: own.config, database: own.database });
    try {
      await app.listen({ host: "127.0.0.1", port: Number(new URL(own.url).port) });
      // Each subscription reconnects independently, so they may receive different events.
      await Promise.all([delivered(client, partId, balances), delivered(client, partId, second.balances)]);
      // WebSocket subscriptions share a single connection.
      expect(reconnected).toBe(transport === "websocket" ? 1 : 2);
      expect(asked.filter((refresh) => refresh)).toEqual([true]);
      stop();
      second.stop();
      await Promise.all([ended, second.ended]);
    } finally {
      subscriptions.close();
      const closed = app.close();
      // Node's fetch opens a connection in place of one that it aborts, and sends nothing on it.
      await delay(500);
      app.server.closeAllConnections();
      await closed;
    }
  });

  /** A connection to the service that can be cut. */
  async function road() {
    const open = new Set<Socket>();
    const port = Number(new URL(gateway.url).port);
    let isCut = false;
    const server = createServer((near) => {
      if (isCut) return near.destroy();
      const far = connect(port, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(from);
        from.pipe(to).on("error", () => {});
        from.on("close", () => to.destroy());
      }
      return undefined;
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const cut = () => {
      isCut = true;
      for (const socket of open) socket.destroy();
      open.clear();
    };
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
      cut,
      mend: () => void (isCut = false),
      end() {
        cut();
        server.close();
      },
    };
  }

  it("that has a token misses nothing and gets nothing twice, even if the connection is lost repeatedly", async () => {
    const tenant = await gateway.newTenant();
    const way = await road();
    const subscriptions = subscriptionsOf({ url: way.url, key: tenant.key });
    const [received, other, made]: string[][] = [[], [], []];
    const leaving = new AbortController();
    const collect = async (into: string[]) => {
      for await (const { changes } of subscriptions.subscribe(Changes, { recordTypes: ["ASSET"] }, leaving)) into.push(changes.recordId);
    };
    const ended = Promise.all([collect(received!), collect(other!)]);
    const make = async () => void made!.push((await tenant.createAsset()).id);
    const arrived = (of: string[]) => expect.poll(() => of).toEqual(made);
    // There is no token before the first result.
    await delay(500);
    await make();
    await Promise.all([arrived(received!), arrived(other!)]);
    for (let round = 0; round < 3; round++) {
      const writing = (async () => {
        for (let i = 0; i < 10; i++) await make();
      })();
      way.cut();
      await writing;
      await make();
      way.mend();
      await make();
      await Promise.all([arrived(received!), arrived(other!)]);
    }
    await gateway.database.query(`update "Tenant" set "logEpoch" = gen_random_uuid()::text where "tenantId" = $1`, [tenant.tenantId]);
    way.cut();
    way.mend();
    expect((await refusal(ended)).code).toBe("RESYNC_REQUIRED");
    leaving.abort();
    subscriptions.close();
    way.end();
    expect(received).toEqual(made);
  });

  it("that lags resumes with its token, or reports a gap", async () => {
    const asked: unknown[] = [];
    const lagged = { errors: [{ message: "slow", extensions: { code: "LAGGED" } }], extensions: { token: "t1" } };
    const answers = [[{ data: { n: 1 }, extensions: { token: "t1" } }, lagged], [{ data: { n: 2 }, extensions: { token: "t2" } }]];
    const answer = (variables: unknown) => {
      asked.push(variables);
      return answers[(asked.length - 1) % 2]!;
    };
    const stub: typeof fetch = async (_, init) => {
      const results = answer(JSON.parse(String(init!.body)).variables).map((result) => `event: next\ndata: ${JSON.stringify(result)}\n\n`);
      return new Response(`:\n\n${results.join("")}event: complete\ndata:\n\n`, { headers: { "content-type": "text/event-stream" } });
    };
    const server = new WebSocketServer({ port: 0, handleProtocols: () => "graphql-transport-ws" }).on("connection", (socket) =>
      socket.on("message", (data) => {
        const { id, type, payload } = JSON.parse(String(data));
        const send = (message: object) => socket.send(JSON.stringify(message));
        if (type === "connection_init") send({ type: "connection_ack" });
        if (type !== "subscribe") return;
        for (const result of answer(payload.variables)) send({ id, type: "next", payload: result });
        send({ id, type: "complete" });
      }),
    );
    const { port } = server.address() as AddressInfo;
    let gaps = 0;
    const subscriptions = createSubscriptions({
      url: `http://127.0.0.1:${port}/graphql`,
      key: "k",
      transport,
      fetch: stub,
      onReconnect: () => gaps++,
      webSocketImpl: WebSocket,
    });
    const numbers = async (document: string, variables?: Record<string, unknown>) => {
      const received: number[] = [];
      for await (const { n } of subscriptions.subscribe(document, variables)) received.push(n);
      return received;
    };
    expect(await numbers("subscription ($after: String) { n(after: $after) }", { other: true })).toEqual([1, 2]);
    expect([asked, gaps]).toEqual([[{ other: true }, { other: true, after: "t1" }], 0]);
    expect(await numbers("subscription { n }")).toEqual([1, 2]);
    expect([asked.slice(2), gaps]).toEqual([[undefined, undefined], 1]);
    subscriptions.close();
    server.close();
  });
});
